//===- BodyEmitter.cpp - Scalar bodies on whole tiles ---------------------===//
//
// A body's scalar op becomes the same op on tiles. Indices stay formulas as
// long as they are sums, products with constants and divisions; only what a
// value needs is evaluated.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace octavo;

/// The element type of a body value's tile: an index is i32.
static Type tileElement(Type type) {
  return type.isIndex() ? IntegerType::get(type.getContext(), 32) : type;
}

Value Evaluator::emitBody(linalg::GenericOp op, const Element &element,
                          const Guards &guards) {
  unsigned result = cast<OpResult>(element.tensor).getResultNumber();
  BodyFrame frame{
      op, space.iterationIndex(op, result, element.index), guards, {}};
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  Value yielded = yield.getOperand(result);
  BodyValue value = bodyValue(yielded, frame);
  if (failed())
    return {};
  SmallVector<int64_t> unit(rank, 1);
  return bodyTile(value, yielded.getType(), unit);
}

BodyValue Evaluator::bodyValue(Value value, BodyFrame &frame) {
  auto it = frame.values.find(value.getAsOpaquePointer());
  if (it != frame.values.end())
    return it->second;
  BodyValue result;
  if (auto index = value.getType().isIndex()
                       ? space.bodyIndex(value, frame.iteration)
                       : std::nullopt) {
    result.index = *index;
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    OpOperand &operand = frame.op->getOpOperand(argument.getArgNumber());
    AffineMap map = frame.op.getMatchingIndexingMap(&operand);
    Element element{operand.get(), space.operandIndex(map, frame.iteration)};
    result.tile = evaluate(element, frame.guards);
  } else {
    result = bodyOp(value.getDefiningOp(), frame);
  }
  if (failed())
    return {};
  return frame.values[value.getAsOpaquePointer()] = result;
}

BodyValue Evaluator::bodyOp(Operation *op, BodyFrame &frame) {
  BodyValue result;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    result.constant = constant.getValue();
    return result;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return bodyExtract(extract, frame);
  if (op->getNumResults() != 1 || op->getNumRegions() != 0) {
    fail(op, "has no lowering inside the body of a kernel");
    return {};
  }
  SmallVector<BodyValue> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(bodyValue(operand, frame));
    if (failed())
      return {};
  }
  // Casts between index and integers are casts between integers.
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    Type to = tileElement(op->getResult(0).getType());
    Value tile = bodyTile(operands[0], op->getOperand(0).getType(),
                          SmallVector<int64_t>(rank, 1));
    auto type = cast<RankedTensorType>(tile.getType());
    unsigned from = type.getElementTypeBitWidth(),
             width = to.getIntOrFloatBitWidth();
    if (from > width)
      tile = arith::TruncIOp::create(b, loc, type.clone(to), tile);
    else if (from < width && isa<arith::IndexCastUIOp>(op))
      tile = arith::ExtUIOp::create(b, loc, type.clone(to), tile);
    else if (from < width)
      tile = arith::ExtSIOp::create(b, loc, type.clone(to), tile);
    result.tile = tile;
    return result;
  }
  return elementwise(op, operands);
}

BodyValue Evaluator::bodyExtract(tensor::ExtractOp op, BodyFrame &frame) {
  Index index = space.extractIndex(op, frame.iteration);
  for (auto [at, value] : llvm::zip(index, op.getIndices())) {
    if (space.bodyIndex(value, frame.iteration))
      continue;
    BodyValue read = bodyValue(value, frame);
    if (failed())
      return {};
    Value tile = bodyTile(read, value.getType(), SmallVector<int64_t>(rank, 1));
    opaques[at->terms[0].first] = tile;
    for (Scope &scope : scopes)
      scope.indices.erase({at, false}), scope.indices.erase({at, true});
  }
  BodyValue result;
  result.tile = evaluate({op.getTensor(), index}, frame.guards);
  return result;
}

Value Evaluator::bodyTile(const BodyValue &value, Type type,
                          ArrayRef<int64_t> shape) {
  if (value.tile)
    return broadcast(
        value.tile,
        shape.size() && ShapedType::getNumElements(shape) > 1
            ? shape
            : cast<RankedTensorType>(value.tile.getType()).getShape());
  if (value.index) {
    Value tile = indexTile(value.index, type.isInteger(64));
    return tile ? bodyTile({tile, nullptr, {}}, type, shape) : Value();
  }
  if (auto attr = dyn_cast<IntegerAttr>(value.constant);
      attr && attr.getType().isIndex())
    return splat(b.getI32IntegerAttr(attr.getInt()), shape);
  return splat(value.constant, shape);
}

BodyValue Evaluator::elementwise(Operation *op, ArrayRef<BodyValue> operands) {
  SmallVector<int64_t> shape(rank, 1);
  auto stretch = [&](ArrayRef<int64_t> other) {
    for (auto [size, s] : llvm::zip(shape, other))
      size = std::max(size, s);
  };
  for (const BodyValue &operand : operands) {
    if (operand.tile)
      stretch(cast<RankedTensorType>(operand.tile.getType()).getShape());
    if (operand.index)
      stretch(shapeOf(operand.index->coordinates));
  }
  SmallVector<Value> tiles;
  for (auto [operand, value] : llvm::zip(operands, op->getOperands()))
    tiles.push_back(bodyTile(operand, value.getType(), shape));
  if (failed())
    return {};
  Type type =
      RankedTensorType::get(shape, tileElement(op->getResult(0).getType()));
  Operation *tileOp = op->clone();
  tileOp->setOperands(tiles);
  tileOp->getResult(0).setType(type);
  tileOp->setLoc(loc);
  b.insert(tileOp);
  return {tileOp->getResult(0), nullptr, {}};
}
