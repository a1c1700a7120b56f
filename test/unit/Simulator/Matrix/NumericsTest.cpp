//===- NumericsTest.cpp - Fast kernels against slow scalar models ---------===//

#include "MatrixReference.h"
#include "lib/Simulator/Matrix/FloatFormats.h"
#include "lib/Simulator/Matrix/OperandMap.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace octavo::sim;

namespace {

using Random = std::mt19937;

enum class Data { Usual, AnyCode, Subnormal, Cancelling, Zeros, Special };

FloatFormat getFormat(MatrixElement element) {
  switch (element) {
  case MatrixElement::E4M3FN:
    return FloatFormat::E4M3FN;
  case MatrixElement::E5M2:
    return FloatFormat::E5M2;
  case MatrixElement::E4M3FNUZ:
    return FloatFormat::E4M3FNUZ;
  case MatrixElement::E5M2FNUZ:
    return FloatFormat::E5M2FNUZ;
  case MatrixElement::E2M3:
    return FloatFormat::E2M3;
  case MatrixElement::E3M2:
    return FloatFormat::E3M2;
  case MatrixElement::E2M1:
    return FloatFormat::E2M1;
  case MatrixElement::F16:
    return FloatFormat::F16;
  default:
    return FloatFormat::BF16;
  }
}

float decode(MatrixElement element, uint32_t code) {
  if (element == MatrixElement::F32)
    return std::bit_cast<float>(code);
  if (element == MatrixElement::XF32)
    return std::bit_cast<float>(code & 0xffffe000u);
  if (element == MatrixElement::I8)
    return float(int8_t(code));
  return decodeFloat(getFormat(element), code);
}

uint32_t encode(MatrixElement element, float value) {
  if (element == MatrixElement::F32 || element == MatrixElement::XF32)
    return std::bit_cast<uint32_t>(value);
  return encodeNearestEven(getFormat(element), value, Overflow::Saturate);
}

uint32_t makeCode(MatrixElement element, Data data, Random &random) {
  uint32_t bits = getElementBits(element);
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
  if (element == MatrixElement::I8)
    return random() & mask;
  auto isFinite = [&](uint32_t code) {
    return std::isfinite(decode(element, code));
  };
  switch (data) {
  case Data::Usual:
  case Data::Cancelling:
    return encode(element, std::normal_distribution<float>(0, 2)(random));
  case Data::Zeros:
    if (random() % 4)
      return bits == 8 && !isFinite(0x80) ? 0 : (random() & 1) << (bits - 1);
    [[fallthrough]];
  case Data::AnyCode: {
    uint32_t code = random() & mask;
    return isFinite(code) ? code : 1;
  }
  case Data::Subnormal: {
    uint32_t m = uint32_t(getMantissaBits(element));
    uint32_t drop = element == MatrixElement::XF32 ? 13 : 0;
    return (random() & ((1u << (m + drop)) - 1)) |
           (random() & 1) << (bits - 1) |
           (random() % 8 == 0 ? 1u << (m + drop) : 1u << drop);
  }
  case Data::Special:
    return random() % 40 ? makeCode(element, Data::Usual, random)
                         : random() & mask;
  }
  return 0;
}

float makeAccumulator(Data data, Random &random) {
  switch (random() % 6) {
  case 0:
    return 0.0f;
  case 1:
    return std::bit_cast<float>(uint32_t(random() & 0x807fffffu));
  case 2: {
    uint32_t bits = random();
    bool isFinite = std::isfinite(std::bit_cast<float>(bits));
    return isFinite || data == Data::Special ? std::bit_cast<float>(bits) : 1;
  }
  default:
    float scale = std::ldexp(1.0f, int(random() % 40) - 20);
    return std::normal_distribution<float>(0, scale)(random);
  }
}

void putBits(std::vector<uint32_t> &registers, OperandPlace place,
             uint32_t bits, uint32_t code) {
  uint32_t at = place.element * bits;
  uint64_t shifted = uint64_t(code) << (at % 32);
  registers[64 * (at / 32) + place.lane] |= uint32_t(shifted);
  if (shifted >> 32)
    registers[64 * (at / 32 + 1) + place.lane] |= uint32_t(shifted >> 32);
}

/// One random instance with its logical matrices, block after block.
struct Instance {
  MatrixInstruction instruction;
  MatrixElement elementA, elementB;
  std::vector<float> a, b; // [block][row][k held], [block][column][k]
  std::vector<uint32_t> aRegs, bRegs, cRegs, dRegs, index, scaleA, scaleB;
  MatrixOperands operands{};
  uint32_t heldK;

  Instance(const MatrixInstruction &row, uint32_t cbsz, uint32_t blgp,
           Data data, Random &random)
      : instruction(row), elementA(row.a), elementB(row.b), aRegs(64 * 9),
        bRegs(64 * 9), cRegs(64 * 32), dRegs(64 * 32), index(64), scaleA(64),
        scaleB(64), heldK(row.sparse ? row.k / 2u : row.k) {
    if (row.selectsFormat) {
      elementA = *getSelectedElement(cbsz);
      elementB = *getSelectedElement(blgp);
    }
    for (uint32_t block = 0; block < row.blocks; ++block) {
      fill(elementA, aRegs, a, block, heldK, row.sparse, data, random);
      fill(elementB, bRegs, b, block, row.k, false, data, random);
    }
    for (uint32_t &c : cRegs)
      c = row.a == MatrixElement::I8
              ? random()
              : std::bit_cast<uint32_t>(makeAccumulator(data, random));
    fillIndex(random);
    for (auto *scale : {&scaleA, &scaleB})
      for (uint32_t &s : *scale)
        for (int byte = 0; byte < 4; ++byte)
          s |= makeScale(data, random) << (8 * byte);
    operands = {aRegs.data(), bRegs.data(), cRegs.data(), dRegs.data()};
    operands.index = index.data();
    operands.scaleA = scaleA.data();
    operands.scaleB = scaleB.data();
    operands.scaleByteA = random() % 4;
    operands.scaleByteB = random() % 4;
    operands.cbsz = row.selectsFormat ? cbsz : 0;
    operands.blgp = row.selectsFormat ? blgp : 0;
  }

  static uint32_t makeScale(Data data, Random &random) {
    if (data == Data::AnyCode)
      return random() % 255;
    if (data == Data::Special && random() % 16 == 0)
      return 255;
    return 120 + random() % 14;
  }

  void fillIndex(Random &random) {
    // Two different ascending positions for each pair of held elements.
    for (uint32_t &word : index)
      for (int pair = 0; pair < 8; ++pair) {
        uint32_t first = random() % 3;
        uint32_t second = first + 1 + random() % (3 - first);
        word |= (first | second << 2) << (4 * pair);
      }
  }

  void fill(MatrixElement element, std::vector<uint32_t> &registers,
            std::vector<float> &values, uint32_t block, uint32_t kCount,
            bool isSparse, Data data, Random &random) {
    uint32_t bits = getElementBits(element);
    for (uint32_t row = 0; row < instruction.m; ++row)
      for (uint32_t k = 0; k < kCount; ++k) {
        uint32_t code = makeCode(element, data, random);
        if (data == Data::Cancelling && k % 2 && bits <= 16 &&
            element != MatrixElement::I8) {
          // The same magnitude as before: products cancel in pairs.
          code = encode(element, k % 4 == 1 ? values.back() : -values.back());
        }
        values.push_back(decode(element, code));
        putBits(registers,
                locateInput(instruction, element, row, k, block, isSparse),
                bits, code);
      }
  }

  std::vector<float> rowOfA(uint32_t block, uint32_t i) const {
    auto from = a.begin() + (block * instruction.m + i) * heldK;
    return {from, from + heldK};
  }
  /// Column j of B as row i of A meets it.
  std::vector<float> columnOfB(uint32_t block, uint32_t j, uint32_t i) const {
    auto from = b.begin() + (block * instruction.n + j) * instruction.k;
    std::vector<float> column(from, from + instruction.k);
    if (!instruction.sparse)
      return column;
    std::vector<float> held;
    uint32_t perLane = heldK * instruction.m / 64;
    for (uint32_t k = 0; k < heldK; ++k) {
      uint32_t lane = i + instruction.m * (k / perLane), e = k % perLane;
      // abid = 0 and cbsz = 0: the first set of the register.
      uint32_t which = index[lane] >> (2 * e) & 3;
      held.push_back(column[2 * perLane * (k / perLane) + 4 * (e / 2) + which]);
    }
    return held;
  }
  std::vector<double> scales(uint32_t i, uint32_t j) const {
    std::vector<double> out;
    for (uint32_t block = 0; block < std::max(1u, instruction.k / 32u);
         ++block) {
      auto read = [&](const std::vector<uint32_t> &from, uint32_t row,
                      uint32_t byte) {
        uint32_t code = from[block * instruction.m + row] >> (8 * byte) & 0xff;
        return code == 255 ? NAN : std::ldexp(1.0, int(code) - 127);
      };
      out.push_back(instruction.scaled
                        ? read(scaleA, i, operands.scaleByteA) *
                              read(scaleB, j, operands.scaleByteB)
                        : 1.0);
    }
    return out;
  }
};

reference::Format formatOf(MatrixElement element) {
  return {getMinimumExponent(element), getMantissaBits(element)};
}

uint32_t expected(const Instance &x, MatrixModel model, uint32_t block,
                  uint32_t i, uint32_t j, uint32_t cBits) {
  std::vector<float> a = x.rowOfA(block, i), b = x.columnOfB(block, j, i);
  if (x.elementA == MatrixElement::I8) {
    uint32_t sum = cBits;
    for (size_t k = 0; k < a.size(); ++k)
      sum += uint32_t(int(a[k]) * int(b[k]));
    return sum;
  }
  float c = std::bit_cast<float>(cBits);
  uint32_t bits = getElementBits(x.elementA);
  switch (model) {
  case MatrixModel::CDNA3: {
    int chunk = bits == 8                           ? 16
                : x.elementA == MatrixElement::XF32 ? 4
                                                    : std::min(8, int(x.heldK));
    c = reference::cdna3(a, b, c, chunk, bits == 8, formatOf(x.elementA),
                         formatOf(x.elementB));
    break;
  }
  case MatrixModel::ExactBlock:
    c = reference::exactBlock(a, b, c, x.scales(i, j));
    break;
  case MatrixModel::FmaChain:
    if (!x.instruction.selectsFormat) {
      for (size_t k = 0; k < a.size(); ++k)
        c = std::fma(a[k], b[k], c);
      break;
    }
    for (size_t k = 0; k < a.size(); k += 32) {
      float sum = 0;
      for (size_t r = k; r < k + 32; ++r)
        sum = std::fma(a[r], b[r], sum);
      c += float(double(sum) * x.scales(i, j)[k / 32]);
    }
  }
  return std::bit_cast<uint32_t>(c);
}

bool isSame(uint32_t x, uint32_t y, bool isInteger) {
  if (!isInteger && std::isnan(std::bit_cast<float>(x)))
    return std::isnan(std::bit_cast<float>(y));
  return x == y;
}

void check(const Instance &x, MatrixModel model) {
  executeMatrix(x.instruction, x.operands, model);
  // Once more, with operands that are decoded already.
  std::vector<uint32_t> again(x.dRegs.size());
  MatrixOperands operands = x.operands;
  operands.d = again.data();
  executeMatrix(x.instruction, operands, model);
  EXPECT_EQ(again, x.dRegs) << x.instruction.mnemonic.str();
  const MatrixInstruction &row = x.instruction;
  bool isInteger = row.a == MatrixElement::I8;
  int wrong = 0;
  for (uint32_t block = 0; block < row.blocks; ++block)
    for (uint32_t i = 0; i < row.m; ++i)
      for (uint32_t j = 0; j < row.n; ++j) {
        OperandPlace at = locateResult(row, i, j, block);
        uint32_t want = expected(x, model, block, i, j, x.cRegs[at.offset()]);
        uint32_t got = x.dRegs[at.offset()];
        if (!isSame(want, got, isInteger) && ++wrong <= 2)
          ADD_FAILURE() << row.mnemonic.str() << " " << row.arch.str() << " "
                        << getModelName(model).str() << " D[" << i << "][" << j
                        << "] of block " << block << ": want " << std::hex
                        << want << ", got " << got;
      }
}

void checkAll(Data data, unsigned seed) {
  Random random(seed);
  for (llvm::StringRef arch : {"gfx942", "gfx950"})
    for (const MatrixInstruction &row : getMatrixInstructions(arch)) {
      if (row.a == MatrixElement::F64)
        continue;
      for (MatrixModel model : {MatrixModel::CDNA3, MatrixModel::ExactBlock,
                                MatrixModel::FmaChain}) {
        if (resolveModel(row, model) != model)
          continue;
        uint32_t formats = row.selectsFormat ? 5 : 1;
        for (uint32_t cbsz = 0; cbsz < formats; ++cbsz)
          for (uint32_t blgp = 0; blgp < formats; ++blgp)
            check(Instance(row, cbsz, blgp, data, random), model);
      }
    }
}

TEST(MatrixNumerics, UsualDataMatchesTheScalarModels) {
  checkAll(Data::Usual, 1);
}
TEST(MatrixNumerics, AnyFiniteCodesMatchTheScalarModels) {
  checkAll(Data::AnyCode, 2);
  checkAll(Data::AnyCode, 3);
}
TEST(MatrixNumerics, SubnormalsMatchTheScalarModels) {
  checkAll(Data::Subnormal, 4);
}
TEST(MatrixNumerics, CancellationMatchesTheScalarModels) {
  checkAll(Data::Cancelling, 5);
}
TEST(MatrixNumerics, ZerosMatchTheScalarModels) { checkAll(Data::Zeros, 6); }
TEST(MatrixNumerics, AChangedBitOfAnOperandIsSeen) {
  Random random(8);
  const MatrixInstruction &row =
      *lookupMatrixInstruction("v_mfma_f32_16x16x32_fp8_fp8", "gfx942");
  Instance x(row, 0, 0, Data::Usual, random);
  for (int turn = 0; turn < 40; ++turn) {
    // One element of A becomes another finite one.
    uint32_t lane = random() % 64, k = random() % 8;
    uint32_t code = 1 + random() % 0x7f, shift = 8 * (k % 4);
    uint32_t &word = x.aRegs[64 * (k / 4) + lane];
    word = (word & ~(0xffu << shift)) | code << shift;
    x.a[(lane % 16) * 32 + 8 * (lane / 16) + k] =
        decode(MatrixElement::E4M3FNUZ, code);
    check(x, MatrixModel::CDNA3);
  }
}
TEST(MatrixNumerics, NaNAndInfinityMatchTheScalarModels) {
  checkAll(Data::Special, 7);
}

} // namespace
