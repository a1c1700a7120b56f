//===- TensorOps.cpp - The meaning of ops that move elements --------------===//

#include "TensorOps.h"
#include "ScalarOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo::reference;

void octavo::reference::forEachIndex(
    ArrayRef<int64_t> extents, function_ref<void(ArrayRef<int64_t>)> body) {
  if (llvm::is_contained(extents, 0))
    return;
  SmallVector<int64_t> index(extents.size(), 0);
  while (true) {
    body(index);
    int d = static_cast<int>(extents.size()) - 1;
    while (d >= 0 && ++index[d] == extents[d])
      index[d--] = 0;
    if (d < 0)
      return;
  }
}

static HostTensor emptyResult(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return HostTensor(type.getShape(), type.getElementType());
}

/// Position in the large tensor of `index` in a slice of it.
template <typename SliceOp>
static SmallVector<int64_t> positionInSource(SliceOp op,
                                             ArrayRef<int64_t> index) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<int64_t> position;
  unsigned next = 0;
  for (unsigned d = 0; d < op.getStaticOffsets().size(); ++d) {
    int64_t i = dropped.test(d) ? 0 : index[next++];
    position.push_back(op.getStaticOffset(d) + i * op.getStaticStride(d));
  }
  return position;
}

static HostTensor extractSlice(tensor::ExtractSliceOp op,
                               const HostTensor &source) {
  HostTensor result = emptyResult(op);
  forEachIndex(result.shape, [&](ArrayRef<int64_t> index) {
    result.set(result.offset(index),
               source.get(source.offset(positionInSource(op, index))));
  });
  return result;
}

static HostTensor insertSlice(tensor::InsertSliceOp op,
                              const HostTensor &source,
                              const HostTensor &dest) {
  HostTensor result = dest;
  forEachIndex(source.shape, [&](ArrayRef<int64_t> index) {
    result.set(result.offset(positionInSource(op, index)),
               source.get(source.offset(index)));
  });
  return result;
}

static HostTensor concat(tensor::ConcatOp op,
                         ArrayRef<const HostTensor *> operands) {
  HostTensor result = emptyResult(op);
  int64_t start = 0;
  for (const HostTensor *part : operands) {
    forEachIndex(part->shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> position(index);
      position[op.getDim()] += start;
      result.set(result.offset(position), part->get(part->offset(index)));
    });
    start += part->shape[op.getDim()];
  }
  return result;
}

/// Padding with a constant; a computed padding value has no meaning here.
static std::optional<HostTensor> pad(tensor::PadOp op,
                                     const HostTensor &source) {
  Attribute value;
  if (!op.getConstantPaddingValue() ||
      !matchPattern(op.getConstantPaddingValue(), m_Constant(&value)))
    return std::nullopt;
  HostTensor result = emptyResult(op);
  Scalar scalar = constantScalar(value);
  for (int64_t i = 0; i < result.size(); ++i)
    result.set(i, scalar);
  forEachIndex(source.shape, [&](ArrayRef<int64_t> index) {
    SmallVector<int64_t> position(index);
    for (auto [p, low] : llvm::zip(position, op.getStaticLow()))
      p += low;
    result.set(result.offset(position), source.get(source.offset(index)));
  });
  return result;
}

std::optional<HostTensor>
octavo::reference::moveElements(Operation *op,
                                ArrayRef<const HostTensor *> operands) {
  using Result = std::optional<HostTensor>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
            tensor::CastOp>([&](auto) {
        HostTensor result = *operands[0];
        result.shape.assign(
            cast<RankedTensorType>(op->getResult(0).getType()).getShape());
        return result;
      })
      .Case([&](tensor::BitcastOp) {
        HostTensor result = emptyResult(op);
        result.data = operands[0]->data;
        return result;
      })
      .Case([&](tensor::EmptyOp) { return emptyResult(op); })
      .Case([&](tensor::ExtractSliceOp slice) {
        return extractSlice(slice, *operands[0]);
      })
      .Case([&](tensor::InsertSliceOp slice) {
        return insertSlice(slice, *operands[0], *operands[1]);
      })
      .Case([&](tensor::ConcatOp cat) { return concat(cat, operands); })
      .Case([&](tensor::PadOp padding) { return pad(padding, *operands[0]); })
      .Default(Result());
}
