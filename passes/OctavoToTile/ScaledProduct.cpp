//===- ScaledProduct.cpp - Scales that change along K ---------------------===//

#include "passes/OctavoToTile/ScaledProduct.h"

#include "passes/OctavoToTile/ProductLoop.h"

#include "octavo/Target/MatrixInstructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace octavo;

/// Elements of K that share a scale of a matrix instruction, and a step along K
/// that each such instruction divides.
static constexpr int64_t kScaleBlock = 32, kScaledStep = 128;

//===----------------------------------------------------------------------===//
// Granules
//===----------------------------------------------------------------------===//

static std::optional<GranuleAttr> granuleOf(ScaledMatmulOp op,
                                            ProductSide side) {
  return side == ProductSide::A ? op.getGranuleA() : op.getGranuleB();
}

static bool isOfKind(ScaledMatmulOp op, ProductSide side, GranuleKind kind) {
  std::optional<GranuleAttr> granule = granuleOf(op, side);
  return granule && granule->getKind() == kind;
}

bool octavo::hasScaleAlongK(ScaledMatmulOp op, ProductSide side) {
  return isOfKind(op, side, GranuleKind::block) ||
         isOfKind(op, side, GranuleKind::mx);
}

static bool hasE8M0(ScaledMatmulOp op) {
  return isOfKind(op, ProductSide::A, GranuleKind::mx) ||
         isOfKind(op, ProductSide::B, GranuleKind::mx);
}

/// Whether matrix instructions of the target take both operands' scales.
static bool hasScaledInstruction(ScaledMatmulOp op) {
  for (ProductSide side : {ProductSide::A, ProductSide::B}) {
    Value operand = side == ProductSide::A ? op.getA() : op.getB();
    if (!isOfKind(op, side, GranuleKind::mx) ||
        granuleOf(op, side)->getAlong() != kScaleBlock ||
        !isa<Float8E4M3FNType, Float8E5M2Type>(
            getElementTypeOrSelf(operand.getType())))
      return false;
  }
  const TargetInfo *target = getTargetOrError(op);
  return target && target->float8 == Float8Encoding::OCP &&
         llvm::any_of(
             getMatrixInstructions(*target),
             [](const MatrixInstruction &row) { return row.selectsFormat; });
}

unsigned octavo::getMultipliedBits(ScaledMatmulOp op) {
  unsigned bits = std::min(op.getA().getType().getElementTypeBitWidth(),
                           op.getB().getType().getElementTypeBitWidth());
  return hasE8M0(op) && !hasScaledInstruction(op) ? std::max(bits, 16u) : bits;
}

LogicalResult octavo::fitGranules(ScaledMatmulOp op, MatmulPlan &plan) {
  if (hasScaledInstruction(op)) {
    plan.blockK = std::max(plan.blockK, kScaledStep);
    return success();
  }
  for (ProductSide side : {ProductSide::A, ProductSide::B}) {
    if (!hasScaleAlongK(op, side))
      continue;
    Type element = (side == ProductSide::A ? op.getA() : op.getB())
                       .getType()
                       .getElementType();
    if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 32)
      return op.emitOpError("expected floats of at most 32 bits under scales "
                            "in blocks, got ")
             << element;
    int64_t along = granuleOf(op, side)->getAlong();
    // E8M0 scales are applied before the sum: several in a step will do.
    int64_t whole = isOfKind(op, side, GranuleKind::mx) && along < plan.blockK
                        ? 1
                        : std::min(plan.blockK, along & -along);
    bool fits = whole == 1 ? plan.blockK % along == 0 : whole >= 32;
    if (!fits)
      return op.emitOpError("expected a granule with a multiple of 32 elements "
                            "along K, or a divisor of ")
             << plan.blockK << " with E8M0 scales, got " << along;
    if (whole > 1)
      plan.blockK = whole;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles of scales
//===----------------------------------------------------------------------===//

ScaledProduct::ScaledProduct(OpBuilder &b, KernelBody &body, ScaledMatmulOp op,
                             const MatmulPlan &plan, const ProductBlock &block,
                             scf::ForOp loop)
    : b(b), body(body), op(op), plan(plan), block(block), loop(loop),
      loc(op.getLoc()) {}

Value ScaledProduct::divide(Value x, int64_t by) {
  if (!x || by == 1)
    return x;
  return arith::DivUIOp::create(
      b, loc, x,
      arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(by)).getResult());
}

/// The granules, of `size` elements each, of a block of elements: each is
/// repeated `repeat` times, or they are one for the whole block (no axis).
BoundCoordinate ScaledProduct::bindGranules(BoundCoordinate of, int64_t size,
                                            int axis, int64_t &repeat) {
  int64_t extent = llvm::divideCeil(of.extent, size);
  repeat = 1;
  if (size % of.block == 0)
    return {-1, 1, extent, divide(of.base, size)};
  repeat = size;
  return {axis, of.block / size, extent, divide(of.base, size)};
}

Value ScaledProduct::repeatAlong(Value tile, int axis, int64_t times) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (times == 1)
    return tile;
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + axis + 1, 1);
  tile = tile::ReshapeOp::create(b, loc, type.clone(shape), tile);
  shape[axis + 1] = times;
  tile = tile::BroadcastOp::create(b, loc, type.clone(shape), tile);
  SmallVector<int64_t> joined(type.getShape());
  joined[axis] *= times;
  return tile::ReshapeOp::create(b, loc, type.clone(joined), tile);
}

/// The scales (f32) of one step along K: the operand's rows lie along `axis`, K
/// along `axisK` or, if the step has one scale, nowhere (-1). With `asIs` each
/// scale is there once, in its own type.
Value ScaledProduct::scaleTile(ProductSide side, int axis, int axisK,
                               bool asIs) {
  bool isA = side == ProductSide::A;
  Value scale = isA ? op.getScaleA() : op.getScaleB();
  bool rowsFirst = isA ? !op.getTransposedA() : op.getTransposedB();
  GranuleAttr granule = *granuleOf(op, side);
  const BoundCoordinate &rows = isA ? block.m : block.n;
  int64_t across = std::max<int64_t>(granule.getAcross(), 1);
  if (granule.getKind() == GranuleKind::mx)
    across = 1;
  // Granules that neither divide the block nor are divided by it are looked up
  // for each row.
  bool aligned = across % rows.block == 0 || rows.block % across == 0;
  int64_t repeat = 1, repeatK = 1;
  BoundCoordinate other{axis, rows.block, rows.extent, rows.base};
  if (aligned)
    other = bindGranules(rows, across, axis, repeat);
  BoundCoordinate k =
      bindGranules({axisK, plan.blockK, op.getK(), loop.getInductionVar()},
                   granule.getAlong(), axisK, repeatK);
  Evaluator evaluator(b, space, 2, body.memory);
  evaluator.setLoc(loc);
  unsigned id = isA ? coordinateM : coordinateN;
  evaluator.bind(coordinateBatch, block.batch);
  evaluator.bind(id, other);
  evaluator.bind(coordinateK, k);
  IndexSpace &i = space.indices();
  IndexExpr row = i.coordinate(id, other.extent);
  if (!aligned)
    row = i.div(row, across);
  IndexExpr step = i.coordinate(coordinateK, k.extent);
  auto type = cast<RankedTensorType>(scale.getType());
  Index index(i.delinearize(i.coordinate(coordinateBatch, block.batch.extent),
                            type.getShape().drop_back(2)));
  index.push_back(rowsFirst ? row : step);
  index.push_back(rowsFirst ? step : row);
  Value tile = evaluator.evaluate({scale, index});
  if (!tile)
    return {};
  if (asIs) {
    // An index of one value is no coordinate.
    auto whole = cast<RankedTensorType>(tile.getType())
                     .clone({other.block, plan.blockK / kScaleBlock});
    return tile.getType() == whole
               ? tile
               : Value(tile::BroadcastOp::create(b, loc, whole, tile));
  }
  tile = convertTile(b, loc, tile, b.getF32Type());
  tile = repeatAlong(tile, axis, repeat);
  return axisK < 0 ? tile : repeatAlong(tile, axisK, repeatK);
}

//===----------------------------------------------------------------------===//
// The body of the loop
//===----------------------------------------------------------------------===//

static Value stretch(OpBuilder &b, Location loc, Value tile, Type like) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto shape = cast<RankedTensorType>(like).getShape();
  if (type.getShape() == shape)
    return tile;
  return tile::BroadcastOp::create(b, loc, type.clone(shape), tile);
}

/// The product of two tiles whose sizes of 1 are stretched.
static Value multiplyTiles(OpBuilder &b, Location loc, Value x, Value y) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, other] :
       llvm::zip(shape, cast<RankedTensorType>(y.getType()).getShape()))
    size = std::max(size, other);
  Type joint = type.clone(shape);
  return arith::MulFOp::create(b, loc, stretch(b, loc, x, joint),
                               stretch(b, loc, y, joint));
}

/// The upper half of each f32: bf16 has room for what an 8-bit float and a
/// power of two make.
static Value upperHalf(OpBuilder &b, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto wide = type.clone(b.getI32Type());
  Value bits = arith::BitcastOp::create(b, loc, wide, tile);
  Value sixteen = arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(wide, Attribute(b.getI32IntegerAttr(16))));
  bits = arith::ShRUIOp::create(b, loc, bits, sixteen);
  bits = arith::TruncIOp::create(b, loc, type.clone(b.getI16Type()), bits);
  return arith::BitcastOp::create(b, loc, type.clone(b.getBF16Type()), bits);
}

Value ScaledProduct::scaleOperand(ProductSide side, Value tile, bool minorK) {
  auto type = cast<RankedTensorType>(tile.getType());
  bool small = type.getElementTypeBitWidth() <= 8;
  if (hasScaledInstruction(op))
    return tile;
  if (!isOfKind(op, side, GranuleKind::mx))
    return small && hasE8M0(op) ? convertTile(b, loc, tile, b.getBF16Type())
                                : tile;
  int axis = minorK ? 0 : 1;
  Value scale = scaleTile(side, axis, 1 - axis);
  if (!scale)
    return {};
  Value wide = convertTile(b, loc, tile, b.getF32Type());
  Value product = arith::MulFOp::create(b, loc, wide,
                                        stretch(b, loc, scale, wide.getType()));
  return small ? upperHalf(b, loc, product) : product;
}

Value ScaledProduct::scaledDot(Value a, Value c, Value sum, bool transposeA,
                               bool transposeB) {
  Value scaleA = scaleTile(ProductSide::A, 0, 1, /*asIs=*/true);
  Value scaleB =
      scaleA ? scaleTile(ProductSide::B, 0, 1, /*asIs=*/true) : Value();
  if (!scaleB)
    return {};
  auto unit = [&](bool on) { return on ? b.getUnitAttr() : UnitAttr(); };
  return tile::DotScaledOp::create(b, loc, sum.getType(), a, scaleA, c, scaleB,
                                   sum, unit(transposeA), unit(transposeB));
}

Value ScaledProduct::accumulate(Value a, Value c, Value sum, bool transposeA,
                                bool transposeB) {
  if (hasScaledInstruction(op))
    return scaledDot(a, c, sum, transposeA, transposeB);
  // The factors together first: one product per row if B has one scale.
  Value factor;
  for (ProductSide side : {ProductSide::A, ProductSide::B}) {
    if (!isOfKind(op, side, GranuleKind::block))
      continue;
    Value tile = scaleTile(side, side == ProductSide::A ? 0 : 1, -1);
    if (!tile)
      return {};
    factor = factor ? multiplyTiles(b, loc, factor, tile) : tile;
  }
  if (!factor)
    return tile::DotOp::create(b, loc, a, c, sum, transposeA, transposeB);
  auto type = cast<RankedTensorType>(sum.getType());
  Value zero = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(type,
                             Attribute(b.getZeroAttr(type.getElementType()))));
  Value part = tile::DotOp::create(b, loc, a, c, zero, transposeA, transposeB);
  return math::FmaOp::create(b, loc, part, stretch(b, loc, factor, type), sum);
}
