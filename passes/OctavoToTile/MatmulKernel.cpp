//===- MatmulKernel.cpp - Kernels around a matrix product -----------------===//
//
// A workgroup owns a block of one product. The loop over K is in ProductLoop;
// scales, bias and everything that follows is evaluated around the accumulator.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/MatmulKernel.h"

#include "passes/OctavoToTile/ProductLoop.h"
#include "passes/OctavoToTile/ScaledProduct.h"

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

/// Whether the matrix cores know none of the formats of an 8-bit float.
static bool isForeign(Type element, const TargetInfo &target) {
  if (isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return target.float8 != Float8Encoding::OCP;
  if (isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(element))
    return target.float8 != Float8Encoding::FNUZ;
  return false;
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
  unsigned bits = getMultipliedBits(op);
  bool widens = isForeign(op.getA().getType().getElementType(), target) ||
                isForeign(op.getB().getType().getElementType(), target);
  if (widens)
    bits = std::max(bits, 16u);
  int64_t batch = batchOf(op), m = op.getM(), n = op.getN();
  MatmulPlan plan = planMatmul(target, {batch, m, n, op.getK()}, bits);
  plan.widensFloat8 = widens;
  if (failed(fitGranules(op, plan)))
    return std::nullopt;
  int64_t tiles =
      llvm::divideCeil(m, plan.blockM) * llvm::divideCeil(n, plan.blockN);
  return MatmulShape{op, plan, batch * tiles};
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
    tile = epilogue.broadcast(convertTile(b, loc, tile, accumulates), shape);
    value = adds ? Value(arith::AddFOp::create(b, loc, value, tile))
                 : Value(arith::MulFOp::create(b, loc, value, tile));
  };
  // What changes along K was applied in the loop.
  for (auto [side, scale] : {std::pair(ProductSide::A, op.getScaleA()),
                             std::pair(ProductSide::B, op.getScaleB())}) {
    if (hasScaleAlongK(op, side))
      ++next;
    else
      extra(bool(scale), false);
  }
  if (op.getBias() && isa<IntegerType>(accumulates))
    return op.emitOpError("has no lowering for a bias of integers");
  extra(bool(op.getBias()), true);
  if (!value)
    return failure();
  Type result = op.getResult().getType().getElementType();
  if (isa<FloatType>(result))
    value = convertTile(b, loc, value, result);
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
  Value accumulator =
      ProductLoop(b, body, op, plan, space, {batch, m, n}).emit(reads);
  return accumulator ? finish(accumulator, reads) : failure();
}

LogicalResult octavo::emitMatmul(OpBuilder &builder, KernelBody &body,
                                 const MatmulShape &shape, Value workgroup) {
  return MatmulEmitter(builder, body, shape).run(workgroup);
}
