//===- KernelMemory.cpp - Reading and writing a kernel's tensors ----------===//

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
    if (bound && bound->axis >= 0 && bound->extent % bound->block != 0)
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

Value Evaluator::load(const MemoryTensor &from, const Element &element,
                      const Guards &guards) {
  IndexExpr offset = space.indices().linearize(element.index, from.strides);
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
  auto shape = cast<RankedTensorType>(offsets.getType()).getShape();
  if (valid)
    valid = broadcast(valid, shape);
  tile::ScatterOp::create(b, loc, broadcast(value, shape), to.view, offsets,
                          valid);
  return true;
}
