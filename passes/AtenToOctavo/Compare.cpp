//===- Compare.cpp - Comparisons and logic --------------------------------===//

#include "passes/AtenToOctavo/Call.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

static bool isComplexOperand(const Operand &operand) {
  return operand.tensor && isComplex(operand.tensor.dtype);
}

static Results compare(Call &call, Compare kind) {
  Operand a = call.operand("self"), b = call.operand("other");
  if (isComplexOperand(a) || isComplexOperand(b))
    return call.fail("it is not lowered for complex numbers");
  Type common = promote(call.builder, {a, b});
  return call.pointwise(
      {a, b}, call.resultShape(), common, call.resultType(),
      [&](Scalars &s, ValueRange v) { return s.compare(kind, v[0], v[1]); },
      /*exact=*/true);
}

/// Tests of one number that need no promotion.
using Test = Value (*)(Scalars &, Value);

static Results test(Call &call, Test test) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  return call.pointwise(
      {self}, call.resultShape(), self.dtype, call.resultType(),
      [&](Scalars &s, ValueRange v) { return test(s, v[0]); });
}

static Value no(Scalars &s, Value a) {
  return s.integer(s.builder.getI1Type(), 0);
}

static Value isNaN(Scalars &s, Value a) {
  return isa<FloatType>(a.getType()) ? s.isNaN(a) : no(s, a);
}

static Value isInfinite(Scalars &s, Value a) {
  if (!isa<FloatType>(a.getType()))
    return no(s, a);
  return s.compare(Compare::eq, s.unary<math::AbsFOp>(a),
                   s.constant(a.getType(), INFINITY));
}

static Value isFinite(Scalars &s, Value a) {
  if (!isa<FloatType>(a.getType()))
    return s.logicalNot(no(s, a));
  return s.compare(Compare::lt, s.unary<math::AbsFOp>(a),
                   s.constant(a.getType(), INFINITY));
}

static Value signBit(Scalars &s, Value a) {
  if (!isa<FloatType>(a.getType()))
    return s.compare(Compare::lt, a, s.constant(a.getType(), 0.0));
  Value one = s.constant(a.getType(), 1.0);
  Value signed1 = math::CopySignOp::create(s.builder, s.loc, one, a);
  return s.compare(Compare::lt, signed1, s.constant(a.getType(), 0.0));
}

static Value logicalNot(Scalars &s, Value a) {
  return s.logicalNot(s.toBool(a));
}

/// logical_and, _or, _xor: of the truth of each operand in its own type.
template <typename Op> static Results logical(Call &call) {
  Tensor a = call.tensor("self"), b = call.tensor("other");
  if (isComplex(a.dtype) || isComplex(b.dtype))
    return call.fail("it is not lowered for complex numbers");
  return call.map({a, b}, call.resultShape(), call.resultType(),
                  [&](Scalars &s, ValueRange v) -> Value {
                    Type boolean = s.builder.getI1Type();
                    return Op::create(s.builder, s.loc,
                                      s.convert(v[0], a.dtype, boolean),
                                      s.convert(v[1], b.dtype, boolean));
                  });
}

static Results bitwiseNot(Call &call) {
  Tensor self = call.tensor("self");
  return call.map({self}, call.resultShape(), call.resultType(),
                  [&](Scalars &s, ValueRange v) -> Value {
                    Value ones = s.integer(v[0].getType(), -1);
                    return arith::XOrIOp::create(s.builder, s.loc, v[0], ones);
                  });
}

void octavo::addCompareRules(Rules &rules) {
  const std::pair<StringRef, Compare> kinds[] = {
      {"eq", Compare::eq}, {"ne", Compare::ne}, {"lt", Compare::lt},
      {"le", Compare::le}, {"gt", Compare::gt}, {"ge", Compare::ge}};
  for (auto [name, kind] : kinds)
    for (StringRef overload : {"Tensor", "Scalar"})
      rules.add(("aten." + name + "." + overload).str(),
                [kind = kind](Call &call) { return compare(call, kind); });
  const std::pair<StringRef, Test> tests[] = {{"isnan", isNaN},
                                              {"isinf", isInfinite},
                                              {"isfinite", isFinite},
                                              {"signbit", signBit},
                                              {"logical_not", logicalNot}};
  for (auto [name, function] : tests)
    rules.add(
        ("aten." + name + ".default").str(),
        [function = function](Call &call) { return test(call, function); });
  rules.add("aten.logical_and.default", logical<arith::AndIOp>);
  rules.add("aten.logical_or.default", logical<arith::OrIOp>);
  rules.add("aten.logical_xor.default", logical<arith::XOrIOp>);
  rules.add("aten.bitwise_not.default", bitwiseNot);
}
