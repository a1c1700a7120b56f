//===- OperandMapTest.cpp - Golden operand maps ---------------------------===//
//
// The formulas of the table in facts (hardware, section 4) are written out here
// once more and pack small integers; the product must be the integer product.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Matrix/FloatFormats.h"
#include "lib/Simulator/Matrix/Matrix.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace octavo::sim;

namespace {

/// (row or column, k) of element e of a lane.
using InputMap =
    std::function<std::pair<uint32_t, uint32_t>(uint32_t lane, uint32_t e)>;
/// Row i of D in (lane, register); the column is lane % N.
using ResultMap = std::function<uint32_t(uint32_t lane, uint32_t reg)>;

uint32_t row16(uint32_t lane, uint32_t reg) { return 4 * (lane / 16) + reg; }
uint32_t row32(uint32_t lane, uint32_t reg) {
  return 8 * (reg / 4) + 4 * (lane / 32) + reg % 4;
}

uint32_t encodeInteger(MatrixElement element, int value) {
  switch (element) {
  case MatrixElement::I8:
    return uint32_t(value) & 0xff;
  case MatrixElement::F32:
  case MatrixElement::XF32:
    return std::bit_cast<uint32_t>(float(value));
  case MatrixElement::F16:
    return encodeNearestEven(FloatFormat::F16, float(value), Overflow::Special);
  case MatrixElement::BF16:
    return encodeNearestEven(FloatFormat::BF16, float(value),
                             Overflow::Special);
  default: // the 8-, 6- and 4-bit floats stand in the same order in both enums
    return encodeNearestEven(FloatFormat(element), float(value),
                             Overflow::Special);
  }
}

struct Case {
  const char *mnemonic, *arch;
  uint32_t cbsz;
  InputMap input;
  ResultMap result;
};

void fill(const MatrixInstruction &row, MatrixElement element,
          const InputMap &map, std::vector<int> &values,
          std::vector<uint32_t> &registers, std::mt19937 &random) {
  uint32_t bits = getElementBits(element);
  for (uint32_t lane = 0; lane < 64; ++lane)
    for (uint32_t e = 0; e < row.k * row.m / 64u; ++e) {
      auto [i, k] = map(lane, e);
      int &value = values.at(i * row.k + k);
      ASSERT_EQ(value, 100) << "two places for one element";
      value = int(random() % 5) - 2;
      uint64_t code = uint64_t(encodeInteger(element, value))
                      << (e * bits % 32);
      registers[64 * (e * bits / 32) + lane] |= uint32_t(code);
      registers[64 * (e * bits / 32 + 1) + lane] |= uint32_t(code >> 32);
    }
}

void check(const Case &x) {
  SCOPED_TRACE(x.mnemonic);
  const MatrixInstruction *row = lookupMatrixInstruction(x.mnemonic, x.arch);
  ASSERT_NE(row, nullptr);
  MatrixElement element =
      row->selectsFormat ? *getSelectedElement(x.cbsz) : row->a;
  std::mt19937 random(11);
  std::vector<int> a(row->m * row->k, 100), b(row->n * row->k, 100);
  std::vector<uint32_t> aRegs(64 * 9), bRegs(64 * 9), c(64 * 16), d(64 * 16);
  fill(*row, element, x.input, a, aRegs, random);
  fill(*row, row->selectsFormat ? element : row->b, x.input, b, bRegs, random);
  MatrixOperands operands{aRegs.data(), bRegs.data(), c.data(), d.data()};
  operands.cbsz = operands.blgp = x.cbsz;
  executeMatrix(*row, operands, MatrixModel::CDNA3);
  for (uint32_t reg = 0; reg < row->cRegisters; ++reg)
    for (uint32_t lane = 0; lane < 64; ++lane) {
      uint32_t i = x.result(lane, reg), j = lane % row->n;
      int want = 0;
      for (uint32_t k = 0; k < row->k; ++k)
        want += a[i * row->k + k] * b[j * row->k + k];
      uint32_t bits = d[64 * reg + lane];
      int got = row->a == MatrixElement::I8 ? int(bits)
                                            : int(std::bit_cast<float>(bits));
      ASSERT_EQ(want, got) << "lane " << lane << " register " << reg;
    }
}

/// `perLane` consecutive k in each lane, rows of `m`.
InputMap consecutive(uint32_t m, uint32_t perLane) {
  return [=](uint32_t lane, uint32_t e) {
    return std::pair(lane % m, perLane * (lane / m) + e);
  };
}

TEST(OperandMap, SingleBlockFormsMultiplyIntegers) {
  for (const char *arch : {"gfx942", "gfx950"}) {
    check({"v_mfma_f32_16x16x32_fp8_fp8", arch, 0, consecutive(16, 8), row16});
    check({"v_mfma_f32_32x32x16_bf8_fp8", arch, 0, consecutive(32, 8), row32});
    check({"v_mfma_f32_16x16x16_f16", arch, 0, consecutive(16, 4), row16});
    check({"v_mfma_f32_32x32x8_bf16", arch, 0, consecutive(32, 4), row32});
    check({"v_mfma_i32_16x16x32_i8", arch, 0, consecutive(16, 8), row16});
    check({"v_mfma_i32_32x32x16_i8", arch, 0, consecutive(32, 8), row32});
    check({"v_mfma_f32_16x16x4_f32", arch, 0, consecutive(16, 1), row16});
    check({"v_mfma_f32_32x32x2_f32", arch, 0, consecutive(32, 1), row32});
  }
  check({"v_mfma_f32_16x16x8_xf32", "gfx942", 0, consecutive(16, 2), row16});
  check({"v_mfma_f32_32x32x4_xf32", "gfx942", 0, consecutive(32, 2), row32});
  check({"v_mfma_f32_16x16x32_bf16", "gfx950", 0, consecutive(16, 8), row16});
  check({"v_mfma_f32_32x32x16_f16", "gfx950", 0, consecutive(32, 8), row32});
  check({"v_mfma_i32_16x16x64_i8", "gfx950", 0, consecutive(16, 16), row16});
  check({"v_mfma_i32_32x32x32_i8", "gfx950", 0, consecutive(32, 16), row32});
}

TEST(OperandMap, EightBitOperandsOfF8F6F4HoldTwoRunsOf16) {
  InputMap map16 = [](uint32_t lane, uint32_t e) {
    uint32_t g = lane / 16, gpr = e / 4, byte = e % 4;
    uint32_t k =
        gpr < 4 ? 16 * g + 4 * gpr + byte : 64 + 16 * g + 4 * (gpr - 4) + byte;
    return std::pair(lane % 16, k);
  };
  InputMap map32 = [](uint32_t lane, uint32_t e) {
    uint32_t h = lane / 32, gpr = e / 4, byte = e % 4;
    uint32_t k =
        gpr < 4 ? 16 * h + 4 * gpr + byte : 32 + 16 * h + 4 * (gpr - 4) + byte;
    return std::pair(lane % 32, k);
  };
  for (uint32_t format : {0, 1}) {
    check({"v_mfma_f32_16x16x128_f8f6f4", "gfx950", format, map16, row16});
    check({"v_mfma_f32_32x32x64_f8f6f4", "gfx950", format, map32, row32});
  }
}

TEST(OperandMap, NarrowOperandsOfF8F6F4Hold32ConsecutiveElements) {
  for (uint32_t format : {2, 3, 4}) {
    check({"v_mfma_f32_16x16x128_f8f6f4", "gfx950", format, consecutive(16, 32),
           row16});
    check({"v_mfma_f32_32x32x64_f8f6f4", "gfx950", format, consecutive(32, 32),
           row32});
  }
}

//===- Multi-block forms --------------------------------------------------===//

/// A and B hold in lane l element k of row l % M of block l / M; D as below.
struct BlockCase {
  const char *mnemonic;
  uint32_t m, k, blocks;
  std::function<std::pair<uint32_t, uint32_t>(uint32_t lane, uint32_t reg)>
      result; // (block, row)
};

void checkBlocks(const BlockCase &x, uint32_t cbsz, uint32_t abid) {
  SCOPED_TRACE(x.mnemonic);
  const MatrixInstruction *row = lookupMatrixInstruction(x.mnemonic, "gfx942");
  ASSERT_NE(row, nullptr);
  std::mt19937 random(5);
  std::vector<int> a(64 * x.k), b(64 * x.k);
  std::vector<uint32_t> aRegs(64 * 2), bRegs(64 * 2), c(64 * 32), d(64 * 32);
  uint32_t bits = getElementBits(row->a);
  for (uint32_t lane = 0; lane < 64; ++lane)
    for (uint32_t k = 0; k < x.k; ++k)
      for (auto [values, registers] : {std::pair(&a, &aRegs), {&b, &bRegs}}) {
        int value = int(random() % 5) - 2;
        (*values)[lane * x.k + k] = value;
        (*registers)[64 * (k * bits / 32) + lane] |=
            encodeInteger(row->a, value) << (k * bits % 32);
      }
  MatrixOperands operands{aRegs.data(), bRegs.data(), c.data(), d.data()};
  operands.cbsz = cbsz;
  operands.abid = abid;
  executeMatrix(*row, operands, MatrixModel::CDNA3);
  for (uint32_t reg = 0; reg < row->cRegisters; ++reg)
    for (uint32_t lane = 0; lane < 64; ++lane) {
      auto [block, i] = x.result(lane, reg);
      uint32_t group = 1u << cbsz;
      uint32_t from = cbsz ? block / group * group + abid : block;
      int want = 0;
      for (uint32_t k = 0; k < x.k; ++k)
        want += a[(x.m * from + i) * x.k + k] *
                b[(x.m * block + lane % x.m) * x.k + k];
      uint32_t bitsOut = d[64 * reg + lane];
      int got = row->a == MatrixElement::I8
                    ? int(bitsOut)
                    : int(std::bit_cast<float>(bitsOut));
      ASSERT_EQ(want, got) << "lane " << lane << " register " << reg;
    }
}

TEST(OperandMap, MultiBlockFormsMultiplyIntegersAndBroadcastA) {
  auto two = [](uint32_t lane, uint32_t reg) {
    return std::pair(reg / 16, row32(lane, reg % 16));
  };
  auto four = [](uint32_t lane, uint32_t reg) {
    return std::pair(reg / 4, row16(lane, reg % 4));
  };
  auto sixteen = [](uint32_t lane, uint32_t reg) {
    return std::pair(lane / 4, reg);
  };
  for (uint32_t cbsz : {0, 1})
    for (uint32_t abid = 0; abid <= cbsz; ++abid) {
      checkBlocks({"v_mfma_f32_32x32x4_2b_f16", 32, 4, 2, two}, cbsz, abid);
      checkBlocks({"v_mfma_f32_32x32x1_2b_f32", 32, 1, 2, two}, cbsz, abid);
      checkBlocks({"v_mfma_i32_32x32x4_2b_i8", 32, 4, 2, two}, cbsz, abid);
      checkBlocks({"v_mfma_f32_16x16x4_4b_bf16", 16, 4, 4, four}, cbsz, abid);
      checkBlocks({"v_mfma_f32_16x16x1_4b_f32", 16, 1, 4, four}, cbsz, abid);
      checkBlocks({"v_mfma_i32_16x16x4_4b_i8", 16, 4, 4, four}, cbsz, abid);
      checkBlocks({"v_mfma_f32_4x4x4_16b_f16", 4, 4, 16, sixteen}, cbsz, abid);
      checkBlocks({"v_mfma_f32_4x4x1_16b_f32", 4, 1, 16, sixteen}, cbsz, abid);
      checkBlocks({"v_mfma_i32_4x4x4_16b_i8", 4, 4, 16, sixteen}, cbsz, abid);
    }
  checkBlocks({"v_mfma_f32_4x4x4_16b_f16", 4, 4, 16, sixteen}, 4, 13);
}

TEST(OperandMap, DoublePrecisionFormsMultiplyIntegers) {
  auto put = [](std::vector<uint32_t> &to, uint32_t at, double value) {
    uint64_t bits = std::bit_cast<uint64_t>(value);
    to[at] = uint32_t(bits);
    to[at + 64] = uint32_t(bits >> 32);
  };
  std::vector<uint32_t> a(128), b(128), c(512), d(512);
  std::vector<int> av(64), bv(64);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    put(a, lane, av[lane] = int(lane * 7 % 11) - 5);
    put(b, lane, bv[lane] = int(lane * 5 % 13) - 6);
  }
  MatrixOperands operands{a.data(), b.data(), c.data(), d.data()};
  auto read = [&](uint32_t reg, uint32_t lane) {
    uint64_t low = d[128 * reg + lane], high = d[128 * reg + 64 + lane];
    return std::bit_cast<double>(high << 32 | low);
  };
  executeMatrix(*lookupMatrixInstruction("v_mfma_f64_16x16x4_f64", "gfx950"),
                operands, MatrixModel::FmaChain);
  for (uint32_t reg = 0; reg < 4; ++reg)
    for (uint32_t lane = 0; lane < 64; ++lane) {
      uint32_t i = 4 * reg + lane / 16, j = lane % 16;
      int want = 0;
      for (uint32_t k = 0; k < 4; ++k)
        want += av[16 * k + i] * bv[16 * k + j];
      EXPECT_EQ(read(reg, lane), want);
    }
  // 4x4x4: lane = row + 4 * block + 16 * k; D: j + 4 * i + 16 * block.
  operands.negateA = true;
  executeMatrix(*lookupMatrixInstruction("v_mfma_f64_4x4x4_4b_f64", "gfx942"),
                operands, MatrixModel::FmaChain);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    uint32_t j = lane % 4, i = lane / 4 % 4, block = lane / 16;
    int want = 0;
    for (uint32_t k = 0; k < 4; ++k)
      want -= av[i + 4 * block + 16 * k] * bv[j + 4 * block + 16 * k];
    EXPECT_EQ(read(0, lane), want);
  }
}

//===- Scales -------------------------------------------------------------===//

TEST(OperandMap, OneHotKMeetsTheScaleOfItsRowAndBlock) {
  struct Shape {
    const char *mnemonic;
    uint32_t m, k;
  };
  std::vector<uint32_t> ones(64 * 8, 0x38383838u), c(64 * 16), d(64 * 16);
  std::vector<uint32_t> scaleA(64), scaleB(64);
  for (Shape s : {Shape{"v_mfma_scale_f32_16x16x128_f8f6f4", 16, 128},
                  Shape{"v_mfma_scale_f32_32x32x64_f8f6f4", 32, 64}}) {
    for (uint32_t lane = 0; lane < 64; ++lane) {
      scaleA[lane] = (100 + lane % 32) << 16; // byte 2
      scaleB[lane] = 127 + 40 * (lane / s.m);
    }
    for (uint32_t hot = 0; hot < s.k; ++hot) {
      std::vector<uint32_t> a(64 * 8);
      // k = 16 * group + e of a half; two halves of 16 elements each.
      uint32_t half = s.k / 2, group = hot % half / 16, e = hot % 16;
      for (uint32_t i = 0; i < s.m; ++i)
        a[64 * (4 * (hot / half) + e / 4) + group * s.m + i] = 0x38u
                                                               << (8 * (e % 4));
      MatrixOperands operands{a.data(), ones.data(), c.data(), d.data()};
      operands.scaleA = scaleA.data();
      operands.scaleByteA = 2;
      operands.scaleB = scaleB.data();
      executeMatrix(*lookupMatrixInstruction(s.mnemonic, "gfx950"), operands,
                    MatrixModel::ExactBlock);
      uint32_t block = hot / 32;
      for (uint32_t reg = 0; reg < s.m * s.m / 64; ++reg)
        for (uint32_t lane = 0; lane < 64; ++lane) {
          uint32_t i = s.m == 16 ? row16(lane, reg) : row32(lane, reg);
          uint32_t supplier = block * s.m + i;
          int exponent = 100 + int(supplier % 32) - 127 + 40 * int(block);
          ASSERT_EQ(std::bit_cast<float>(d[64 * reg + lane]),
                    std::ldexp(1.0f, exponent))
              << s.mnemonic << " k " << hot << " lane " << lane;
        }
    }
  }
}

TEST(OperandMap, SparseIndicesComeFromTheSelectedSet) {
  // 16x16x32 f16: 4 held elements a lane, so abid selects one of four bytes.
  const MatrixInstruction *row =
      lookupMatrixInstruction("v_smfmac_f32_16x16x32_f16", "gfx942");
  std::vector<uint32_t> a(128), b(256), c(256), d(256), index(64);
  uint32_t one = 0x3c00;
  for (uint32_t lane = 0; lane < 64; ++lane) {
    a[lane] = one | one << 16;
    a[64 + lane] = one;        // element 3 is zero
    index[lane] = 0x0000e400u; // set 1: positions 0, 1, 2, 3
    for (uint32_t e = 0; e < 8; ++e)
      b[64 * (e / 2) + lane] |= encodeInteger(MatrixElement::F16, int(1 << e))
                                << (16 * (e % 2));
  }
  MatrixOperands operands{a.data(), b.data(), c.data(), d.data()};
  operands.index = index.data();
  operands.abid = 1;
  executeMatrix(*row, operands, MatrixModel::CDNA3);
  // Each lane group adds B at positions 0, 1 of its first four and 2 of the
  // second: 1 + 2 + 64.
  EXPECT_EQ(std::bit_cast<float>(d[0]), 4 * 67.0f);
  operands.cbsz = 1; // the first set: all zero
  executeMatrix(*row, operands, MatrixModel::CDNA3);
  EXPECT_EQ(std::bit_cast<float>(d[0]), 4 * (1.0f + 1.0f + 16.0f));
}

TEST(OperandMap, ModifiersThatMeanNothingAreErrors) {
  auto message = [](const char *mnemonic, uint32_t cbsz, uint32_t abid,
                    uint32_t blgp) {
    return llvm::toString(checkModifiers(
        *lookupMatrixInstruction(mnemonic, "gfx950"), cbsz, abid, blgp));
  };
  EXPECT_EQ(message("v_mfma_f32_16x16x128_f8f6f4", 5, 0, 0),
            "v_mfma_f32_16x16x128_f8f6f4: cbsz:5 has no meaning on gfx950");
  EXPECT_EQ(message("v_mfma_f32_16x16x16_f16", 1, 0, 0),
            "v_mfma_f32_16x16x16_f16: cbsz:1 has no meaning on gfx950");
  EXPECT_EQ(message("v_mfma_f32_4x4x4_16b_f16", 4, 15, 7), "");
}

} // namespace
