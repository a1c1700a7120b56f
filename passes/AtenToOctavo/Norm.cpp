//===- Norm.cpp - Layer norm, RMS norm, gradients -------------------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Reduction.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

namespace {
/// The operands of a norm and the dimensions that it is over (the last ones).
struct Norm {
  Call &call;
  Tensor input, weight;
  Type dtype, wide;
  Shape dims, outer;

  Norm(Call &call)
      : call(call), input(call.tensor("input")), weight(call.tensor("weight")),
        dtype(input.dtype), wide(computeOf(dtype)) {
    int64_t rank = input.rank();
    int64_t inner = call.integers("normalized_shape").size();
    dims = llvm::to_vector(llvm::seq<int64_t>(rank - inner, rank));
    outer = llvm::to_vector(llvm::seq<int64_t>(0, rank - inner));
  }
  double count() {
    int64_t elements = 1;
    for (int64_t dim : dims)
      elements *= input.shape()[dim];
    return static_cast<double>(elements);
  }
  Tensor widen(Tensor tensor) { return call.convert(tensor, wide); }
  /// 1 / sqrt(x + eps).
  Tensor inverseRoot(Tensor x, double eps) {
    return call.map(
        {x}, x.shape(), wide, [&](Scalars &s, ValueRange v) -> Value {
          return s.unary<math::RsqrtOp>(s.add(v[0], s.constant(wide, eps)));
        });
  }
  Tensor times(Tensor a, Tensor b) {
    return call.map({a, b}, input.shape(), wide,
                    [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
  }
  /// Mean over the normalised dimensions, kept.
  Tensor mean(Tensor x) {
    Tensor total = call.sum(x, dims, /*keep=*/true);
    double divisor = count();
    return call.map({total}, total.shape(), wide,
                    [&](Scalars &s, ValueRange v) {
                      return s.div(v[0], s.constant(wide, divisor));
                    });
  }
  Tensor result(Tensor value, size_t index) {
    return call.reshape(call.convert(value, call.resultType(index)),
                        call.resultShape(index));
  }
  /// Sum over what is not normalised.
  Tensor overRows(Tensor value, size_t index) {
    return result(call.sum(value, outer), index);
  }
};
} // namespace

static Results layerNorm(Call &call) {
  Norm n(call);
  Tensor wide = n.widen(n.input);
  Moments found = moments(call, wide, n.dims, 0.0);
  Tensor scale = n.inverseRoot(found.variance, call.number("eps"));
  SmallVector<Tensor> inputs = {wide, found.mean, scale};
  Tensor bias = call.tensor("bias");
  for (Tensor extra : {n.weight, bias})
    if (extra)
      inputs.push_back(n.widen(extra));
  Tensor out =
      call.map(inputs, n.input.shape(), n.wide, [&](Scalars &s, ValueRange v) {
        Value value = s.mul(s.sub(v[0], v[1]), v[2]);
        if (n.weight)
          value = s.mul(value, v[3]);
        return bias ? s.add(value, v.back()) : value;
      });
  return {n.result(out, 0), n.result(found.mean, 1), n.result(scale, 2)};
}

/// (grad * weight - mean(grad * weight) - x^ * mean(grad * weight * x^)) * rstd
/// with x^ the normalised input; RMS norm has no mean.
static Tensor inputGradient(Norm &n, Tensor grad, Tensor normal, Tensor scale,
                            bool centred) {
  Tensor weighted = n.weight ? n.times(grad, n.widen(n.weight)) : grad;
  Tensor along = n.mean(n.times(weighted, normal));
  SmallVector<Tensor> inputs = {weighted, normal, along, scale};
  if (centred)
    inputs.push_back(n.mean(weighted));
  return n.call.map(inputs, n.input.shape(), n.wide,
                    [&](Scalars &s, ValueRange v) {
                      Value value = s.sub(v[0], s.mul(v[1], v[2]));
                      if (centred)
                        value = s.sub(value, v[4]);
                      return s.mul(value, v[3]);
                    });
}

/// The statistics with a size of 1 for each normalised dimension.
static Tensor statistics(Norm &n, StringRef name) {
  Shape shape(n.input.shape());
  for (int64_t dim : n.dims)
    shape[dim] = 1;
  return n.widen(n.call.reshape(n.call.tensor(name), shape));
}

static SmallVector<bool> outputMask(Call &call) {
  SmallVector<bool> mask;
  if (auto list = dyn_cast_or_null<ArrayAttr>(call.argument("output_mask")))
    for (Attribute item : list)
      mask.push_back(cast<BoolAttr>(item).getValue());
  return mask;
}

/// Gradients of the input, the weight and (layer norm) the bias: those that the
/// mask asks for, which are the only results.
static Results normGradient(Call &call, bool centred) {
  Norm n(call);
  Tensor grad = n.widen(call.tensor("grad_out"));
  Tensor scale = statistics(n, "rstd");
  SmallVector<Tensor> inputs = {n.widen(n.input), scale};
  if (centred)
    inputs.push_back(statistics(n, "mean"));
  Tensor normal =
      call.map(inputs, n.input.shape(), n.wide, [&](Scalars &s, ValueRange v) {
        return s.mul(centred ? s.sub(v[0], v[2]) : v[0], v[1]);
      });
  SmallVector<Tensor, 2> results;
  for (auto [which, wanted] : llvm::enumerate(outputMask(call))) {
    if (!wanted || results.size() == call.resultCount())
      continue;
    size_t index = results.size();
    if (which == 0)
      results.push_back(
          n.result(inputGradient(n, grad, normal, scale, centred), index));
    else if (which == 1)
      results.push_back(n.overRows(n.times(grad, normal), index));
    else
      results.push_back(n.overRows(grad, index));
  }
  return results;
}

static Results rmsNorm(Call &call) {
  Norm n(call);
  Tensor wide = n.widen(n.input);
  double eps = call.number(
      "eps", isa<FloatType>(n.wide) && n.wide.isF64() ? 0x1p-52 : 0x1p-23);
  Tensor scale = n.inverseRoot(n.mean(n.times(wide, wide)), eps);
  Tensor out = n.times(wide, scale);
  if (n.weight)
    out = n.times(out, n.widen(n.weight));
  return {n.result(out, 0), n.result(scale, 1)};
}

void octavo::addNormRules(Rules &rules) {
  rules.add("aten.native_layer_norm.default", layerNorm);
  rules.add("aten.native_layer_norm_backward.default",
            [](Call &call) { return normGradient(call, /*centred=*/true); });
  rules.add("aten._fused_rms_norm.default", rmsNorm);
  rules.add("aten._fused_rms_norm_backward.default",
            [](Call &call) { return normGradient(call, /*centred=*/false); });
}
