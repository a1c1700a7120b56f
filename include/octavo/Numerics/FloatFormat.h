//===- FloatFormat.h - The small float formats, exactly ---------*- C++ -*-===//
//
// A number of a format is (-1)^s * 2^(e - bias) * 1.m, or 2^(1 - bias) * 0.m
// where the exponent's field is 0. The formats differ in their widths, the bias
// and what the highest codes mean. Everything here is host-side and exact; the
// simulator has conversions of its own, because it judges the compiler's.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_NUMERICS_FLOATFORMAT_H
#define OCTAVO_NUMERICS_FLOATFORMAT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace octavo {

/// What the codes mean that are not numbers.
enum class SpecialCodes {
  /// The highest exponent is infinity (mantissa 0) and NaN.
  IEEE,
  /// The one code of all ones is NaN; there is no infinity.
  FN,
  /// The code of -0 is NaN; there is no infinity and no -0.
  FNUZ,
  /// All codes are numbers.
  FiniteOnly,
  /// Powers of two without sign; code 255 is NaN.
  E8M0,
};

/// What happens beyond the largest number.
enum class Overflow {
  /// Infinity, where there is none NaN, where there is none the largest number.
  ToSpecial,
  /// The largest number, for infinities too.
  Saturate,
};

/// One format of 4 to 16 bits, or a bf16.
struct FloatFormat {
  /// As MLIR spells the type, for example "f8E4M3FN".
  llvm::StringLiteral name;
  unsigned exponentBits, mantissaBits;
  int bias;
  SpecialCodes special;

  unsigned getBits() const {
    return special == SpecialCodes::E8M0 ? 8 : 1 + exponentBits + mantissaBits;
  }
  /// The largest finite number.
  double getMax() const;
  /// The value of a code; NaN and infinities as such.
  double decode(uint32_t code) const;
  /// The code nearest to `value`, ties to even; NaN gives the format's NaN (0
  /// where it has none) with the sign of `value` where that exists.
  uint32_t encode(double value, Overflow overflow = Overflow::ToSpecial) const;
};

/// All formats.
llvm::ArrayRef<FloatFormat> getFloatFormats();

/// The format that MLIR calls `name`, or null.
const FloatFormat *lookupFloatFormat(llvm::StringRef name);

} // namespace octavo

#endif // OCTAVO_NUMERICS_FLOATFORMAT_H
