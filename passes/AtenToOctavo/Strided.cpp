//===- Strided.cpp - Strided views, triangles, diagonals ------------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Indexing.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace octavo;

/// The elements of a dense tensor in the order of memory, and for each
/// dimension its stride there; nothing if the memory has gaps.
static std::optional<Tensor> inMemoryOrder(Call &call, Tensor self) {
  Shape strides = call.integers("self_strides");
  if (static_cast<int64_t>(strides.size()) != self.rank())
    return {};
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, self.rank()));
  llvm::stable_sort(order, [&](int64_t a, int64_t b) {
    return std::pair(strides[a], self.shape()[a]) >
           std::pair(strides[b], self.shape()[b]);
  });
  int64_t expected = 1;
  for (int64_t dim : llvm::reverse(order)) {
    if (self.shape()[dim] == 1)
      continue;
    if (strides[dim] != expected)
      return {};
    expected *= self.shape()[dim];
  }
  return call.reshape(call.transpose(self, order), {self.elements()});
}

static Results asStrided(Call &call) {
  Tensor self = call.tensor("self");
  std::optional<Tensor> flat = inMemoryOrder(call, self);
  if (!flat)
    return call.fail("the tensor under a strided view is not dense");
  Shape strides = call.integers("stride");
  int64_t origin = call.integer("self_offset");
  int64_t start = call.integer("storage_offset", origin) - origin;
  ArrayRef<int64_t> shape = call.resultShape();
  int64_t end = start + 1;
  for (auto [stride, size] : llvm::zip(strides, shape))
    end += stride * (size - 1);
  if (start < 0 || end > self.elements())
    return call.fail("a strided view reaches outside of its tensor");
  return readAt(call, *flat, shape, [&](Scalars &s) {
    Type index = s.builder.getIndexType();
    Value at = s.integer(index, start);
    for (auto [dim, stride] : llvm::enumerate(strides))
      at = s.add(at, s.mul(s.index(dim), s.integer(index, stride)));
    return SmallVector<Value>{at};
  });
}

namespace {
/// A strided view whose elements do not overlap, so that an offset names at
/// most one of them.
struct StridedPlaces {
  Shape shape, strides, order;

  bool create(ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps);
  Value decode(Scalars &s, Value offset, SmallVector<Value> &at) const;
};
} // namespace

bool StridedPlaces::create(ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  shape = Shape(sizes);
  strides = Shape(steps);
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    if (shape[dim] != 1)
      order.push_back(dim);
  llvm::sort(order,
             [&](int64_t a, int64_t b) { return strides[a] > strides[b]; });
  int64_t reach = 0;
  for (int64_t dim : llvm::reverse(order)) {
    if (strides[dim] <= reach)
      return false;
    reach += strides[dim] * (shape[dim] - 1);
  }
  return true;
}

/// Whether the offset from the start is in the view, and its place (clamped
/// into the view where it is not).
Value StridedPlaces::decode(Scalars &s, Value offset,
                            SmallVector<Value> &at) const {
  Type i64 = offset.getType();
  Value zero = s.integer(i64, 0), rest = offset;
  Value inside = s.compare(Compare::ge, offset, zero);
  at.assign(shape.size(), s.integer(s.builder.getIndexType(), 0));
  for (int64_t dim : order) {
    Value stride = s.integer(i64, strides[dim]);
    Value last = s.integer(i64, shape[dim] - 1);
    Value place = s.min(s.max(s.div(rest, stride), zero), last);
    rest = s.sub(rest, s.mul(place, stride));
    at[dim] = s.toIndex(place);
  }
  return s.mul(inside, s.compare(Compare::eq, rest, zero));
}

/// `self` with `src` where the strided view lies.
static Results asStridedScatter(Call &call) {
  Tensor self = call.tensor("self"), source = call.tensor("src");
  Shape memory = call.integers("self_strides");
  StridedPlaces places;
  if (isComplex(self.dtype) || source.dtype != self.dtype)
    return call.fail("the types of tensor and source differ");
  if (static_cast<int64_t>(memory.size()) != self.rank() ||
      !places.create(call.integers("size"), call.integers("stride")))
    return call.fail("elements of the strided view overlap");
  int64_t origin = call.integer("self_offset");
  int64_t start = call.integer("storage_offset", origin) - origin;
  return call.map(
      {self}, self.shape(), self.dtype, [&](Scalars &s, ValueRange v) {
        Type i64 = s.builder.getI64Type();
        Value offset = s.integer(i64, -start);
        for (auto [dim, stride] : llvm::enumerate(memory))
          offset =
              s.add(offset, s.mul(s.position(dim), s.integer(i64, stride)));
        SmallVector<Value> at;
        Value hit = places.decode(s, offset, at);
        return s.select(hit, s.extract(source.value, at), v[0]);
      });
}

/// Elements on one side of a diagonal, zeros elsewhere.
static Results triangle(Call &call, bool lower) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  int64_t offset = call.integer("diagonal"), rank = self.rank();
  return call.map(
      {self}, self.shape(), self.dtype, [&](Scalars &s, ValueRange v) {
        Value row = s.position(rank - 2);
        Value column = s.position(rank - 1);
        Value edge = s.add(row, s.integer(row.getType(), offset));
        Value inside =
            s.compare(lower ? Compare::le : Compare::ge, column, edge);
        return s.select(inside, v[0], s.constant(v[0].getType(), 0.0));
      });
}

/// `self` with `src` (its diagonal last) on a diagonal.
static Results diagonalScatter(Call &call) {
  Tensor self = call.tensor("self"), source = call.tensor("src");
  if (isComplex(self.dtype) || source.dtype != self.dtype)
    return call.fail("the types of tensor and source differ");
  int64_t dim1 = wrapDim(call.integer("dim1"), self.rank());
  int64_t dim2 = wrapDim(call.integer("dim2", 1), self.rank());
  int64_t offset = call.integer("offset");
  int64_t count = source.shape().back();
  return call.map(
      {self}, self.shape(), self.dtype, [&](Scalars &s, ValueRange v) -> Value {
        Type i64 = s.builder.getI64Type();
        Value zero = s.integer(i64, 0);
        Value row = s.position(dim1), column = s.position(dim2);
        Value on =
            s.compare(Compare::eq, s.sub(column, row), s.integer(i64, offset));
        Value place = s.min(s.max(offset < 0 ? column : row, zero),
                            s.integer(i64, count - 1));
        SmallVector<Value> at;
        for (int64_t dim = 0; dim < self.rank(); ++dim)
          if (dim != dim1 && dim != dim2)
            at.push_back(s.index(dim));
        at.push_back(s.toIndex(place));
        return s.select(on, s.extract(source.value, at), v[0]);
      });
}

/// Windows of a dimension: it counts them, and a new last one is inside.
static Results unfold(Call &call) {
  Tensor self = call.tensor("self");
  if (self.rank() == 0)
    return call.reshape(self, call.resultShape());
  int64_t dim = wrapDim(call.integer("dimension"), self.rank());
  int64_t step = call.integer("step", 1), last = self.rank();
  return readAt(call, self, call.resultShape(), [&](Scalars &s) {
    SmallVector<Value> at;
    Type index = s.builder.getIndexType();
    for (int64_t i = 0; i < self.rank(); ++i) {
      Value here = s.index(i);
      if (i == dim)
        here = s.add(s.mul(here, s.integer(index, step)), s.index(last));
      at.push_back(here);
    }
    return at;
  });
}

void octavo::addStridedRules(Rules &rules) {
  rules.add("aten.as_strided.default", asStrided);
  rules.add("aten.as_strided_copy.default", asStrided);
  rules.add("aten.as_strided_scatter.default", asStridedScatter);
  rules.add("aten.tril.default",
            [](Call &call) { return triangle(call, /*lower=*/true); });
  rules.add("aten.triu.default",
            [](Call &call) { return triangle(call, /*lower=*/false); });
  rules.add("aten.diagonal_scatter.default", diagonalScatter);
  rules.add("aten.unfold.default", unfold);
}
