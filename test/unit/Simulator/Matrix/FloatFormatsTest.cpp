//===- FloatFormatsTest.cpp - The simulator's own conversions -------------===//

#include "lib/Simulator/Matrix/FloatFormats.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace octavo::sim;

namespace {

constexpr FloatFormat signedFormats[] = {
    FloatFormat::E4M3FN,   FloatFormat::E5M2, FloatFormat::E4M3FNUZ,
    FloatFormat::E5M2FNUZ, FloatFormat::E2M3, FloatFormat::E3M2,
    FloatFormat::E2M1,     FloatFormat::BF16, FloatFormat::F16};

struct Golden {
  FloatFormat format;
  uint32_t code;
  float value;
};

TEST(FloatFormats, DecodesTheCornersOfEachFormat) {
  // Facts: hardware, section 6.
  const Golden golden[] = {
      {FloatFormat::E4M3FN, 0x7e, 448},
      {FloatFormat::E4M3FN, 0x08, 0x1p-6f},
      {FloatFormat::E4M3FN, 0x81, -0x1p-9f},
      {FloatFormat::E5M2, 0x7b, 57344},
      {FloatFormat::E5M2, 0xfc, -INFINITY},
      {FloatFormat::E5M2, 0x01, 0x1p-16f},
      {FloatFormat::E4M3FNUZ, 0x7f, 240},
      {FloatFormat::E4M3FNUZ, 0x01, 0x1p-10f},
      {FloatFormat::E5M2FNUZ, 0x7f, 57344},
      {FloatFormat::E5M2FNUZ, 0x04, 0x1p-15f},
      {FloatFormat::E2M3, 0x1f, 7.5},
      {FloatFormat::E2M3, 0x21, -0x1p-3f},
      {FloatFormat::E3M2, 0x1f, 28},
      {FloatFormat::E2M1, 0x7, 6},
      {FloatFormat::E2M1, 0x9, -0.5},
      {FloatFormat::E8M0, 0, 0x1p-127f},
      {FloatFormat::E8M0, 254, 0x1p127f},
      {FloatFormat::BF16, 0x3fc0, 1.5},
      {FloatFormat::F16, 0x0001, 0x1p-24f},
  };
  for (const Golden &g : golden)
    EXPECT_EQ(decodeFloat(g.format, g.code), g.value) << g.code;
  for (uint32_t nan : {0x7fu, 0xffu})
    EXPECT_TRUE(std::isnan(decodeFloat(FloatFormat::E4M3FN, nan)));
  EXPECT_TRUE(std::isnan(decodeFloat(FloatFormat::E4M3FNUZ, 0x80)));
  EXPECT_TRUE(std::isnan(decodeFloat(FloatFormat::E8M0, 0xff)));
}

/// Finite codes of the positive half in ascending order are the magnitudes.
std::vector<float> magnitudes(FloatFormat format) {
  std::vector<float> out;
  for (uint32_t code = 0; code <= getShape(format).maxCode; ++code)
    out.push_back(decodeFloat(format, code));
  return out;
}

/// Nearest by distance in f64, ties to the even code.
uint32_t nearest(const std::vector<float> &values, float x) {
  size_t above = 0;
  while (above < values.size() && values[above] < x)
    ++above;
  if (above == 0)
    return 0;
  if (above == values.size())
    return uint32_t(above) - 1;
  double down = double(x) - values[above - 1], up = double(values[above]) - x;
  bool takesUpper = up < down || (up == down && above % 2 == 0);
  return uint32_t(takesUpper ? above : above - 1);
}

TEST(FloatFormats, RoundsToTheNearestAroundEveryBoundary) {
  for (FloatFormat format : signedFormats) {
    std::vector<float> values = magnitudes(format);
    size_t step = values.size() > 300 ? 37 : 1;
    for (size_t i = 0; i + 1 < values.size(); i += step) {
      float middle = float((double(values[i]) + values[i + 1]) / 2);
      for (int ulp = -2; ulp <= 2; ++ulp) {
        uint32_t bits = std::bit_cast<uint32_t>(middle) + uint32_t(ulp);
        if (int32_t(bits) < 0)
          continue;
        uint32_t want =
            nearest({values[i], values[i + 1]}, std::bit_cast<float>(bits));
        // The pair stands for codes i and i + 1: its parity is that of i.
        if (std::bit_cast<float>(bits) == middle && ulp == 0)
          want = i % 2;
        want += uint32_t(i);
        EXPECT_EQ(encodeNearestEven(format, bits, Overflow::Special), want)
            << int(format) << " after code " << i << " ulp " << ulp;
      }
    }
  }
}

TEST(FloatFormats, OverflowFollowsTheModeBit) {
  auto encode = [](FloatFormat format, float x, Overflow overflow) {
    return encodeNearestEven(format, x, overflow);
  };
  using enum FloatFormat;
  using enum Overflow;
  EXPECT_EQ(encode(E4M3FN, 464, Special), 0x7eu); // the tie is even
  EXPECT_EQ(encode(E4M3FN, 465, Special), 0x7fu);
  EXPECT_EQ(encode(E4M3FN, -1e9f, Special), 0xffu);
  EXPECT_EQ(encode(E4M3FN, -1e9f, Saturate), 0xfeu);
  EXPECT_EQ(encode(E5M2, 61440, Special), 0x7cu);
  EXPECT_EQ(encode(E5M2, 61440, Saturate), 0x7bu);
  EXPECT_EQ(encode(E5M2, INFINITY, Saturate), 0x7cu);
  EXPECT_EQ(encode(E4M3FN, INFINITY, Saturate), 0x7fu);
  EXPECT_EQ(encode(E4M3FNUZ, 249, Special), 0x80u);
  EXPECT_EQ(encode(E4M3FNUZ, 249, Saturate), 0x7fu);
  EXPECT_EQ(encode(E4M3FNUZ, -0.0f, Special), 0u);
  EXPECT_EQ(encode(E4M3FNUZ, -0x1p-12f, Special), 0u);
  EXPECT_EQ(encode(E4M3FNUZ, NAN, Special), 0x80u);
  EXPECT_EQ(encode(E2M1, -100, Special), 0xfu);
  EXPECT_EQ(encode(F16, 65520, Special), 0x7c00u);
  EXPECT_EQ(encode(F16, 65520, Saturate), 0x7bffu);
}

TEST(FloatFormats, StochasticRoundingHitsEachNeighbourInProportion) {
  // 1 + 3/64 lies 3/8 of the way from 1 to the next E4M3 value, 1.125.
  float x = 1.0f + 3.0f / 64;
  int up = 0;
  for (uint32_t i = 0; i < 1024; ++i) {
    uint32_t code =
        encodeStochastic(FloatFormat::E4M3FN, std::bit_cast<uint32_t>(x),
                         i << 22, Overflow::Special);
    ASSERT_TRUE(code == 0x38 || code == 0x39);
    up += code == 0x39;
  }
  EXPECT_EQ(up, 384);
  // Bits below random[31:12] make no difference for a normal result.
  uint32_t bits = std::bit_cast<uint32_t>(x) | 1;
  EXPECT_EQ(
      encodeStochastic(FloatFormat::E4M3FN, bits, 0xfffff << 12,
                       Overflow::Special),
      encodeStochastic(FloatFormat::E4M3FN, bits, ~0u, Overflow::Special));
  // Subnormal results keep the proportion: a quarter of the smallest.
  up = 0;
  for (uint32_t i = 0; i < 1024; ++i)
    up +=
        encodeStochastic(FloatFormat::E4M3FN, std::bit_cast<uint32_t>(0x1p-11f),
                         i << 22, Overflow::Special);
  EXPECT_EQ(up, 256);
}

} // namespace
