//===- Reductions.cpp - Reductions on tiles -------------------------------===//

#include "passes/OctavoToTile/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace octavo;

TypedAttr octavo::getNeutral(Operation *combiner, Type type) {
  if (std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner))
    return *neutral;
  if (auto floats = dyn_cast<FloatType>(type)) {
    const auto &semantics = floats.getFloatSemantics();
    bool maximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner);
    if (maximum || isa<arith::MinimumFOp, arith::MinNumFOp>(combiner))
      return FloatAttr::get(type, APFloat::getInf(semantics, maximum));
  }
  return {};
}

/// The single op of a combiner `(x, acc) -> op(x, acc)`, or null.
static Operation *singleCombiner(linalg::ReduceOp op) {
  Block &body = op.getCombiner().front();
  return body.getOperations().size() == 2 ? &body.front() : nullptr;
}

static TypedAttr initValue(linalg::ReduceOp op, unsigned i) {
  Attribute value;
  auto fill = op.getInits()[i].getDefiningOp<linalg::FillOp>();
  if (fill)
    matchPattern(fill.getInputs()[0], m_Constant(&value));
  else if (matchPattern(op.getInits()[i], m_Constant(&value)))
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = dense.isSplat() ? dense.getSplatValue<Attribute>() : Attribute();
  return dyn_cast_or_null<TypedAttr>(value);
}

/// What fills places that do not exist: the neutral element of a known
/// combiner, else the init, which then must be neutral.
static TypedAttr filler(linalg::ReduceOp op, unsigned i, bool &isNeutral) {
  TypedAttr init = initValue(op, i);
  Operation *single = singleCombiner(op);
  Type type =
      cast<RankedTensorType>(op.getInits()[i].getType()).getElementType();
  TypedAttr neutral = single ? getNeutral(single, type) : TypedAttr();
  // A sum of floats may start from either zero: they differ only if all terms
  // are -0.0.
  auto zero = dyn_cast_or_null<FloatAttr>(init);
  if (zero && zero.getValue().isZero() && single && isa<arith::AddFOp>(single))
    neutral = init;
  isNeutral = neutral != TypedAttr();
  return neutral ? neutral : init;
}

SmallVector<Value> Evaluator::neutralTiles(linalg::ReduceOp op,
                                           ArrayRef<int64_t> shape) {
  SmallVector<Value> tiles;
  for (unsigned i = 0; i < op.getInits().size(); ++i) {
    bool known;
    TypedAttr value = filler(op, i, known);
    if (!value) {
      fail(op, "has an init that is not a constant");
      return {};
    }
    tiles.push_back(splat(value, shape));
  }
  return tiles;
}

SmallVector<Value> Evaluator::reductionInputs(linalg::ReduceOp op,
                                              ArrayRef<IndexExpr> at) {
  Index index = space.reducedIndex(op, at);
  int64_t extent = ElementSpace::reducedExtent(op);
  uint64_t coordinates = coordinatesOf(index) & ~IndexSpace::opaqueBit;
  // One element needs no coordinate.
  uint64_t own = extent == 1 ? 0 : uint64_t(1) << space.reducedNumber(extent);
  SmallVector<int64_t> shape = shapeOf(coordinates | own);
  SmallVector<Value> tiles;
  for (Value input : op.getInputs()) {
    Value tile = evaluate({input, index});
    if (failed())
      return {};
    tiles.push_back(broadcast(tile, shape));
  }
  Value valid = mask({}, own);
  if (!valid)
    return tiles;
  SmallVector<Value> neutral = neutralTiles(op, shape);
  if (failed())
    return {};
  for (auto [tile, other] : llvm::zip(tiles, neutral))
    tile =
        arith::SelectOp::create(b, loc, broadcast(valid, shape), tile, other);
  return tiles;
}

SmallVector<Value> Evaluator::combine(linalg::ReduceOp op, ValueRange a,
                                      ValueRange other) {
  Block &body = op.getCombiner().front();
  std::map<void *, BodyValue> values;
  SmallVector<Value> tiles(a);
  llvm::append_range(tiles, other);
  for (auto [argument, tile] : llvm::zip(body.getArguments(), tiles))
    values[argument.getAsOpaquePointer()].tile = tile;
  for (Operation &inner : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      values[inner.getResult(0).getAsOpaquePointer()].constant =
          constant.getValue();
      continue;
    }
    SmallVector<BodyValue> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(values[operand.getAsOpaquePointer()]);
    values[inner.getResult(0).getAsOpaquePointer()] =
        elementwise(&inner, operands);
    if (failed())
      return {};
  }
  SmallVector<Value> results;
  for (Value yielded : body.getTerminator()->getOperands())
    results.push_back(values[yielded.getAsOpaquePointer()].tile);
  return results;
}

SmallVector<Value> Evaluator::finishReduction(linalg::ReduceOp op,
                                              ValueRange partial) {
  unsigned number = space.reducedNumber(ElementSpace::reducedExtent(op));
  int axis = find(number)->axis;
  SmallVector<Type> types;
  for (Value tile : partial) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    types.push_back(type.clone(shape));
  }
  auto reduce = tile::ReduceOp::create(b, loc, types, partial, uint32_t(axis),
                                       IntegerAttr());
  IRMapping mapping;
  op.getCombiner().cloneInto(&reduce.getCombiner(), mapping);
  Operation *end = reduce.getCombiner().front().getTerminator();
  OpBuilder inner(end);
  tile::YieldOp::create(inner, end->getLoc(), end->getOperands());
  end->erase();
  SmallVector<Value> results;
  for (Value tile : reduce.getResults()) {
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + axis, 1);
    results.push_back(
        tile::ExpandDimsOp::create(b, loc, type.clone(shape), tile, axis));
  }
  return joinInit(op, results);
}

SmallVector<Value> Evaluator::joinInit(linalg::ReduceOp op,
                                       ArrayRef<Value> results) {
  SmallVector<Value> inits;
  for (auto [i, tile] : llvm::enumerate(results)) {
    bool neutral;
    TypedAttr fill = filler(op, i, neutral), init = initValue(op, i);
    if (!init) {
      fail(op, "has an init that is not a constant");
      return {};
    }
    auto shape = cast<RankedTensorType>(tile.getType()).getShape();
    if (neutral && init != fill)
      inits.push_back(splat(init, shape));
  }
  // An init that is not neutral joins once, at the end.
  if (inits.size() == results.size())
    return combine(op, results, inits);
  return SmallVector<Value>(results);
}

Value Evaluator::emitReduction(linalg::ReduceOp op, const Element &element) {
  int64_t extent = ElementSpace::reducedExtent(op);
  if (extent != 1 && !isBound(space.reducedNumber(extent)))
    return fail(op, "is read where its elements are not at hand");
  SmallVector<Value> results = reductionInputs(op, element.index);
  if (failed())
    return {};
  results = extent != 1 ? finishReduction(op, results) : joinInit(op, results);
  if (failed())
    return {};
  for (auto [result, tile] : llvm::zip(op.getResults(), results))
    define({result, element.index}, tile);
  return results[cast<OpResult>(element.tensor).getResultNumber()];
}
