//===- Attention.cpp - Scaled dot product attention and its gradient ------===//
//
// Two products and a softmax. Query heads that share a key-value head are rows
// of one product: [B, Hq, T, D] is read as [B, Hkv, G*T, D], so no head of the
// keys or values is ever repeated, and their gradients sum over the group.
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Matmul.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

namespace {
/// The operands of one attention and what its steps have in common.
struct Attention {
  Call &call;
  Tensor query, key, value, mask;
  bool causal = false;
  double scale = 1.0;
  Type dtype;

  /// [B, Hq, T, X] as [B, Hkv, G*T, X], and back.
  Tensor group(Tensor heads) {
    Shape shape(heads.shape());
    shape[2] *= shape[1] / key.shape()[1];
    shape[1] = key.shape()[1];
    return call.reshape(heads, shape);
  }
  Tensor ungroup(Tensor rows) {
    Shape shape(rows.shape());
    shape[1] = query.shape()[1];
    shape[2] = query.shape()[2];
    return call.reshape(rows, shape);
  }
  Tensor scores();
  LogicalResult check();
};
} // namespace

LogicalResult Attention::check() {
  if (query.rank() != 4 || key.rank() != 4 || value.rank() != 4)
    return call.fail("expected tensors of four dimensions");
  if (query.shape()[1] % key.shape()[1] != 0 ||
      key.shape()[1] != value.shape()[1] || query.shape()[0] != key.shape()[0])
    return call.fail("batches or heads do not fit together");
  if (call.number("dropout_p") != 0.0)
    return call.fail("dropout inside attention is not lowered");
  return success();
}

/// scale * (q · k) + mask, in f32 [B, Hq, T, S].
Tensor Attention::scores() {
  Tensor product =
      ungroup(matmul(call, group(query), call.swapLast(key), computeOf(dtype)));
  SmallVector<Tensor> inputs = {product};
  if (mask)
    inputs.push_back(mask);
  return call.map(
      inputs, product.shape(), product.dtype, [&](Scalars &s, ValueRange v) {
        Type type = v[0].getType();
        Value result = s.mul(v[0], s.constant(type, scale));
        Value never = s.constant(type, -INFINITY);
        if (mask)
          result = mask.dtype.isInteger(1)
                       ? s.select(v[1], result, never)
                       : s.add(result, s.convert(v[1], mask.dtype, type));
        if (!causal)
          return result;
        Value past =
            arith::CmpIOp::create(s.builder, s.loc, arith::CmpIPredicate::sle,
                                  s.index(3), s.index(2));
        return s.select(past, result, never);
      });
}

static Attention attentionOf(Call &call) {
  Attention a{call,
              call.tensor("query"),
              call.tensor("key"),
              call.tensor("value"),
              call.tensor("attn_mask"),
              call.flag("is_causal")};
  a.dtype = a.query.dtype;
  double width = a.query.rank() ? a.query.shape().back() : 1;
  a.scale = call.number("scale", 1.0 / std::sqrt(width));
  return a;
}

/// Result and logsumexp; only the first if the operator has no second.
static Results forward(Call &call) {
  Attention a = attentionOf(call);
  if (failed(a.check()))
    return failure();
  Tensor scores = a.scores();
  // A row that sees nothing has a maximum of -inf: 0 keeps it free of NaN.
  Tensor top = call.max(scores, {3}, /*keep=*/true);
  top = call.map({top}, top.shape(), top.dtype, [](Scalars &s, ValueRange v) {
    Type type = v[0].getType();
    Value empty = s.compare(Compare::eq, v[0], s.constant(type, -INFINITY));
    return s.select(empty, s.constant(type, 0.0), v[0]);
  });
  Tensor powers = call.map({scores, top}, scores.shape(), scores.dtype,
                           [](Scalars &s, ValueRange v) -> Value {
                             return s.unary<math::ExpOp>(s.sub(v[0], v[1]));
                           });
  Tensor total = call.sum(powers, {3}, /*keep=*/true);
  Tensor product =
      a.ungroup(matmul(call, a.group(call.convert(powers, a.dtype)), a.value,
                       computeOf(a.dtype)));
  Tensor result = call.map({product, total}, product.shape(), a.dtype,
                           [&](Scalars &s, ValueRange v) {
                             Type type = v[0].getType();
                             Value zero = s.constant(type, 0.0);
                             Value empty = s.compare(Compare::eq, v[1], zero);
                             Value quotient =
                                 s.select(empty, zero, s.div(v[0], v[1]));
                             return s.convert(quotient, type, a.dtype);
                           });
  if (call.resultCount() == 1)
    return result;
  Tensor sums = call.map({total, top}, total.shape(), total.dtype,
                         [](Scalars &s, ValueRange v) -> Value {
                           return s.add(s.unary<math::LogOp>(v[0]), v[1]);
                         });
  return {result, call.convert(call.reshape(sums, call.resultShape(1)),
                               call.resultType(1))};
}

/// Gradients of query, key and value, from the saved logsumexp.
static Results backward(Call &call) {
  Attention a = attentionOf(call);
  if (failed(a.check()))
    return failure();
  Type wide = computeOf(a.dtype);
  Tensor grad = call.tensor("grad_out"), out = call.tensor("out");
  Tensor sums = call.unsqueeze(call.tensor("logsumexp"), 3);
  Tensor scores = a.scores();
  Tensor weights = call.map(
      {scores, sums}, scores.shape(), wide, [](Scalars &s, ValueRange v) {
        Type type = v[0].getType();
        Value empty = s.compare(Compare::eq, v[1], s.constant(type, -INFINITY));
        Value power = s.unary<math::ExpOp>(s.sub(v[0], v[1]));
        return s.select(empty, s.constant(type, 0.0), power);
      });
  Tensor gradRows = a.group(grad);
  Tensor weightRows = a.group(call.convert(weights, a.dtype));
  Tensor gradValue =
      matmul(call, call.swapLast(weightRows), gradRows, call.resultType(2));
  Tensor gradWeights =
      a.ungroup(matmul(call, gradRows, call.swapLast(a.value), wide));
  Tensor products =
      call.map({grad, out}, grad.shape(), wide, [&](Scalars &s, ValueRange v) {
        return s.mul(s.convert(v[0], grad.dtype, wide),
                     s.convert(v[1], out.dtype, wide));
      });
  Tensor delta = call.sum(products, {3}, /*keep=*/true);
  Tensor gradScores = call.map(
      {weights, gradWeights, delta}, weights.shape(), a.dtype,
      [&](Scalars &s, ValueRange v) {
        Value part = s.mul(v[0], s.sub(v[1], v[2]));
        return s.convert(s.mul(part, s.constant(wide, a.scale)), wide, a.dtype);
      });
  Tensor rows = a.group(gradScores);
  Tensor gradQuery = a.ungroup(matmul(call, rows, a.key, call.resultType(0)));
  Tensor gradKey =
      matmul(call, call.swapLast(rows), a.group(a.query), call.resultType(1));
  return {gradQuery, gradKey, gradValue};
}

void octavo::addAttentionRules(Rules &rules) {
  rules.add("aten._scaled_dot_product_flash_attention_for_cpu.default",
            forward);
  rules.add("aten.scaled_dot_product_attention.default", forward);
  rules.add("aten._scaled_dot_product_flash_attention_for_cpu_backward.default",
            backward);
}
