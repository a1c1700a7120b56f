//===- MatrixInstructions.cpp - What the matrix cores can do --------------===//
//
// Sources: shapes, passes and lane maps of CDNA3 by AMD's matrix instruction
// calculator and the CDNA3 ISA manual 7.1; of CDNA4 by the CDNA4 ISA manual,
// LLVM 22 (intrinsics) and origami's INSTRUCTION_MAP (passes).
//
//===----------------------------------------------------------------------===//

#include "octavo/Target/MatrixInstructions.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"

using namespace octavo;
using llvm::ArrayRef;
using llvm::StringLiteral;

uint32_t octavo::getElementBits(MatrixElement element) {
  switch (element) {
  case MatrixElement::F8E4M3:
  case MatrixElement::F8E5M2:
  case MatrixElement::I8:
    return 8;
  case MatrixElement::BF16:
  case MatrixElement::F16:
    return 16;
  case MatrixElement::F32:
  case MatrixElement::I32:
    return 32;
  case MatrixElement::F64:
    return 64;
  }
  llvm_unreachable("all elements are listed");
}

uint32_t octavo::getFormatCode(MatrixElement element) {
  return element == MatrixElement::F8E5M2 ? 1 : 0;
}

//===----------------------------------------------------------------------===//
// Lane maps
//===----------------------------------------------------------------------===//

// k of the register's bits: 1, 2, 4 … elements in a row.
static constexpr uint16_t kRow4[] = {1, 2};
static constexpr uint16_t kRow8[] = {1, 2, 4};
static constexpr uint16_t kRow16[] = {1, 2, 4, 8};
// f8f6f4 with 8-bit elements: two halves of 16 elements.
static constexpr uint16_t kHalves64[] = {1, 2, 4, 8, 32};
static constexpr uint16_t kHalves128[] = {1, 2, 4, 8, 64};
// k of the lane's bits above the rows: 4 groups of lanes with 16 rows, 2
// with 32.
static constexpr uint16_t kLanes1x2[] = {1, 2};
static constexpr uint16_t kLanes4x2[] = {4, 8};
static constexpr uint16_t kLanes8x2[] = {8, 16};
static constexpr uint16_t kLanes16x2[] = {16, 32};
static constexpr uint16_t kLane1[] = {1};
static constexpr uint16_t kLane4[] = {4};
static constexpr uint16_t kLane8[] = {8};
static constexpr uint16_t kLane16[] = {16};
// Rows of the result.
static constexpr uint16_t kResult16Registers[] = {1, 2};
static constexpr uint16_t kResult16Lanes[] = {4, 8};
static constexpr uint16_t kResult32Registers[] = {1, 2, 8, 16};
static constexpr uint16_t kResult32Lanes[] = {4};
static constexpr uint16_t kResultF64Registers[] = {4, 8};
static constexpr uint16_t kResultF64Lanes[] = {1, 2};

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

using Rows = llvm::SmallVector<MatrixInstruction>;
using E = MatrixElement;

/// A 16x16 instruction with 4 groups of lanes along k.
static MatrixInstruction make16(StringLiteral name, E a, E b, E accumulator,
                                uint16_t k, uint16_t passes,
                                ArrayRef<uint16_t> registerK,
                                ArrayRef<uint16_t> laneK) {
  return {name,
          a,
          b,
          accumulator,
          16,
          16,
          k,
          passes,
          registerK,
          laneK,
          kResult16Registers,
          kResult16Lanes,
          /*selectsFormat=*/false};
}

/// A 32x32 instruction with 2 groups of lanes along k.
static MatrixInstruction make32(StringLiteral name, E a, E b, E accumulator,
                                uint16_t k, uint16_t passes,
                                ArrayRef<uint16_t> registerK,
                                ArrayRef<uint16_t> laneK) {
  return {name,
          a,
          b,
          accumulator,
          32,
          32,
          k,
          passes,
          registerK,
          laneK,
          kResult32Registers,
          kResult32Lanes,
          /*selectsFormat=*/false};
}

/// What every GPU of this table has.
static void addShared(Rows &rows) {
  rows.push_back(make16("mfma.f32.16x16x4f32", E::F32, E::F32, E::F32, 4, 8, {},
                        kLanes1x2));
  rows.push_back(
      make32("mfma.f32.32x32x2f32", E::F32, E::F32, E::F32, 2, 16, {}, kLane1));
  rows.push_back(make16("mfma.f32.16x16x16f16", E::F16, E::F16, E::F32, 16, 4,
                        kRow4, kLanes4x2));
  rows.push_back(make32("mfma.f32.32x32x8f16", E::F16, E::F16, E::F32, 8, 8,
                        kRow4, kLane4));
  rows.push_back(make16("mfma.f32.16x16x16bf16.1k", E::BF16, E::BF16, E::F32,
                        16, 4, kRow4, kLanes4x2));
  rows.push_back(make32("mfma.f32.32x32x8bf16.1k", E::BF16, E::BF16, E::F32, 8,
                        8, kRow4, kLane4));
  rows.push_back(make16("mfma.i32.16x16x32.i8", E::I8, E::I8, E::I32, 32, 4,
                        kRow8, kLanes8x2));
  rows.push_back(make32("mfma.i32.32x32x16.i8", E::I8, E::I8, E::I32, 16, 8,
                        kRow8, kLane8));
  auto addFloat8 = [&](StringLiteral small, StringLiteral large, E a, E b) {
    rows.push_back(make16(small, a, b, E::F32, 32, 4, kRow8, kLanes8x2));
    rows.push_back(make32(large, a, b, E::F32, 16, 8, kRow8, kLane8));
  };
  addFloat8("mfma.f32.16x16x32.fp8.fp8", "mfma.f32.32x32x16.fp8.fp8", E::F8E4M3,
            E::F8E4M3);
  addFloat8("mfma.f32.16x16x32.fp8.bf8", "mfma.f32.32x32x16.fp8.bf8", E::F8E4M3,
            E::F8E5M2);
  addFloat8("mfma.f32.16x16x32.bf8.fp8", "mfma.f32.32x32x16.bf8.fp8", E::F8E5M2,
            E::F8E4M3);
  addFloat8("mfma.f32.16x16x32.bf8.bf8", "mfma.f32.32x32x16.bf8.bf8", E::F8E5M2,
            E::F8E5M2);
}

static void addDouble(Rows &rows, uint16_t passes) {
  MatrixInstruction row = make16("mfma.f64.16x16x4f64", E::F64, E::F64, E::F64,
                                 4, passes, {}, kLanes1x2);
  row.registerM = kResultF64Registers;
  row.laneM = kResultF64Lanes;
  rows.push_back(row);
}

static Rows makeGfx942() {
  Rows rows;
  addShared(rows);
  addDouble(rows, 8);
  return rows;
}

static Rows makeGfx950() {
  Rows rows;
  addShared(rows);
  addDouble(rows, 16);
  rows.push_back(make16("mfma.f32.16x16x32.bf16", E::BF16, E::BF16, E::F32, 32,
                        4, kRow8, kLanes8x2));
  rows.push_back(make32("mfma.f32.32x32x16.bf16", E::BF16, E::BF16, E::F32, 16,
                        8, kRow8, kLane8));
  rows.push_back(make16("mfma.f32.16x16x32.f16", E::F16, E::F16, E::F32, 32, 4,
                        kRow8, kLanes8x2));
  rows.push_back(make32("mfma.f32.32x32x16.f16", E::F16, E::F16, E::F32, 16, 8,
                        kRow8, kLane8));
  rows.push_back(make16("mfma.i32.16x16x64.i8", E::I8, E::I8, E::I32, 64, 4,
                        kRow16, kLanes16x2));
  rows.push_back(make32("mfma.i32.32x32x32.i8", E::I8, E::I8, E::I32, 32, 8,
                        kRow16, kLane16));
  for (E a : {E::F8E4M3, E::F8E5M2})
    for (E b : {E::F8E4M3, E::F8E5M2}) {
      MatrixInstruction small = make16("mfma.scale.f32.16x16x128.f8f6f4", a, b,
                                       E::F32, 128, 8, kHalves128, kLanes16x2);
      MatrixInstruction large = make32("mfma.scale.f32.32x32x64.f8f6f4", a, b,
                                       E::F32, 64, 16, kHalves64, kLane16);
      small.selectsFormat = large.selectsFormat = true;
      rows.push_back(small);
      rows.push_back(large);
    }
  return rows;
}

ArrayRef<MatrixInstruction>
octavo::getMatrixInstructions(const TargetInfo &target) {
  static const Rows gfx942 = makeGfx942(), gfx950 = makeGfx950();
  if (target.arch == "gfx942")
    return gfx942;
  if (target.arch == "gfx950")
    return gfx950;
  return {};
}

const MatrixInstruction *octavo::findMatrixInstruction(const TargetInfo &target,
                                                       llvm::StringRef name,
                                                       MatrixElement a,
                                                       MatrixElement b) {
  for (const MatrixInstruction &row : getMatrixInstructions(target))
    if (row.name == name && row.a == a && row.b == b)
      return &row;
  return nullptr;
}
