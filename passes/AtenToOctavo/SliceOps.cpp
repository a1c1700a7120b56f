//===- SliceOps.cpp - Views of a part, and writes into one ----------------===//

#include "passes/AtenToOctavo/Call.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo;

/// A slice's start and size, by Python's rules for bounds.
static std::pair<int64_t, int64_t> bounds(Call &call, int64_t size,
                                          int64_t step) {
  auto place = [&](StringRef name, int64_t otherwise) {
    int64_t at = call.has(name) ? call.integer(name) : otherwise;
    return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
  };
  int64_t start = place("start", 0), end = place("end", size);
  return {start, std::max<int64_t>(0, (end - start + step - 1) / step)};
}

static Results slice(Call &call) {
  Tensor self = call.tensor("self");
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  int64_t step = call.integer("step", 1);
  auto [start, size] = bounds(call, self.shape()[dim], step);
  return call.slice(self, dim, start, size, step);
}

static Results pick(Call &call) {
  Tensor self = call.tensor("self");
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  int64_t index = call.integer("index");
  if (index < 0)
    index += self.shape()[dim];
  return call.reshape(call.slice(self, dim, index, 1), call.resultShape());
}

/// One result per piece, in order along `dim`.
static Results split(Call &call) {
  Tensor self = call.tensor("self");
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  SmallVector<Tensor, 2> parts;
  int64_t start = 0;
  for (size_t i = 0; i < call.resultCount(); ++i) {
    int64_t size = call.resultShape(i)[dim];
    parts.push_back(call.slice(self, dim, start, size));
    start += size;
  }
  return parts;
}

static Results unbind(Call &call) {
  Tensor self = call.tensor("self");
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  SmallVector<Tensor, 2> parts;
  for (size_t i = 0; i < call.resultCount(); ++i)
    parts.push_back(
        call.reshape(call.slice(self, dim, i, 1), call.resultShape(i)));
  return parts;
}

static Results sliceScatter(Call &call) {
  Tensor self = call.tensor("self"), source = call.tensor("src");
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  int64_t step = call.integer("step", 1);
  auto [start, size] = bounds(call, self.shape()[dim], step);
  if (size == 0)
    return self;
  Shape shape(self.shape());
  shape[dim] = size;
  if (isComplex(self.dtype) != isComplex(source.dtype))
    return call.fail("complex and real operands are mixed");
  source = call.broadcast(call.convert(source, self.dtype), shape);
  return call.insert(self, source, dim, start, step);
}

static Results selectScatter(Call &call) {
  Tensor self = call.tensor("self"), source = call.tensor("src");
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  int64_t index = call.integer("index");
  if (index < 0)
    index += self.shape()[dim];
  if (isComplex(self.dtype) != isComplex(source.dtype))
    return call.fail("complex and real operands are mixed");
  Tensor piece = call.unsqueeze(call.convert(source, self.dtype), dim);
  return call.insert(self, piece, dim, index);
}

/// Padding from the last dimension backwards; a negative pad cuts.
static Results pad(Call &call) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  Shape pads = call.integers("pad");
  Shape offsets(self.rank(), 0), sizes(self.shape()), ones(self.rank(), 1);
  Shape low(self.rank(), 0), high(self.rank(), 0);
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    int64_t dim = self.rank() - 1 - i;
    int64_t before = pads[2 * i], after = pads[2 * i + 1];
    offsets[dim] = std::max<int64_t>(-before, 0);
    sizes[dim] += std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0);
    low[dim] = std::max<int64_t>(before, 0);
    high[dim] = std::max<int64_t>(after, 0);
  }
  Attribute value = call.has("value") ? call.argument("value")
                                      : call.builder.getI64IntegerAttr(0);
  if (countElements(sizes) == 0)
    return call.full(call.resultShape(), self.dtype, value);
  Tensor inner = call.slice(self, offsets, sizes, ones);
  if (inner.shape() == call.resultShape())
    return inner;
  auto type = RankedTensorType::get(call.resultShape(), storageOf(self.dtype));
  Scalars scalars{call.builder, call.loc};
  Value fill = scalars.constant(storageOf(self.dtype), value);
  auto amounts = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(call.builder.getContext(), values);
  };
  return Tensor{tensor::PadOp::create(call.builder, call.loc, type, inner.value,
                                      amounts(low), amounts(high), fill),
                self.dtype};
}

void octavo::addSliceRules(Rules &rules) {
  rules.add("aten.slice.Tensor", slice);
  rules.add("aten.narrow.default", [](Call &call) {
    Tensor self = call.tensor("self");
    int64_t dim = wrapDim(call.integer("dim"), self.rank());
    return Results(
        call.slice(self, dim, call.integer("start"), call.integer("length")));
  });
  rules.add("aten.select.int", pick);
  for (StringRef name : {"aten.split.Tensor", "aten.split_with_sizes.default",
                         "aten.split_with_sizes_copy.default",
                         "aten.chunk.default", "aten.split.sizes"})
    rules.add(name, split);
  rules.add("aten.unbind.int", unbind);
  rules.add("aten.slice_scatter.default", sliceScatter);
  rules.add("aten.select_scatter.default", selectScatter);
  rules.add("aten.constant_pad_nd.default", pad);
}
