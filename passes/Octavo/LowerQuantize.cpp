//===- LowerQuantize.cpp - Quantise as reductions and pointwise values ----===//
//
// encode = rule(fmax / max(amax, floor)), q = cast(clamp(x * encode)), decode =
// 1 / encode. One amax per granule, kept NaN; the division is IEEE's.
//
//===----------------------------------------------------------------------===//

#include "passes/Octavo/Passes.h"

#include "passes/Octavo/Structured.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace octavo {
#define GEN_PASS_DEF_LOWERQUANTIZE
#include "passes/Octavo/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

/// f32 of any real scalar.
static Value toF32(OpBuilder &b, Location loc, Value x) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  if (width < 32)
    return arith::ExtFOp::create(b, loc, b.getF32Type(), x);
  if (width > 32)
    return arith::TruncFOp::create(b, loc, b.getF32Type(), x);
  return x;
}

static Value f32(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
}

/// The encode scale of an amax.
static Value encodeScale(OpBuilder &b, Location loc, Value amax, double largest,
                         double floor, ScaleRule rule) {
  Value floored = arith::MaximumFOp::create(b, loc, amax, f32(b, loc, floor));
  Value scale = arith::DivFOp::create(b, loc, f32(b, loc, largest), floored);
  if (rule == ScaleRule::exact)
    return scale;
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), scale);
  Value exponent =
      arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0x7F800000));
  Value power = arith::BitcastOp::create(
      b, loc, b.getF32Type(), arith::AndIOp::create(b, loc, bits, exponent));
  // A NaN without its mantissa would be infinite.
  Value isNaN =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, scale, scale);
  return arith::SelectOp::create(b, loc, isNaN, scale, power);
}

/// Largest finite value of `type`.
static double largestOf(FloatType type) {
  return APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
}

/// Reads the scale of an element: everything but the reduced dimensions.
static AffineMap scaleMap(OpBuilder &b, int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<AffineExpr> at;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(dims, d))
      at.push_back(b.getAffineDimExpr(d));
  return AffineMap::get(rank, 0, at, b.getContext());
}

/// `value` as `type`, which only has more dimensions of size 1 (or fewer).
static Value reshapeTo(OpBuilder &b, Location loc, Value value,
                       RankedTensorType type) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from.getShape() == type.getShape())
    return value;
  auto groups = getReassociationIndicesForReshape(from, type);
  if (from.getRank() < type.getRank())
    return tensor::ExpandShapeOp::create(b, loc, type, value, *groups);
  return tensor::CollapseShapeOp::create(b, loc, type, value, *groups);
}

/// The dimensions that share a scale, or an error if there is no lowering.
static FailureOr<SmallVector<int64_t>> granuleDims(Operation *op,
                                                   GranuleAttr granule,
                                                   std::optional<int64_t> axis,
                                                   int64_t rank) {
  SmallVector<int64_t> dims;
  switch (granule.getKind()) {
  case GranuleKind::tensor:
    llvm::append_range(dims, llvm::seq<int64_t>(0, rank));
    return dims;
  case GranuleKind::row:
    dims.push_back(*axis);
    return dims;
  default:
    return op->emitOpError("has no lowering for granule ") << granule;
  }
}

static LogicalResult lower(QuantizeOp op) {
  RankedTensorType type = op.getInput().getType();
  auto format =
      dyn_cast<FloatType>(op.getQuantized().getType().getElementType());
  if (!type.hasStaticShape())
    return op.emitOpError("has no lowering for dynamic sizes");
  if (!format)
    return op.emitOpError("has no lowering for integers");
  if (op.getRounding() != Rounding::nearest_even)
    return op.emitOpError("has no lowering for stochastic rounding");
  if (op.getRule() != ScaleRule::exact && op.getRule() != ScaleRule::pow2)
    return op.emitOpError("has no lowering for rule ")
           << stringifyScaleRule(op.getRule());
  auto dims = granuleDims(op, op.getGranule(), op.getAxis(), type.getRank());
  if (failed(dims))
    return failure();
  OpBuilder b(op);
  Structured build{b, op.getLoc(), "quantize"};
  SmallVector<int64_t> kept;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(*dims, int64_t(d)))
      kept.push_back(size);
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  AffineMap keptMap = b.getMultiDimIdentityMap(kept.size());
  Value absolute = build.pointwise(
      op.getInput(), identity, type.getShape(), b.getF32Type(),
      [](OpBuilder &in, Location at, ValueRange v) -> Value {
        return math::AbsFOp::create(in, at, toF32(in, at, v[0]));
      });
  Value amax = absolute;
  if (!dims->empty())
    amax = Structured{b, op.getLoc(), "amax"}.reduce(
        absolute, *dims, b.getF32FloatAttr(0),
        [](OpBuilder &in, Location at, ValueRange v) -> Value {
          return arith::MaximumFOp::create(in, at, v[0], v[1]);
        });
  double largest =
      op.getLargest() ? op.getLargest()->convertToDouble() : largestOf(format);
  double floor = op.getAmaxFloor().convertToDouble();
  Value encode = build.pointwise(amax, keptMap, kept, b.getF32Type(),
                                 [&](OpBuilder &in, Location at, ValueRange v) {
                                   return encodeScale(in, at, v[0], largest,
                                                      floor, op.getRule());
                                 });
  Value decode = build.pointwise(
      encode, keptMap, kept, b.getF32Type(),
      [](OpBuilder &in, Location at, ValueRange v) -> Value {
        return arith::DivFOp::create(in, at, f32(in, at, 1.0), v[0]);
      });
  Value quantized = build.pointwise(
      {op.getInput(), encode}, {identity, scaleMap(b, type.getRank(), *dims)},
      type.getShape(), format,
      [&](OpBuilder &in, Location at, ValueRange v) -> Value {
        Value scaled = arith::MulFOp::create(in, at, toF32(in, at, v[0]), v[1]);
        if (op.getSaturate()) {
          scaled =
              arith::MaximumFOp::create(in, at, scaled, f32(in, at, -largest));
          scaled =
              arith::MinimumFOp::create(in, at, scaled, f32(in, at, largest));
        }
        return arith::TruncFOp::create(in, at, format, scaled);
      });
  op.getQuantized().replaceAllUsesWith(quantized);
  op.getScale().replaceAllUsesWith(
      reshapeTo(b, op.getLoc(), decode, op.getScale().getType()));
  op.erase();
  return success();
}

static LogicalResult lower(DequantizeOp op) {
  RankedTensorType type = op.getInput().getType();
  auto dims = granuleDims(op, op.getGranule(), op.getAxis(), type.getRank());
  if (failed(dims))
    return failure();
  if (!isa<FloatType>(type.getElementType()) || !type.hasStaticShape())
    return op.emitOpError("has no lowering for ") << type;
  OpBuilder b(op);
  Structured build{b, op.getLoc(), "dequantize"};
  SmallVector<int64_t> kept;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(*dims, int64_t(d)))
      kept.push_back(size);
  Value scale = reshapeTo(b, op.getLoc(), op.getScale(),
                          RankedTensorType::get(kept, b.getF32Type()));
  Type result = op.getResult().getType().getElementType();
  Value value =
      build.pointwise({op.getInput(), scale},
                      {b.getMultiDimIdentityMap(type.getRank()),
                       scaleMap(b, type.getRank(), *dims)},
                      type.getShape(), result,
                      [&](OpBuilder &in, Location at, ValueRange v) -> Value {
                        Value product = arith::MulFOp::create(
                            in, at, toF32(in, at, v[0]), v[1]);
                        if (result.isF32())
                          return product;
                        if (result.isF64())
                          return arith::ExtFOp::create(in, at, result, product);
                        return arith::TruncFOp::create(in, at, result, product);
                      });
  op.getResult().replaceAllUsesWith(value);
  op.erase();
  return success();
}

namespace {
struct LowerQuantize final
    : public octavo::impl::LowerQuantizeBase<LowerQuantize> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<QuantizeOp, DequantizeOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      auto quantize = dyn_cast<QuantizeOp>(op);
      if (failed(quantize ? lower(quantize) : lower(cast<DequantizeOp>(op))))
        return signalPassFailure();
    }
  }
};
} // namespace
