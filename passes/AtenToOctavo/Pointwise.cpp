//===- Pointwise.cpp - Unary and binary operators on numbers --------------===//

#include "passes/AtenToOctavo/Arithmetic.h"
#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Complex.h"
#include "passes/AtenToOctavo/ScalarFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

Tensor octavo::applyUnary(Emitter &e, UnaryFunction function, Operand a,
                          ArrayRef<int64_t> shape, Type dtype) {
  return e.pointwise({a}, shape, dtype, dtype, [&](Scalars &s, ValueRange v) {
    return function(s, v[0]);
  });
}

Tensor octavo::applyBinary(Emitter &e, BinaryFunction function, Operand a,
                           Operand b, ArrayRef<int64_t> shape, Type dtype) {
  return e.pointwise(
      {a, b}, shape, dtype, dtype,
      [&](Scalars &s, ValueRange v) { return function(s, v[0], v[1]); });
}

Tensor octavo::applyScaledAdd(Emitter &e, bool subtract, Operand a, Operand b,
                              Attribute alpha, ArrayRef<int64_t> shape,
                              Type dtype) {
  auto whole = dyn_cast_or_null<IntegerAttr>(alpha);
  bool isOne = !alpha || (whole && whole.getValue() == 1);
  return e.pointwise(
      {a, b}, shape, dtype, dtype, [&](Scalars &s, ValueRange v) {
        Value scaled =
            isOne ? v[1] : s.mul(v[1], s.constant(v[1].getType(), alpha));
        return subtract ? s.sub(v[0], scaled) : s.add(v[0], scaled);
      });
}

Tensor octavo::applyPower(Emitter &e, Operand a, Operand b,
                          ArrayRef<int64_t> shape, Type dtype) {
  // Exponents that PyTorch, too, computes without pow.
  double exponent = NAN;
  if (auto real = dyn_cast_or_null<FloatAttr>(b.number))
    exponent = real.getValueAsDouble();
  else if (auto whole = dyn_cast_or_null<IntegerAttr>(b.number))
    exponent = static_cast<double>(whole.getInt());
  if (!isa<FloatType>(dtype) && exponent != 2.0)
    exponent = NAN;
  return e.pointwise({a, b}, shape, dtype, dtype,
                     [&](Scalars &s, ValueRange v) {
                       Value one = s.constant(v[0].getType(), 1.0);
                       if (exponent == 2.0)
                         return s.mul(v[0], v[0]);
                       if (exponent == 3.0)
                         return s.mul(s.mul(v[0], v[0]), v[0]);
                       if (exponent == 1.0)
                         return v[0];
                       if (exponent == 0.5)
                         return s.unary<math::SqrtOp>(v[0]);
                       if (exponent == -0.5)
                         return s.unary<math::RsqrtOp>(v[0]);
                       if (exponent == -1.0)
                         return s.div(one, v[0]);
                       if (exponent == -2.0)
                         return s.div(one, s.mul(v[0], v[0]));
                       return power(s, v[0], v[1]);
                     });
}

/// Of complex numbers, those functions that RoPE needs.
static Results complexUnary(Call &call, UnaryFunction function) {
  if (function == findUnary("abs"))
    return complexSize(call);
  if (function == findUnary("neg")) {
    Tensor parts = call.tensor("self").asReal();
    Tensor result =
        applyUnary(call, function, parts, parts.shape(), parts.dtype);
    return Tensor{result.value, call.resultType()};
  }
  return call.fail("it is not lowered for complex numbers");
}

static Results unary(Call &call, UnaryFunction function) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return complexUnary(call, function);
  return applyUnary(call, function, self, call.resultShape(),
                    call.resultType());
}

void octavo::addUnaryRules(Rules &rules) {
  for (const NamedUnary &entry : unaryFunctions()) {
    UnaryFunction function = entry.function;
    rules.add(("aten." + entry.name + ".default").str(),
              [function](Call &call) { return unary(call, function); });
  }
}

static bool anyComplex(Call &call, ArrayRef<Operand> operands) {
  return isComplex(call.resultType()) ||
         llvm::any_of(operands, [](const Operand &operand) {
           return operand.tensor && isComplex(operand.tensor.dtype);
         });
}

/// The two operands of a binary operator, whatever its overload calls them.
static std::pair<Operand, Operand> operandsOf(Call &call) {
  Operand a = call.has("self") ? call.operand("self") : call.operand("input");
  for (StringRef name : {"other", "exponent", "min", "max"})
    if (call.has(name))
      return {a, call.operand(name)};
  return {a, {}};
}

static Results binary(Call &call, BinaryFunction function) {
  auto [a, b] = operandsOf(call);
  if (!a || !b)
    return call.fail("expected two operands");
  if (isComplex(call.resultType()) &&
      (function == findBinary("mul") || function == findBinary("div")))
    return complexProduct(call, function == findBinary("div"));
  if (anyComplex(call, {a, b}))
    return call.fail("it is not lowered for complex numbers");
  return applyBinary(call, function, a, b, call.resultShape(),
                     call.resultType());
}

static Results scaledAdd(Call &call, bool subtract, bool reverse) {
  auto [a, b] = operandsOf(call);
  if (reverse)
    std::swap(a, b);
  if (isComplex(call.resultType()))
    return complexSum(call, a, b, call.argument("alpha"), subtract);
  return applyScaledAdd(call, subtract, a, b, call.argument("alpha"),
                        call.resultShape(), call.resultType());
}

static Results divideMode(Call &call) {
  auto [a, b] = operandsOf(call);
  StringRef mode = call.text("rounding_mode");
  if (anyComplex(call, {a, b}))
    return call.fail("it is not lowered for complex numbers");
  BinaryFunction function = findBinary("div");
  if (mode == "floor")
    function = floorDivide;
  if (mode == "trunc")
    function = [](Scalars &s, Value a, Value b) {
      Value quotient = s.div(a, b);
      return isa<FloatType>(a.getType()) ? s.unary<math::TruncOp>(quotient)
                                         : quotient;
    };
  return applyBinary(call, function, a, b, call.resultShape(),
                     call.resultType());
}

static Results powerOf(Call &call) {
  auto [a, b] = operandsOf(call);
  if (anyComplex(call, {a, b}))
    return call.fail("it is not lowered for complex numbers");
  return applyPower(call, a, b, call.resultShape(), call.resultType());
}

void octavo::addBinaryRules(Rules &rules) {
  for (const NamedBinary &entry : binaryFunctions()) {
    BinaryFunction function = entry.function;
    for (StringRef overload : {"Tensor", "Scalar", "default", "Scalar_Tensor"})
      rules.add(("aten." + entry.name + "." + overload).str(),
                [function](Call &call) { return binary(call, function); });
  }
  for (StringRef overload : {"Tensor", "Scalar"}) {
    rules.add(("aten.add." + overload).str(), [](Call &call) {
      return scaledAdd(call, /*subtract=*/false, /*reverse=*/false);
    });
    rules.add(("aten.sub." + overload).str(), [](Call &call) {
      return scaledAdd(call, /*subtract=*/true, /*reverse=*/false);
    });
    rules.add(("aten.rsub." + overload).str(), [](Call &call) {
      return scaledAdd(call, /*subtract=*/true, /*reverse=*/true);
    });
  }
  rules.add("aten.div.Tensor_mode", divideMode);
  rules.add("aten.div.Scalar_mode", divideMode);
  for (StringRef overload : {"Tensor_Scalar", "Tensor_Tensor", "Scalar"})
    rules.add(("aten.pow." + overload).str(), powerOf);
}
