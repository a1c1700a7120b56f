//===- Evaluator.cpp - Elements of values as tiles ------------------------===//

#include "passes/OctavoToTile/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;

//===----------------------------------------------------------------------===//
// Scopes and shapes
//===----------------------------------------------------------------------===//

void Evaluator::enter(Operation *loop) {
  scopes.emplace_back();
  scopes.back().loop = loop;
}

const BoundCoordinate *Evaluator::find(unsigned coordinate) const {
  for (const Scope &scope : llvm::reverse(scopes))
    if (auto it = scope.bound.find(coordinate); it != scope.bound.end())
      return &it->second;
  return nullptr;
}

unsigned Evaluator::scopeOf(uint64_t coordinates) const {
  for (unsigned i = scopes.size(); i-- > 0;)
    for (auto &[coordinate, bound] : scopes[i].bound)
      if (coordinates >> coordinate & 1)
        return i;
  return 0;
}

void Evaluator::moveTo(unsigned number) {
  if (number + 1 < scopes.size())
    b.setInsertionPoint(scopes[number + 1].loop);
}

SmallVector<int64_t> Evaluator::shapeOf(uint64_t coordinates) const {
  SmallVector<int64_t> shape(rank, 1);
  for (unsigned c = 0; c < 63; ++c)
    if (coordinates >> c & 1)
      if (const BoundCoordinate *bound = find(c); bound && bound->axis >= 0)
        shape[bound->axis] = bound->block;
  return shape;
}

uint64_t Evaluator::coordinatesOf(ArrayRef<IndexExpr> index) {
  uint64_t all = 0;
  for (IndexExpr e : index)
    all |= e->coordinates;
  return all;
}

Value Evaluator::broadcast(Value tile, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  // What is the same everywhere is made again with the size that is wanted.
  DenseElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(b, loc,
                                     constant.resizeSplat(type.clone(shape)));
  return tile::BroadcastOp::create(b, loc, type.clone(shape), tile);
}

Value Evaluator::splat(TypedAttr value, ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, value.getType());
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(type, Attribute(value)));
}

Value Evaluator::unitTile(Value scalar) {
  auto type =
      RankedTensorType::get(SmallVector<int64_t>(rank, 1), scalar.getType());
  return tile::SplatOp::create(b, loc, type, scalar);
}

Value Evaluator::fail(Operation *op, const Twine &message) {
  if (!hasFailed && op)
    op->emitOpError(message);
  else if (!hasFailed)
    emitError(loc, message);
  hasFailed = true;
  return {};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value Evaluator::evaluate(const Element &element) {
  return evaluate(element, Guards());
}

void Evaluator::define(const Element &element, Value tile) {
  unsigned number = scopeOf(coordinatesOf(element.index));
  scopes[number].elements[{element, Guards()}] = tile;
}

Value Evaluator::evaluate(const Element &element, const Guards &guards) {
  if (failed())
    return {};
  // What was computed for all indices serves the guarded ones too.
  unsigned plain = scopeOf(coordinatesOf(element.index));
  auto &known = scopes[plain].elements;
  if (auto it = known.find({element, Guards()}); it != known.end())
    return it->second;
  uint64_t coordinates = coordinatesOf(element.index);
  for (const Guard &guard : guards)
    coordinates |= guard.index->coordinates;
  unsigned number = scopeOf(coordinates);
  auto key = std::make_pair(element, guards);
  auto &elements = scopes[number].elements;
  if (auto it = elements.find(key); it != elements.end())
    return it->second;
  OpBuilder::InsertionGuard guard(b);
  moveTo(number);
  Location outer = loc;
  if (Operation *op = element.tensor.getDefiningOp())
    loc = op->getLoc();
  Value tile = emit(element, guards);
  loc = outer;
  return scopes[number].elements[key] = tile;
}

Value Evaluator::emit(const Element &element, const Guards &guards) {
  auto found = memory.find(element.tensor.getAsOpaquePointer());
  if (found != memory.end())
    return load(found->second, element, guards);
  Operation *op = element.tensor.getDefiningOp();
  if (!op)
    return fail(nullptr, "a kernel reads a value that is not its argument");
  if (ElementSpace::isView(op))
    return emitView(op, element, guards);
  SmallVector<int64_t> unit(rank, 1);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](linalg::GenericOp generic) {
        if (generic.getNumReductionLoops() != 0)
          return fail(op, "reduces; a kernel needs linalg.reduce");
        return emitBody(generic, element, guards);
      })
      .Case([&](linalg::ReduceOp reduce) {
        return emitReduction(reduce, element);
      })
      .Case([&](linalg::FillOp fill) {
        TypedAttr value;
        if (!matchPattern(fill.getInputs()[0], m_Constant(&value)))
          return fail(op, "fills with a value that is not a constant");
        return splat(value, unit);
      })
      .Case([&](arith::ConstantOp constant) {
        auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
        if (!dense || !dense.isSplat())
          return fail(op, "is a constant of several values inside a kernel");
        return splat(cast<TypedAttr>(dense.getSplatValue<Attribute>()), unit);
      })
      .Case([&](tensor::EmptyOp empty) {
        return splat(b.getZeroAttr(empty.getType().getElementType()), unit);
      })
      .Case([&](RandomOp random) { return emitRandom(random, element); })
      .Default([&](Operation *) {
        return fail(op, "has no lowering inside a kernel");
      });
}

Value Evaluator::emitView(Operation *op, const Element &element,
                          const Guards &guards) {
  ViewSources parts = space.viewSources(op, element.index);
  Value result;
  if (parts.other) {
    auto attr = parts.other;
    if (auto dense = dyn_cast<DenseElementsAttr>(attr))
      attr = dense.getSplatValue<Attribute>();
    result = splat(cast<TypedAttr>(attr), SmallVector<int64_t>(rank, 1));
  } else if (isa<tensor::PadOp>(op)) {
    return fail(op, "pads with a value that is not a constant");
  }
  // From the last source to the first: the first whose guards hold wins.
  for (GuardedElement &part : llvm::reverse(parts.sources)) {
    Guards inner = guards;
    bool narrow = result && !part.guards.empty();
    if (narrow)
      inner.append(part.guards);
    llvm::sort(inner);
    inner.erase(llvm::unique(inner,
                             [](const Guard &x, const Guard &y) {
                               return !(x < y) && !(y < x);
                             }),
                inner.end());
    Value value = evaluate(part.element, inner);
    if (!value)
      return {};
    Value holds = narrow ? mask(part.guards, 0) : Value();
    if (!holds) {
      result = value;
      continue;
    }
    SmallVector<int64_t> shape(rank, 1);
    for (Value v : {value, result, holds})
      for (auto [size, s] :
           llvm::zip(shape, cast<RankedTensorType>(v.getType()).getShape()))
        size = std::max(size, s);
    result = arith::SelectOp::create(b, loc, broadcast(holds, shape),
                                     broadcast(value, shape),
                                     broadcast(result, shape));
  }
  return result;
}
