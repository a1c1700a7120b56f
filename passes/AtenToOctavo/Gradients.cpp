//===- Gradients.cpp - Activation functions and gradients -----------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/ScalarFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

/// A gradient from the gradient of the result and one saved tensor.
static Results gradient(Call &call, StringRef saved, BinaryFunction function) {
  return call.pointwise(
      {call.operand("grad_output"), call.operand(saved)}, call.resultShape(),
      call.resultType(), call.resultType(),
      [&](Scalars &s, ValueRange v) { return function(s, v[0], v[1]); });
}

static Value sigmoidGradient(Scalars &s, Value grad, Value out) {
  Value one = s.constant(out.getType(), 1.0);
  return s.mul(grad, s.mul(s.sub(one, out), out));
}

static Value tanhGradient(Scalars &s, Value grad, Value out) {
  Value one = s.constant(out.getType(), 1.0);
  return s.mul(grad, s.sub(one, s.mul(out, out)));
}

static Value siluGradient(Scalars &s, Value grad, Value x) {
  Value one = s.constant(x.getType(), 1.0), part = sigmoid(s, x);
  Value slope = s.add(one, s.mul(x, s.sub(one, part)));
  return s.mul(s.mul(grad, part), slope);
}

static Results thresholdGradient(Call &call) {
  double threshold = call.number("threshold");
  return call.pointwise(
      {call.operand("grad_output"), call.operand("self")}, call.resultShape(),
      call.resultType(), call.resultType(), [&](Scalars &s, ValueRange v) {
        Type type = v[1].getType();
        Value below = s.compare(Compare::le, v[1], s.constant(type, threshold));
        return s.select(below, s.constant(type, 0.0), v[0]);
      });
}

static constexpr double halfRoot2 = 0.70710678118654752440;
static constexpr double rootTwoOverPi = 0.79788456080286535588;
static constexpr double cubic = 0.044715;

/// The normal distribution's integral at x, and its density.
static Value normalIntegral(Scalars &s, Value x) {
  Type type = x.getType();
  Value scaled = s.mul(x, s.constant(type, halfRoot2));
  Value both = s.add(s.constant(type, 1.0), s.unary<math::ErfOp>(scaled));
  return s.mul(s.constant(type, 0.5), both);
}

static Value tanhArgument(Scalars &s, Value x) {
  Type type = x.getType();
  Value cube = s.mul(s.mul(x, x), x);
  Value inner = s.add(x, s.mul(s.constant(type, cubic), cube));
  return s.unary<math::TanhOp>(s.mul(s.constant(type, rootTwoOverPi), inner));
}

static Results gelu(Call &call) {
  bool tanh = call.text("approximate") == "tanh";
  return call.pointwise(
      {call.operand("self")}, call.resultShape(), call.resultType(),
      call.resultType(), [&](Scalars &s, ValueRange v) {
        if (!tanh)
          return s.mul(v[0], normalIntegral(s, v[0]));
        Type type = v[0].getType();
        Value half = s.mul(s.constant(type, 0.5), v[0]);
        return s.mul(half, s.add(s.constant(type, 1.0), tanhArgument(s, v[0])));
      });
}

static Value geluSlope(Scalars &s, Value x) {
  Type type = x.getType();
  Value square = s.mul(x, x);
  Value power = s.unary<math::ExpOp>(s.mul(s.constant(type, -0.5), square));
  Value density = s.mul(s.constant(type, 0.5 * rootTwoOverPi), s.mul(x, power));
  return s.add(normalIntegral(s, x), density);
}

static Value geluTanhSlope(Scalars &s, Value x) {
  Type type = x.getType();
  Value one = s.constant(type, 1.0), half = s.constant(type, 0.5);
  Value t = tanhArgument(s, x);
  Value inner = s.add(one, s.mul(s.constant(type, 3.0 * cubic), s.mul(x, x)));
  Value steep = s.mul(
      s.mul(s.sub(one, s.mul(t, t)), s.constant(type, rootTwoOverPi)), inner);
  return s.add(s.mul(half, s.add(one, t)), s.mul(half, s.mul(x, steep)));
}

static Results geluGradient(Call &call) {
  bool tanh = call.text("approximate") == "tanh";
  return call.pointwise(
      {call.operand("grad_output"), call.operand("self")}, call.resultShape(),
      call.resultType(), call.resultType(), [&](Scalars &s, ValueRange v) {
        return s.mul(v[0], tanh ? geluTanhSlope(s, v[1]) : geluSlope(s, v[1]));
      });
}

static Results leakyRelu(Call &call) {
  double slope = call.number("negative_slope", 0.01);
  return call.pointwise(
      {call.operand("self")}, call.resultShape(), call.resultType(),
      call.resultType(), [&](Scalars &s, ValueRange v) {
        Type type = v[0].getType();
        Value positive = s.compare(Compare::gt, v[0], s.constant(type, 0.0));
        return s.select(positive, v[0], s.mul(v[0], s.constant(type, slope)));
      });
}

static Results hardtanh(Call &call) {
  double low = call.number("min_val", -1.0), high = call.number("max_val", 1.0);
  return call.pointwise({call.operand("self")}, call.resultShape(),
                        call.resultType(), call.resultType(),
                        [&](Scalars &s, ValueRange v) {
                          Type type = v[0].getType();
                          return s.min(s.max(v[0], s.constant(type, low)),
                                       s.constant(type, high));
                        });
}

static Results nanToNum(Call &call) {
  Tensor self = call.tensor("self");
  if (!isa<FloatType>(self.dtype))
    return self;
  auto type = cast<FloatType>(self.dtype);
  double largest =
      APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
  double nan = call.number("nan", 0.0);
  double high = call.number("posinf", largest);
  double low = call.number("neginf", -largest);
  return call.pointwise(
      {self}, call.resultShape(), self.dtype, self.dtype,
      [&](Scalars &s, ValueRange v) {
        Type wide = v[0].getType();
        auto swap = [&](Value at, double from, double to) {
          Value hit = s.compare(Compare::eq, v[0], s.constant(wide, from));
          return s.select(hit, s.constant(wide, to), at);
        };
        Value result = swap(swap(v[0], INFINITY, high), -INFINITY, low);
        return s.select(s.isNaN(v[0]), s.constant(wide, nan), result);
      });
}

void octavo::addGradientRules(Rules &rules) {
  rules.add("aten.sigmoid_backward.default", [](Call &call) {
    return gradient(call, "output", sigmoidGradient);
  });
  rules.add("aten.tanh_backward.default",
            [](Call &call) { return gradient(call, "output", tanhGradient); });
  rules.add("aten.silu_backward.default",
            [](Call &call) { return gradient(call, "self", siluGradient); });
  rules.add("aten.threshold_backward.default", thresholdGradient);
  rules.add("aten.gelu.default", gelu);
  rules.add("aten.gelu_backward.default", geluGradient);
  rules.add("aten.leaky_relu.default", leakyRelu);
  rules.add("aten.hardtanh.default", hardtanh);
  rules.add("aten.nan_to_num.default", nanToNum);
}
