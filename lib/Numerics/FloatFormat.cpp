//===- FloatFormat.cpp - The small float formats, exactly -----------------===//

#include "octavo/Numerics/FloatFormat.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace octavo;

// Sources: OCP "8-bit Floating Point Specification" (E4M3, E5M2) and
// "Microscaling Formats" (E8M0, FP6, FP4); Noune et al. 2022 (FNUZ); IEEE 754
// (f16, f8E4M3, f8E3M4 as MLIR defines them).
static constexpr FloatFormat kFormats[] = {
    {"f8E4M3FN", 4, 3, 7, SpecialCodes::FN},
    {"f8E5M2", 5, 2, 15, SpecialCodes::IEEE},
    {"f8E4M3FNUZ", 4, 3, 8, SpecialCodes::FNUZ},
    {"f8E5M2FNUZ", 5, 2, 16, SpecialCodes::FNUZ},
    {"f8E4M3B11FNUZ", 4, 3, 11, SpecialCodes::FNUZ},
    {"f8E4M3", 4, 3, 7, SpecialCodes::IEEE},
    {"f8E3M4", 3, 4, 3, SpecialCodes::IEEE},
    {"f8E8M0FNU", 8, 0, 127, SpecialCodes::E8M0},
    {"f6E2M3FN", 2, 3, 1, SpecialCodes::FiniteOnly},
    {"f6E3M2FN", 3, 2, 3, SpecialCodes::FiniteOnly},
    {"f4E2M1FN", 2, 1, 1, SpecialCodes::FiniteOnly},
    {"f16", 5, 10, 15, SpecialCodes::IEEE},
    {"bf16", 8, 7, 127, SpecialCodes::IEEE},
};

llvm::ArrayRef<FloatFormat> octavo::getFloatFormats() { return kFormats; }

const FloatFormat *octavo::lookupFloatFormat(llvm::StringRef name) {
  const auto *it = llvm::find_if(
      kFormats, [&](const FloatFormat &row) { return row.name == name; });
  return it == std::end(kFormats) ? nullptr : it;
}

static uint32_t getSignBit(const FloatFormat &format) {
  return 1u << (format.getBits() - 1);
}

/// The code of the largest number, without sign.
static uint32_t getMaxCode(const FloatFormat &format) {
  switch (format.special) {
  case SpecialCodes::IEEE:
    return (((1u << format.exponentBits) - 1) << format.mantissaBits) - 1;
  case SpecialCodes::FN:
    return getSignBit(format) - 2;
  case SpecialCodes::FNUZ:
  case SpecialCodes::FiniteOnly:
    return getSignBit(format) - 1;
  case SpecialCodes::E8M0:
    return 254;
  }
  return 0;
}

double FloatFormat::getMax() const { return decode(getMaxCode(*this)); }

double FloatFormat::decode(uint32_t code) const {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if (special == SpecialCodes::E8M0)
    return code == 255 ? kNaN : std::ldexp(1.0, int(code) - bias);
  uint32_t signBit = getSignBit(*this), magnitude = code & (signBit - 1);
  double sign = code & signBit ? -1.0 : 1.0;
  if (special == SpecialCodes::FNUZ && code == signBit)
    return kNaN;
  if (magnitude > getMaxCode(*this)) {
    bool isInfinity =
        special == SpecialCodes::IEEE && magnitude == getMaxCode(*this) + 1;
    return isInfinity ? sign * HUGE_VAL : std::copysign(kNaN, sign);
  }
  int exponent = int(magnitude >> mantissaBits);
  uint32_t mantissa = magnitude & ((1u << mantissaBits) - 1);
  if (exponent != 0)
    mantissa |= 1u << mantissaBits;
  int scale = std::max(exponent, 1) - bias - int(mantissaBits);
  return sign * std::ldexp(double(mantissa), scale);
}

/// E8M0 as PyTorch casts f32: nearest in the mantissa, ties up but for what f32
/// holds as subnormal; infinity counts as NaN.
static uint32_t encodeE8M0(double value, Overflow overflow) {
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return 255;
  if (std::isinf(value))
    return overflow == Overflow::Saturate ? 254 : 255;
  if (magnitude < std::ldexp(1.0, -126)) // f32's exponent field is 0
    return magnitude > std::ldexp(1.0, -127) ? 1 : 0;
  int exponent;
  double fraction = std::frexp(magnitude, &exponent); // [1/2, 1)
  int code = exponent - 1 + 127 + (fraction >= 0.75);
  if (code > 254)
    return overflow == Overflow::Saturate ? 254 : 255;
  return code;
}

uint32_t FloatFormat::encode(double value, Overflow overflow) const {
  if (special == SpecialCodes::E8M0)
    return encodeE8M0(value, overflow);
  uint32_t signBit = getSignBit(*this);
  uint32_t sign = std::signbit(value) ? signBit : 0;
  uint32_t maxCode = getMaxCode(*this);
  if (std::isnan(value)) {
    if (special == SpecialCodes::FNUZ)
      return signBit;
    if (special == SpecialCodes::FiniteOnly)
      return 0;
    if (special == SpecialCodes::FN)
      return sign | (signBit - 1);
    return sign | (maxCode + 1) | 1u << (mantissaBits - 1);
  }
  double magnitude = std::fabs(value);
  uint64_t code = maxCode + 1;
  if (std::isfinite(magnitude)) {
    int minExponent = 1 - bias;
    int exponent = magnitude == 0
                       ? minExponent
                       : std::max(std::ilogb(magnitude), minExponent);
    // An integer below 2^(mantissaBits + 1), or that after rounding up.
    double quotient =
        std::nearbyint(std::ldexp(magnitude, int(mantissaBits) - exponent));
    // The hidden bit carries into the exponent's field by itself.
    double wide = quotient +
                  std::ldexp(double(exponent - minExponent), int(mantissaBits));
    code = wide > maxCode ? maxCode + 1 : uint64_t(wide);
  }
  if (code > maxCode) {
    bool saturates =
        overflow == Overflow::Saturate || special == SpecialCodes::FiniteOnly;
    if (special == SpecialCodes::FNUZ && !saturates)
      return signBit;
    return sign | uint32_t(saturates ? maxCode : maxCode + 1);
  }
  if (special == SpecialCodes::FNUZ && code == 0)
    return 0;
  return sign | uint32_t(code);
}
