//===- FloatMath.h - Float functions of one lane ----------------*- C++ -*-===//
//
// Minimum and maximum as the hardware orders them, and the functions whose bits
// are not documented (2^x, log2, sine): here correctly rounded but for results
// within 2^-20 of half a unit, by polynomials in double that vectorise.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_EXECUTE_FLOATMATH_H
#define OCTAVO_SIMULATOR_EXECUTE_FLOATMATH_H

#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {

template <class T, class Bits> struct FloatBits;
template <> struct FloatBits<float, uint32_t> {
  static constexpr uint32_t quiet = 0x400000;
};
template <> struct FloatBits<double, uint64_t> {
  static constexpr uint64_t quiet = uint64_t(1) << 51;
};
template <> struct FloatBits<_Float16, uint16_t> {
  static constexpr uint16_t quiet = 0x200;
};

template <class T, class Bits> OCTAVO_INLINE T quieted(T a) {
  return __builtin_bit_cast(
      T, Bits(__builtin_bit_cast(Bits, a) | FloatBits<T, Bits>::quiet));
}
template <class T, class Bits> OCTAVO_INLINE bool isSignaling(T a) {
  return a != a && !(__builtin_bit_cast(Bits, a) & FloatBits<T, Bits>::quiet);
}
template <class T, class Bits> OCTAVO_INLINE bool isNegative(T a) {
  return __builtin_bit_cast(Bits, a) >> (8 * sizeof(Bits) - 1);
}

template <class T, class Bits> OCTAVO_INLINE T ieeeMin(T a, T b) {
  T ordered = a < b ? a : b < a ? b : isNegative<T, Bits>(a) ? a : b;
  T result = a != a ? b : b != b ? a : ordered;
  result = isSignaling<T, Bits>(b) ? quieted<T, Bits>(b) : result;
  result = isSignaling<T, Bits>(a) ? quieted<T, Bits>(a) : result;
  return result;
}
template <class T, class Bits> OCTAVO_INLINE T ieeeMax(T a, T b) {
  T ordered = a > b ? a : b > a ? b : isNegative<T, Bits>(a) ? b : a;
  T result = a != a ? b : b != b ? a : ordered;
  result = isSignaling<T, Bits>(b) ? quieted<T, Bits>(b) : result;
  result = isSignaling<T, Bits>(a) ? quieted<T, Bits>(a) : result;
  return result;
}
/// The larger of those two that are not the maximum, where -0 equals +0; with a
/// NaN the minimum of all.
template <class T, class Bits> OCTAVO_INLINE T ieeeMed3(T a, T b, T c) {
  T low = ieeeMin<T, Bits>(ieeeMin<T, Bits>(a, b), c);
  T top = ieeeMax<T, Bits>(ieeeMax<T, Bits>(a, b), c);
  T first = top == a ? b : a, second = top == a || top == b ? c : b;
  T middle = ieeeMax<T, Bits>(first, second);
  return a != a || b != b || c != c ? low : middle;
}

OCTAVO_INLINE float nanMinimum(float a, float b) {
  float ordered = a < b                            ? a
                  : b < a                          ? b
                  : isNegative<float, uint32_t>(a) ? a
                                                   : b;
  float result = b != b ? quieted<float, uint32_t>(b) : ordered;
  return a != a ? quieted<float, uint32_t>(a) : result;
}
OCTAVO_INLINE float nanMaximum(float a, float b) {
  float ordered = a > b                            ? a
                  : b > a                          ? b
                  : isNegative<float, uint32_t>(a) ? b
                                                   : a;
  float result = b != b ? quieted<float, uint32_t>(b) : ordered;
  return a != a ? quieted<float, uint32_t>(a) : result;
}

OCTAVO_INLINE float halfOf(uint16_t bits) {
  return float(__builtin_bit_cast(_Float16, bits));
}

/// 2^e for e in the range of normal doubles.
OCTAVO_INLINE double powerOfTwo(int32_t e) {
  return __builtin_bit_cast(double, uint64_t(uint32_t(e + 1023)) << 52);
}

/// a * 2^e for an `a` that came from f32 or narrower: exact in double, so that
/// the caller rounds once.
OCTAVO_INLINE double scaleByPower(double a, int32_t e) {
  e = e > 900 ? 900 : e < -800 ? -800 : e;
  return a * powerOfTwo(e);
}

OCTAVO_INLINE float flush(float a) {
  uint32_t bits = __builtin_bit_cast(uint32_t, a);
  return __builtin_bit_cast(float,
                            bits & 0x7f800000 ? bits : bits & 0x80000000u);
}

/// Taylor terms of 2^f, |f| <= 1/2: (ln 2)^n / n!.
OCTAVO_INLINE double exp2Double(double x) {
  double n = __builtin_roundeven(x), f = x - n;
  double p = 0x1.c3bd650fc2986p-36; // n = 13
  p = p * f + 0x1.e8cac7351bb25p-32;
  p = p * f + 0x1.e4cf5158b8ecap-28;
  p = p * f + 0x1.b5253d395e7c4p-24;
  p = p * f + 0x1.62c0223a5c824p-20;
  p = p * f + 0x1.ffcbfc588b0c7p-17;
  p = p * f + 0x1.430912f86c787p-13;
  p = p * f + 0x1.5d87fe78a6731p-10;
  p = p * f + 0x1.3b2ab6fba4e77p-7;
  p = p * f + 0x1.c6b08d704a0c0p-5;
  p = p * f + 0x1.ebfbdff82c58fp-3;
  p = p * f + 0x1.62e42fefa39efp-1;
  return (p * f + 1.0) * powerOfTwo(int32_t(n));
}

OCTAVO_INLINE float exp2Rounded(float a) {
  double x = a > 200.0f ? 200.0 : a > -200.0f ? double(a) : -200.0;
  float result = float(exp2Double(x));
  return a != a ? a : result;
}

/// log2 through atanh: m in [sqrt(1/2), sqrt(2)), s = (m-1)/(m+1).
OCTAVO_INLINE double log2Double(double a) {
  uint64_t bits = __builtin_bit_cast(uint64_t, a);
  int32_t e = int32_t(bits >> 52) - 1023;
  double m = __builtin_bit_cast(double, (bits & 0xfffffffffffffull) |
                                            uint64_t(1023) << 52);
  bool upper = m > 1.4142135623730951;
  m = upper ? m * 0.5 : m;
  e = upper ? e + 1 : e;
  double s = (m - 1) / (m + 1), z = s * s;
  double p = 1.0 / 23;
  p = p * z + 1.0 / 21;
  p = p * z + 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  double ln = 2 * s * (p * z + 1);
  return ln * 1.4426950408889634 + double(e);
}

OCTAVO_INLINE float log2Rounded(float a) {
  float inf = __builtin_inff();
  float result = float(log2Double(double(a > 0 && a < inf ? a : 1.0f)));
  result = a == inf ? inf : result;
  result = a == 0 ? -inf : result;
  result = a < 0 ? __builtin_nanf("") : result;
  return a != a ? a : result;
}

/// sin(2 pi a) or cos(2 pi a).
OCTAVO_INLINE float turnsSine(float a, bool cosine) {
  double turns = double(a) + (cosine ? 0.25 : 0.0);
  double t = turns - __builtin_roundeven(turns); // [-1/2, 1/2]
  t = t > 0.25 ? 0.5 - t : t < -0.25 ? -0.5 - t : t;
  double x = t * 6.283185307179586, z = x * x, p = -1.0 / 121645100408832000.0;
  p = p * z + 1.0 / 355687428096000.0;
  p = p * z - 1.0 / 1307674368000.0;
  p = p * z + 1.0 / 6227020800.0;
  p = p * z - 1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  float result = float(x + x * z * p);
  float magnitude = __builtin_fabsf(a);
  result = magnitude > 256.0f ? (cosine ? 1.0f : 0.0f) : result;
  return magnitude < __builtin_inff() ? result : __builtin_nanf("");
}

} // namespace octavo::sim::OCTAVO_SIM_ISA

#endif // OCTAVO_SIMULATOR_EXECUTE_FLOATMATH_H
