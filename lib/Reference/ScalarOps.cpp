//===- ScalarOps.cpp - The meaning of scalar ops --------------------------===//
//
// Floats are computed in double and rounded to the op's type: for +, -, *, /
// and sqrt of f32 and narrower types that is the correctly rounded result.
//
//===----------------------------------------------------------------------===//

#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringMap.h"
#include <bit>
#include <cmath>

using namespace mlir;
using namespace octavo::reference;

namespace {

Type resultType(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType());
}

Type operandType(Operation *op, unsigned i) {
  return getElementTypeOrSelf(op->getOperand(i).getType());
}

Scalar ofFloat(Operation *op, double value) {
  Scalar result;
  result.f = roundToType(value, resultType(op));
  return result;
}

Scalar ofInteger(Operation *op, int64_t value) {
  Scalar result;
  result.i = wrapToType(value, resultType(op));
  return result;
}

unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// The operand read as unsigned number of its own width.
uint64_t asUnsigned(Operation *op, unsigned operand, const Scalar *v) {
  unsigned width = widthOf(operandType(op, operand));
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  return static_cast<uint64_t>(v[operand].i) & mask;
}

template <double (*F)(double)> Scalar unary(Operation *op, const Scalar *v) {
  return ofFloat(op, F(v[0].f));
}

double rsqrtOf(double x) { return 1.0 / std::sqrt(x); }
double negate(double x) { return -x; }

Scalar fmaOf(Operation *op, const Scalar *v) {
  if (resultType(op).isF32())
    return ofFloat(op, std::fma(float(v[0].f), float(v[1].f), float(v[2].f)));
  return ofFloat(op, std::fma(v[0].f, v[1].f, v[2].f));
}

Scalar maximum(Operation *op, const Scalar *v) {
  if (std::isnan(v[0].f) || std::isnan(v[1].f))
    return ofFloat(op, std::nan(""));
  bool first = v[0].f > v[1].f || (v[0].f == v[1].f && !std::signbit(v[0].f));
  return ofFloat(op, first ? v[0].f : v[1].f);
}

Scalar minimum(Operation *op, const Scalar *v) {
  if (std::isnan(v[0].f) || std::isnan(v[1].f))
    return ofFloat(op, std::nan(""));
  bool first = v[0].f < v[1].f || (v[0].f == v[1].f && std::signbit(v[0].f));
  return ofFloat(op, first ? v[0].f : v[1].f);
}

Scalar compareFloat(Operation *op, const Scalar *v) {
  double a = v[0].f, b = v[1].f;
  bool unordered = std::isnan(a) || std::isnan(b);
  using P = arith::CmpFPredicate;
  bool result = false;
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case P::AlwaysFalse:
    break;
  case P::AlwaysTrue:
    result = true;
    break;
  case P::OEQ:
    result = a == b;
    break;
  case P::OGT:
    result = a > b;
    break;
  case P::OGE:
    result = a >= b;
    break;
  case P::OLT:
    result = a < b;
    break;
  case P::OLE:
    result = a <= b;
    break;
  case P::ONE:
    result = !unordered && a != b;
    break;
  case P::ORD:
    result = !unordered;
    break;
  case P::UEQ:
    result = unordered || a == b;
    break;
  case P::UGT:
    result = unordered || a > b;
    break;
  case P::UGE:
    result = unordered || a >= b;
    break;
  case P::ULT:
    result = unordered || a < b;
    break;
  case P::ULE:
    result = unordered || a <= b;
    break;
  case P::UNE:
    result = unordered || a != b;
    break;
  case P::UNO:
    result = unordered;
    break;
  }
  return ofInteger(op, result);
}

Scalar compareInteger(Operation *op, const Scalar *v) {
  unsigned width = widthOf(operandType(op, 0));
  APInt a(width, v[0].i, false, true), b(width, v[1].i, false, true);
  return ofInteger(op, arith::applyCmpPredicate(
                           cast<arith::CmpIOp>(op).getPredicate(), a, b));
}

Scalar selectOf(Operation *, const Scalar *v) {
  return v[0].i & 1 ? v[1] : v[2];
}

/// Division by zero gives 0, as a defined result of undefined behaviour.
Scalar divideSigned(Operation *op, const Scalar *v) {
  if (v[1].i == 0)
    return ofInteger(op, 0);
  return ofInteger(op, v[1].i == -1 ? -uint64_t(v[0].i) : v[0].i / v[1].i);
}

Scalar remainderSigned(Operation *op, const Scalar *v) {
  return ofInteger(op, v[1].i == 0 || v[1].i == -1 ? 0 : v[0].i % v[1].i);
}

Scalar divideFloor(Operation *op, const Scalar *v) {
  if (v[1].i == 0)
    return ofInteger(op, 0);
  int64_t quotient = v[0].i / v[1].i;
  bool inexact = v[0].i % v[1].i != 0;
  return ofInteger(op, quotient - (inexact && (v[0].i < 0) != (v[1].i < 0)));
}

Scalar divideCeiling(Operation *op, const Scalar *v) {
  if (v[1].i == 0)
    return ofInteger(op, 0);
  int64_t quotient = v[0].i / v[1].i;
  bool inexact = v[0].i % v[1].i != 0;
  return ofInteger(op, quotient + (inexact && (v[0].i < 0) == (v[1].i < 0)));
}

Scalar floatToInteger(Operation *op, const Scalar *v) {
  double x = std::trunc(v[0].f);
  if (std::isnan(x))
    return ofInteger(op, 0);
  if (x >= 9.2233720368547758e18)
    return ofInteger(op, INT64_MAX);
  if (x <= -9.2233720368547758e18)
    return ofInteger(op, INT64_MIN);
  return ofInteger(op, static_cast<int64_t>(x));
}

Scalar bitcastOf(Operation *op, const Scalar *v) {
  HostTensor from({1}, operandType(op, 0));
  from.set(0, v[0]);
  from.elementType = resultType(op);
  return from.get(0);
}

Scalar powerOf(Operation *op, const Scalar *v) {
  return ofFloat(op, std::pow(v[0].f, v[1].f));
}

Scalar complexPart(Operation *op, const Scalar *v) {
  return ofFloat(op, isa<complex::ReOp>(op) ? v[0].f : v[0].im);
}

Scalar makeComplex(Operation *, const Scalar *v) {
  Scalar result;
  result.f = v[0].f;
  result.im = v[1].f;
  return result;
}

#define FLOAT2(NAME, EXPRESSION)                                               \
  {NAME, +[](Operation *op, const Scalar *v) {                                 \
     double a = v[0].f, b = v[1].f;                                            \
     return ofFloat(op, EXPRESSION);                                           \
   }}
#define INT2(NAME, EXPRESSION)                                                 \
  {NAME, +[](Operation *op, const Scalar *v) {                                 \
     uint64_t a = v[0].i, b = v[1].i;                                          \
     return ofInteger(op, EXPRESSION);                                         \
   }}
#define UINT2(NAME, EXPRESSION)                                                \
  {NAME, +[](Operation *op, const Scalar *v) {                                 \
     uint64_t a = asUnsigned(op, 0, v), b = asUnsigned(op, 1, v);              \
     return ofInteger(op, EXPRESSION);                                         \
   }}
#define TEST(NAME, EXPRESSION)                                                 \
  {NAME, +[](Operation *op, const Scalar *v) {                                 \
     double a = v[0].f;                                                        \
     return ofInteger(op, EXPRESSION);                                         \
   }}

const llvm::StringMap<ScalarFunction> &table() {
  static const llvm::StringMap<ScalarFunction> map = {
      FLOAT2("arith.addf", a + b),
      FLOAT2("arith.subf", a - b),
      FLOAT2("arith.mulf", a * b),
      FLOAT2("arith.divf", a / b),
      FLOAT2("arith.remf", std::fmod(a, b)),
      FLOAT2("arith.maxnumf", std::fmax(a, b)),
      FLOAT2("arith.minnumf", std::fmin(a, b)),
      {"arith.maximumf", maximum},
      {"arith.minimumf", minimum},
      {"arith.negf", unary<negate>},
      {"arith.cmpf", compareFloat},
      {"arith.cmpi", compareInteger},
      {"arith.select", selectOf},
      {"arith.extf", unary<+[](double x) { return x; }>},
      {"arith.truncf", unary<+[](double x) { return x; }>},
      {"arith.sitofp",
       +[](Operation *op, const Scalar *v) { return ofFloat(op, v[0].i); }},
      {"arith.uitofp",
       +[](Operation *op, const Scalar *v) {
         return ofFloat(op, asUnsigned(op, 0, v));
       }},
      {"arith.fptosi", floatToInteger},
      {"arith.fptoui", floatToInteger},
      {"arith.extsi",
       +[](Operation *op, const Scalar *v) {
         bool flag = operandType(op, 0).isInteger(1);
         return ofInteger(op, flag ? -(v[0].i & 1) : v[0].i);
       }},
      {"arith.extui",
       +[](Operation *op, const Scalar *v) {
         return ofInteger(op, asUnsigned(op, 0, v));
       }},
      {"arith.trunci",
       +[](Operation *op, const Scalar *v) { return ofInteger(op, v[0].i); }},
      {"arith.index_cast",
       +[](Operation *op, const Scalar *v) { return ofInteger(op, v[0].i); }},
      {"arith.index_castui",
       +[](Operation *op, const Scalar *v) {
         return ofInteger(op, asUnsigned(op, 0, v));
       }},
      {"arith.bitcast", bitcastOf},
      INT2("arith.addi", a + b),
      INT2("arith.subi", a - b),
      INT2("arith.muli", a * b),
      INT2("arith.andi", a & b),
      INT2("arith.ori", a | b),
      INT2("arith.xori", a ^ b),
      INT2("arith.shli", b < 64 ? a << b : 0),
      INT2("arith.shrsi", int64_t(a) >> std::min<uint64_t>(b, 63)),
      INT2("arith.maxsi", std::max(int64_t(a), int64_t(b))),
      INT2("arith.minsi", std::min(int64_t(a), int64_t(b))),
      UINT2("arith.shrui", b < 64 ? a >> b : 0),
      UINT2("arith.maxui", std::max(a, b)),
      UINT2("arith.minui", std::min(a, b)),
      UINT2("arith.divui", b ? a / b : 0),
      UINT2("arith.remui", b ? a % b : 0),
      UINT2("arith.ceildivui", b ? (a + b - 1) / b : 0),
      {"arith.divsi", divideSigned},
      {"arith.remsi", remainderSigned},
      {"arith.floordivsi", divideFloor},
      {"arith.ceildivsi", divideCeiling},
      {"math.fma", fmaOf},
      {"math.powf", powerOf},
      {"math.absi",
       +[](Operation *op, const Scalar *v) {
         return ofInteger(op, v[0].i < 0 ? -uint64_t(v[0].i) : v[0].i);
       }},
      {"math.fpowi",
       +[](Operation *op, const Scalar *v) {
         return ofFloat(op, std::pow(v[0].f, double(v[1].i)));
       }},
      FLOAT2("math.atan2", std::atan2(a, b)),
      FLOAT2("math.copysign", std::copysign(a, b)),
      TEST("math.isnan", std::isnan(a)),
      TEST("math.isinf", std::isinf(a)),
      TEST("math.isfinite", std::isfinite(a)),
      {"math.absf", unary<std::fabs>},
      {"math.acos", unary<std::acos>},
      {"math.acosh", unary<std::acosh>},
      {"math.asin", unary<std::asin>},
      {"math.asinh", unary<std::asinh>},
      {"math.atan", unary<std::atan>},
      {"math.atanh", unary<std::atanh>},
      {"math.cbrt", unary<std::cbrt>},
      {"math.ceil", unary<std::ceil>},
      {"math.cos", unary<std::cos>},
      {"math.cosh", unary<std::cosh>},
      {"math.erf", unary<std::erf>},
      {"math.erfc", unary<std::erfc>},
      {"math.exp", unary<std::exp>},
      {"math.exp2", unary<std::exp2>},
      {"math.expm1", unary<std::expm1>},
      {"math.floor", unary<std::floor>},
      {"math.log", unary<std::log>},
      {"math.log10", unary<std::log10>},
      {"math.log1p", unary<std::log1p>},
      {"math.log2", unary<std::log2>},
      {"math.round", unary<std::round>},
      {"math.roundeven", unary<std::nearbyint>},
      {"math.rsqrt", unary<rsqrtOf>},
      {"math.sin", unary<std::sin>},
      {"math.sinh", unary<std::sinh>},
      {"math.sqrt", unary<std::sqrt>},
      {"math.tan", unary<std::tan>},
      {"math.tanh", unary<std::tanh>},
      {"math.trunc", unary<std::trunc>},
      {"complex.re", complexPart},
      {"complex.im", complexPart},
      {"complex.create", makeComplex},
  };
  return map;
}

} // namespace

ScalarFunction octavo::reference::lookupScalarOp(Operation *op) {
  return table().lookup(op->getName().getStringRef());
}

int64_t octavo::reference::wrapToType(int64_t value, Type type) {
  unsigned width = widthOf(type);
  if (width == 1)
    return value & 1;
  if (width >= 64)
    return value;
  uint64_t bits = static_cast<uint64_t>(value) << (64 - width);
  return type.isUnsignedInteger() ? static_cast<int64_t>(bits >> (64 - width))
                                  : static_cast<int64_t>(bits) >> (64 - width);
}

Scalar octavo::reference::constantScalar(Attribute attribute) {
  Scalar result;
  if (auto value = dyn_cast<FloatAttr>(attribute)) {
    APFloat wide = value.getValue();
    bool losesInfo;
    wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
    result.f = wide.convertToDouble();
  } else if (auto value = dyn_cast<IntegerAttr>(attribute)) {
    result.i = value.getType().isInteger(1) ? value.getValue().getZExtValue()
                                            : value.getValue().getSExtValue();
  } else if (auto pair = dyn_cast<ArrayAttr>(attribute)) {
    result.f = constantScalar(pair[0]).f;
    result.im = constantScalar(pair[1]).f;
  }
  return result;
}
