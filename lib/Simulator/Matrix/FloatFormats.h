//===- FloatFormats.h - The simulator's own small floats --------*- C++ -*-===//
//
// Conversions between f32 and the formats of the matrix instructions and of the
// v_cvt_* instructions. The simulator judges the compiler, so this shares no
// code with lib/Numerics; tests compare the two. Every function is constexpr
// and works on integers, so that no host rounding mode or flag matters.
//
// Codes are held in the low bits of a uint32_t. f32 subnormals are kept: a
// caller whose MODE register says flush does so before and after.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_MATRIX_FLOATFORMATS_H
#define OCTAVO_SIMULATOR_MATRIX_FLOATFORMATS_H

#include <array>
#include <bit>
#include <cstdint>

namespace octavo::sim {

enum class FloatFormat : uint8_t {
  E4M3FN,
  E5M2,
  E4M3FNUZ,
  E5M2FNUZ,
  E2M3,
  E3M2,
  E2M1,
  E8M0,
  BF16,
  F16,
};

/// What a finite value beyond the largest one becomes. `Special` is MODE bit 23
/// (FP16_OVFL) clear: infinity where the format has one, else NaN. `Saturate`
/// is the bit set: the largest finite value. True infinities are kept by both
/// (MODE's documentation), hence NaN in a format without infinity; formats
/// with neither (E2M3, E3M2, E2M1) saturate always.
enum class Overflow : uint8_t { Special, Saturate };

/// The shape of a format: 1 sign bit, then exponent, then mantissa.
struct FloatShape {
  uint32_t exponentBits, mantissaBits;
  int32_t bias;
  /// Largest finite magnitude code.
  uint32_t maxCode;
  /// Magnitude code of infinity, or 0 if there is none.
  uint32_t infinityCode;
  /// Magnitude code of the NaN that conversions give, or 0 if there is none.
  uint32_t nanCode;
  /// FNUZ: the code of -0 is the only NaN.
  bool unsignedZero;
};

constexpr FloatShape getShape(FloatFormat format) {
  switch (format) {
  case FloatFormat::E4M3FN:
    return {4, 3, 7, 0x7e, 0, 0x7f, false};
  case FloatFormat::E5M2:
    return {5, 2, 15, 0x7b, 0x7c, 0x7e, false};
  case FloatFormat::E4M3FNUZ:
    return {4, 3, 8, 0x7f, 0, 0x80, true};
  case FloatFormat::E5M2FNUZ:
    return {5, 2, 16, 0x7f, 0, 0x80, true};
  case FloatFormat::E2M3:
    return {2, 3, 1, 0x1f, 0, 0, false};
  case FloatFormat::E3M2:
    return {3, 2, 3, 0x1f, 0, 0, false};
  case FloatFormat::E2M1:
    return {2, 1, 1, 0x7, 0, 0, false};
  case FloatFormat::E8M0:
    return {8, 0, 127, 0xfe, 0, 0xff, false};
  case FloatFormat::BF16:
    return {8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, false};
  case FloatFormat::F16:
    return {5, 10, 15, 0x7bff, 0x7c00, 0x7e00, false};
  }
  return {};
}

/// Bits of one code, sign included (E8M0 has no sign).
constexpr uint32_t getBitWidth(FloatFormat format) {
  FloatShape s = getShape(format);
  return s.exponentBits + s.mantissaBits + (format != FloatFormat::E8M0);
}

/// The f32 bits 2^`exponent` (-149..127).
constexpr uint32_t powerOfTwoBits(int32_t exponent) {
  return exponent >= -126 ? uint32_t(exponent + 127) << 23
                          : uint32_t(1) << (exponent + 149);
}

/// E8M0 to f32 bits: 2^(code-127), and NaN for 0xff.
constexpr uint32_t decodeE8M0(uint32_t code) {
  code &= 0xff;
  return code == 0xff ? 0x7fc00000u : powerOfTwoBits(int32_t(code) - 127);
}

/// The E8M0 scale that v_cvt_scalef32_* takes from an f32 operand: its exponent
/// field.
constexpr uint32_t getExponentField(uint32_t f32Bits) {
  return f32Bits >> 23 & 0xff;
}

/// Exact f32 bits of `code`. A NaN keeps its sign and, in BF16 and F16, its
/// payload.
constexpr uint32_t decodeToBits(FloatFormat format, uint32_t code) {
  if (format == FloatFormat::E8M0)
    return decodeE8M0(code);
  FloatShape s = getShape(format);
  uint32_t signBit = s.exponentBits + s.mantissaBits;
  uint32_t magnitude = code & ((1u << signBit) - 1);
  uint32_t sign = (code >> signBit & 1) << 31;
  if (s.unsignedZero && sign && magnitude == 0)
    return 0x7fc00000u;
  if (s.infinityCode && magnitude >= s.infinityCode)
    return sign | 0x7f800000u |
           (magnitude - s.infinityCode) << (23 - s.mantissaBits);
  if (!s.unsignedZero && s.nanCode && magnitude > s.maxCode)
    return sign | 0x7fc00000u;
  uint32_t exponent = magnitude >> s.mantissaBits;
  uint32_t mantissa = magnitude & ((1u << s.mantissaBits) - 1);
  if (format == FloatFormat::BF16)
    return code << 16;
  if (exponent)
    return sign | uint32_t(int32_t(exponent) - s.bias + 127) << 23 |
           mantissa << (23 - s.mantissaBits);
  if (mantissa == 0)
    return sign;
  int32_t top = 31 - std::countl_zero(mantissa);
  int32_t e = top + 1 - s.bias - int32_t(s.mantissaBits);
  return sign | uint32_t(e + 127) << 23 |
         (mantissa << (23 - top) & 0x007fffffu);
}

constexpr float decodeFloat(FloatFormat format, uint32_t code) {
  return std::bit_cast<float>(decodeToBits(format, code));
}

namespace detail {

/// Code of a NaN or an infinity with the given f32 bits.
constexpr uint32_t encodeSpecial(FloatFormat format, uint32_t bits) {
  FloatShape s = getShape(format);
  uint32_t sign = bits >> 31 << (s.exponentBits + s.mantissaBits);
  bool isNaN = (bits & 0x7fffffffu) > 0x7f800000u;
  if (!isNaN && s.infinityCode)
    return sign | s.infinityCode;
  if (s.unsignedZero)
    return s.nanCode;
  if (!s.nanCode)
    return sign | s.maxCode;
  if (isNaN && s.mantissaBits >= 7) // quiet, with the top of the payload
    return sign | s.nanCode | (bits & 0x7fffffu) >> (23 - s.mantissaBits);
  return sign | s.nanCode;
}

/// Encodes sign and magnitude after rounding: `code` may lie beyond the range.
constexpr uint32_t finishEncode(FloatFormat format, uint32_t signBit,
                                uint32_t code, Overflow overflow) {
  FloatShape s = getShape(format);
  uint32_t sign = signBit << (s.exponentBits + s.mantissaBits);
  if (code > s.maxCode) {
    if (overflow == Overflow::Saturate || !s.nanCode)
      return sign | s.maxCode;
    if (s.infinityCode)
      return sign | s.infinityCode;
    return s.unsignedZero ? s.nanCode : sign | s.nanCode;
  }
  return s.unsignedZero && code == 0 ? 0 : sign | code;
}

/// A finite f32 against the grid of a format: the value is
/// `significand * 2^-shift` units, and the code is `base` plus the whole units.
struct GridPosition {
  uint64_t significand;
  uint32_t shift;
  uint32_t base;
};

constexpr GridPosition placeOnGrid(FloatFormat format, uint32_t bits) {
  FloatShape s = getShape(format);
  uint32_t field = bits >> 23 & 0xff;
  int32_t exponent = field ? int32_t(field) - 127 : -126;
  uint64_t significand = (bits & 0x7fffffu) | (field ? 0x800000u : 0);
  int32_t minimum = 1 - s.bias;
  int32_t grid = exponent > minimum ? exponent : minimum;
  // Units of 2^(grid - mantissaBits); an f32 has 23 fraction bits.
  uint32_t shift = 23 - s.mantissaBits + uint32_t(grid - exponent);
  uint32_t base = uint32_t(grid - minimum) << s.mantissaBits;
  return {significand, shift, base};
}

} // namespace detail

/// Code nearest to the f32 with these bits, ties to even. Not for E8M0, whose
/// codes come from getExponentField.
constexpr uint32_t encodeNearestEven(FloatFormat format, uint32_t f32Bits,
                                     Overflow overflow) {
  if ((f32Bits & 0x7f800000u) == 0x7f800000u)
    return detail::encodeSpecial(format, f32Bits);
  detail::GridPosition p = detail::placeOnGrid(format, f32Bits);
  uint64_t units = 0;
  if (p.shift < 32) {
    uint64_t half = uint64_t(1) << (p.shift - 1);
    uint64_t odd = p.significand >> p.shift & 1;
    units = (p.significand + half - 1 + odd) >> p.shift;
  }
  return detail::finishEncode(format, f32Bits >> 31, p.base + uint32_t(units),
                              overflow);
}

/// Stochastic rounding: the fraction that is dropped, plus `random` * 2^-32,
/// carries into the code or not. For a normal E4M3 result this adds
/// random[31:12] below the mantissa, as v_cvt_sr_fp8_f32 does; that the sum
/// carries and is then truncated is assumed (facts: simulator, section 5).
constexpr uint32_t encodeStochastic(FloatFormat format, uint32_t f32Bits,
                                    uint32_t random, Overflow overflow) {
  if ((f32Bits & 0x7f800000u) == 0x7f800000u)
    return detail::encodeSpecial(format, f32Bits);
  detail::GridPosition p = detail::placeOnGrid(format, f32Bits);
  uint64_t fixed = p.shift < 64 ? (p.significand << 32) >> p.shift : 0;
  uint32_t units = uint32_t((fixed + random) >> 32);
  return detail::finishEncode(format, f32Bits >> 31, p.base + units, overflow);
}

constexpr uint32_t encodeNearestEven(FloatFormat format, float value,
                                     Overflow overflow) {
  return encodeNearestEven(format, std::bit_cast<uint32_t>(value), overflow);
}

/// All 256 decoded values of an 8-bit (or narrower) format as f32 bits; codes
/// of a narrower format repeat.
template <FloatFormat format> struct DecodeTable {
  static constexpr std::array<uint32_t, 256> bits = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t code = 0; code < 256; ++code)
      table[code] =
          decodeToBits(format, code & ((1u << getBitWidth(format)) - 1));
    return table;
  }();
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_MATRIX_FLOATFORMATS_H
