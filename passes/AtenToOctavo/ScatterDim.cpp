//===- ScatterDim.cpp - Writes along one dimension ------------------------===//
//
// Loops over the result and J, the places along `dim`: element o is written by
// j where index[o with j at dim] == o[dim].
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Indexing.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo;

namespace {
/// What the operators of this family share.
struct ScatterDim {
  Call &call;
  Tensor self, index;
  int64_t dim;

  int64_t rank() { return self.rank(); }
  Shape loops() {
    Shape shape(self.shape());
    shape.push_back(index.shape()[dim]);
    return shape;
  }
  /// Reads a tensor shaped as the index in the loops.
  AffineMap along() {
    SmallVector<AffineExpr> at;
    for (int64_t i = 0; i < rank(); ++i)
      at.push_back(call.builder.getAffineDimExpr(i == dim ? rank() : i));
    return AffineMap::get(rank() + 1, 0, at, call.builder.getContext());
  }
  Value hit(Scalars &s, Value at) {
    at = wrapIndex(s, at, self.shape()[dim]);
    return s.compare(Compare::eq, at, s.position(dim));
  }
  Tensor extend(Tensor input, double fill);
  Tensor hits();
  Tensor last();
};
} // namespace

/// The tensor with the sizes of `self` but along `dim`, where `fill` stands for
/// what is not there.
Tensor ScatterDim::extend(Tensor input, double fill) {
  Shape low(rank(), 0), high(rank(), 0), shape(self.shape());
  shape[dim] = input.shape()[dim];
  for (int64_t i = 0; i < rank(); ++i)
    high[i] = shape[i] - input.shape()[i];
  if (input.shape() == ArrayRef<int64_t>(shape))
    return input;
  Scalars scalars{call.builder, call.loc};
  Value value = scalars.constant(storageOf(input.dtype), fill);
  auto amounts = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(call.builder.getContext(), values);
  };
  auto type = RankedTensorType::get(shape, storageOf(input.dtype));
  return {tensor::PadOp::create(call.builder, call.loc, type, input.value,
                                amounts(low), amounts(high), value),
          input.dtype};
}

/// Whether each element is written at all.
Tensor ScatterDim::hits() {
  Tensor each =
      call.map({Read{index, along()}}, loops(), call.boolean(),
               [&](Scalars &s, ValueRange v) { return hit(s, v[0]); });
  return call.reduce(each, {rank()}, 0.0, [](Scalars &s, ValueRange v) {
    return s.add(v[0], v[1]);
  });
}

/// The last j that writes each element, or -1.
Tensor ScatterDim::last() {
  Tensor each =
      call.map({Read{index, along()}}, loops(), call.i64(),
               [&](Scalars &s, ValueRange v) {
                 return s.select(hit(s, v[0]), s.position(rank()),
                                 s.integer(s.builder.getI64Type(), -1));
               });
  return call.reduce(each, {rank()}, -1.0, [](Scalars &s, ValueRange v) {
    return s.max(v[0], v[1]);
  });
}

/// The call's operands; an index that writes nothing has no dimension here.
static FailureOr<ScatterDim> prepare(Call &call) {
  ScatterDim scatter{call, call.tensor("self"), call.tensor("index"), 0};
  if (isComplex(scatter.self.dtype))
    return call.fail("it is not lowered for complex numbers");
  if (scatter.self.rank() == 0)
    scatter.self = call.reshape(scatter.self, {1});
  if (scatter.index.rank() == 0)
    scatter.index = call.reshape(scatter.index, {1});
  scatter.dim = wrapDim(call.integer("dim"), scatter.self.rank());
  // A place that no element has: never hit. (Negative places are wrapped.)
  int64_t size = scatter.self.shape()[scatter.dim];
  if (scatter.index.elements() != 0)
    scatter.index = scatter.extend(scatter.index, static_cast<double>(size));
  return scatter;
}

static Results scatterValue(Call &call) {
  FailureOr<ScatterDim> found = prepare(call);
  if (failed(found))
    return failure();
  ScatterDim &scatter = *found;
  if (scatter.index.elements() == 0)
    return call.tensor("self");
  Operand value = call.operand("value");
  Tensor self = scatter.self;
  auto choose = [&](Scalars &s, Value yes, Value old, ValueRange rest) {
    Value written = value.tensor
                        ? s.convert(rest[0], value.tensor.dtype, self.dtype)
                        : s.constant(storageOf(self.dtype), value.number);
    return s.select(yes, written, old);
  };
  SmallVector<Tensor> inputs = {self};
  Tensor result;
  if (scatter.index.shape()[scatter.dim] == 1) {
    inputs.push_back(scatter.index);
    if (value.tensor)
      inputs.push_back(value.tensor);
    result = call.map(
        inputs, self.shape(), self.dtype, [&](Scalars &s, ValueRange v) {
          return choose(s, scatter.hit(s, v[1]), v[0], v.drop_front(2));
        });
  } else {
    inputs.push_back(scatter.hits());
    if (value.tensor)
      inputs.push_back(value.tensor);
    result = call.map(inputs, self.shape(), self.dtype,
                      [&](Scalars &s, ValueRange v) {
                        return choose(s, v[1], v[0], v.drop_front(2));
                      });
  }
  return call.reshape(result, call.resultShape());
}

/// The part of the source that the index covers.
static Tensor sourceOf(Call &call, Tensor index) {
  Tensor source = call.tensor("src");
  if (source.rank() == 0)
    source = call.reshape(source, {1});
  Tensor raw = call.tensor("index");
  Shape sizes = raw.rank() == 0 ? Shape{1} : Shape(raw.shape());
  Shape zeros(sizes.size(), 0), ones(sizes.size(), 1);
  return call.slice(source, zeros, sizes, ones);
}

/// The last writer wins.
static Results scatterSource(Call &call) {
  FailureOr<ScatterDim> found = prepare(call);
  if (failed(found))
    return failure();
  ScatterDim &scatter = *found;
  if (scatter.index.elements() == 0)
    return call.tensor("self");
  Tensor source = scatter.extend(sourceOf(call, scatter.index), 0.0);
  Tensor self = scatter.self, last = scatter.last();
  Tensor result = call.map(
      {self, last}, self.shape(), self.dtype, [&](Scalars &s, ValueRange v) {
        Value zero = s.integer(v[1].getType(), 0);
        SmallVector<Value> at;
        for (int64_t i = 0; i < scatter.rank(); ++i)
          at.push_back(i == scatter.dim ? s.toIndex(s.max(v[1], zero))
                                        : s.index(i));
        Value element = s.extract(source.value, at);
        return s.select(s.compare(Compare::ge, v[1], zero),
                        s.convert(element, source.dtype, self.dtype), v[0]);
      });
  return call.reshape(result, call.resultShape());
}

/// How writers are combined: the neutral value and the step.
struct Combine {
  double neutral;
  Value (*step)(Scalars &, Value, Value);
};

static FailureOr<Combine> combineOf(Call &call, StringRef kind, Type dtype) {
  bool real = isa<FloatType>(dtype);
  if (kind == "sum" || kind == "add")
    return Combine{0.0,
                   [](Scalars &s, Value a, Value b) { return s.add(a, b); }};
  if (kind == "prod" || kind == "multiply")
    return Combine{1.0,
                   [](Scalars &s, Value a, Value b) { return s.mul(a, b); }};
  if (kind == "amax" && real)
    return Combine{-INFINITY,
                   [](Scalars &s, Value a, Value b) { return s.max(a, b); }};
  if (kind == "amin" && real)
    return Combine{INFINITY,
                   [](Scalars &s, Value a, Value b) { return s.min(a, b); }};
  return call.fail("its kind of combination is not lowered");
}

static Results scatterCombine(Call &call, StringRef kind, bool includeSelf) {
  FailureOr<ScatterDim> found = prepare(call);
  if (failed(found))
    return failure();
  ScatterDim &scatter = *found;
  Type dtype = scatter.self.dtype, wide = computeOf(dtype);
  FailureOr<Combine> combine = combineOf(call, kind, dtype);
  if (failed(combine))
    return failure();
  if (scatter.index.elements() == 0)
    return call.tensor("self");
  Tensor source = scatter.extend(sourceOf(call, scatter.index), 0.0);
  Tensor each = call.map(
      {Read{scatter.index, scatter.along()}, Read{source, scatter.along()}},
      scatter.loops(), wide, [&](Scalars &s, ValueRange v) {
        return s.select(scatter.hit(s, v[0]),
                        s.convert(v[1], source.dtype, wide),
                        s.constant(wide, combine->neutral));
      });
  Tensor total = call.reduce(
      each, {scatter.rank()}, combine->neutral,
      [&](Scalars &s, ValueRange v) { return combine->step(s, v[0], v[1]); });
  SmallVector<Tensor> inputs = {scatter.self, total};
  if (!includeSelf)
    inputs.push_back(scatter.hits());
  Tensor result = call.map(
      inputs, scatter.self.shape(), dtype, [&](Scalars &s, ValueRange v) {
        if (!includeSelf)
          return s.select(v[2], s.convert(v[1], wide, dtype), v[0]);
        Value both = combine->step(s, s.convert(v[0], dtype, wide), v[1]);
        return s.convert(both, wide, dtype);
      });
  return call.reshape(result, call.resultShape());
}

void octavo::addScatterDimRules(Rules &rules) {
  rules.add("aten.scatter.value", scatterValue);
  rules.add("aten.scatter.src", scatterSource);
  rules.add("aten.scatter_add.default", [](Call &call) {
    return scatterCombine(call, "sum", /*includeSelf=*/true);
  });
  rules.add("aten.scatter_reduce.two", [](Call &call) {
    return scatterCombine(call, call.text("reduce"), call.flag("include_self"));
  });
  rules.add("aten.scatter.reduce", [](Call &call) {
    return scatterCombine(call, call.text("reduce"), /*includeSelf=*/true);
  });
}
