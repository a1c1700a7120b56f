//===- FloatFormatTest.cpp - Formats against their definitions ------------===//
//
// The expected values are tables of the specifications and a search for the
// nearest number; LLVM's APFloat is a second opinion.
//
//===----------------------------------------------------------------------===//

#include "octavo/Numerics/FloatFormat.h"

#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"
#include <cmath>
#include <map>
#include <random>

using namespace octavo;

namespace {

const FloatFormat &get(llvm::StringRef name) {
  const FloatFormat *format = lookupFloatFormat(name);
  EXPECT_NE(format, nullptr) << name.str();
  return *format;
}

uint32_t bitsOf(const FloatFormat &format) { return 1u << format.getBits(); }

const llvm::fltSemantics *getSemantics(llvm::StringRef name) {
  static const std::map<std::string, const llvm::fltSemantics *> table = {
      {"f8E4M3FN", &llvm::APFloat::Float8E4M3FN()},
      {"f8E5M2", &llvm::APFloat::Float8E5M2()},
      {"f8E4M3FNUZ", &llvm::APFloat::Float8E4M3FNUZ()},
      {"f8E5M2FNUZ", &llvm::APFloat::Float8E5M2FNUZ()},
      {"f8E4M3B11FNUZ", &llvm::APFloat::Float8E4M3B11FNUZ()},
      {"f8E4M3", &llvm::APFloat::Float8E4M3()},
      {"f8E3M4", &llvm::APFloat::Float8E3M4()},
      {"f8E8M0FNU", &llvm::APFloat::Float8E8M0FNU()},
      {"f6E2M3FN", &llvm::APFloat::Float6E2M3FN()},
      {"f6E3M2FN", &llvm::APFloat::Float6E3M2FN()},
      {"f4E2M1FN", &llvm::APFloat::Float4E2M1FN()},
      {"f16", &llvm::APFloat::IEEEhalf()},
      {"bf16", &llvm::APFloat::BFloat()}};
  return table.at(name.str());
}

/// The nearest of all numbers of the format, found by looking at every one;
/// of two equally near the one with the even code.
uint32_t findNearest(const FloatFormat &format, double value) {
  uint32_t best = 0;
  double distance = HUGE_VAL;
  for (uint32_t code = 0; code < bitsOf(format); ++code) {
    double number = format.decode(code);
    if (!std::isfinite(number) || std::signbit(number) != std::signbit(value))
      continue;
    double gap = std::fabs(number - value);
    if (gap < distance || (gap == distance && code % 2 == 0)) {
      best = code;
      distance = gap;
    }
  }
  return best;
}

} // namespace

TEST(FloatFormat, LargestAndSmallestNumbersOfTheSpecifications) {
  EXPECT_EQ(get("f8E4M3FN").getMax(), 448.0);
  EXPECT_EQ(get("f8E5M2").getMax(), 57344.0);
  EXPECT_EQ(get("f8E4M3FNUZ").getMax(), 240.0);
  EXPECT_EQ(get("f8E5M2FNUZ").getMax(), 57344.0);
  EXPECT_EQ(get("f6E2M3FN").getMax(), 7.5);
  EXPECT_EQ(get("f6E3M2FN").getMax(), 28.0);
  EXPECT_EQ(get("f4E2M1FN").getMax(), 6.0);
  EXPECT_EQ(get("f16").getMax(), 65504.0);
  EXPECT_EQ(get("f8E8M0FNU").getMax(), std::ldexp(1.0, 127));
  EXPECT_EQ(get("f8E4M3FN").decode(1), std::ldexp(1.0, -9));
  EXPECT_EQ(get("f8E5M2").decode(1), std::ldexp(1.0, -16));
  EXPECT_EQ(get("f8E4M3FNUZ").decode(1), std::ldexp(1.0, -10));
  EXPECT_EQ(get("f8E8M0FNU").decode(0), std::ldexp(1.0, -127));
}

TEST(FloatFormat, EveryCodeOfFP4) {
  const double expected[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (uint32_t code = 0; code < 8; ++code) {
    EXPECT_EQ(get("f4E2M1FN").decode(code), expected[code]);
    EXPECT_EQ(get("f4E2M1FN").decode(code | 8), -expected[code]);
  }
}

TEST(FloatFormat, EveryCodeMeansWhatAPFloatSays) {
  for (const FloatFormat &format : getFloatFormats()) {
    const llvm::fltSemantics &semantics = *getSemantics(format.name);
    for (uint32_t code = 0; code < bitsOf(format); ++code) {
      llvm::APFloat number(semantics, llvm::APInt(format.getBits(), code));
      double value = format.decode(code);
      EXPECT_EQ(std::isnan(value), number.isNaN()) << format.name.str() << code;
      if (number.isNaN())
        continue;
      bool loses;
      number.convert(llvm::APFloat::IEEEdouble(),
                     llvm::APFloat::rmNearestTiesToEven, &loses);
      EXPECT_EQ(value, number.convertToDouble()) << format.name.str() << code;
    }
  }
}

TEST(FloatFormat, EveryNumberIsItsOwnCode) {
  for (const FloatFormat &format : getFloatFormats())
    for (uint32_t code = 0; code < bitsOf(format); ++code) {
      double value = format.decode(code);
      if (!std::isnan(value))
        EXPECT_EQ(format.encode(value), code) << format.name.str();
    }
}

TEST(FloatFormat, MidpointsAndTheirNeighboursRoundToTheNearest) {
  for (const FloatFormat &format : getFloatFormats()) {
    if (format.getBits() > 8 || format.special == SpecialCodes::E8M0)
      continue;
    for (uint32_t code = 0; code < bitsOf(format); ++code) {
      double a = format.decode(code), b = format.decode(code + 1);
      if (!std::isfinite(a) || code + 1 == bitsOf(format) ||
          !std::isfinite(b) || std::signbit(a) != std::signbit(b))
        continue;
      double middle = (a + b) / 2;
      for (double value :
           {middle, std::nextafter(middle, a), std::nextafter(middle, b)}) {
        if (format.special == SpecialCodes::FNUZ && value < 0 &&
            findNearest(format, -value) == 0)
          continue; // rounds to 0, whose sign is tested below
        EXPECT_EQ(format.encode(value), findNearest(format, value))
            << format.name.str() << " " << value;
      }
    }
  }
}

TEST(FloatFormat, RandomNumbersRoundAsAPFloatRounds) {
  std::mt19937 random(1);
  for (const FloatFormat &format : getFloatFormats()) {
    if (format.special == SpecialCodes::E8M0 ||
        format.special == SpecialCodes::FiniteOnly)
      continue; // APFloat rounds E8M0 otherwise and saturates by itself
    for (int i = 0; i < 200000; ++i) {
      uint32_t bits = random();
      float value;
      memcpy(&value, &bits, 4);
      if (std::isnan(value))
        continue;
      llvm::APFloat number(value);
      bool loses;
      number.convert(*getSemantics(format.name),
                     llvm::APFloat::rmNearestTiesToEven, &loses);
      uint64_t expected = number.bitcastToAPInt().getZExtValue();
      if (number.isNaN()) {
        EXPECT_TRUE(std::isnan(format.decode(format.encode(value))));
        continue;
      }
      ASSERT_EQ(format.encode(value), expected)
          << format.name.str() << " " << value;
    }
  }
}

TEST(FloatFormat, OverflowAndSpecialValues) {
  struct Row {
    const char *name;
    double value;
    uint32_t special, saturated;
  };
  const Row rows[] = {
      {"f8E4M3FN", 464, 0x7e, 0x7e}, // the midpoint goes to the even code
      {"f8E4M3FN", 465, 0x7f, 0x7e},     {"f8E4M3FN", -HUGE_VAL, 0xff, 0xfe},
      {"f8E5M2", 61439, 0x7b, 0x7b},     {"f8E5M2", 61440, 0x7c, 0x7b},
      {"f8E5M2", HUGE_VAL, 0x7c, 0x7b},  {"f8E4M3FNUZ", 247.9, 0x7f, 0x7f},
      {"f8E4M3FNUZ", 248, 0x80, 0x7f},   {"f8E4M3FNUZ", -300, 0x80, 0xff},
      {"f8E5M2FNUZ", 61440, 0x80, 0x7f}, {"f8E4M3FNUZ", -0.0, 0x00, 0x00},
      {"f8E4M3FN", -0.0, 0x80, 0x80},    {"f4E2M1FN", 1000, 0x7, 0x7},
      {"bf16", 3.4e38, 0x7f80, 0x7f7f},
  };
  for (const Row &row : rows) {
    EXPECT_EQ(get(row.name).encode(row.value), row.special)
        << row.name << " " << row.value;
    EXPECT_EQ(get(row.name).encode(row.value, Overflow::Saturate),
              row.saturated)
        << row.name << " " << row.value;
  }
  EXPECT_EQ(get("f8E4M3FN").encode(NAN), 0x7fu);
  EXPECT_EQ(get("f8E4M3FNUZ").encode(NAN), 0x80u);
  EXPECT_EQ(get("bf16").encode(NAN), 0x7fc0u);
  EXPECT_EQ(get("f8E8M0FNU").encode(NAN), 255u);
}

TEST(FloatFormat, E8M0RoundsAsPyTorchCasts) {
  const FloatFormat &format = get("f8E8M0FNU");
  EXPECT_EQ(format.encode(1.0), 127u);
  EXPECT_EQ(format.encode(1.4999), 127u);
  EXPECT_EQ(format.encode(1.5), 128u);  // ties go up
  EXPECT_EQ(format.encode(-3.0), 129u); // the sign is lost
  EXPECT_EQ(format.encode(0.0), 0u);
  EXPECT_EQ(format.encode(std::ldexp(1.0, -127)), 0u);
  EXPECT_EQ(format.encode(std::ldexp(1.001, -127)), 1u);
  EXPECT_EQ(format.encode(std::ldexp(1.6, 127)), 255u);
  EXPECT_EQ(format.encode(HUGE_VAL), 255u);
}
