//===- ExpandScaledDots.cpp - Scaled products without an instruction ------===//
//
// bf16 holds an 8-bit float times a power of two exactly but at the far ends of
// its range, and so does f32 for wider operands; the product is then an
// ordinary one.
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/DotLayout.h"
#include "passes/Tile/Passes.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

namespace octavo {
#define GEN_PASS_DEF_EXPANDSCALEDDOTS
#include "passes/Tile/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

namespace {
/// Rewrites one product.
class Expansion {
public:
  Expansion(tile::DotScaledOp op) : op(op), b(op), loc(op.getLoc()) {}

  LogicalResult run();

private:
  Value everyScale(Value scale, bool kFirst);
  Value scaled(Value operand, Value scale, bool kFirst, Type element);

  tile::DotScaledOp op;
  OpBuilder b;
  Location loc;
};
} // namespace

/// The scale (f32) of each element of an operand.
Value Expansion::everyScale(Value scale, bool kFirst) {
  auto type = cast<RankedTensorType>(scale.getType());
  if (type.getElementType().isInteger(8))
    scale = arith::BitcastOp::create(
        b, loc, type.clone(Float8E8M0FNUType::get(b.getContext())), scale);
  auto wide = type.clone(b.getF32Type());
  scale = arith::ExtFOp::create(b, loc, wide, scale);
  int64_t rows = type.getDimSize(0), blocks = type.getDimSize(1);
  scale = tile::ReshapeOp::create(
      b, loc, wide.clone(ArrayRef<int64_t>{rows, blocks, 1}), scale);
  scale = tile::BroadcastOp::create(
      b, loc, wide.clone(ArrayRef<int64_t>{rows, blocks, 32}), scale);
  scale = tile::ReshapeOp::create(
      b, loc, wide.clone(ArrayRef<int64_t>{rows, blocks * 32}), scale);
  if (!kFirst)
    return scale;
  return tile::TransOp::create(b, loc,
                               wide.clone(ArrayRef<int64_t>{blocks * 32, rows}),
                               scale, b.getDenseI32ArrayAttr({1, 0}));
}

/// `operand` times its scales as tile of `element`, f32 or bf16.
Value Expansion::scaled(Value operand, Value scale, bool kFirst, Type element) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto wide = type.clone(b.getF32Type());
  if (!type.getElementType().isF32())
    operand = arith::ExtFOp::create(b, loc, wide, operand);
  Value product =
      arith::MulFOp::create(b, loc, operand, everyScale(scale, kFirst));
  if (element.isF32())
    return product;
  // The lower half is zero.
  auto bits = type.clone(b.getI32Type());
  Value upper = arith::ShRUIOp::create(
      b, loc, arith::BitcastOp::create(b, loc, bits, product),
      arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(bits, Attribute(b.getI32IntegerAttr(16)))));
  upper = arith::TruncIOp::create(b, loc, type.clone(b.getI16Type()), upper);
  return arith::BitcastOp::create(b, loc, type.clone(element), upper);
}

LogicalResult Expansion::run() {
  bool small = true;
  for (Value operand : {op.getA(), op.getB()}) {
    Type element = getElementTypeOrSelf(operand.getType());
    if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 32)
      return op.emitOpError("expected floats of at most 32 bits, got ")
             << element;
    small &= element.getIntOrFloatBitWidth() <= 8 || element.isBF16();
  }
  Type element = small ? Type(b.getBF16Type()) : Type(b.getF32Type());
  bool ta = op.getTransposeA(), tb = op.getTransposeB();
  Value x = scaled(op.getA(), op.getScaleA(), ta, element);
  Value y = scaled(op.getB(), op.getScaleB(), !tb, element);
  op.replaceAllUsesWith(
      tile::DotOp::create(b, loc, x, y, op.getAcc(), ta, tb).getResult());
  op.erase();
  return success();
}

namespace {
struct ExpandScaledDots final
    : public octavo::impl::ExpandScaledDotsBase<ExpandScaledDots> {
  void runOnOperation() override {
    SmallVector<tile::DotScaledOp> ops;
    getOperation().walk([&](tile::DotScaledOp op) { ops.push_back(op); });
    if (ops.empty())
      return;
    const TargetInfo *target = getTargetOrError(getOperation());
    if (!target)
      return signalPassFailure();
    for (tile::DotScaledOp op : ops)
      if (!hasScaledInstruction(op, *target) && failed(Expansion(op).run()))
        return signalPassFailure();
  }
};
} // namespace
