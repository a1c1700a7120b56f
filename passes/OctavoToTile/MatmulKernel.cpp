//===- MatmulKernel.cpp - Kernels around a matrix product -----------------===//
//
// A workgroup owns a block of one product. Operands are evaluated like any
// other value, in the order in which they lie in memory, so that casts,
// transposes and slices before the product are part of its reads; scales, bias
// and everything that follows is evaluated around the accumulator.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/MatmulKernel.h"

#include "passes/OctavoToTile/BlockRead.h"

#include "octavo/Analysis/Product.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace octavo;

ScaledMatmulOp octavo::findProduct(Block *block) {
  for (Operation &op : *block)
    if (auto matmul = dyn_cast<ScaledMatmulOp>(op))
      return matmul;
  return {};
}

static int64_t batchOf(ScaledMatmulOp op) {
  return ShapedType::getNumElements(op.getBatch());
}

static bool hasOneScalePerRow(std::optional<GranuleAttr> granule) {
  return !granule || granule->getKind() == GranuleKind::tensor ||
         granule->getKind() == GranuleKind::row;
}

std::optional<MatmulShape> octavo::shapeMatmul(ScaledMatmulOp op,
                                               const TargetInfo &target) {
  for (Value v : op->getOperands())
    if (!cast<RankedTensorType>(v.getType()).hasStaticShape()) {
      op.emitOpError("has no lowering for dynamic sizes");
      return std::nullopt;
    }
  if (op.getGroups()) {
    op.emitOpError("has no lowering with groups");
    return std::nullopt;
  }
  if (!hasOneScalePerRow(op.getGranuleA()) ||
      !hasOneScalePerRow(op.getGranuleB())) {
    op.emitOpError("has no lowering for scales in blocks");
    return std::nullopt;
  }
  unsigned bits = std::min(op.getA().getType().getElementTypeBitWidth(),
                           op.getB().getType().getElementTypeBitWidth());
  int64_t batch = batchOf(op), m = op.getM(), n = op.getN();
  MatmulPlan plan = planMatmul(target, {batch, m, n, op.getK()}, bits);
  int64_t tiles =
      llvm::divideCeil(m, plan.blockM) * llvm::divideCeil(n, plan.blockN);
  return MatmulShape{op, plan, batch * tiles};
}

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

namespace {
/// Emits one body.
class MatmulEmitter {
public:
  MatmulEmitter(OpBuilder &b, KernelBody &body, const MatmulShape &shape)
      : b(b), body(body), op(shape.op), plan(shape.plan), loc(op.getLoc()),
        epilogue(b, space, 2, body.memory) {}

  LogicalResult run(Value workgroup);

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  void locate(Value workgroup);
  bool isMinorK(const Element &operand, unsigned other);
  Value operandTile(Evaluator &evaluator, const Element &operand);
  Type operandType(Type a, Type b);
  Value product(ArrayRef<Element> reads);
  LogicalResult finish(Value accumulator, ArrayRef<Element> reads);

  OpBuilder &b;
  KernelBody &body;
  ScaledMatmulOp op;
  const MatmulPlan &plan;
  Location loc;
  ElementSpace space;
  Evaluator epilogue;
  /// Where the workgroup's block starts.
  BoundCoordinate batch, m, n;
};
} // namespace

/// Number of the batch and first row and column of this workgroup.
void MatmulEmitter::locate(Value workgroup) {
  int64_t tilesM = llvm::divideCeil(op.getM(), plan.blockM),
          tilesN = llvm::divideCeil(op.getN(), plan.blockN);
  auto divide = [&](Value x, int64_t by) -> Value {
    return by == 1 ? x : arith::DivUIOp::create(b, loc, x, constant(by));
  };
  auto remainder = [&](Value x, int64_t by, bool isLast) -> Value {
    if (by == 1)
      return {};
    return isLast ? x : arith::RemUIOp::create(b, loc, x, constant(by));
  };
  auto times = [&](Value x, int64_t by) -> Value {
    return x ? arith::MulIOp::create(b, loc, x, constant(by)) : Value();
  };
  int64_t batches = batchOf(op);
  Value tileN = remainder(workgroup, tilesN, batches * tilesM == 1);
  Value above = divide(workgroup, tilesN);
  Value tileM = remainder(above, tilesM, batches == 1);
  Value which = batches == 1 ? Value() : divide(above, tilesM);
  batch = {-1, 1, batches, which};
  m = {0, plan.blockM, op.getM(), times(tileM, plan.blockM)};
  n = {1, plan.blockN, op.getN(), times(tileN, plan.blockN)};
}

/// Whether neighbours along K are neighbours in memory.
bool MatmulEmitter::isMinorK(const Element &operand, unsigned other) {
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
Value MatmulEmitter::operandTile(Evaluator &evaluator, const Element &operand) {
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
  if (op.getK() % plan.blockK == 0 || isa<BlockArgument>(base))
    return tile;
  Value valid = evaluator.boundsMask(uint64_t(1) << coordinateK);
  Value zero = evaluator.splat(
      b.getZeroAttr(getElementTypeOrSelf(tile.getType())), shape);
  return arith::SelectOp::create(b, loc, evaluator.broadcast(valid, shape),
                                 tile, zero);
}

/// The type in which operands of two types are multiplied.
Type MatmulEmitter::operandType(Type x, Type y) {
  bool small = x.getIntOrFloatBitWidth() <= 8 && y.getIntOrFloatBitWidth() <= 8;
  if (x == y || small)
    return {};
  if (isa<Float64Type>(x) || isa<Float64Type>(y))
    return b.getF64Type();
  return b.getF32Type();
}

static Value convertTo(OpBuilder &b, Location loc, Value tile, Type element) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!element || type.getElementType() == element)
    return tile;
  if (type.getElementTypeBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type.clone(element), tile);
  return arith::TruncFOp::create(b, loc, type.clone(element), tile);
}

Value MatmulEmitter::product(ArrayRef<Element> reads) {
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
       {std::tuple(&ofA, coordinateM, &m, minorA),
        std::tuple(&ofB, coordinateN, &n, minorB)}) {
    evaluator->readBlocks({other, coordinateK});
    evaluator->setLoc(loc);
    evaluator->bind(coordinateBatch, batch);
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
  Type common = operandType(elementA, elementB);
  // A is [M, K] unless M is minor; B is [K, N] unless K is.
  auto dot = tile::DotOp::create(b, loc, convertTo(b, loc, a, common),
                                 convertTo(b, loc, c, common),
                                 loop.getRegionIterArg(0), !minorA, minorB);
  scf::YieldOp::create(b, loc, dot.getResult());
  return loop.getResult(0);
}

/// Scales, bias, cast; then everything that follows.
LogicalResult MatmulEmitter::finish(Value accumulator,
                                    ArrayRef<Element> reads) {
  SmallVector<int64_t> shape{plan.blockM, plan.blockN};
  Value value = accumulator;
  Type accumulates = getElementTypeOrSelf(value.getType());
  if (isa<IntegerType>(accumulates) &&
      isa<FloatType>(op.getResult().getType().getElementType())) {
    accumulates = b.getF32Type();
    value = arith::SIToFPOp::create(
        b, loc, RankedTensorType::get(shape, accumulates), value);
  }
  unsigned next = 2;
  auto extra = [&](bool isThere, bool adds) {
    if (!isThere || !value)
      return;
    Value tile = epilogue.evaluate(reads[next++]);
    if (!tile) {
      value = {};
      return;
    }
    tile = epilogue.broadcast(convertTo(b, loc, tile, accumulates), shape);
    value = adds ? Value(arith::AddFOp::create(b, loc, value, tile))
                 : Value(arith::MulFOp::create(b, loc, value, tile));
  };
  extra(bool(op.getScaleA()), false);
  extra(bool(op.getScaleB()), false);
  if (op.getBias() && isa<IntegerType>(accumulates))
    return op.emitOpError("has no lowering for a bias of integers");
  extra(bool(op.getBias()), true);
  if (!value)
    return failure();
  Type result = op.getResult().getType().getElementType();
  if (isa<FloatType>(result))
    value = convertTo(b, loc, value, result);
  else if (result != accumulates)
    return op.emitOpError("has no lowering for a result of ") << result;
  epilogue.define(productElement(space, op), value);
  for (auto [i, yielded] :
       llvm::enumerate(body.block->getTerminator()->getOperands())) {
    auto type = cast<RankedTensorType>(yielded.getType());
    auto index = epilogueIndex(space, op, type.getShape());
    if (!index)
      return op.emitOpError("has another number of elements than result ") << i;
    if (!epilogue.store({yielded, *index}, body.results[i]))
      return failure();
  }
  return success();
}

LogicalResult MatmulEmitter::run(Value workgroup) {
  locate(workgroup);
  epilogue.setLoc(loc);
  epilogue.bind(coordinateBatch, batch);
  epilogue.bind(coordinateM, m);
  epilogue.bind(coordinateN, n);
  SmallVector<Element> reads = productReads(space, op);
  Value accumulator = product(reads);
  return accumulator ? finish(accumulator, reads) : failure();
}

LogicalResult octavo::emitMatmul(OpBuilder &builder, KernelBody &body,
                                 const MatmulShape &shape, Value workgroup) {
  return MatmulEmitter(builder, body, shape).run(workgroup);
}
