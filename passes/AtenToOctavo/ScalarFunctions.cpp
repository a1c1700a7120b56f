//===- ScalarFunctions.cpp - PyTorch's functions of numbers ---------------===//

#include "passes/AtenToOctavo/ScalarFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace octavo;

static bool isFloat(Value a) { return isa<FloatType>(a.getType()); }

/// A function that is one op of the math dialect on floats.
template <typename Op> static Value math1(Scalars &s, Value a) {
  return s.unary<Op>(a);
}

/// The same, and integers stay what they are.
template <typename Op> static Value rounding(Scalars &s, Value a) {
  return isFloat(a) ? s.unary<Op>(a) : a;
}

static Value absolute(Scalars &s, Value a) {
  if (isFloat(a))
    return s.unary<math::AbsFOp>(a);
  if (s.isUnsigned || a.getType().isInteger(1))
    return a;
  return s.max(a, s.neg(a));
}

static Value negative(Scalars &s, Value a) { return s.neg(a); }

static Value reciprocal(Scalars &s, Value a) {
  return s.div(s.constant(a.getType(), 1.0), a);
}

/// 1, 0 or -1; NaN has sign 0.
static Value sign(Scalars &s, Value a) {
  Type type = a.getType();
  if (type.isInteger(1))
    return a;
  Value zero = s.constant(type, 0.0), one = s.constant(type, 1.0);
  Value positive = s.select(s.compare(Compare::gt, a, zero), one, zero);
  if (s.isUnsigned)
    return positive;
  return s.select(s.compare(Compare::lt, a, zero), s.constant(type, -1.0),
                  positive);
}

static Value relu(Scalars &s, Value a) {
  return s.max(a, s.constant(a.getType(), 0.0));
}

static Value square(Scalars &s, Value a) { return s.mul(a, a); }

static Value fraction(Scalars &s, Value a) {
  return s.sub(a, s.unary<math::TruncOp>(a));
}

Value octavo::sigmoid(Scalars &s, Value a) {
  Value one = s.constant(a.getType(), 1.0);
  return s.div(one, s.add(one, s.unary<math::ExpOp>(s.neg(a))));
}

static Value silu(Scalars &s, Value a) {
  Value one = s.constant(a.getType(), 1.0);
  return s.div(a, s.add(one, s.unary<math::ExpOp>(s.neg(a))));
}

ArrayRef<NamedUnary> octavo::unaryFunctions() {
  static const NamedUnary table[] = {
      {"abs", absolute},
      {"neg", negative},
      {"reciprocal", reciprocal},
      {"sign", sign},
      {"sgn", sign},
      {"relu", relu},
      {"square", square},
      {"sigmoid", sigmoid},
      {"silu", silu},
      {"frac", fraction},
      {"floor", rounding<math::FloorOp>},
      {"ceil", rounding<math::CeilOp>},
      {"round", rounding<math::RoundEvenOp>},
      {"trunc", rounding<math::TruncOp>},
      {"exp", math1<math::ExpOp>},
      {"exp2", math1<math::Exp2Op>},
      {"expm1", math1<math::ExpM1Op>},
      {"log", math1<math::LogOp>},
      {"log2", math1<math::Log2Op>},
      {"log10", math1<math::Log10Op>},
      {"log1p", math1<math::Log1pOp>},
      {"sqrt", math1<math::SqrtOp>},
      {"rsqrt", math1<math::RsqrtOp>},
      {"sin", math1<math::SinOp>},
      {"cos", math1<math::CosOp>},
      {"tan", math1<math::TanOp>},
      {"asin", math1<math::AsinOp>},
      {"acos", math1<math::AcosOp>},
      {"atan", math1<math::AtanOp>},
      {"sinh", math1<math::SinhOp>},
      {"cosh", math1<math::CoshOp>},
      {"tanh", math1<math::TanhOp>},
      {"asinh", math1<math::AsinhOp>},
      {"acosh", math1<math::AcoshOp>},
      {"atanh", math1<math::AtanhOp>},
      {"erf", math1<math::ErfOp>},
      {"erfc", math1<math::ErfcOp>},
  };
  return table;
}

static Value add(Scalars &s, Value a, Value b) { return s.add(a, b); }
static Value sub(Scalars &s, Value a, Value b) { return s.sub(a, b); }
static Value mul(Scalars &s, Value a, Value b) { return s.mul(a, b); }
static Value div(Scalars &s, Value a, Value b) { return s.div(a, b); }
static Value maximum(Scalars &s, Value a, Value b) { return s.max(a, b); }
static Value minimum(Scalars &s, Value a, Value b) { return s.min(a, b); }

/// C's remainder: the sign of the dividend.
static Value fmod(Scalars &s, Value a, Value b) { return s.rem(a, b); }

/// Python's remainder: the sign of the divisor.
static Value remainder(Scalars &s, Value a, Value b) {
  Value rest = s.rem(a, b);
  if (s.isUnsigned)
    return rest;
  Value zero = s.constant(a.getType(), 0.0);
  Value differs = arith::XOrIOp::create(s.builder, s.loc,
                                        s.compare(Compare::lt, rest, zero),
                                        s.compare(Compare::lt, b, zero));
  Value some = s.compare(Compare::ne, rest, zero);
  Value both = arith::AndIOp::create(s.builder, s.loc, some, differs);
  return s.select(both, s.add(rest, b), rest);
}

Value octavo::floorDivide(Scalars &s, Value a, Value b) {
  if (s.isUnsigned)
    return s.div(a, b);
  Type type = a.getType();
  if (!isFloat(a))
    return arith::FloorDivSIOp::create(s.builder, s.loc, a, b);
  // c10::div_floor_floating: from the exact remainder.
  Value rest = s.rem(a, b), zero = s.constant(type, 0.0);
  Value quotient = s.div(s.sub(a, rest), b);
  Value differs = arith::XOrIOp::create(s.builder, s.loc,
                                        s.compare(Compare::lt, rest, zero),
                                        s.compare(Compare::lt, b, zero));
  Value lower = arith::AndIOp::create(
      s.builder, s.loc, s.compare(Compare::ne, rest, zero), differs);
  quotient = s.select(lower, s.sub(quotient, s.constant(type, 1.0)), quotient);
  Value down = s.unary<math::FloorOp>(quotient);
  Value near =
      s.compare(Compare::gt, s.sub(quotient, down), s.constant(type, 0.5));
  down = s.select(near, s.add(down, s.constant(type, 1.0)), down);
  Value exact = s.div(a, b);
  down =
      s.select(s.compare(Compare::eq, quotient, zero),
               math::CopySignOp::create(s.builder, s.loc, zero, exact), down);
  return s.select(s.compare(Compare::eq, b, zero), exact, down);
}

Value octavo::power(Scalars &s, Value a, Value b) {
  if (isFloat(a))
    return math::PowFOp::create(s.builder, s.loc, a, b);
  return math::IPowIOp::create(s.builder, s.loc, a, b);
}

static Value atan2(Scalars &s, Value a, Value b) {
  return math::Atan2Op::create(s.builder, s.loc, a, b);
}

static Value copysign(Scalars &s, Value a, Value b) {
  return math::CopySignOp::create(s.builder, s.loc, a, b);
}

static Value hypot(Scalars &s, Value a, Value b) {
  return s.unary<math::SqrtOp>(s.add(s.mul(a, a), s.mul(b, b)));
}

/// The larger; a NaN loses against a number.
static Value fmax(Scalars &s, Value a, Value b) {
  return isFloat(a) ? arith::MaxNumFOp::create(s.builder, s.loc, a, b)
                    : s.max(a, b);
}

static Value fmin(Scalars &s, Value a, Value b) {
  return isFloat(a) ? arith::MinNumFOp::create(s.builder, s.loc, a, b)
                    : s.min(a, b);
}

template <typename Op> static Value bits(Scalars &s, Value a, Value b) {
  return Op::create(s.builder, s.loc, a, b);
}

static Value shiftRight(Scalars &s, Value a, Value b) {
  if (s.isUnsigned)
    return arith::ShRUIOp::create(s.builder, s.loc, a, b);
  return arith::ShRSIOp::create(s.builder, s.loc, a, b);
}

/// max + log(1 + exp(-|a - b|)) in the given base's functions.
static Value logaddexp(Scalars &s, Value a, Value b) {
  Value top = s.max(a, b);
  Value apart = s.neg(s.unary<math::AbsFOp>(s.sub(a, b)));
  Value sum = s.add(top, s.unary<math::Log1pOp>(s.unary<math::ExpOp>(apart)));
  Value infinite = s.compare(Compare::eq, s.unary<math::AbsFOp>(top),
                             s.constant(a.getType(), INFINITY));
  return s.select(infinite, top, sum);
}

ArrayRef<NamedBinary> octavo::binaryFunctions() {
  static const NamedBinary table[] = {
      {"add", add},
      {"sub", sub},
      {"mul", mul},
      {"div", div},
      {"maximum", maximum},
      {"minimum", minimum},
      {"clamp_min", maximum},
      {"clamp_max", minimum},
      {"fmax", fmax},
      {"fmin", fmin},
      {"fmod", fmod},
      {"remainder", remainder},
      {"floor_divide", floorDivide},
      {"pow", power},
      {"atan2", atan2},
      {"copysign", copysign},
      {"hypot", hypot},
      {"logaddexp", logaddexp},
      {"bitwise_and", bits<arith::AndIOp>},
      {"bitwise_or", bits<arith::OrIOp>},
      {"bitwise_xor", bits<arith::XOrIOp>},
      {"bitwise_left_shift", bits<arith::ShLIOp>},
      {"bitwise_right_shift", shiftRight},
      {"__and__", bits<arith::AndIOp>},
      {"__or__", bits<arith::OrIOp>},
      {"__xor__", bits<arith::XOrIOp>},
      {"__lshift__", bits<arith::ShLIOp>},
      {"__rshift__", shiftRight},
  };
  return table;
}

UnaryFunction octavo::findUnary(StringRef name) {
  for (const NamedUnary &entry : unaryFunctions())
    if (entry.name == name)
      return entry.function;
  return nullptr;
}

BinaryFunction octavo::findBinary(StringRef name) {
  for (const NamedBinary &entry : binaryFunctions())
    if (entry.name == name)
      return entry.function;
  return nullptr;
}
