//===- KernelMemory.cpp - Reading and writing a kernel's tensors ----------===//

#include "passes/OctavoToTile/BlockRead.h"
#include "passes/OctavoToTile/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace octavo;

Value Evaluator::mask(const Guards &guards, uint64_t coordinates) {
  uint64_t all = coordinates;
  for (const Guard &guard : guards)
    all |= guard.index->coordinates;
  unsigned number = scopeOf(all);
  auto key = std::make_pair(guards, coordinates & ~IndexSpace::opaqueBit);
  auto &masks = scopes[number].masks;
  if (auto it = masks.find(key); it != masks.end())
    return it->second;
  OpBuilder::InsertionGuard guard(b);
  moveTo(number);
  return masks[key] = emitMask(guards, coordinates);
}

Value Evaluator::emitMask(const Guards &guards, uint64_t coordinates) {
  Value all;
  auto require = [&](IndexExpr expr, arith::CmpIPredicate predicate,
                     int64_t bound) {
    Value tile = indexTile(expr, false);
    if (!tile)
      return;
    auto shape = cast<RankedTensorType>(tile.getType()).getShape();
    Value limit = splat(b.getI32IntegerAttr(bound), shape);
    Value holds = arith::CmpIOp::create(b, loc, predicate, tile, limit);
    if (!all) {
      all = holds;
      return;
    }
    SmallVector<int64_t> joint(
        cast<RankedTensorType>(all.getType()).getShape());
    for (auto [size, s] : llvm::zip(joint, shape))
      size = std::max(size, s);
    all = arith::AndIOp::create(b, loc, broadcast(all, joint),
                                broadcast(holds, joint));
  };
  for (unsigned c = 0; c < 63; ++c) {
    if (!(coordinates >> c & 1))
      continue;
    const BoundCoordinate *bound = find(c);
    // Nothing exists of an extent of 0.
    if (bound && bound->axis >= 0 &&
        (bound->extent % bound->block != 0 || bound->extent == 0))
      require(space.indices().coordinate(c, bound->extent),
              arith::CmpIPredicate::slt, bound->extent);
  }
  for (const Guard &guard : guards) {
    if (guard.index->low < guard.low)
      require(guard.index, arith::CmpIPredicate::sge, guard.low);
    if (guard.index->high >= guard.high)
      require(guard.index, arith::CmpIPredicate::slt, guard.high);
  }
  return all;
}

/// A block of the view, if the view has a dimension for each part of the
/// offset.
Value Evaluator::loadBlock(const MemoryTensor &from, IndexExpr offset) {
  auto dims = findBlock(offset, blockAxes);
  auto view = cast<tile::ViewType>(from.view.getType());
  if (!dims || viewOf(*dims, view.getElementType()) != view)
    return {};
  // Axes follow falling strides; the tile may want them the other way round.
  int lastAxis = -1;
  for (const BlockDim &dim : *dims) {
    bool isCoordinate = dim.atom->kind == IndexAtom::Coordinate;
    const BoundCoordinate *bound = isCoordinate ? find(dim.atom->id) : nullptr;
    if (!bound || bound->axis < 0)
      continue;
    if (bound->axis < lastAxis)
      return {};
    lastAxis = bound->axis;
  }
  SmallVector<Value> starts;
  SmallVector<int64_t> block, sizes;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  for (const BlockDim &dim : *dims) {
    const BoundCoordinate *bound =
        dim.atom->kind == IndexAtom::Coordinate ? find(dim.atom->id) : nullptr;
    Value start = bound ? bound->base : scalarOf(dim.atom);
    if (hasFailed)
      return {};
    bool moves = bound && bound->axis >= 0;
    if (dim.start && start)
      start = arith::AddIOp::create(b, loc, start, constant(dim.start));
    starts.push_back(start ? start : constant(dim.start));
    block.push_back(moves ? bound->block : 1);
    if (moves)
      sizes.push_back(bound->block);
  }
  auto type = RankedTensorType::get(block, view.getElementType());
  Value tile = tile::LoadOp::create(b, loc, type, from.view, starts);
  if (sizes.size() != block.size())
    tile = tile::ReshapeOp::create(b, loc, type.clone(sizes), tile);
  return tile;
}

/// Value of an atom that is the same for the whole tile (i32).
Value Evaluator::scalarOf(const IndexAtom *atom) {
  Location at = loc;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, at, b.getI32IntegerAttr(value));
  };
  if (!atom->operand) {
    const BoundCoordinate *bound = find(atom->id);
    if (!bound)
      return fail(nullptr, "a coordinate is used outside its loop");
    return bound->base ? bound->base : constant(0);
  }
  Value sum = constant(atom->operand->constant);
  for (auto &[inner, coefficient] : atom->operand->terms) {
    Value part = scalarOf(inner);
    if (!part)
      return {};
    sum = arith::AddIOp::create(
        b, at, sum, arith::MulIOp::create(b, at, part, constant(coefficient)));
  }
  Value by = constant(atom->divisor);
  if (atom->kind == IndexAtom::Div)
    return arith::DivUIOp::create(b, at, sum, by);
  return arith::RemUIOp::create(b, at, sum, by);
}

Value Evaluator::load(const MemoryTensor &from, const Element &element,
                      const Guards &guards) {
  IndexExpr offset = space.indices().linearize(element.index, from.strides);
  if (!blockAxes.empty() && guards.empty())
    if (Value block = loadBlock(from, offset); block || hasFailed)
      return block;
  bool wide = offset->high > INT32_MAX || offset->low < INT32_MIN;
  uint64_t coordinates = offset->coordinates;
  Value valid = mask(guards, coordinates);
  Value offsets = indexTile(offset, wide);
  if (failed())
    return {};
  auto type = cast<RankedTensorType>(offsets.getType());
  if (valid) {
    // A guard may depend on more coordinates than the offset.
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, s] :
         llvm::zip(shape, cast<RankedTensorType>(valid.getType()).getShape()))
      size = std::max(size, s);
    offsets = broadcast(offsets, shape);
    valid = broadcast(valid, shape);
    type = type.clone(shape);
  }
  Type element_ = cast<tile::ViewType>(from.view.getType()).getElementType();
  return tile::GatherOp::create(b, loc, type.clone(element_), from.view,
                                offsets, valid, Value());
}

Value Evaluator::isFirst(unsigned axis, int64_t size) {
  SmallVector<int64_t> line(rank, 1);
  line[axis] = size;
  Value number = tile::RangeOp::create(
      b, loc, RankedTensorType::get({size}, b.getI32Type()), 0, size);
  number = tile::ReshapeOp::create(
      b, loc, RankedTensorType::get(line, b.getI32Type()), number);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number,
                               splat(b.getI32IntegerAttr(0), line));
}

bool Evaluator::store(const Element &element, const MemoryTensor &to) {
  Value value = evaluate(element);
  if (!value)
    return false;
  IndexExpr offset = space.indices().linearize(element.index, to.strides);
  bool wide = offset->high > INT32_MAX || offset->low < INT32_MIN;
  Value valid = mask({}, offset->coordinates);
  Value offsets = indexTile(offset, wide);
  if (failed())
    return false;
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(offsets.getType()).getShape());
  auto add = [&](Value holds) {
    valid = valid ? Value(arith::AndIOp::create(b, loc, broadcast(valid, shape),
                                                broadcast(holds, shape)))
                  : holds;
  };
  // A block of several elements where one exists: the first.
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(axis);
    if (size <= shape[axis])
      continue;
    shape[axis] = size;
    add(isFirst(axis, size));
  }
  if (valid)
    valid = broadcast(valid, shape);
  tile::ScatterOp::create(b, loc, broadcast(value, shape), to.view,
                          broadcast(offsets, shape), valid);
  return true;
}
