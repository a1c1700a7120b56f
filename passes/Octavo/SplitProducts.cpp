//===- SplitProducts.cpp - Long products with few results -----------------===//
//
// A product with fewer tiles than the device has compute units, and a long K,
// is computed in parts of K: a batch of products whose f32 results lie in
// memory, and a sum over the parts with the scales, the bias and the cast, in
// whose kernel everything that follows is computed. The order of all sums is
// fixed by the sizes alone.
//
//===----------------------------------------------------------------------===//

#include "passes/Octavo/Passes.h"

#include "passes/Octavo/Structured.h"
#include "passes/OctavoToTile/CostModel.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

namespace octavo {
#define GEN_PASS_DEF_SPLITPRODUCTS
#include "passes/Octavo/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

namespace {
/// Splits one product.
class ProductSplit {
public:
  ProductSplit(OpBuilder &b, ScaledMatmulOp op, int64_t parts)
      : b(b), op(op), parts(parts), make{b, op.getLoc(), "sum_parts"},
        batch(op.getBatch()), accumulates(accumulatorOf(op)) {}

  void run();

  /// The type in which a product is summed.
  static Type accumulatorOf(ScaledMatmulOp op);

private:
  Value operandInParts(Value operand, bool isMinorK);
  Value epilogue(Value sum);
  AffineMap scaleMap(Value scale, unsigned dimension, bool isLast);
  Value convert(OpBuilder &at, Location loc, Value value, Type to);

  OpBuilder &b;
  ScaledMatmulOp op;
  int64_t parts;
  Structured make;
  SmallVector<int64_t> batch;
  Type accumulates;
};
} // namespace

Type ProductSplit::accumulatorOf(ScaledMatmulOp op) {
  Type a = op.getA().getType().getElementType(),
       c = op.getB().getType().getElementType();
  Builder b(op.getContext());
  if (isa<IntegerType>(a))
    return b.getI32Type();
  return a.isF64() || c.isF64() ? Type(b.getF64Type()) : Type(b.getF32Type());
}

/// Whether all that a granule scales is the whole K of a row or column: then
/// the sum is scaled, else the parts are.
static bool isAlongWholeK(std::optional<GranuleAttr> granule) {
  return !granule || granule->getKind() == GranuleKind::tensor ||
         granule->getKind() == GranuleKind::row;
}

/// K of a part is a multiple of this.
static int64_t leastPart(ScaledMatmulOp op) {
  int64_t least = 1;
  for (std::optional<GranuleAttr> granule :
       {op.getGranuleA(), op.getGranuleB()})
    if (!isAlongWholeK(granule))
      least = std::lcm(least, granule->getAlong());
  return least;
}

/// `[batch, X, K]` as `[batch, P, X, K / P]`; `[batch, K, X]` as
/// `[batch, P, K / P, X]`.
Value ProductSplit::operandInParts(Value operand, bool isMinorK) {
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t rank = type.getRank(), at = isMinorK ? rank - 1 : rank - 2;
  SmallVector<int64_t> shape(type.getShape());
  shape[at] /= parts;
  shape.insert(shape.begin() + at, parts);
  SmallVector<ReassociationIndices> groups;
  for (int64_t d = 0, next = 0; d < rank; ++d) {
    groups.emplace_back();
    for (int i = 0; i < (d == at ? 2 : 1); ++i)
      groups.back().push_back(next++);
  }
  Value apart = tensor::ExpandShapeOp::create(b, op.getLoc(), type.clone(shape),
                                              operand, groups);
  if (!isMinorK)
    return apart;
  SmallVector<int64_t> permutation;
  for (int64_t d = 0; d <= rank; ++d)
    permutation.push_back(d);
  std::swap(permutation[rank - 2], permutation[rank - 1]);
  std::swap(shape[rank - 2], shape[rank - 1]);
  Value empty = make.empty(shape, type.getElementType());
  return linalg::TransposeOp::create(b, op.getLoc(), apart, empty, permutation)
      .getResult()[0];
}

/// How the result's element reads a scale of the rows or columns that are
/// dimension `dimension` of the result.
AffineMap ProductSplit::scaleMap(Value scale, unsigned dimension, bool isLast) {
  int64_t rank = cast<RankedTensorType>(scale.getType()).getRank();
  unsigned loops = batch.size() + 2;
  bool isOne = cast<RankedTensorType>(scale.getType()).getNumElements() == 1;
  SmallVector<AffineExpr> at;
  for (int64_t d = 0; d < rank; ++d) {
    bool isRow = d == (isLast ? rank - 1 : rank - 2);
    if (isOne || (d >= rank - 2 && !isRow))
      at.push_back(b.getAffineConstantExpr(0));
    else
      at.push_back(b.getAffineDimExpr(isRow ? dimension : unsigned(d)));
  }
  return AffineMap::get(loops, 0, at, b.getContext());
}

Value ProductSplit::convert(OpBuilder &at, Location loc, Value value, Type to) {
  Type from = value.getType();
  if (from == to)
    return value;
  if (isa<IntegerType>(from))
    return arith::SIToFPOp::create(at, loc, to, value);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(at, loc, to, value);
  return arith::TruncFOp::create(at, loc, to, value);
}

/// The sum of the parts times the scales plus the bias, in the result's type.
Value ProductSplit::epilogue(Value sum) {
  auto result = cast<RankedTensorType>(op.getType());
  unsigned loops = batch.size() + 2, m = loops - 2, n = loops - 1;
  SmallVector<Value> inputs{sum};
  SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(loops)};
  unsigned scales = 0;
  auto addScale = [&](Value scale, unsigned dimension, bool isLast) {
    if (!scale)
      return;
    inputs.push_back(scale);
    maps.push_back(scaleMap(scale, dimension, isLast));
    ++scales;
  };
  if (isAlongWholeK(op.getGranuleA()))
    addScale(op.getScaleA(), m, op.getTransposedA());
  if (isAlongWholeK(op.getGranuleB()))
    addScale(op.getScaleB(), n, !op.getTransposedB());
  if (op.getBias()) {
    inputs.push_back(op.getBias());
    maps.push_back(
        AffineMap::get(loops, 0, b.getAffineDimExpr(n), b.getContext()));
  }
  Type type = result.getElementType();
  if (inputs.size() == 1 && type == accumulates)
    return sum;
  Type computes = isa<IntegerType>(accumulates) && isa<FloatType>(type)
                      ? Type(b.getF32Type())
                      : accumulates;
  return make.pointwise(
      inputs, maps, result.getShape(), type,
      [&](OpBuilder &at, Location loc, ValueRange arguments) -> Value {
        Value value = convert(at, loc, arguments[0], computes);
        for (unsigned i = 1; i < arguments.size(); ++i) {
          Value other = convert(at, loc, arguments[i], computes);
          value = i <= scales
                      ? Value(arith::MulFOp::create(at, loc, value, other))
                      : Value(arith::AddFOp::create(at, loc, value, other));
        }
        return convert(at, loc, value, type);
      });
}

void ProductSplit::run() {
  Value a = operandInParts(op.getA(), !op.getTransposedA());
  Value c = operandInParts(op.getB(), op.getTransposedB());
  SmallVector<int64_t> shape(batch);
  shape.append({parts, op.getM(), op.getN()});
  Value scaleA, scaleB;
  GranuleAttr granuleA, granuleB;
  if (!isAlongWholeK(op.getGranuleA())) {
    scaleA = operandInParts(op.getScaleA(), !op.getTransposedA());
    granuleA = *op.getGranuleA();
  }
  if (!isAlongWholeK(op.getGranuleB())) {
    scaleB = operandInParts(op.getScaleB(), op.getTransposedB());
    granuleB = *op.getGranuleB();
  }
  auto partial = ScaledMatmulOp::create(
      b, op.getLoc(), RankedTensorType::get(shape, accumulates), a, c, scaleA,
      scaleB, /*bias=*/Value(), /*groups=*/Value(), op.getTransposedA(),
      op.getTransposedB(), granuleA, granuleB, /*group_dim=*/GroupDimAttr());
  partial->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  auto add = [](OpBuilder &at, Location loc, ValueRange values) -> Value {
    if (isa<IntegerType>(values[0].getType()))
      return arith::AddIOp::create(at, loc, values[0], values[1]);
    return arith::AddFOp::create(at, loc, values[0], values[1]);
  };
  Value sum = make.reduce(partial.getResult(), {int64_t(batch.size())},
                          cast<TypedAttr>(b.getZeroAttr(accumulates)), add);
  op.getResult().replaceAllUsesWith(epilogue(sum));
  op.erase();
}

/// Products that can be split at all.
static bool isSplittable(ScaledMatmulOp op) {
  for (Value v : op->getOperands())
    if (!cast<RankedTensorType>(v.getType()).hasStaticShape())
      return false;
  if (hasNoElements(op.getType()) || op.getGroups())
    return false;
  Type accumulates = ProductSplit::accumulatorOf(op);
  Type result = cast<RankedTensorType>(op.getType()).getElementType();
  if (isa<FloatType>(result))
    return true;
  // The rest has no lowering, and says so.
  return result == accumulates && !op.getScaleA() && !op.getScaleB() &&
         !op.getBias();
}

namespace {
struct SplitProducts final
    : public octavo::impl::SplitProductsBase<SplitProducts> {
  using SplitProductsBase::SplitProductsBase;

  int64_t partsOf(ScaledMatmulOp op, const TargetInfo &target) {
    if (parts > 0)
      return op.getK() % (parts * leastPart(op)) == 0 ? parts : 1;
    ProductSizes sizes{ShapedType::getNumElements(op.getBatch()), op.getM(),
                       op.getN(), op.getK()};
    sizes.bitsA = op.getA().getType().getElementTypeBitWidth();
    sizes.bitsB = op.getB().getType().getElementTypeBitWidth();
    sizes.bitsResult =
        cast<RankedTensorType>(op.getType()).getElementTypeBitWidth();
    sizes.leastPart = leastPart(op);
    return planParts(target, sizes);
  }

  void runOnOperation() override {
    const TargetInfo *target = getTargetOrError(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<ScaledMatmulOp> ops;
    getOperation().walk([&](ScaledMatmulOp op) { ops.push_back(op); });
    for (ScaledMatmulOp op : ops) {
      if (!isSplittable(op))
        continue;
      int64_t count = partsOf(op, *target);
      OpBuilder b(op);
      if (count > 1)
        ProductSplit(b, op, count).run();
    }
  }
};
} // namespace
