//===- LowerQuantize.cpp - Quantise as reductions and pointwise values ----===//
//
// encode = rule(fmax / max(amax, floor)), q = cast(clamp(x * encode)), decode =
// 1 / encode. One amax per granule, kept NaN; the division is IEEE's. An E8M0
// scale is made of amax's bits.
//
//===----------------------------------------------------------------------===//

#include "passes/Octavo/Passes.h"

#include "passes/Octavo/Structured.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

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

//===----------------------------------------------------------------------===//
// E8M0 scales
//===----------------------------------------------------------------------===//

static Value i32(OpBuilder &b, Location loc, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

/// The exponent byte of the decode scale of an amax (OCP MX, section 6.3, and
/// the modes of TorchAO with these names), as i32; 255 if amax is not finite.
static Value exponentByte(OpBuilder &b, Location loc, Value amax,
                          FloatType format, ScaleRule rule) {
  constexpr int64_t kBias = 127, kMantissa = 23;
  double largest = largestOf(format);
  auto bitsOf = [&](Value x) -> Value {
    return arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  };
  auto compare = [&](arith::CmpIPredicate how, Value x, int64_t y) -> Value {
    return arith::CmpIOp::create(b, loc, how, x, i32(b, loc, y));
  };
  Value isInfinite =
      compare(arith::CmpIPredicate::sge, bitsOf(amax), 0xFFll << kMantissa);
  Value byte;
  if (rule == ScaleRule::e8m0_rceil) {
    Value bits = bitsOf(arith::MulFOp::create(
        b, loc, amax, f32(b, loc, double(float(1.0 / largest)))));
    // Up to the next power of two: what is above one carries.
    Value up = arith::AddIOp::create(b, loc, bits,
                                     i32(b, loc, (1ll << kMantissa) - 1));
    byte = arith::ShRUIOp::create(b, loc, up, i32(b, loc, kMantissa));
  } else {
    Value bits = bitsOf(amax);
    if (rule == ScaleRule::e8m0_even) {
      int64_t stored = format.getFPMantissaWidth() - 1;
      bits = arith::AddIOp::create(b, loc, bits,
                                   i32(b, loc, 1ll << (22 - stored)));
    }
    byte = arith::SubIOp::create(
        b, loc, arith::ShRUIOp::create(b, loc, bits, i32(b, loc, kMantissa)),
        i32(b, loc, std::ilogb(largest)));
  }
  byte = arith::MaxSIOp::create(b, loc, byte, i32(b, loc, 0));
  byte = arith::MinSIOp::create(b, loc, byte, i32(b, loc, 2 * kBias));
  return arith::SelectOp::create(b, loc, isInfinite, i32(b, loc, 255), byte);
}

/// 2^(127 - byte), exactly; NaN for 255.
static Value encodeOfByte(OpBuilder &b, Location loc, Value byte) {
  Value exponent = arith::SubIOp::create(b, loc, i32(b, loc, 254), byte);
  Value bits = arith::ShLIOp::create(b, loc, exponent, i32(b, loc, 23));
  auto replace = [&](int64_t which, int64_t by) {
    Value same = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, byte,
                                       i32(b, loc, which));
    bits = arith::SelectOp::create(b, loc, same, i32(b, loc, by), bits);
  };
  // 2^-127 is subnormal.
  replace(254, 0x00400000);
  replace(255, 0x7FC00000);
  return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
}

static bool isE8M0(ScaleRule rule) {
  return rule != ScaleRule::exact && rule != ScaleRule::pow2;
}

//===----------------------------------------------------------------------===//
// Granules
//===----------------------------------------------------------------------===//

namespace {
/// Which elements share a scale.
struct Granules {
  SmallVector<int64_t> shape;
  /// Neighbours along each dimension that share one; 0 where none do.
  SmallVector<int64_t> sizes;

  Granules(RankedTensorType type, GranuleAttr granule,
           std::optional<int64_t> axis);

  int64_t rank() const { return shape.size(); }
  /// All elements along dimension d share: scales have no such dimension.
  bool isWhole(int64_t d) const { return sizes[d] == shape[d]; }
  /// Scales, without dimensions that are one granule.
  SmallVector<int64_t> kept() const;
  /// Where the scale of an element lies.
  AffineMap scaleMap(MLIRContext *context) const;
  /// `value` with two dimensions for each that has several granules (behind the
  /// end: zeros); `inner` are the dimensions inside of granules.
  Value split(OpBuilder &b, Location loc, Value value,
              SmallVectorImpl<int64_t> &inner) const;
};
} // namespace

Granules::Granules(RankedTensorType type, GranuleAttr granule,
                   std::optional<int64_t> axis)
    : shape(type.getShape()), sizes(type.getRank(), 0) {
  if (granule.getKind() == GranuleKind::tensor) {
    sizes = shape;
    return;
  }
  int64_t along = granule.getAlong();
  sizes[*axis] = along ? std::min(along, shape[*axis]) : shape[*axis];
  if (granule.getKind() == GranuleKind::block && granule.getAcross() > 1) {
    int64_t across = *axis == rank() - 1 ? rank() - 2 : rank() - 1;
    sizes[across] = std::min(granule.getAcross(), shape[across]);
  }
}

SmallVector<int64_t> Granules::kept() const {
  SmallVector<int64_t> result;
  for (int64_t d = 0; d < rank(); ++d)
    if (!sizes[d])
      result.push_back(shape[d]);
    else if (!isWhole(d))
      result.push_back(llvm::divideCeil(shape[d], sizes[d]));
  return result;
}

AffineMap Granules::scaleMap(MLIRContext *context) const {
  SmallVector<AffineExpr> at;
  for (int64_t d = 0; d < rank(); ++d) {
    AffineExpr i = getAffineDimExpr(d, context);
    if (!sizes[d])
      at.push_back(i);
    else if (!isWhole(d))
      at.push_back(i.floorDiv(sizes[d]));
  }
  return AffineMap::get(rank(), 0, at, context);
}

Value Granules::split(OpBuilder &b, Location loc, Value value,
                      SmallVectorImpl<int64_t> &inner) const {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> whole, parts;
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0; d < rank(); ++d) {
    bool several = sizes[d] && !isWhole(d);
    int64_t count = several ? llvm::divideCeil(shape[d], sizes[d]) : 1;
    whole.push_back(several ? count * sizes[d] : shape[d]);
    ReassociationIndices &group = groups.emplace_back();
    if (several) {
      group.push_back(parts.size());
      parts.push_back(count);
    }
    if (sizes[d])
      inner.push_back(parts.size());
    group.push_back(parts.size());
    parts.push_back(several ? sizes[d] : shape[d]);
  }
  if (whole != shape) {
    SmallVector<OpFoldResult> low(rank(), b.getIndexAttr(0)), high;
    for (auto [to, from] : llvm::zip(whole, shape))
      high.push_back(b.getIndexAttr(to - from));
    Value zero = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
    value = tensor::PadOp::create(b, loc, type.clone(whole), value, low, high,
                                  zero);
  }
  if (parts == whole)
    return value;
  return tensor::ExpandShapeOp::create(b, loc, type.clone(parts), value,
                                       groups);
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

static LogicalResult checkLowered(QuantizeOp op) {
  if (!op.getInput().getType().hasStaticShape())
    return op.emitOpError("has no lowering for dynamic sizes");
  if (!isa<FloatType>(op.getQuantized().getType().getElementType()))
    return op.emitOpError("has no lowering for integers");
  if (op.getRounding() != Rounding::nearest_even)
    return op.emitOpError("has no lowering for stochastic rounding");
  return success();
}

/// Magnitudes as f32, the largest of each granule.
static Value largestMagnitude(OpBuilder &b, Location loc, Value input,
                              const Granules &granules) {
  Structured build{b, loc, "quantize"};
  Value absolute = build.pointwise(
      input, b.getMultiDimIdentityMap(granules.rank()), granules.shape,
      b.getF32Type(), [](OpBuilder &in, Location at, ValueRange v) -> Value {
        return math::AbsFOp::create(in, at, toF32(in, at, v[0]));
      });
  SmallVector<int64_t> inner;
  Value split = granules.split(b, loc, absolute, inner);
  if (inner.empty())
    return split;
  return Structured{b, loc, "amax"}.reduce(
      split, inner, b.getF32FloatAttr(0),
      [](OpBuilder &in, Location at, ValueRange v) -> Value {
        return arith::MaximumFOp::create(in, at, v[0], v[1]);
      });
}

namespace {
/// Of each granule: the number that elements are multiplied by, and its
/// reciprocal.
struct Scales {
  Value encode, decode;
};
} // namespace

static Scales makeScales(QuantizeOp op, OpBuilder &b, Value amax,
                         ArrayRef<int64_t> shape) {
  auto format = cast<FloatType>(op.getQuantized().getType().getElementType());
  ScaleRule rule = op.getRule();
  Structured build{b, op.getLoc(), "quantize"};
  auto each = [&](Value input, Type element, Structured::Body body) {
    return build.pointwise(input, b.getMultiDimIdentityMap(shape.size()), shape,
                           element, body);
  };
  if (!isE8M0(rule)) {
    double largest = op.getLargest() ? op.getLargest()->convertToDouble()
                                     : largestOf(format);
    double floor = op.getAmaxFloor().convertToDouble();
    Value encode = each(
        amax, b.getF32Type(), [&](OpBuilder &in, Location at, ValueRange v) {
          return encodeScale(in, at, v[0], largest, floor, rule);
        });
    Value decode =
        each(encode, b.getF32Type(),
             [](OpBuilder &in, Location at, ValueRange v) -> Value {
               return arith::DivFOp::create(in, at, f32(in, at, 1.0), v[0]);
             });
    return {encode, decode};
  }
  Value encode =
      each(amax, b.getF32Type(), [&](OpBuilder &in, Location at, ValueRange v) {
        return encodeOfByte(in, at, exponentByte(in, at, v[0], format, rule));
      });
  Type scale = op.getScale().getType().getElementType();
  Value decode =
      each(amax, scale, [&](OpBuilder &in, Location at, ValueRange v) -> Value {
        Value byte = arith::TruncIOp::create(
            in, at, in.getI8Type(), exponentByte(in, at, v[0], format, rule));
        return arith::BitcastOp::create(in, at, scale, byte);
      });
  return {encode, decode};
}

static LogicalResult lower(QuantizeOp op) {
  if (failed(checkLowered(op)))
    return failure();
  RankedTensorType type = op.getInput().getType();
  auto format = cast<FloatType>(op.getQuantized().getType().getElementType());
  OpBuilder b(op);
  // Granules of nothing have no scales.
  if (hasNoElements(op.getScale().getType())) {
    for (Value result : op->getResults())
      result.replaceAllUsesWith(tensor::EmptyOp::create(
          b, op.getLoc(), cast<RankedTensorType>(result.getType()).getShape(),
          getElementTypeOrSelf(result.getType())));
    op.erase();
    return success();
  }
  Granules granules(type, op.getGranule(), op.getAxis());
  Value amax = largestMagnitude(b, op.getLoc(), op.getInput(), granules);
  Scales scales = makeScales(op, b, amax, granules.kept());
  double limit =
      op.getLargest() ? op.getLargest()->convertToDouble() : largestOf(format);
  Value quantized = Structured{b, op.getLoc(), "quantize"}.pointwise(
      {op.getInput(), scales.encode},
      {b.getMultiDimIdentityMap(type.getRank()),
       granules.scaleMap(b.getContext())},
      type.getShape(), format,
      [&](OpBuilder &in, Location at, ValueRange v) -> Value {
        Value scaled = arith::MulFOp::create(in, at, toF32(in, at, v[0]), v[1]);
        if (op.getSaturate()) {
          scaled =
              arith::MaximumFOp::create(in, at, scaled, f32(in, at, -limit));
          scaled =
              arith::MinimumFOp::create(in, at, scaled, f32(in, at, limit));
        }
        return arith::TruncFOp::create(in, at, format, scaled);
      });
  op.getQuantized().replaceAllUsesWith(quantized);
  op.getScale().replaceAllUsesWith(
      reshapeTo(b, op.getLoc(), scales.decode, op.getScale().getType()));
  op.erase();
  return success();
}

static LogicalResult lower(DequantizeOp op) {
  RankedTensorType type = op.getInput().getType();
  if (!isa<FloatType>(type.getElementType()) || !type.hasStaticShape())
    return op.emitOpError("has no lowering for ") << type;
  OpBuilder b(op);
  Granules granules(type, op.getGranule(), op.getAxis());
  Value scale =
      reshapeTo(b, op.getLoc(), op.getScale(),
                RankedTensorType::get(
                    granules.kept(), op.getScale().getType().getElementType()));
  Type result = op.getResult().getType().getElementType();
  Value value = Structured{b, op.getLoc(), "dequantize"}.pointwise(
      {op.getInput(), scale},
      {b.getMultiDimIdentityMap(type.getRank()),
       granules.scaleMap(b.getContext())},
      type.getShape(), result,
      [&](OpBuilder &in, Location at, ValueRange v) -> Value {
        Value product = arith::MulFOp::create(in, at, toF32(in, at, v[0]),
                                              toF32(in, at, v[1]));
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
