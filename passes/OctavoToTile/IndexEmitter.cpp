//===- IndexEmitter.cpp - Index formulas as tiles -------------------------===//

#include "passes/OctavoToTile/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace octavo;

Value Evaluator::indexTile(IndexExpr expr, bool wide) {
  Scope &scope = scopes[scopeOf(expr->coordinates)];
  auto key = std::make_pair(expr, wide);
  if (auto it = scope.indices.find(key); it != scope.indices.end())
    return it->second;
  OpBuilder::InsertionGuard guard(b);
  moveTo(scopeOf(expr->coordinates));
  return scope.indices[key] = emitIndex(expr, wide);
}

/// Sums terms of equal shape first, so that what is the same for a whole row is
/// computed once per row.
Value Evaluator::emitIndex(IndexExpr expr, bool wide) {
  Type element = wide ? b.getI64Type() : b.getI32Type();
  SmallVector<std::pair<SmallVector<int64_t>, Value>> sums;
  auto accumulate = [&](Value tile) {
    auto shape = cast<RankedTensorType>(tile.getType()).getShape();
    for (auto &[s, sum] : sums)
      if (ArrayRef<int64_t>(s) == shape) {
        sum = arith::AddIOp::create(b, loc, sum, tile);
        return;
      }
    sums.emplace_back(llvm::to_vector(shape), tile);
  };
  for (auto &[atom, coefficient] : expr->terms) {
    Value tile = emitAtom(atom, wide);
    if (!tile)
      return {};
    auto shape = cast<RankedTensorType>(tile.getType()).getShape();
    if (coefficient != 1)
      tile = arith::MulIOp::create(
          b, loc, tile, splat(b.getIntegerAttr(element, coefficient), shape));
    accumulate(tile);
  }
  if (expr->constant != 0 || sums.empty()) {
    SmallVector<int64_t> unit(rank, 1);
    auto attr = b.getIntegerAttr(element, expr->constant);
    accumulate(splat(attr, sums.empty() ? unit : sums[0].first));
  }
  llvm::sort(sums, [](auto &x, auto &y) {
    return ShapedType::getNumElements(x.first) <
           ShapedType::getNumElements(y.first);
  });
  SmallVector<int64_t> shape = shapeOf(expr->coordinates);
  Value total = sums[0].second;
  for (auto &[s, sum] : llvm::drop_begin(sums)) {
    total = arith::AddIOp::create(b, loc, broadcast(total, shape),
                                  broadcast(sum, shape));
  }
  return broadcast(total, shape);
}

Value Evaluator::emitAtom(const IndexAtom *atom, bool wide) {
  Type element = wide ? b.getI64Type() : b.getI32Type();
  if (atom->kind == IndexAtom::Div || atom->kind == IndexAtom::Mod)
    return emitDivMod(atom, wide);
  auto widen = [&](Value tile) -> Value {
    auto type = cast<RankedTensorType>(tile.getType());
    if (!wide || type.getElementType() == element)
      return tile;
    return arith::ExtSIOp::create(b, loc, type.clone(element), tile);
  };
  if (atom->kind == IndexAtom::Opaque) {
    if (auto it = opaques.find(atom); it != opaques.end())
      return widen(it->second);
    return fail(nullptr, "an index read from memory is used before it is read");
  }
  const BoundCoordinate *bound = find(atom->id);
  if (!bound)
    return fail(nullptr, "a coordinate is used outside its loop");
  Value base = bound->base ? unitTile(bound->base) : Value();
  if (bound->axis < 0)
    return widen(
        base ? base
             : splat(b.getI32IntegerAttr(0), SmallVector<int64_t>(rank, 1)));
  Value tile = tile::RangeOp::create(
      b, loc, RankedTensorType::get({bound->block}, b.getI32Type()), 0,
      bound->block);
  for (unsigned axis = 0; axis < rank; ++axis) {
    if (int(axis) == bound->axis)
      continue;
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + axis, 1);
    tile = tile::ExpandDimsOp::create(b, loc, type.clone(shape), tile, axis);
  }
  if (base)
    tile = arith::AddIOp::create(
        b, loc, tile,
        broadcast(base, cast<RankedTensorType>(tile.getType()).getShape()));
  return widen(tile);
}

Value Evaluator::emitDivMod(const IndexAtom *atom, bool wide) {
  Type element = wide ? b.getI64Type() : b.getI32Type();
  Value operand = indexTile(atom->operand, wide);
  if (!operand)
    return {};
  auto shape = cast<RankedTensorType>(operand.getType()).getShape();
  auto constant = [&](int64_t value) {
    return splat(b.getIntegerAttr(element, value), shape);
  };
  bool div = atom->kind == IndexAtom::Div;
  int64_t by = atom->divisor;
  if (llvm::isPowerOf2_64(by)) {
    if (div)
      return arith::ShRSIOp::create(b, loc, operand,
                                    constant(llvm::Log2_64(by)));
    return arith::AndIOp::create(b, loc, operand, constant(by - 1));
  }
  // A negative operand is lifted by whole multiples of the divisor.
  int64_t lift =
      std::max<int64_t>(0, llvm::divideCeilSigned(-atom->operand->low, by));
  if (lift)
    operand = arith::AddIOp::create(b, loc, operand, constant(lift * by));
  if (!div)
    return arith::RemUIOp::create(b, loc, operand, constant(by));
  Value quotient = arith::DivUIOp::create(b, loc, operand, constant(by));
  if (lift)
    quotient = arith::SubIOp::create(b, loc, quotient, constant(lift));
  return quotient;
}
