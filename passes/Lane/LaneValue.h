//===- LaneValue.h - Arithmetic on a lane's values, as formulas -*- C++ -*-===//
//
// A LaneValue is an SSA value, scalar or vector of one dimension, together with
// the place where ops on it are created. Operators create arith ops, so that a
// lowering reads like the formula it implements.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_LANE_LANEVALUE_H
#define OCTAVO_PASSES_LANE_LANEVALUE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace octavo {

class LaneValue {
public:
  LaneValue(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  operator mlir::Value() const { return value; }
  mlir::Type getType() const { return value.getType(); }
  mlir::Type getElementType() const;
  mlir::OpBuilder &getBuilder() const { return *builder; }
  mlir::Location getLoc() const { return loc; }

  /// A value created at the same place.
  LaneValue with(mlir::Value other) const { return {*builder, loc, other}; }
  /// This value's type with another element type.
  mlir::Type withElement(mlir::Type element) const;
  /// The number in every element of a value of this type.
  LaneValue constant(double number) const;
  /// The integer in every element of a value of this integer type.
  LaneValue constantInt(int64_t number) const;

private:
  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

LaneValue operator+(LaneValue a, LaneValue b);
LaneValue operator-(LaneValue a, LaneValue b);
LaneValue operator*(LaneValue a, LaneValue b);
LaneValue operator/(LaneValue a, LaneValue b);
LaneValue operator-(LaneValue a);
inline LaneValue operator+(LaneValue a, double b) { return a + a.constant(b); }
inline LaneValue operator-(LaneValue a, double b) { return a - a.constant(b); }
inline LaneValue operator*(LaneValue a, double b) { return a * a.constant(b); }
inline LaneValue operator/(LaneValue a, double b) { return a / a.constant(b); }
inline LaneValue operator-(double a, LaneValue b) { return b.constant(a) - b; }
inline LaneValue operator/(double a, LaneValue b) { return b.constant(a) / b; }

/// a * b + c, rounded once.
LaneValue fma(LaneValue a, LaneValue b, LaneValue c);
inline LaneValue fma(LaneValue a, double b, LaneValue c) {
  return fma(a, a.constant(b), c);
}
inline LaneValue fma(LaneValue a, LaneValue b, double c) {
  return fma(a, b, a.constant(c));
}
inline LaneValue fma(LaneValue a, double b, double c) {
  return fma(a, a.constant(b), a.constant(c));
}
/// coefficients[0] + coefficients[1] * x + …, by Horner's rule with fma.
LaneValue polynomial(LaneValue x, llvm::ArrayRef<double> coefficients);

/// Ordered comparisons of floats: false where an operand is NaN.
LaneValue isLess(LaneValue a, LaneValue b);
LaneValue isEqual(LaneValue a, LaneValue b);
inline LaneValue isLess(LaneValue a, double b) {
  return isLess(a, a.constant(b));
}
inline LaneValue isEqual(LaneValue a, double b) {
  return isEqual(a, a.constant(b));
}
LaneValue isNaN(LaneValue x);
LaneValue select(LaneValue condition, LaneValue then, LaneValue otherwise);
/// Bitwise on integers and on conditions.
LaneValue operator&(LaneValue a, LaneValue b);
LaneValue operator|(LaneValue a, LaneValue b);
LaneValue operator^(LaneValue a, LaneValue b);
/// Logical shifts of integers.
LaneValue shiftLeft(LaneValue a, int64_t bits);
LaneValue shiftRight(LaneValue a, int64_t bits);

LaneValue floor(LaneValue x);
LaneValue truncate(LaneValue x);
/// To the nearest integer, ties to even.
LaneValue roundEven(LaneValue x);
LaneValue absolute(LaneValue x);
LaneValue copySign(LaneValue magnitude, LaneValue sign);
LaneValue squareRoot(LaneValue x);
/// Minimum and maximum that prefer a number to a NaN.
LaneValue minimumNumber(LaneValue a, LaneValue b);
LaneValue maximumNumber(LaneValue a, LaneValue b);
/// x * 2^exponent; `exponent` is i32.
LaneValue scaleByPowerOfTwo(LaneValue x, LaneValue exponent);
/// x = m * 2^e with m in [1/2, 1): m of x's type and e as i32.
std::pair<LaneValue, LaneValue> splitExponent(LaneValue x);

/// Conversions, element by element.
LaneValue toFloat(LaneValue x, mlir::Type element);
LaneValue floatToInt32(LaneValue x);
LaneValue int32ToFloat(LaneValue x, mlir::Type element);
LaneValue bitCast(LaneValue x, mlir::Type element);

/// Calls `body` with the i-th elements of `operands` for every i and joins the
/// results.
LaneValue
forEachElement(llvm::ArrayRef<LaneValue> operands,
               llvm::function_ref<mlir::Value(mlir::ValueRange)> body);
/// An LLVM intrinsic of one float operand that exists for scalars only, for
/// example "llvm.amdgcn.rcp"; the type's suffix is added.
LaneValue callScalarIntrinsic(llvm::StringRef name, LaneValue x);
/// True if the i1 value has any element that is true.
mlir::Value anyOf(LaneValue condition);

} // namespace octavo

#endif // OCTAVO_PASSES_LANE_LANEVALUE_H
