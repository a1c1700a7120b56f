//===- EmitViews.cpp - Builds octavo-level views --------------------------===//
//
// A view of a complex tensor is the same view of its real and imaginary parts,
// which are one more dimension at the end.
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace octavo;

using Groups = SmallVector<ReassociationIndices>;

/// Splits two shapes of equally many elements into the finest groups of
/// dimensions whose products agree; `sizes` are these products.
static void matchGroups(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                        Groups &left, Groups &right, Shape &sizes) {
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReassociationIndices a, b;
    int64_t pa = 1, pb = 1;
    if (i < from.size()) {
      pa *= from[i];
      a.push_back(i++);
    }
    if (j < to.size()) {
      pb *= to[j];
      b.push_back(j++);
    }
    while (pa != pb) {
      if (pa < pb) {
        pa *= from[i];
        a.push_back(i++);
      } else {
        pb *= to[j];
        b.push_back(j++);
      }
    }
    // What is left over on one side are sizes of 1: they join the last group.
    if (!sizes.empty() && (a.empty() || b.empty())) {
      llvm::append_range(left.back(), a);
      llvm::append_range(right.back(), b);
      continue;
    }
    left.push_back(a);
    right.push_back(b);
    sizes.push_back(pa);
  }
}

Tensor Emitter::reshapeReal(Tensor input, ArrayRef<int64_t> shape) {
  if (input.shape() == shape)
    return input;
  if (countElements(shape) == 0)
    return empty(shape, input.dtype);
  if (auto expand = input.value.getDefiningOp<tensor::ExpandShapeOp>())
    if (expand.getSrcType().getShape() == shape)
      return {expand.getSrc(), input.dtype};
  if (auto collapse = input.value.getDefiningOp<tensor::CollapseShapeOp>())
    if (collapse.getSrcType().getShape() == shape)
      return {collapse.getSrc(), input.dtype};
  Type element = storageOf(input.dtype);
  auto result = RankedTensorType::get(shape, element);
  if (input.rank() == 0 || shape.empty()) {
    if (shape.empty())
      return {tensor::CollapseShapeOp::create(builder, loc, result, input.value,
                                              Groups{}),
              input.dtype};
    return {tensor::ExpandShapeOp::create(builder, loc, result, input.value,
                                          Groups{}),
            input.dtype};
  }
  Groups left, right;
  Shape sizes;
  matchGroups(input.shape(), shape, left, right, sizes);
  Value value = input.value;
  if (sizes.size() != input.shape().size())
    value = tensor::CollapseShapeOp::create(
        builder, loc, RankedTensorType::get(sizes, element), value, left);
  if (sizes.size() != shape.size())
    value = tensor::ExpandShapeOp::create(builder, loc, result, value, right);
  return {value, input.dtype};
}

Tensor Emitter::reshape(Tensor input, ArrayRef<int64_t> shape) {
  if (!isComplex(input.dtype))
    return reshapeReal(input, shape);
  Shape all(shape);
  all.push_back(2);
  return {reshapeReal(input.asReal(), all).value, input.dtype};
}

Tensor Emitter::transpose(Tensor input, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> order(permutation);
  if (isComplex(input.dtype))
    order.push_back(order.size());
  Value value = input.value;
  // Two transposes are one, or none.
  if (auto inner = value.getDefiningOp<linalg::TransposeOp>()) {
    for (int64_t &dim : order)
      dim = inner.getPermutation()[dim];
    value = inner.getInput();
  }
  if (llvm::equal(order, llvm::seq<int64_t>(0, order.size())))
    return {value, input.dtype};
  auto type = cast<RankedTensorType>(value.getType());
  Shape shape;
  for (int64_t dim : order)
    shape.push_back(type.getDimSize(dim));
  Value out =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  auto op = linalg::TransposeOp::create(builder, loc, value, out, order);
  return {op->getResult(0), input.dtype};
}

Tensor Emitter::swapLast(Tensor input) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, input.rank()));
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  return transpose(input, order);
}

Tensor Emitter::slice(Tensor input, ArrayRef<int64_t> offsets,
                      ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  if (input.shape() == sizes)
    return input;
  SmallVector<int64_t> at(offsets), size(sizes), step(steps);
  if (isComplex(input.dtype)) {
    at.push_back(0);
    size.push_back(2);
    step.push_back(1);
  }
  auto attributes = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  };
  return {tensor::ExtractSliceOp::create(builder, loc, input.value,
                                         attributes(at), attributes(size),
                                         attributes(step)),
          input.dtype};
}

Tensor Emitter::slice(Tensor input, int64_t dim, int64_t start, int64_t size,
                      int64_t step) {
  Shape offsets(input.rank(), 0), sizes(input.shape()), steps(input.rank(), 1);
  offsets[dim] = start;
  sizes[dim] = size;
  steps[dim] = step;
  return slice(input, offsets, sizes, steps);
}

Tensor Emitter::insert(Tensor input, Tensor source, int64_t dim, int64_t start,
                       int64_t step) {
  auto type = cast<RankedTensorType>(source.value.getType());
  if (type == input.value.getType())
    return source;
  Shape offsets(type.getRank(), 0), sizes(type.getShape()),
      steps(type.getRank(), 1);
  offsets[dim] = start;
  steps[dim] = step;
  auto attributes = [&](ArrayRef<int64_t> values) {
    return getAsIndexOpFoldResult(builder.getContext(), values);
  };
  return {tensor::InsertSliceOp::create(builder, loc, source.value, input.value,
                                        attributes(offsets), attributes(sizes),
                                        attributes(steps)),
          input.dtype};
}

Tensor Emitter::concat(ArrayRef<Tensor> inputs, int64_t dim) {
  if (inputs.size() == 1)
    return inputs.front();
  SmallVector<Value> values;
  for (Tensor input : inputs)
    values.push_back(input.value);
  return {tensor::ConcatOp::create(builder, loc, dim, values),
          inputs.front().dtype};
}

Tensor Emitter::unsqueeze(Tensor input, int64_t dim) {
  Shape shape(input.shape());
  shape.insert(shape.begin() + dim, 1);
  return reshape(input, shape);
}
