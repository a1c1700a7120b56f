//===- MatrixTable.cpp - The matrix instructions of each chip -------------===//
//
// Mnemonics are those that LLVM 22 prints; test/unit/Simulator/Matrix checks
// each with the disassembler. Passes: AMD matrix instruction calculator
// (gfx942) and LLVM's scheduling model (gfx950), facts: hardware, section 3.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Matrix/Matrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>
#include <vector>

using namespace octavo::sim;
using llvm::StringRef;

namespace {

/// Element as the mnemonic names it; FP8 and BF8 are FNUZ or OCP by chip.
enum class Name : uint8_t { FP8, BF8, F16, BF16, F32, XF32, F64, I8, Selected };

enum Chips : uint8_t { gfx942 = 1, gfx950 = 2, both = 3 };

struct Row {
  StringRef mnemonic;
  Name a, b;
  uint16_t m, k, blocks; // N is M
  uint16_t passes;
  Chips chips;
};

using enum Name;

constexpr Row rows[] = {
    {"v_mfma_f32_16x16x32_fp8_fp8", FP8, FP8, 16, 32, 1, 4, both},
    {"v_mfma_f32_16x16x32_fp8_bf8", FP8, BF8, 16, 32, 1, 4, both},
    {"v_mfma_f32_16x16x32_bf8_fp8", BF8, FP8, 16, 32, 1, 4, both},
    {"v_mfma_f32_16x16x32_bf8_bf8", BF8, BF8, 16, 32, 1, 4, both},
    {"v_mfma_f32_32x32x16_fp8_fp8", FP8, FP8, 32, 16, 1, 8, both},
    {"v_mfma_f32_32x32x16_fp8_bf8", FP8, BF8, 32, 16, 1, 8, both},
    {"v_mfma_f32_32x32x16_bf8_fp8", BF8, FP8, 32, 16, 1, 8, both},
    {"v_mfma_f32_32x32x16_bf8_bf8", BF8, BF8, 32, 16, 1, 8, both},
    {"v_mfma_f32_16x16x16_f16", F16, F16, 16, 16, 1, 4, both},
    {"v_mfma_f32_32x32x8_f16", F16, F16, 32, 8, 1, 8, both},
    {"v_mfma_f32_16x16x4_4b_f16", F16, F16, 16, 4, 4, 8, both},
    {"v_mfma_f32_32x32x4_2b_f16", F16, F16, 32, 4, 2, 16, both},
    {"v_mfma_f32_4x4x4_16b_f16", F16, F16, 4, 4, 16, 2, both},
    {"v_mfma_f32_16x16x16_bf16", BF16, BF16, 16, 16, 1, 4, both},
    {"v_mfma_f32_32x32x8_bf16", BF16, BF16, 32, 8, 1, 8, both},
    {"v_mfma_f32_16x16x4_4b_bf16", BF16, BF16, 16, 4, 4, 8, both},
    {"v_mfma_f32_32x32x4_2b_bf16", BF16, BF16, 32, 4, 2, 16, both},
    {"v_mfma_f32_4x4x4_16b_bf16", BF16, BF16, 4, 4, 16, 2, both},
    {"v_mfma_f32_16x16x32_f16", F16, F16, 16, 32, 1, 4, gfx950},
    {"v_mfma_f32_32x32x16_f16", F16, F16, 32, 16, 1, 8, gfx950},
    {"v_mfma_f32_16x16x32_bf16", BF16, BF16, 16, 32, 1, 4, gfx950},
    {"v_mfma_f32_32x32x16_bf16", BF16, BF16, 32, 16, 1, 8, gfx950},
    {"v_mfma_f32_16x16x4_f32", F32, F32, 16, 4, 1, 8, both},
    {"v_mfma_f32_32x32x2_f32", F32, F32, 32, 2, 1, 16, both},
    {"v_mfma_f32_4x4x1_16b_f32", F32, F32, 4, 1, 16, 2, both},
    {"v_mfma_f32_16x16x1_4b_f32", F32, F32, 16, 1, 4, 8, both},
    {"v_mfma_f32_32x32x1_2b_f32", F32, F32, 32, 1, 2, 16, both},
    {"v_mfma_f32_16x16x8_xf32", XF32, XF32, 16, 8, 1, 4, gfx942},
    {"v_mfma_f32_32x32x4_xf32", XF32, XF32, 32, 4, 1, 8, gfx942},
    {"v_mfma_f64_16x16x4_f64", F64, F64, 16, 4, 1, 8, gfx942},
    {"v_mfma_f64_16x16x4_f64", F64, F64, 16, 4, 1, 16, gfx950},
    {"v_mfma_f64_4x4x4_4b_f64", F64, F64, 4, 4, 4, 4, both},
    {"v_mfma_i32_16x16x32_i8", I8, I8, 16, 32, 1, 4, both},
    {"v_mfma_i32_32x32x16_i8", I8, I8, 32, 16, 1, 8, both},
    {"v_mfma_i32_16x16x4_4b_i8", I8, I8, 16, 4, 4, 8, both},
    {"v_mfma_i32_32x32x4_2b_i8", I8, I8, 32, 4, 2, 16, both},
    {"v_mfma_i32_4x4x4_16b_i8", I8, I8, 4, 4, 16, 2, both},
    {"v_mfma_i32_16x16x64_i8", I8, I8, 16, 64, 1, 4, gfx950},
    {"v_mfma_i32_32x32x32_i8", I8, I8, 32, 32, 1, 8, gfx950},
    {"v_mfma_f32_16x16x128_f8f6f4", Selected, Selected, 16, 128, 1, 8, gfx950},
    {"v_mfma_f32_32x32x64_f8f6f4", Selected, Selected, 32, 64, 1, 16, gfx950},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", Selected, Selected, 16, 128, 1, 8,
     gfx950},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", Selected, Selected, 32, 64, 1, 16,
     gfx950},
    {"v_smfmac_f32_16x16x32_f16", F16, F16, 16, 32, 1, 4, both},
    {"v_smfmac_f32_32x32x16_f16", F16, F16, 32, 16, 1, 8, both},
    {"v_smfmac_f32_16x16x32_bf16", BF16, BF16, 16, 32, 1, 4, both},
    {"v_smfmac_f32_32x32x16_bf16", BF16, BF16, 32, 16, 1, 8, both},
    {"v_smfmac_f32_16x16x64_fp8_fp8", FP8, FP8, 16, 64, 1, 4, both},
    {"v_smfmac_f32_16x16x64_fp8_bf8", FP8, BF8, 16, 64, 1, 4, both},
    {"v_smfmac_f32_16x16x64_bf8_fp8", BF8, FP8, 16, 64, 1, 4, both},
    {"v_smfmac_f32_16x16x64_bf8_bf8", BF8, BF8, 16, 64, 1, 4, both},
    {"v_smfmac_f32_32x32x32_fp8_fp8", FP8, FP8, 32, 32, 1, 8, both},
    {"v_smfmac_f32_32x32x32_fp8_bf8", FP8, BF8, 32, 32, 1, 8, both},
    {"v_smfmac_f32_32x32x32_bf8_fp8", BF8, FP8, 32, 32, 1, 8, both},
    {"v_smfmac_f32_32x32x32_bf8_bf8", BF8, BF8, 32, 32, 1, 8, both},
    {"v_smfmac_i32_16x16x64_i8", I8, I8, 16, 64, 1, 4, both},
    {"v_smfmac_i32_32x32x32_i8", I8, I8, 32, 32, 1, 8, both},
    {"v_smfmac_f32_16x16x64_f16", F16, F16, 16, 64, 1, 4, gfx950},
    {"v_smfmac_f32_32x32x32_f16", F16, F16, 32, 32, 1, 8, gfx950},
    {"v_smfmac_f32_16x16x64_bf16", BF16, BF16, 16, 64, 1, 4, gfx950},
    {"v_smfmac_f32_32x32x32_bf16", BF16, BF16, 32, 32, 1, 8, gfx950},
    {"v_smfmac_f32_16x16x128_fp8_fp8", FP8, FP8, 16, 128, 1, 4, gfx950},
    {"v_smfmac_f32_16x16x128_fp8_bf8", FP8, BF8, 16, 128, 1, 4, gfx950},
    {"v_smfmac_f32_16x16x128_bf8_fp8", BF8, FP8, 16, 128, 1, 4, gfx950},
    {"v_smfmac_f32_16x16x128_bf8_bf8", BF8, BF8, 16, 128, 1, 4, gfx950},
    {"v_smfmac_f32_32x32x64_fp8_fp8", FP8, FP8, 32, 64, 1, 8, gfx950},
    {"v_smfmac_f32_32x32x64_fp8_bf8", FP8, BF8, 32, 64, 1, 8, gfx950},
    {"v_smfmac_f32_32x32x64_bf8_fp8", BF8, FP8, 32, 64, 1, 8, gfx950},
    {"v_smfmac_f32_32x32x64_bf8_bf8", BF8, BF8, 32, 64, 1, 8, gfx950},
    {"v_smfmac_i32_16x16x128_i8", I8, I8, 16, 128, 1, 4, gfx950},
    {"v_smfmac_i32_32x32x64_i8", I8, I8, 32, 64, 1, 8, gfx950},
};

MatrixElement getElement(Name name, bool isFnuz) {
  switch (name) {
  case FP8:
    return isFnuz ? MatrixElement::E4M3FNUZ : MatrixElement::E4M3FN;
  case BF8:
    return isFnuz ? MatrixElement::E5M2FNUZ : MatrixElement::E5M2;
  case F16:
    return MatrixElement::F16;
  case BF16:
    return MatrixElement::BF16;
  case F32:
    return MatrixElement::F32;
  case XF32:
    return MatrixElement::XF32;
  case F64:
    return MatrixElement::F64;
  case I8:
    return MatrixElement::I8;
  case Selected:
    return MatrixElement::E4M3FN;
  }
  llvm_unreachable("covered switch");
}

MatrixInstruction makeInstruction(const Row &row, StringRef arch, bool isFnuz,
                                  uint16_t plan) {
  MatrixInstruction out{};
  out.mnemonic = row.mnemonic;
  out.arch = arch;
  out.a = getElement(row.a, isFnuz);
  out.b = getElement(row.b, isFnuz);
  out.m = out.n = row.m;
  out.k = row.k;
  out.blocks = row.blocks;
  out.sparse = row.mnemonic.starts_with("v_smfmac");
  out.selectsFormat = row.a == Selected;
  out.scaled = row.mnemonic.starts_with("v_mfma_scale");
  uint32_t inputBits = getElementBits(out.a) * row.k * row.m * row.blocks;
  out.bRegisters = uint16_t(inputBits / (64 * 32));
  out.aRegisters = out.sparse ? out.bRegisters / 2 : out.bRegisters;
  uint32_t resultWords = row.a == F64 ? 2 : 1;
  out.cRegisters = uint16_t(row.m * row.m * row.blocks * resultWords / 64);
  out.passes = row.passes;
  out.plan = plan;
  return out;
}

struct Table {
  StringRef arch;
  std::vector<MatrixInstruction> instructions;
};

/// Plans are numbered through both tables, in order.
const std::vector<Table> &getTables() {
  static const std::vector<Table> tables = [] {
    std::vector<Table> out;
    uint16_t plan = 0;
    for (auto [arch, chip] :
         {std::pair("gfx942", gfx942), {"gfx950", gfx950}}) {
      Table table{arch, {}};
      for (const Row &row : rows)
        if (row.chips & chip)
          table.instructions.push_back(
              makeInstruction(row, arch, chip == gfx942, plan++));
      out.push_back(std::move(table));
    }
    return out;
  }();
  return tables;
}

bool isEightBitFloat(MatrixElement element) {
  return getElementBits(element) <= 8 && element != MatrixElement::I8;
}

} // namespace

llvm::ArrayRef<MatrixInstruction>
octavo::sim::getMatrixInstructions(StringRef arch) {
  for (const Table &table : getTables())
    if (table.arch == arch)
      return table.instructions;
  return {};
}

const MatrixInstruction *
octavo::sim::lookupMatrixInstruction(StringRef mnemonic, StringRef arch) {
  for (const MatrixInstruction &row : getMatrixInstructions(arch))
    if (row.mnemonic == mnemonic)
      return &row;
  return nullptr;
}

std::optional<MatrixElement> octavo::sim::getSelectedElement(uint32_t code) {
  constexpr MatrixElement elements[] = {
      MatrixElement::E4M3FN, MatrixElement::E5M2, MatrixElement::E2M3,
      MatrixElement::E3M2, MatrixElement::E2M1};
  if (code >= std::size(elements))
    return std::nullopt;
  return elements[code];
}

uint32_t octavo::sim::getOperandRegisters(const MatrixInstruction &instruction,
                                          MatrixElement element) {
  return instruction.k * instruction.m * instruction.blocks *
         getElementBits(element) / (64 * 32);
}

uint32_t octavo::sim::getPasses(const MatrixInstruction &instruction,
                                uint32_t cbsz, uint32_t blgp) {
  bool isNarrow = instruction.selectsFormat && cbsz >= 2 && blgp >= 2;
  return isNarrow ? instruction.passes / 2 : instruction.passes;
}

llvm::Error octavo::sim::checkModifiers(const MatrixInstruction &instruction,
                                        uint32_t cbsz, uint32_t abid,
                                        uint32_t blgp) {
  auto reject = [&](const char *name, uint32_t value) {
    return llvm::createStringError("%s: %s:%u has no meaning on %s",
                                   instruction.mnemonic.data(), name, value,
                                   instruction.arch.data());
  };
  if (instruction.selectsFormat) {
    if (!getSelectedElement(cbsz))
      return reject("cbsz", cbsz);
    if (!getSelectedElement(blgp))
      return reject("blgp", blgp);
    return abid > 1 ? reject("abid", abid) : llvm::Error::success();
  }
  if (instruction.sparse)
    return blgp ? reject("blgp", blgp) : llvm::Error::success();
  if ((1u << cbsz) > instruction.blocks)
    return reject("cbsz", cbsz);
  if (abid >= (1u << cbsz))
    return reject("abid", abid);
  bool permutesB = getElementBits(instruction.b) == 16 ||
                   instruction.b == MatrixElement::F32 ||
                   instruction.b == MatrixElement::I8 ||
                   instruction.b == MatrixElement::F64;
  return blgp && !permutesB ? reject("blgp", blgp) : llvm::Error::success();
}

llvm::Expected<std::optional<MatrixModel>> octavo::sim::getRequestedModel() {
  const char *text = std::getenv("OCTAVO_SIM_MFMA");
  if (!text || !*text)
    return std::optional<MatrixModel>();
  for (MatrixModel model :
       {MatrixModel::CDNA3, MatrixModel::ExactBlock, MatrixModel::FmaChain})
    if (getModelName(model) == text)
      return std::optional(model);
  return llvm::createStringError("OCTAVO_SIM_MFMA: expected cdna3, exact-block "
                                 "or fma-chain, got '%s'",
                                 text);
}

MatrixModel octavo::sim::resolveModel(const MatrixInstruction &instruction,
                                      std::optional<MatrixModel> requested) {
  if (instruction.a == MatrixElement::F32 ||
      instruction.a == MatrixElement::F64 || requested == MatrixModel::FmaChain)
    return MatrixModel::FmaChain;
  if (instruction.selectsFormat)
    return MatrixModel::ExactBlock;
  if (requested == MatrixModel::ExactBlock && isEightBitFloat(instruction.a))
    return MatrixModel::ExactBlock;
  return MatrixModel::CDNA3;
}

StringRef octavo::sim::getModelName(MatrixModel model) {
  switch (model) {
  case MatrixModel::CDNA3:
    return "cdna3";
  case MatrixModel::ExactBlock:
    return "exact-block";
  case MatrixModel::FmaChain:
    return "fma-chain";
  }
  llvm_unreachable("covered switch");
}

std::string octavo::sim::describeModel(const MatrixInstruction &instruction,
                                       MatrixModel model) {
  if (instruction.a == MatrixElement::I8)
    return "exact";
  MatrixModel used = resolveModel(instruction, model);
  bool isFma = instruction.a == MatrixElement::F32 ||
               instruction.a == MatrixElement::F64;
  bool isPublished =
      isFma || (used == MatrixModel::CDNA3 && instruction.arch == "gfx942" &&
                !instruction.sparse);
  return (getModelName(used) + (isPublished ? "" : " (assumed)")).str();
}
