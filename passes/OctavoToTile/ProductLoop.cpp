//===- ProductLoop.cpp - The loop over K of a matrix product --------------===//
//
// Operands are evaluated like any other value, in the order in which they lie
// in memory, so that casts, transposes and slices before the product are part
// of its reads.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/ProductLoop.h"

#include "passes/OctavoToTile/BlockRead.h"
#include "passes/OctavoToTile/ScaledProduct.h"

#include "octavo/Analysis/Product.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace octavo;

/// The tensors from which an operand is made, each with its offset.
static llvm::MapVector<Value, IndexExpr>
offsetsOf(ElementSpace &space, const Element &operand,
          const std::map<void *, SmallVector<int64_t>> &strides) {
  auto leaf = [](Value v) { return isa<BlockArgument>(v); };
  ReadWalk walk(space, leaf);
  walk.visit(operand);
  llvm::MapVector<Value, IndexExpr> offsets;
  for (auto &[value, indices] : walk.leaves)
    offsets[value] = space.indices().linearize(
        *indices.begin(), strides.at(value.getAsOpaquePointer()));
  return offsets;
}

std::map<void *, tile::ViewType>
octavo::operandViews(ScaledMatmulOp op,
                     const std::map<void *, SmallVector<int64_t>> &strides) {
  std::map<void *, tile::ViewType> views;
  ElementSpace space;
  SmallVector<Element> reads = productReads(space, op);
  for (auto [i, other] : {std::pair(0, coordinateM), std::pair(1, coordinateN)})
    for (auto &[value, offset] : offsetsOf(space, reads[i], strides))
      if (auto dims = findBlock(offset, {other, coordinateK}))
        views.try_emplace(value.getAsOpaquePointer(),
                          viewOf(*dims, getElementTypeOrSelf(value.getType())));
  return views;
}

ProductLoop::ProductLoop(OpBuilder &b, KernelBody &body, ScaledMatmulOp op,
                         const MatmulPlan &plan, ElementSpace &space,
                         const ProductBlock &block)
    : b(b), body(body), op(op), plan(plan), loc(op.getLoc()), space(space),
      block(block) {}

/// Whether neighbours along K are neighbours in memory.
bool ProductLoop::isMinorK(const Element &operand, unsigned other) {
  std::map<void *, SmallVector<int64_t>> strides;
  for (auto &[value, memory] : body.memory)
    strides[value] = memory.strides;
  auto offsets = offsetsOf(space, operand, strides);
  int64_t elements = -1;
  bool minor = true;
  for (auto &[value, offset] : offsets) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getNumElements() <= elements)
      continue;
    elements = type.getNumElements();
    int64_t strideK = INT64_MAX, strideOther = INT64_MAX;
    for (auto &[atom, stride] : offset->terms) {
      if (atom->coordinates >> coordinateK & 1)
        strideK = std::min(strideK, std::abs(stride));
      if (atom->coordinates >> other & 1)
        strideOther = std::min(strideOther, std::abs(stride));
    }
    minor = strideK <= strideOther;
  }
  return minor;
}

/// The block of an operand; places behind the end of K hold 0.
Value ProductLoop::operandTile(Evaluator &evaluator, const Element &operand) {
  Value tile = evaluator.evaluate(operand);
  if (!tile)
    return {};
  uint64_t axes = (uint64_t(1) << coordinateM) | (uint64_t(1) << coordinateN) |
                  (uint64_t(1) << coordinateK);
  SmallVector<int64_t> shape = evaluator.shapeOf(axes);
  tile = evaluator.broadcast(tile, shape);
  Value base = operand.tensor;
  while (base.getDefiningOp() && ElementSpace::isView(base.getDefiningOp()) &&
         base.getDefiningOp()->getNumOperands() == 1)
    base = base.getDefiningOp()->getOperand(0);
  // An index of one value is no coordinate of the read.
  bool isOne = op.getK() == 1;
  if (op.getK() % plan.blockK == 0 || (isa<BlockArgument>(base) && !isOne))
    return tile;
  uint64_t alongK = uint64_t(1) << coordinateK;
  Value valid =
      isOne ? evaluator.isFirst(evaluator.shapeOf(alongK)[0] == 1, plan.blockK)
            : evaluator.boundsMask(alongK);
  Value zero = evaluator.splat(
      b.getZeroAttr(getElementTypeOrSelf(tile.getType())), shape);
  return arith::SelectOp::create(b, loc, evaluator.broadcast(valid, shape),
                                 tile, zero);
}

/// The type in which operands of two types are multiplied.
Type ProductLoop::operandType(Type x, Type y) {
  bool small = x.getIntOrFloatBitWidth() <= 8 && y.getIntOrFloatBitWidth() <= 8;
  if (small && isa<FloatType>(x) && plan.widensFloat8)
    return b.getBF16Type();
  if (x == y || small)
    return {};
  if (isa<Float64Type>(x) || isa<Float64Type>(y))
    return b.getF64Type();
  return b.getF32Type();
}

Value octavo::convertTile(OpBuilder &b, Location loc, Value tile,
                          Type element) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!element || type.getElementType() == element)
    return tile;
  if (type.getElementTypeBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type.clone(element), tile);
  return arith::TruncFOp::create(b, loc, type.clone(element), tile);
}

Value ProductLoop::emit(ArrayRef<Element> reads) {
  bool minorA = isMinorK(reads[0], coordinateM),
       minorB = isMinorK(reads[1], coordinateN);
  Type elementA = op.getA().getType().getElementType(),
       elementB = op.getB().getType().getElementType();
  Type accumulates = isa<IntegerType>(elementA) ? Type(b.getI32Type())
                     : elementA.isF64() || elementB.isF64()
                         ? Type(b.getF64Type())
                         : Type(b.getF32Type());
  Value zero = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          RankedTensorType::get({plan.blockM, plan.blockN}, accumulates),
          Attribute(b.getZeroAttr(accumulates))));
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(op.getK()),
                                 constant(plan.blockK), zero);
  Evaluator ofA(b, space, 2, body.memory), ofB(b, space, 2, body.memory);
  for (auto [evaluator, other, bound, minor] :
       {std::tuple(&ofA, coordinateM, &block.m, minorA),
        std::tuple(&ofB, coordinateN, &block.n, minorB)}) {
    evaluator->readBlocks({other, coordinateK});
    evaluator->setLoc(loc);
    evaluator->bind(coordinateBatch, block.batch);
    evaluator->bind(other,
                    {minor ? 0 : 1, bound->block, bound->extent, bound->base});
    evaluator->enter(loop);
    evaluator->bind(coordinateK, {minor ? 1 : 0, plan.blockK, op.getK(),
                                  loop.getInductionVar()});
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value a = operandTile(ofA, reads[0]);
  Value c = a ? operandTile(ofB, reads[1]) : Value();
  if (!c)
    return {};
  ScaledProduct scaled(b, body, op, plan, block, loop);
  a = scaled.scaleOperand(ProductSide::A, a, minorA);
  c = a ? scaled.scaleOperand(ProductSide::B, c, minorB) : Value();
  if (!c)
    return {};
  Type common = operandType(getElementTypeOrSelf(a.getType()),
                            getElementTypeOrSelf(c.getType()));
  // A is [M, K] unless M is minor; B is [K, N] unless K is.
  Value sum = scaled.accumulate(convertTile(b, loc, a, common),
                                convertTile(b, loc, c, common),
                                loop.getRegionIterArg(0), !minorA, minorB);
  if (!sum)
    return {};
  scf::YieldOp::create(b, loc, sum);
  return loop.getResult(0);
}
