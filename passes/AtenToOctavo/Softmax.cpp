//===- Softmax.cpp - Softmax, its logarithm, gradients --------------------===//

#include "passes/AtenToOctavo/Call.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

/// A softmax of a 0-d tensor is one of one element.
static Tensor atLeast1d(Call &call, Tensor tensor) {
  return tensor.rank() == 0 ? call.reshape(tensor, {1}) : tensor;
}

static Results softmax(Call &call, bool logarithm) {
  Tensor self = atLeast1d(call, call.tensor("self"));
  Type dtype = call.resultType(), wide = computeOf(dtype);
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  Tensor input = call.convert(self, wide);
  Tensor top = call.max(input, {dim}, /*keep=*/true);
  Tensor powers = call.map({input, top}, input.shape(), wide,
                           [](Scalars &s, ValueRange v) -> Value {
                             return s.unary<math::ExpOp>(s.sub(v[0], v[1]));
                           });
  Tensor total = call.sum(powers, {dim}, /*keep=*/true);
  Tensor result;
  if (logarithm)
    result =
        call.map({input, top, total}, input.shape(), dtype,
                 [&](Scalars &s, ValueRange v) {
                   Value log = s.unary<math::LogOp>(v[2]);
                   return s.convert(s.sub(s.sub(v[0], v[1]), log), wide, dtype);
                 });
  else
    result = call.map({powers, total}, input.shape(), dtype,
                      [&](Scalars &s, ValueRange v) {
                        return s.convert(s.div(v[0], v[1]), wide, dtype);
                      });
  return call.reshape(result, call.resultShape());
}

/// grad * out - out * sum(grad * out), or grad - exp(out) * sum(grad).
static Results gradient(Call &call, bool logarithm) {
  Tensor grad = atLeast1d(call, call.tensor("grad_output"));
  Tensor out = atLeast1d(call, call.tensor("output"));
  Type dtype = call.resultType(), wide = computeOf(grad.dtype);
  int64_t dim = wrapDim(call.integer("dim"), out.rank());
  Tensor products =
      call.map({grad, out}, out.shape(), wide, [&](Scalars &s, ValueRange v) {
        Value g = s.convert(v[0], grad.dtype, wide);
        if (logarithm)
          return g;
        return s.mul(g, s.convert(v[1], out.dtype, wide));
      });
  Tensor total = call.sum(products, {dim}, /*keep=*/true);
  Tensor result = call.map({grad, out, total}, out.shape(), dtype,
                           [&](Scalars &s, ValueRange v) {
                             Value g = s.convert(v[0], grad.dtype, wide);
                             Value o = s.convert(v[1], out.dtype, wide);
                             if (logarithm)
                               o = s.unary<math::ExpOp>(o);
                             Value part = logarithm ? s.sub(g, s.mul(o, v[2]))
                                                    : s.mul(o, s.sub(g, v[2]));
                             return s.convert(part, wide, dtype);
                           });
  return call.reshape(result, call.resultShape());
}

void octavo::addSoftmaxRules(Rules &rules) {
  rules.add("aten._softmax.default",
            [](Call &call) { return softmax(call, /*logarithm=*/false); });
  rules.add("aten._log_softmax.default",
            [](Call &call) { return softmax(call, /*logarithm=*/true); });
  rules.add("aten._softmax_backward_data.default",
            [](Call &call) { return gradient(call, /*logarithm=*/false); });
  rules.add("aten._log_softmax_backward_data.default",
            [](Call &call) { return gradient(call, /*logarithm=*/true); });
}
