//===- Gather.cpp - Reads at places that tensors name ---------------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Indexing.h"

using namespace mlir;
using namespace octavo;

Value octavo::wrapIndex(Scalars &s, Value at, int64_t size) {
  if (at.getType() != s.builder.getI64Type())
    at = arith::ExtSIOp::create(s.builder, s.loc, s.builder.getI64Type(), at);
  Value zero = s.integer(at.getType(), 0);
  Value below = s.compare(Compare::lt, at, zero);
  return s.select(below, s.add(at, s.integer(at.getType(), size)), at);
}

FailureOr<IndexedDims> octavo::indexedDims(Call &call, Tensor self) {
  IndexedDims found;
  SmallVector<Operand> shapes;
  for (auto [dim, operand] : llvm::enumerate(call.operands("indices"))) {
    if (!operand.tensor)
      continue;
    if (operand.tensor.dtype.isInteger(1) || isUnsigned(operand.tensor.dtype))
      return call.fail("the size of what a mask selects is data");
    found.dims.push_back(dim);
    found.indices.push_back(operand.tensor);
    shapes.push_back(operand);
  }
  if (found.dims.empty())
    return call.fail("expected an index");
  found.shape = broadcastShape(shapes);
  int64_t first = found.dims.front();
  bool adjacent =
      found.dims.back() - first + 1 == static_cast<int64_t>(found.dims.size());
  found.start = adjacent ? first : 0;
  return found;
}

AffineMap octavo::indexMap(Emitter &e, Tensor index, int64_t start,
                           int64_t size, int64_t rank) {
  AffineMap inner = e.broadcastMap(index, size);
  SmallVector<AffineExpr> places;
  for (int64_t i = 0; i < size; ++i)
    places.push_back(e.builder.getAffineDimExpr(start + i));
  return inner.replaceDimsAndSymbols(places, {}, rank, 0);
}

/// self[indices]: the dimensions of the indices stand where the first indexed
/// one was, or in front if the indexed dimensions are apart.
static Results index(Call &call, Tensor self) {
  FailureOr<IndexedDims> found = indexedDims(call, self);
  if (failed(found))
    return failure();
  Tensor source = isComplex(self.dtype) ? self.asReal() : self;
  auto sourceType = mlir::cast<RankedTensorType>(source.value.getType());
  int64_t spread = found->shape.size();
  int64_t rank = sourceType.getRank() - found->dims.size() + spread;
  SmallVector<Read> reads;
  for (Tensor at : found->indices)
    reads.push_back({at, indexMap(call, at, found->start, spread, rank)});
  Shape shape(call.resultShape());
  if (isComplex(self.dtype))
    shape.push_back(2);
  Tensor result = call.map(
      reads, shape, source.dtype, [&](Scalars &s, ValueRange elements) {
        SmallVector<Value> at;
        int64_t loop = 0;
        for (int64_t dim = 0; dim < sourceType.getRank(); ++dim) {
          auto place = llvm::find(found->dims, dim);
          if (place != found->dims.end()) {
            Value raw = elements[place - found->dims.begin()];
            at.push_back(
                s.toIndex(wrapIndex(s, raw, sourceType.getDimSize(dim))));
            continue;
          }
          if (loop == found->start)
            loop += spread;
          at.push_back(s.index(loop++));
        }
        return s.extract(source.value, at);
      });
  return Tensor{result.value, self.dtype};
}

/// Rows of a table; indices are not negative.
static Results embedding(Call &call) {
  Tensor table = call.tensor("weight"), rows = call.tensor("indices");
  if (isComplex(table.dtype))
    return call.fail("it is not lowered for complex numbers");
  int64_t rank = call.resultShape().size();
  return call.map(
      {Read{rows, indexMap(call, rows, 0, rank - 1, rank)}}, call.resultShape(),
      table.dtype, [&](Scalars &s, ValueRange v) {
        return s.extract(table.value, {s.toIndex(v[0]), s.index(rank - 1)});
      });
}

/// result[i, j, k] = self[i, index[i, j, k], k], for the middle one as `dim`.
static Results gather(Call &call) {
  Tensor self = call.tensor("self"), index = call.tensor("index");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  if (self.rank() == 0 || index.rank() == 0)
    return call.reshape(self, call.resultShape());
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  return call.map({index}, call.resultShape(), self.dtype,
                  [&](Scalars &s, ValueRange v) {
                    SmallVector<Value> at;
                    for (int64_t i = 0; i < self.rank(); ++i)
                      at.push_back(i == dim ? s.toIndex(v[0]) : s.index(i));
                    return s.extract(self.value, at);
                  });
}

static Results indexSelect(Call &call) {
  Tensor self = call.tensor("self"), index = call.tensor("index");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  if (self.rank() == 0)
    return call.reshape(self, call.resultShape());
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  index = call.reshape(index, {index.elements()});
  Read read{index, indexMap(call, index, dim, 1, self.rank())};
  return call.map({read}, call.resultShape(), self.dtype,
                  [&](Scalars &s, ValueRange v) {
                    SmallVector<Value> at;
                    for (int64_t i = 0; i < self.rank(); ++i)
                      at.push_back(i == dim ? s.toIndex(v[0]) : s.index(i));
                    return s.extract(self.value, at);
                  });
}

Tensor octavo::readAt(Emitter &e, Tensor self, ArrayRef<int64_t> shape,
                      llvm::function_ref<SmallVector<Value>(Scalars &)> place) {
  Tensor source = isComplex(self.dtype) ? self.asReal() : self;
  Shape all(shape);
  if (isComplex(self.dtype))
    all.push_back(2);
  Tensor result =
      e.map(ArrayRef<Tensor>(), all, source.dtype, [&](Scalars &s, ValueRange) {
        SmallVector<Value> at = place(s);
        if (isComplex(self.dtype))
          at.push_back(s.index(shape.size()));
        return s.extract(source.value, at);
      });
  return {result.value, self.dtype};
}

static Results flip(Call &call) {
  Tensor self = call.has("self") ? call.tensor("self") : call.tensor("a");
  Shape dims = call.integers("dims");
  for (int64_t &dim : dims)
    dim = wrapDim(dim, self.rank());
  return readAt(call, self, call.resultShape(), [&](Scalars &s) {
    SmallVector<Value> at;
    for (auto [dim, size] : llvm::enumerate(self.shape())) {
      Value here = s.index(dim);
      if (llvm::is_contained(dims, static_cast<int64_t>(dim)))
        here = s.sub(s.integer(here.getType(), size - 1), here);
      at.push_back(here);
    }
    return at;
  });
}

/// Elements moved along dimensions, those that fall out come in again.
static Results roll(Call &call) {
  Tensor self = call.tensor("self");
  Shape shifts = call.integers("shifts"), dims = call.integers("dims");
  Tensor flat = self;
  if (dims.empty()) {
    flat = call.reshape(self, {self.elements()});
    dims = {0};
  }
  for (auto [shift, dim] : llvm::zip(shifts, dims)) {
    int64_t at = wrapDim(dim, flat.rank()), size = flat.shape()[at];
    int64_t cut = ((size - shift) % size + size) % size;
    if (cut == 0)
      continue;
    flat = call.concat(
        {call.slice(flat, at, cut, size - cut), call.slice(flat, at, 0, cut)},
        at);
  }
  return call.reshape(flat, call.resultShape());
}

/// The diagonal is a new last dimension.
static Results diagonal(Call &call) {
  Tensor self = call.tensor("self");
  int64_t dim1 = wrapDim(call.integer("dim1"), self.rank());
  int64_t dim2 = wrapDim(call.integer("dim2", 1), self.rank());
  int64_t offset = call.integer("offset"), last = self.rank() - 2;
  return readAt(call, self, call.resultShape(), [&](Scalars &s) {
    SmallVector<Value> at;
    int64_t loop = 0;
    for (int64_t dim = 0; dim < self.rank(); ++dim) {
      if (dim != dim1 && dim != dim2) {
        at.push_back(s.index(loop++));
        continue;
      }
      int64_t start = dim == dim1 ? std::max<int64_t>(-offset, 0)
                                  : std::max<int64_t>(offset, 0);
      Value here = s.index(last);
      at.push_back(s.add(here, s.integer(here.getType(), start)));
    }
    return at;
  });
}

void octavo::addGatherRules(Rules &rules) {
  rules.add("aten.embedding.default", embedding);
  for (StringRef name : {"aten.index.Tensor", "aten._unsafe_index.Tensor"})
    rules.add(name,
              [](Call &call) { return index(call, call.tensor("self")); });
  rules.add("aten.gather.default", gather);
  rules.add("aten.index_select.default", indexSelect);
  rules.add("aten.flip.default", flip);
  rules.add("prims.rev.default", flip);
  rules.add("aten.roll.default", roll);
  rules.add("aten.diagonal.default", diagonal);
}
