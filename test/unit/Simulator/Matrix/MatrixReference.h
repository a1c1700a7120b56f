//===- MatrixReference.h - Slow scalar models of accumulation ---*- C++ -*-===//
//
// Transcriptions of the rules of docs and facts (simulator, section 4) on wide
// integers, for one output element. They share with the simulator only the
// decoding of codes, which FloatFormatsTest checks.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_TEST_UNIT_SIMULATOR_MATRIX_MATRIXREFERENCE_H
#define OCTAVO_TEST_UNIT_SIMULATOR_MATRIX_MATRIXREFERENCE_H

#include "llvm/ADT/APInt.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace reference {

using Wide = __int128;

/// value * 2^exponent rounded to nearest even f32.
inline float roundToFloat(const llvm::APInt &value, int exponent) {
  bool isNegative = value.isNegative();
  llvm::APInt magnitude = value.abs();
  int bits = int(magnitude.getActiveBits());
  if (bits == 0)
    return 0.0f;
  int quantum = std::max(bits - 24 + exponent, -149);
  int shift = quantum - exponent;
  uint64_t whole;
  if (shift <= 0) {
    whole = magnitude.getZExtValue() << -shift;
  } else if (shift > bits) {
    whole = 0;
  } else {
    llvm::APInt kept = magnitude.lshr(unsigned(shift));
    llvm::APInt rest = magnitude - kept.shl(unsigned(shift));
    llvm::APInt half =
        llvm::APInt(magnitude.getBitWidth(), 1).shl(unsigned(shift - 1));
    whole = kept.getZExtValue();
    if (rest.ugt(half) || (rest == half && (whole & 1)))
      ++whole;
  }
  float out = float(std::ldexp(double(whole), quantum));
  return isNegative ? -out : out;
}

inline Wide shiftFloor(Wide v, int by) { return v >> std::min(by, 120); }
inline Wide shiftTrunc(Wide v, int by) {
  return v < 0 ? -shiftFloor(-v, by) : shiftFloor(v, by);
}

struct Split {
  int64_t significand; // in units of 2^-fraction
  int exponent;
};

inline Split split(float x, int minimum, int fraction) {
  if (x == 0)
    return {0, minimum};
  int e;
  std::frexp(x, &e);
  e = std::max(e - 1, minimum);
  return {int64_t(std::ldexp(double(x), fraction - e)), e};
}

/// NaN and infinities by the ordinary rules: the sum of the special products
/// and of c, or a finite value if there is none.
inline float sumSpecials(const std::vector<float> &products, float c) {
  float sum = std::isfinite(c) ? 0 : c;
  for (float p : products)
    if (!std::isfinite(p))
      sum += p;
  return sum;
}

struct Format {
  int minimum, fraction; // exponent of subnormals, mantissa bits
};

/// Steps 4 and 5 of the CDNA3 rule: S in units of 2^-24 with exponent eD.
inline float addAndRound(Wide s, int eD, float c, bool drops) {
  Split sc = split(c, -126, 23);
  int e = std::max(eD, sc.exponent);
  Wide sum = shiftFloor(s << 8, e - eD);
  Wide cPart = shiftFloor(Wide(sc.significand) * 2, e - sc.exponent);
  if (drops && sc.exponent < e - 25)
    cPart = 0;
  Wide t = sum + (cPart << 8);
  Wide magnitude = t < 0 ? -t : t;
  int top = -1;
  for (; magnitude; magnitude >>= 1)
    ++top;
  int eT = std::max(top + e - 32, -126);
  int cut = eT - 31 - (e - 32);
  if (cut > 0)
    t = shiftFloor(t, cut);
  llvm::APInt value(256, uint64_t(t < 0 ? -t : t));
  return roundToFloat(t < 0 ? -value : value, std::max(cut, 0) + e - 32);
}

/// Truncated sum of products k = first, first + step, ... of a chunk.
struct Sum {
  Wide value; // units 2^-24
  int exponent;
};
inline Sum sumProducts(const float *a, const float *b, int count, int step,
                       Format fa, Format fb) {
  std::vector<std::pair<Wide, int>> products;
  int e = -999;
  for (int k = 0; k < count; k += step) {
    Split x = split(a[k], fa.minimum, fa.fraction);
    Split y = split(b[k], fb.minimum, fb.fraction);
    Wide p = Wide(x.significand) * y.significand;
    int ek = p == 0 ? -999 : x.exponent + y.exponent;
    products.push_back({p << (24 - fa.fraction - fb.fraction), ek});
    e = std::max(e, ek);
  }
  Wide sum = 0;
  for (auto [p, ek] : products)
    sum += shiftTrunc(p, e - ek);
  return {sum, e};
}

inline float cdna3(const std::vector<float> &a, const std::vector<float> &b,
                   float c, int chunk, bool halves, Format fa, Format fb) {
  for (size_t k = 0; k < a.size(); k += size_t(chunk)) {
    std::vector<float> products;
    for (size_t i = k; i < k + size_t(chunk); ++i)
      products.push_back(a[i] * b[i]); // f32 overflow is the rule's overflow
    float special = sumSpecials(products, c);
    if (!std::isfinite(special)) {
      c = special;
      continue;
    }
    if (halves) {
      Sum even = sumProducts(&a[k], &b[k], chunk, 2, fa, fb);
      Sum odd = sumProducts(&a[k + 1], &b[k + 1], chunk - 1, 2, fa, fb);
      int e = std::max(even.exponent, odd.exponent);
      Wide s = shiftFloor(even.value, e - even.exponent) +
               shiftFloor(odd.value, e - odd.exponent);
      c = addAndRound(s, e, c, true);
    } else {
      Sum sum = sumProducts(&a[k], &b[k], chunk, 1, fa, fb);
      c = addAndRound(sum.value, sum.exponent, c, false);
    }
  }
  return c;
}

/// Exact blocks of 32: `scale[block]` is the product of both E8M0 scales.
inline float exactBlock(const std::vector<float> &a,
                        const std::vector<float> &b, float c,
                        const std::vector<double> &scale) {
  constexpr unsigned width = 1024;
  constexpr int base = -400;
  auto add = [&](llvm::APInt &sum, double x) {
    if (x == 0)
      return;
    int e;
    double m = std::frexp(x, &e);
    llvm::APInt bits(width, uint64_t(std::ldexp(std::fabs(m), 53)));
    bits = bits.shl(unsigned(e - 53 - base));
    sum += x < 0 ? -bits : bits;
  };
  for (size_t k = 0; k < a.size(); k += 32) {
    std::vector<float> products;
    size_t end = std::min(a.size(), k + 32);
    for (size_t i = k; i < end; ++i)
      products.push_back(a[i] * b[i]);
    float special = sumSpecials(products, c);
    if (std::isnan(scale[k / 32]))
      special = NAN;
    if (!std::isfinite(special)) {
      c = special;
      continue;
    }
    llvm::APInt sum(width, 0);
    for (size_t i = k; i < end; ++i)
      add(sum, double(a[i]) * double(b[i]) * scale[k / 32]);
    add(sum, double(c));
    c = roundToFloat(sum, base);
  }
  return c;
}

} // namespace reference

#endif // OCTAVO_TEST_UNIT_SIMULATOR_MATRIX_MATRIXREFERENCE_H
