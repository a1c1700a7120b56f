//===- Scatter.cpp - Writes at places that tensors name -------------------===//
//
// A write is turned round: each element of the result looks at all places that
// might name it, in order, so the result does not depend on who comes first.
// That costs (elements of the result) x (places). Where this is too much,
// octavo.scatter_reduce says the same thing in another way.
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Indexing.h"

#include "dialects/Octavo/IR/Octavo.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo;

/// Most steps of a write that is turned round: each place looks at all writers.
static constexpr int64_t maxSteps = int64_t(1) << 20;

/// Loops over a table [V, R] and the T places of its writers: reads of the
/// places at loop 2, and of the sources [T, R].
struct RowLoops {
  AffineMap place, source;

  RowLoops(Builder &builder)
      : place(AffineMap::get(3, 0, builder.getAffineDimExpr(2))),
        source(AffineMap::get(
            3, 0, {builder.getAffineDimExpr(2), builder.getAffineDimExpr(1)},
            builder.getContext())) {}
};

/// table[place[t], :] += source[t, :] in the order of t.
static Tensor accumulateRows(Call &call, Tensor table, Tensor place,
                             Tensor source) {
  Type dtype = table.dtype, wide = computeOf(dtype);
  int64_t rows = table.shape()[0], width = table.shape()[1];
  int64_t count = place.elements();
  if (rows * width * count > maxSteps) {
    Tensor init = call.convert(table, wide);
    auto op = ScatterReduceOp::create(
        call.builder, call.loc, init.value.getType(), ScatterKind::add,
        call.convert(source, wide).value, init.value, place.value,
        call.builder.getDenseI64ArrayAttr({0}));
    return call.convert({op.getResult(), wide}, dtype);
  }
  RowLoops loops(call.builder);
  Tensor parts =
      call.map({Read{place, loops.place}, Read{source, loops.source}},
               {rows, width, count}, wide, [&](Scalars &s, ValueRange v) {
                 Value hit = s.compare(Compare::eq, wrapIndex(s, v[0], rows),
                                       s.position(0));
                 return s.select(hit, s.convert(v[1], source.dtype, wide),
                                 s.constant(wide, 0.0));
               });
  Tensor total = call.sum(parts, {2});
  return call.map({table, total}, table.shape(), dtype,
                  [&](Scalars &s, ValueRange v) {
                    Value sum = s.add(s.convert(v[0], dtype, wide), v[1]);
                    return s.convert(sum, wide, dtype);
                  });
}

/// table[place[t], :] = source[t, :]; the last t wins.
static Tensor setRows(Call &call, Tensor table, Tensor place, Tensor source) {
  int64_t rows = table.shape()[0], count = place.elements();
  Type i64 = call.i64();
  AffineMap read = AffineMap::get(2, 0, call.builder.getAffineDimExpr(1));
  Tensor hits = call.map(
      {Read{place, read}}, {rows, count}, i64, [&](Scalars &s, ValueRange v) {
        Value hit =
            s.compare(Compare::eq, wrapIndex(s, v[0], rows), s.position(0));
        return s.select(hit, s.position(1), s.integer(i64, -1));
      });
  Tensor last = call.unsqueeze(
      call.reduce(hits, {1}, -1.0,
                  [](Scalars &s, ValueRange v) { return s.max(v[0], v[1]); }),
      1);
  return call.map(
      {table, last}, table.shape(), table.dtype, [&](Scalars &s, ValueRange v) {
        Value zero = s.integer(i64, 0);
        Value any = s.compare(Compare::ge, v[1], zero);
        Value at = s.toIndex(s.max(v[1], zero));
        Value element = s.extract(source.value, {at, s.index(1)});
        return s.select(any, s.convert(element, source.dtype, table.dtype),
                        v[0]);
      });
}

/// One place per row of the table [V, R] that the indexed dimensions make.
static Tensor linearPlaces(Call &call, const IndexedDims &found, Tensor self) {
  SmallVector<Read> reads;
  int64_t rank = found.shape.size();
  for (Tensor at : found.indices)
    reads.push_back({at, call.broadcastMap(at, rank)});
  return call.map(
      reads, found.shape, call.i64(), [&](Scalars &s, ValueRange v) {
        Value total;
        for (auto [at, dim] : llvm::zip(v, found.dims)) {
          int64_t size = self.shape()[dim];
          Value place = wrapIndex(s, at, size);
          if (total)
            place =
                s.add(s.mul(total, s.integer(place.getType(), size)), place);
          total = place;
        }
        return total;
      });
}

/// self with values written (or added) at the indices.
static Results putAt(Call &call, Tensor self, Tensor values, bool accumulate) {
  FailureOr<IndexedDims> found = indexedDims(call, self);
  if (failed(found))
    return failure();
  if (isComplex(self.dtype) || isComplex(values.dtype))
    return call.fail("it is not lowered for complex numbers");
  int64_t spread = found->shape.size(), rows = 1, width = 1;
  // The indexed dimensions in front.
  Shape order(found->dims), rest, inFront;
  for (int64_t dim : found->dims)
    rows *= self.shape()[dim];
  for (int64_t dim = 0; dim < self.rank(); ++dim)
    if (!llvm::is_contained(found->dims, dim)) {
      order.push_back(dim);
      rest.push_back(self.shape()[dim]);
      width *= self.shape()[dim];
    }
  // `values` has the shape of self[indices]: their dimensions go in front, too.
  Shape whole(rest);
  whole.insert(whole.begin() + found->start, found->shape.begin(),
               found->shape.end());
  for (int64_t i = 0; i < spread; ++i)
    inFront.push_back(found->start + i);
  for (int64_t i = 0; i < static_cast<int64_t>(whole.size()); ++i)
    if (i < found->start || i >= found->start + spread)
      inFront.push_back(i);
  Tensor source = call.transpose(call.broadcast(values, whole), inFront);
  int64_t count = countElements(found->shape);
  if (count == 0)
    return self;
  source = call.reshape(source, {count, width});
  Tensor moved = call.transpose(self, order);
  Shape movedShape(moved.shape());
  Tensor table = call.reshape(moved, {rows, width});
  Tensor place = call.reshape(linearPlaces(call, *found, self), {count});
  Tensor result = accumulate ? accumulateRows(call, table, place, source)
                             : setRows(call, table, place, source);
  Shape back(order.size());
  for (auto [at, dim] : llvm::enumerate(order))
    back[dim] = at;
  return call.transpose(call.reshape(result, movedShape), back);
}

/// index_put with one mask as index and one value: a choice.
static Results putMasked(Call &call, Tensor self, Tensor mask, Tensor value,
                         bool accumulate) {
  if (value.elements() != 1)
    return call.fail("the size of what a mask selects is data");
  Shape shape(mask.shape());
  shape.append(self.rank() - mask.rank(), 1);
  mask = call.reshape(mask, shape);
  value = call.reshape(value, {});
  Type dtype = self.dtype, wide = computeOf(dtype);
  return call.map(
      {self, mask, value}, self.shape(), dtype, [&](Scalars &s, ValueRange v) {
        if (!accumulate)
          return s.select(v[1], s.convert(v[2], value.dtype, dtype), v[0]);
        Value sum = s.add(s.convert(v[0], dtype, wide),
                          s.convert(v[2], value.dtype, wide));
        return s.select(v[1], s.convert(sum, wide, dtype), v[0]);
      });
}

static Results indexPut(Call &call) {
  Tensor self = call.tensor("self"), values = call.tensor("values");
  SmallVector<Operand> indices = call.operands("indices");
  bool accumulate = call.flag("accumulate");
  if (indices.size() == 1 && indices[0].tensor &&
      indices[0].tensor.dtype.isInteger(1))
    return putMasked(call, self, indices[0].tensor, values, accumulate);
  return putAt(call, self, values, accumulate);
}

/// Values where the mask is false count as zero.
static Results maskedAccumulate(Call &call) {
  Tensor self = call.tensor("self"), mask = call.tensor("mask");
  Tensor values = call.tensor("values");
  Shape shape = broadcastShape({values, mask});
  Tensor kept = call.map(
      {values, mask}, shape, values.dtype, [](Scalars &s, ValueRange v) {
        return s.select(v[1], v[0], s.constant(v[0].getType(), 0.0));
      });
  return putAt(call, self, kept, /*accumulate=*/true);
}

/// Gradient of a table: rows of the gradient summed where they were read.
static Results embeddingGradient(Call &call) {
  Tensor grad = call.tensor("grad_output"), rows = call.tensor("indices");
  if (call.flag("scale_grad_by_freq"))
    return call.fail("scaling by frequency is not lowered");
  int64_t padding = call.integer("padding_idx", -1);
  int64_t width = grad.shape().back(), count = rows.elements();
  Tensor place = call.reshape(rows, {count});
  Tensor source = call.reshape(grad, {count, width});
  if (padding >= 0) {
    AffineMap first = AffineMap::get(2, 0, call.builder.getAffineDimExpr(0));
    source =
        call.map({Read{place, first},
                  Read{source, call.builder.getMultiDimIdentityMap(2)}},
                 {count, width}, source.dtype, [&](Scalars &s, ValueRange v) {
                   Value pads = s.compare(Compare::eq, v[0],
                                          s.integer(v[0].getType(), padding));
                   return s.select(pads, s.constant(v[1].getType(), 0.0), v[1]);
                 });
  }
  Tensor zero = call.full(call.resultShape(), call.resultType(), 0.0);
  return accumulateRows(call, zero, place, source);
}

/// Slices of the source added at places along one dimension.
static Results indexAdd(Call &call) {
  Tensor self = call.tensor("self"), source = call.tensor("source");
  Tensor index = call.tensor("index");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  if (index.elements() == 0)
    return self;
  if (self.rank() == 0) {
    self = call.reshape(self, {1});
    source = call.reshape(source, {1});
  }
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  int64_t count = index.elements(), rows = self.shape()[dim];
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, self.rank()));
  order.erase(order.begin() + dim);
  order.insert(order.begin(), dim);
  Shape back(order.size());
  for (auto [at, old] : llvm::enumerate(order))
    back[old] = at;
  Type wide = computeOf(self.dtype);
  Tensor scaled = source;
  if (call.has("alpha") && call.number("alpha") != 1.0)
    scaled =
        call.map({source}, source.shape(), wide, [&](Scalars &s, ValueRange v) {
          return s.mul(s.convert(v[0], source.dtype, wide),
                       s.constant(wide, call.argument("alpha")));
        });
  Tensor moved = call.transpose(self, order);
  Shape movedShape(moved.shape());
  int64_t width = moved.elements() / std::max<int64_t>(rows, 1);
  Tensor result = accumulateRows(
      call, call.reshape(moved, {rows, width}), call.reshape(index, {count}),
      call.reshape(call.transpose(scaled, order), {count, width}));
  Tensor restored = call.transpose(call.reshape(result, movedShape), back);
  return call.reshape(restored, call.resultShape());
}

void octavo::addScatterRules(Rules &rules) {
  for (StringRef name :
       {"aten.index_put.default", "aten._unsafe_index_put.default"})
    rules.add(name, indexPut);
  rules.add("aten._unsafe_masked_index_put_accumulate.default",
            maskedAccumulate);
  rules.add("aten.index_add.default", indexAdd);
  rules.add("aten.embedding_dense_backward.default", embeddingGradient);
  addScatterDimRules(rules);
}
