//===- TileMemoryOps.cpp - Verifiers of ops that touch memory -------------===//

#include "dialects/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace octavo::tile;

/// Every tile of an access has the shape of its offsets.
static LogicalResult verifyShapes(Operation *op, RankedTensorType offsets,
                                  ValueRange tiles) {
  for (Value tile : tiles) {
    if (tile &&
        cast<ShapedType>(tile.getType()).getShape() != offsets.getShape())
      return op->emitOpError("expected tiles of the shape of ")
             << offsets << ", got " << tile.getType();
  }
  return success();
}

static LogicalResult verifyElement(Operation *op, ViewType view, Value tile) {
  if (tile && getElementTypeOrSelf(tile.getType()) != view.getElementType())
    return op->emitOpError("expected elements of ")
           << view << ", got " << tile.getType();
  return success();
}

LogicalResult GatherOp::verify() {
  // (C1)
  if (failed(verifyShapes(*this, getOffsets().getType(),
                          {getMask(), getOther(), getResult()})))
    return failure();
  // (C2)
  if (failed(verifyElement(*this, getView().getType(), getOther())))
    return failure();
  return verifyElement(*this, getView().getType(), getResult());
}

LogicalResult ScatterOp::verify() {
  // (C1)
  if (failed(
          verifyShapes(*this, getOffsets().getType(), {getMask(), getValue()})))
    return failure();
  // (C2)
  return verifyElement(*this, getView().getType(), getValue());
}

/// C1 to C3 of `tile.load` and `tile.store`.
static LogicalResult verifyBlock(Operation *op, ViewType view, Value tile,
                                 ValueRange offsets) {
  auto type = cast<RankedTensorType>(tile.getType());
  // (C1)
  if (type.getRank() != view.getRank() ||
      static_cast<int64_t>(offsets.size()) != view.getRank())
    return op->emitOpError("expected one rank, got ")
           << view << ", " << offsets.size() << " offsets and " << type;
  // (C2)
  if (failed(verifyElement(op, view, tile)))
    return failure();
  // (C3)
  if (!view.isStatic())
    return op->emitOpError("expected known sizes and strides, got ") << view;
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyBlock(*this, getView().getType(), getResult(), getOffsets());
}

LogicalResult StoreOp::verify() {
  return verifyBlock(*this, getView().getType(), getValue(), getOffsets());
}

LogicalResult AtomicRmwOp::verify() {
  // (C1)
  if (failed(
          verifyShapes(*this, getOffsets().getType(), {getMask(), getValue()})))
    return failure();
  // (C2)
  if (failed(verifyElement(*this, getView().getType(), getValue())))
    return failure();
  // (C3)
  bool needsIntegers =
      llvm::is_contained({AtomicKind::And, AtomicKind::Or, AtomicKind::Xor,
                          AtomicKind::UMax, AtomicKind::UMin},
                         getKind());
  if (needsIntegers && !isa<IntegerType>(getView().getType().getElementType()))
    return emitOpError("expected integers for '")
           << stringifyAtomicKind(getKind()) << "', got "
           << getView().getType();
  return success();
}
