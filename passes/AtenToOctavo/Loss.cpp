//===- Loss.cpp - Negative log likelihood and its gradient ----------------===//

#include "passes/AtenToOctavo/Call.h"

using namespace mlir;
using namespace octavo;

namespace {
/// at::Reduction.
enum Kind { none = 0, mean = 1, sum = 2 };

/// Log probabilities [N, C] (or [C]) and a class for each row.
struct Likelihood {
  Call &call;
  Tensor self, target, weight;
  int64_t ignore;
  Type wide;

  Likelihood(Call &call)
      : call(call), self(call.tensor("self")), target(call.tensor("target")),
        weight(call.tensor("weight")), ignore(call.integer("ignore_index")),
        wide(computeOf(self.dtype)) {
    if (self.rank() == 1)
      self = call.reshape(self, {1, self.shape()[0]});
    target = call.reshape(target, {target.elements()});
  }
  /// The weight of a class; what is ignored has none.
  Value weightAt(Scalars &s, Value at) {
    Value ignored = s.compare(Compare::eq, at, s.integer(at.getType(), ignore));
    Value one = s.constant(wide, 1.0);
    if (weight) {
      Value safe = s.select(ignored, s.integer(at.getType(), 0), at);
      one = s.convert(s.extract(weight.value, {s.toIndex(safe)}), weight.dtype,
                      wide);
    }
    return s.select(ignored, s.constant(wide, 0.0), one);
  }
  Tensor weights() {
    return call.map(
        {target}, target.shape(), wide,
        [&](Scalars &s, ValueRange v) { return weightAt(s, v[0]); });
  }
};
} // namespace

static Results forward(Call &call) {
  Likelihood l(call);
  if (l.self.rank() != 2)
    return call.fail("expected rows of classes");
  Tensor each = call.map(
      {l.target}, l.target.shape(), l.wide, [&](Scalars &s, ValueRange v) {
        Value zero = s.integer(v[0].getType(), 0);
        Value ignored =
            s.compare(Compare::eq, v[0], s.integer(v[0].getType(), l.ignore));
        Value safe = s.select(ignored, zero, v[0]);
        Value element = s.extract(l.self.value, {s.index(0), s.toIndex(safe)});
        Value loss = s.mul(s.neg(s.convert(element, l.self.dtype, l.wide)),
                           l.weightAt(s, v[0]));
        return s.select(ignored, s.constant(l.wide, 0.0), loss);
      });
  Tensor total = call.sum(l.weights(), {0});
  Tensor weightOut = call.convert(total, call.resultType(1));
  int64_t kind = call.integer("reduction");
  if (kind == none)
    return {call.reshape(call.convert(each, call.resultType(0)),
                         call.resultShape(0)),
            call.full({}, call.resultType(1), 0.0)};
  Tensor loss = call.sum(each, {0});
  if (kind == mean)
    loss = call.map({loss, total}, {}, l.wide,
                    [](Scalars &s, ValueRange v) { return s.div(v[0], v[1]); });
  return {call.convert(loss, call.resultType(0)), weightOut};
}

static Results backward(Call &call) {
  Likelihood l(call);
  if (l.self.rank() != 2)
    return call.fail("expected rows of classes");
  int64_t kind = call.integer("reduction");
  Tensor grad = call.tensor("grad_output");
  SmallVector<Tensor> inputs = {
      call.unsqueeze(l.target, 1),
      call.reshape(grad,
                   grad.rank() == 0 ? Shape{1, 1} : Shape{grad.elements(), 1})};
  if (kind == mean)
    inputs.push_back(call.reshape(call.tensor("total_weight"), {1, 1}));
  Tensor result = call.map(
      inputs, l.self.shape(), call.resultType(), [&](Scalars &s, ValueRange v) {
        Value hit = s.compare(Compare::eq, v[0], s.position(1));
        Value slope = s.mul(s.neg(s.convert(v[1], grad.dtype, l.wide)),
                            l.weightAt(s, v[0]));
        if (kind == mean)
          slope =
              s.div(slope,
                    s.convert(v[2], call.tensor("total_weight").dtype, l.wide));
        Value ignored =
            s.compare(Compare::eq, v[0], s.integer(v[0].getType(), l.ignore));
        Value zero = s.constant(l.wide, 0.0);
        Value part = s.select(hit, s.select(ignored, zero, slope), zero);
        return s.convert(part, l.wide, call.resultType());
      });
  return call.reshape(result, call.resultShape());
}

void octavo::addLossRules(Rules &rules) {
  rules.add("aten.nll_loss_forward.default", forward);
  rules.add("aten.nll_loss_backward.default", backward);
}
