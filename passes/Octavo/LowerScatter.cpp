//===- LowerScatter.cpp - Scatter as a reduction over its source ----------===//
//
// Every element of the result looks at all indices: those that name it are
// combined in a fixed order, whatever collides. `set` keeps the last index that
// names the element and reads the source there. Where that is too much work the
// op stays, with an init of one neutral number: a kernel of its own goes
// through the indices.
//
//===----------------------------------------------------------------------===//

#include "passes/Octavo/Passes.h"

#include "passes/Octavo/Structured.h"

#include "octavo/Analysis/Scatter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace octavo {
#define GEN_PASS_DEF_LOWERSCATTER
#include "passes/Octavo/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

/// Comparing so many pairs of a place and an index is no work.
static constexpr int64_t kEasyComparisons = 1 << 20;

namespace {
/// Lowers one op.
class ScatterLowering {
public:
  ScatterLowering(ScatterReduceOp op)
      : op(op), b(op), build{b, op.getLoc(), "scatter"},
        result(cast<RankedTensorType>(op.getResult().getType())),
        indices(cast<RankedTensorType>(op.getIndices()[0].getType())),
        sizes(ScatterSizes::of(op)) {}

  void run();

private:
  AffineMap indexMap(int64_t outer);
  Value isNamed(OpBuilder &in, Location at, ValueRange elements,
                ArrayRef<int64_t> position);
  Value combine(OpBuilder &in, Location at, Value x, Value y) {
    return getScatterCombination(in, at, op.getKind(), x, y);
  }
  TypedAttr neutral(Type element);
  Value tokenNumber(OpBuilder &in, Location at, int64_t outer);
  Value lastNamed();
  Value lowerSet();
  Value lowerCombining();
  Value lowerByTokens();

  ScatterReduceOp op;
  OpBuilder b;
  Structured build;
  RankedTensorType result, indices;
  ScatterSizes sizes;
};
} // namespace

static Value indexAs(OpBuilder &b, Location loc, int64_t dim, Type type) {
  Value index = linalg::IndexOp::create(b, loc, dim);
  return arith::IndexCastOp::create(b, loc, type, index);
}

static Value integer(OpBuilder &b, Location loc, Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

/// Reads the indices: the dimensions after the first `outer`.
AffineMap ScatterLowering::indexMap(int64_t outer) {
  SmallVector<AffineExpr> at;
  for (int64_t d = 0; d < indices.getRank(); ++d)
    at.push_back(b.getAffineDimExpr(outer + d));
  return AffineMap::get(outer + indices.getRank(), 0, at, b.getContext());
}

/// Whether the indices `elements` name this element: dimension `position[j]` of
/// the iteration is what index j must equal.
Value ScatterLowering::isNamed(OpBuilder &in, Location at, ValueRange elements,
                               ArrayRef<int64_t> position) {
  Value all;
  for (auto [j, index] : llvm::enumerate(elements)) {
    Type type = index.getType();
    int64_t size = result.getDimSize(op.getDims()[j]);
    Value isNegative = arith::CmpIOp::create(in, at, arith::CmpIPredicate::slt,
                                             index, integer(in, at, type, 0));
    Value fromEnd =
        arith::AddIOp::create(in, at, index, integer(in, at, type, size));
    Value place = arith::SelectOp::create(in, at, isNegative, fromEnd, index);
    Value equal = arith::CmpIOp::create(in, at, arith::CmpIPredicate::eq, place,
                                        indexAs(in, at, position[j], type));
    all = all ? Value(arith::AndIOp::create(in, at, all, equal)) : equal;
  }
  return all;
}

TypedAttr ScatterLowering::neutral(Type element) {
  bool upper = op.getKind() == ScatterKind::min;
  bool extreme = upper || op.getKind() == ScatterKind::max;
  int64_t small = op.getKind() == ScatterKind::mul ? 1 : 0;
  if (auto type = dyn_cast<FloatType>(element)) {
    if (extreme)
      return b.getFloatAttr(type,
                            APFloat::getInf(type.getFloatSemantics(), !upper));
    return b.getFloatAttr(type, double(small));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  if (extreme)
    return b.getIntegerAttr(element, upper ? APInt::getSignedMaxValue(width)
                                           : APInt::getSignedMinValue(width));
  return b.getIntegerAttr(element, small);
}

/// Number of the index tuple at the dimensions after `outer`.
Value ScatterLowering::tokenNumber(OpBuilder &in, Location at, int64_t outer) {
  Type i32 = b.getI32Type();
  Value number = integer(in, at, i32, 0);
  for (auto [d, stride] :
       llvm::enumerate(getRowMajorStrides(indices.getShape())))
    number = arith::AddIOp::create(
        in, at, number,
        arith::MulIOp::create(in, at, indexAs(in, at, outer + d, i32),
                              integer(in, at, i32, stride)));
  return number;
}

/// For each place that the indices can name, the number of the last index tuple
/// that names it, or -1.
Value ScatterLowering::lastNamed() {
  int64_t outer = op.getDims().size(), rank = outer + indices.getRank();
  SmallVector<int64_t> shape;
  for (int64_t d : op.getDims())
    shape.push_back(result.getDimSize(d));
  llvm::append_range(shape, indices.getShape());
  SmallVector<AffineMap> maps(op.getIndices().size(), indexMap(outer));
  Type i32 = b.getI32Type();
  Value named = build.pointwise(
      op.getIndices(), maps, shape, i32,
      [&](OpBuilder &in, Location at, ValueRange elements) -> Value {
        auto position = llvm::to_vector(llvm::seq<int64_t>(0, outer));
        Value isHere = isNamed(in, at, elements, position);
        return arith::SelectOp::create(in, at, isHere,
                                       tokenNumber(in, at, outer),
                                       integer(in, at, i32, -1));
      });
  return build.reduce(named, llvm::to_vector(llvm::seq<int64_t>(outer, rank)),
                      b.getI32IntegerAttr(-1),
                      [](OpBuilder &in, Location at, ValueRange v) -> Value {
                        return arith::MaxSIOp::create(in, at, v[0], v[1]);
                      });
}

Value ScatterLowering::lowerSet() {
  Value last = lastNamed();
  SmallVector<AffineExpr> at;
  for (int64_t d : op.getDims())
    at.push_back(b.getAffineDimExpr(d));
  int64_t rank = result.getRank();
  AffineMap lastMap = AffineMap::get(rank, 0, at, b.getContext());
  SmallVector<int64_t> strides = getRowMajorStrides(indices.getShape());
  return build.pointwise(
      {last, op.getInit()}, {lastMap, b.getMultiDimIdentityMap(rank)},
      result.getShape(), result.getElementType(),
      [&](OpBuilder &in, Location at, ValueRange v) -> Value {
        Value zero = integer(in, at, v[0].getType(), 0);
        Value isNamed = arith::CmpIOp::create(in, at, arith::CmpIPredicate::sge,
                                              v[0], zero);
        Value number = arith::MaxSIOp::create(in, at, v[0], zero);
        Value rest =
            arith::IndexCastOp::create(in, at, in.getIndexType(), number);
        SmallVector<Value> position;
        for (int64_t stride : strides) {
          Value by = integer(in, at, in.getIndexType(), stride);
          position.push_back(arith::DivUIOp::create(in, at, rest, by));
          rest = arith::RemUIOp::create(in, at, rest, by);
        }
        for (int64_t d = 0; d < rank; ++d)
          if (!llvm::is_contained(op.getDims(), d))
            position.push_back(linalg::IndexOp::create(in, at, d));
        Value source =
            tensor::ExtractOp::create(in, at, op.getSource(), position);
        return arith::SelectOp::create(in, at, isNamed, source, v[1]);
      });
}

/// Iterates over the indexed dimensions, then the indices, then the rest: what
/// lies together in the source lies together in the result.
Value ScatterLowering::lowerCombining() {
  int64_t indexed = op.getDims().size(), number = indices.getRank();
  SmallVector<int64_t> shape, rest;
  SmallVector<AffineExpr> sourceAt, totalAt;
  for (int64_t d : op.getDims()) {
    shape.push_back(result.getDimSize(d));
    totalAt.push_back(b.getAffineDimExpr(d));
  }
  for (int64_t d = 0; d < number; ++d)
    sourceAt.push_back(b.getAffineDimExpr(indexed + d));
  llvm::append_range(shape, indices.getShape());
  for (int64_t d = 0; d < result.getRank(); ++d)
    if (!llvm::is_contained(op.getDims(), d)) {
      sourceAt.push_back(b.getAffineDimExpr(shape.size()));
      totalAt.push_back(b.getAffineDimExpr(d));
      shape.push_back(result.getDimSize(d));
    }
  int64_t rank = shape.size();
  // Small floats are summed in f32 and rounded once.
  Type element = result.getElementType(), wide = element;
  if (element.isBF16() || element.isF16())
    wide = b.getF32Type();
  auto widen = [&](OpBuilder &in, Location at, Value x) -> Value {
    return wide == element ? x : arith::ExtFOp::create(in, at, wide, x);
  };
  SmallVector<AffineExpr> indexAt(sourceAt.begin(), sourceAt.begin() + number);
  SmallVector<Value> inputs(op.getIndices());
  SmallVector<AffineMap> maps(inputs.size(),
                              AffineMap::get(rank, 0, indexAt, b.getContext()));
  inputs.push_back(op.getSource());
  maps.push_back(AffineMap::get(rank, 0, sourceAt, b.getContext()));
  Value named = build.pointwise(
      inputs, maps, shape, wide,
      [&](OpBuilder &in, Location at, ValueRange v) -> Value {
        auto position = llvm::to_vector(llvm::seq<int64_t>(0, indexed));
        Value isHere = isNamed(in, at, v.drop_back(), position);
        Value other = arith::ConstantOp::create(in, at, neutral(wide));
        return arith::SelectOp::create(in, at, isHere, widen(in, at, v.back()),
                                       other);
      });
  Value total = build.reduce(
      named, llvm::to_vector(llvm::seq<int64_t>(indexed, indexed + number)),
      neutral(wide), [&](OpBuilder &in, Location at, ValueRange v) {
        return combine(in, at, v[1], v[0]);
      });
  int64_t outer = result.getRank();
  return build.pointwise(
      {op.getInit(), total},
      {b.getMultiDimIdentityMap(outer),
       AffineMap::get(outer, 0, totalAt, b.getContext())},
      result.getShape(), element,
      [&](OpBuilder &in, Location at, ValueRange v) -> Value {
        Value sum = combine(in, at, widen(in, at, v[0]), v[1]);
        return wide == element ? sum
                               : arith::TruncFOp::create(in, at, element, sum);
      });
}

/// The op itself, in the type that is computed in and into neutral elements;
/// then the init.
Value ScatterLowering::lowerByTokens() {
  Type element = result.getElementType(), wide = element;
  if (element.isBF16() || element.isF16())
    wide = b.getF32Type();
  Value source = op.getSource();
  auto type = cast<RankedTensorType>(source.getType());
  if (wide != element)
    source = build.pointwise(
        {source}, {b.getMultiDimIdentityMap(type.getRank())}, type.getShape(),
        wide, [&](OpBuilder &in, Location at, ValueRange v) -> Value {
          return arith::ExtFOp::create(in, at, wide, v[0]);
        });
  Value init = build.fill(result.getShape(), neutral(wide));
  auto total =
      ScatterReduceOp::create(b, op.getLoc(), init.getType(), op.getKind(),
                              source, init, op.getIndices(), op.getDims());
  if (auto from = op->getAttr(OctavoDialect::getFromAttrName()))
    total->setAttr(OctavoDialect::getFromAttrName(), from);
  AffineMap same = b.getMultiDimIdentityMap(result.getRank());
  TypedAttr start;
  auto fill = op.getInit().getDefiningOp<linalg::FillOp>();
  if (wide == element && fill &&
      matchPattern(fill.getInputs()[0], m_Constant(&start)) &&
      start == neutral(wide))
    return total;
  return build.pointwise(
      {op.getInit(), total.getResult()}, {same, same}, result.getShape(),
      element, [&](OpBuilder &in, Location at, ValueRange v) -> Value {
        Value first =
            wide == element ? v[0] : arith::ExtFOp::create(in, at, wide, v[0]);
        Value sum = combine(in, at, first, v[1]);
        return wide == element ? sum
                               : arith::TruncFOp::create(in, at, element, sum);
      });
}

void ScatterLowering::run() {
  bool isMuch = sizes.rows * sizes.tokens > kEasyComparisons / sizes.columns;
  Value value = op.getKind() == ScatterKind::set ? lowerSet()
                : isMuch                         ? lowerByTokens()
                                                 : lowerCombining();
  op.getResult().replaceAllUsesWith(value);
  op.erase();
}

namespace {
struct LowerScatter final
    : public octavo::impl::LowerScatterBase<LowerScatter> {
  void runOnOperation() override {
    SmallVector<ScatterReduceOp> ops;
    getOperation().walk([&](ScatterReduceOp op) { ops.push_back(op); });
    for (ScatterReduceOp op : ops) {
      for (Value v : op->getOperands())
        if (!cast<RankedTensorType>(v.getType()).hasStaticShape()) {
          op.emitOpError("has no lowering for dynamic sizes");
          return signalPassFailure();
        }
      ScatterLowering(op).run();
    }
  }
};
} // namespace
