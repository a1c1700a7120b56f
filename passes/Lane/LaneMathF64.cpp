//===- LaneMathF64.cpp - Exponentials and logarithms of f64 ---------------===//
//
// The matrix-core GPUs have f64 at half the rate of f32, so these serve f64 and
// the f32 functions whose f32 formula would need more than one word.
//
//===----------------------------------------------------------------------===//

#include "passes/Lane/LaneMath.h"

#include <cmath>

using namespace mlir;
using namespace octavo;

/// ln 2 as a number of 32 bits and the rest.
static constexpr double kLn2High = 0x1.62e42feep-1;
static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
static constexpr double kLog2E = 0x1.71547652b82fep+0;

/// e^r for |r| <= ln(2) / 2.
static LaneValue expReduced(LaneValue r) {
  LaneValue p = polynomial(r, {0x1.ffffffffffffcp-2, 0x1.55555555554c7p-3,
                               0x1.55555555564e1p-5, 0x1.111111115839ap-7,
                               0x1.6c16c169f71c2p-10, 0x1.a019ff1afdf5fp-13,
                               0x1.a019effca09e7p-16, 0x1.71e677e9f5c84p-19,
                               0x1.2854494227cf0p-22, 0x1.9da99ab87e50ap-26});
  return fma(r * r, p, r) + 1.0;
}

/// An integer in float form, as i32; NaN becomes a number first, because the
/// conversion of NaN means nothing to LLVM.
static LaneValue exponentOf(LaneValue n) {
  LaneValue bounded =
      minimumNumber(maximumNumber(n, n.constant(-3000.0)), n.constant(3000.0));
  return floatToInt32(bounded);
}

LaneValue octavo::expF64(LaneValue x) {
  // Beyond +-800 the result is 0 or infinity; NaN stays in `r`.
  LaneValue n = roundEven(x * kLog2E);
  LaneValue r = fma(n, -kLn2Low, fma(n, -kLn2High, x));
  LaneValue y = scaleByPowerOfTwo(expReduced(r), exponentOf(n));
  y = select(isLess(x, -800.0), x.constant(0.0), y);
  return select(isLess(x.constant(800.0), x), x.constant(HUGE_VAL), y);
}

LaneValue octavo::exp2F64(LaneValue x) {
  LaneValue n = roundEven(x);
  LaneValue f = x - n;
  LaneValue y = scaleByPowerOfTwo(expReduced(fma(f, kLn2High, f * kLn2Low)),
                                  exponentOf(n));
  y = select(isLess(x, -1200.0), x.constant(0.0), y);
  return select(isLess(x.constant(1200.0), x), x.constant(HUGE_VAL), y);
}

namespace {
/// x = m * 2^e with m in [sqrt(1/2), sqrt(2)); log(m) = high + low.
struct SplitLog {
  LaneValue exponent, high, low;
};
} // namespace

static SplitLog splitLog(LaneValue x) {
  auto [mantissa, exponent] = splitExponent(x);
  LaneValue small = isLess(mantissa, 0x1.6a09e667f3bcdp-1);
  mantissa = select(small, mantissa * 2.0, mantissa);
  LaneValue e = int32ToFloat(exponent, x.getElementType());
  e = select(small, e - 1.0, e);
  // log(m) = f - (h - s * (h + R)) with f = m - 1, s = f / (2 + f),
  // h = f^2 / 2 and s^2 * R the odd series of 2 atanh(s) without 2 s.
  LaneValue f = mantissa - 1.0;
  LaneValue s = f / (f + 2.0);
  LaneValue z = s * s;
  LaneValue series = polynomial(z, {0x1.5555555555597p-1, 0x1.999999997e537p-2,
                                    0x1.249249436744dp-2, 0x1.c71c50c4a49b7p-3,
                                    0x1.74668583cb81cp-3, 0x1.399a3bd033cdfp-3,
                                    0x1.2f548947e9344p-3});
  LaneValue half = f * f * 0.5;
  LaneValue low = s * fma(z, series, half) - half;
  return {e, f, low};
}

/// Logarithm's special values: log(0) = -inf, log(<0) = NaN, log(inf) = inf.
static LaneValue fixLog(LaneValue x, LaneValue y) {
  y = select(isEqual(x, 0.0), x.constant(-HUGE_VAL), y);
  y = select(isEqual(x, HUGE_VAL), x, y);
  return select(isLess(x, 0.0), x.constant(NAN), y);
}

LaneValue octavo::logF64(LaneValue x) {
  auto [e, high, low] = splitLog(x);
  LaneValue y = fma(e, kLn2High, high) + fma(e, kLn2Low, low);
  return fixLog(x, y);
}

LaneValue octavo::log2F64(LaneValue x) {
  auto [e, high, low] = splitLog(x);
  // log2(e) * (high + low) with the part of the product that rounding loses.
  LaneValue product = high * kLog2E;
  LaneValue lost = fma(high, kLog2E, -product);
  LaneValue rest = fma(low, kLog2E, fma(high, 0x1.777d0ffda0d24p-56, lost));
  return fixLog(x, e + (product + rest));
}

LaneValue octavo::powF64(LaneValue x, LaneValue y) {
  LaneValue magnitude = absolute(x);
  LaneValue result = exp2F64(y * log2F64(magnitude));
  LaneValue one = x.constant(1.0);
  // (-1)^inf = 1, where the product above is 0 * inf.
  result = select(isEqual(magnitude, 1.0) & isEqual(absolute(y), HUGE_VAL), one,
                  result);
  LaneValue isInteger = isEqual(truncate(y), y);
  LaneValue half = y * 0.5;
  LaneValue isEven = isEqual(truncate(half), half);
  LaneValue isNegative = isLess(copySign(one, x), 0.0); // also for -0
  LaneValue signedResult = select(isEven, result, -result);
  LaneValue nan = x.constant(NAN);
  LaneValue isFiniteNonZero =
      isLess(magnitude, HUGE_VAL) & isLess(x.constant(0.0), magnitude);
  LaneValue nonInteger = select(isFiniteNonZero, nan, result);
  LaneValue negative = select(isInteger, signedResult, nonInteger);
  result = select(isNegative, negative, result);
  // NaN operands: the product is NaN already, but for these two.
  return select(isEqual(y, 0.0) | isEqual(x, 1.0), one, result);
}
