//===- SplitReductions.cpp - Long reductions to few results ---------------===//
//
// A reduction is `[A, R, B] -> [A, B]`. If A * B rows cannot fill the device
// and R is long, R is read as `[P, R / P]` (padded with the neutral element):
// the partial results are rows of their own, then P of them are reduced. The
// order is fixed by the sizes alone.
//
//===----------------------------------------------------------------------===//

#include "passes/Octavo/Passes.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

namespace octavo {
#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "passes/Octavo/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

/// A workgroup reads this much of one row at ease.
static constexpr int64_t kEasyExtent = 4096;

namespace {
/// `[A, R, B]` of a reduction over neighbouring dimensions.
struct Sizes {
  int64_t before = 1, extent = 1, after = 1;
};
} // namespace

static std::optional<Sizes> sizesOf(linalg::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  if (op.getInputs().size() != 1 || !type.hasStaticShape() ||
      op.getDimensions().empty())
    return std::nullopt;
  Sizes sizes;
  int64_t first = op.getDimensions().front(), last = op.getDimensions().back();
  if (last - first + 1 != int64_t(op.getDimensions().size()))
    return std::nullopt;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    (int64_t(d) < first  ? sizes.before
     : int64_t(d) > last ? sizes.after
                         : sizes.extent) *= size;
  return sizes;
}

/// How many parts, or 1 to leave the reduction alone.
static int64_t partsOf(const Sizes &sizes, ArrayRef<int64_t> reduced,
                       const TargetInfo &target) {
  if (sizes.after == 1) {
    if (sizes.extent <= kEasyExtent ||
        sizes.before * 4 >= int64_t(target.computeUnits))
      return 1;
    // Whole rows of the last dimension, if there are such: what makes them may
    // then be computed in the same kernel.
    int64_t row = reduced.back();
    if (reduced.size() > 1 && row >= int64_t(target.waveSize) &&
        row <= 2 * kEasyExtent && sizes.extent / row <= 4 * kEasyExtent)
      return sizes.extent / row;
    return llvm::divideCeil(sizes.extent, kEasyExtent);
  }
  // Columns: 16 of them are a workgroup's narrowest piece.
  int64_t pieces = llvm::divideCeil(sizes.after, 16) * sizes.before;
  if (sizes.extent <= kEasyExtent / 2 ||
      pieces * 4 >= int64_t(target.computeUnits))
    return 1;
  return std::min<int64_t>(llvm::divideCeil(target.computeUnits, pieces),
                           llvm::divideCeil(sizes.extent, 256));
}

/// Reads `[.., R, ..]` as `[A, P, R / P, B]`.
static Value readParts(OpBuilder &b, linalg::ReduceOp op, const Sizes &sizes,
                       int64_t parts, Value neutral) {
  Location loc = op.getLoc();
  Value input = op.getInputs()[0];
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<ReassociationIndices> groups(3);
  for (int64_t d = 0; d < type.getRank(); ++d)
    groups[d < op.getDimensions().front()  ? 0
           : d > op.getDimensions().back() ? 2
                                           : 1]
        .push_back(d);
  bool hasBefore = !groups[0].empty(), hasAfter = !groups[2].empty();
  llvm::erase_if(groups, [](auto &group) { return group.empty(); });
  Value flat = input;
  if (int64_t(groups.size()) != type.getRank())
    flat = tensor::CollapseShapeOp::create(b, loc, input, groups);
  int64_t part = llvm::divideCeil(sizes.extent, parts);
  int64_t padding = part * parts - sizes.extent;
  int64_t at = hasBefore ? 1 : 0;
  int64_t rank = groups.size();
  SmallVector<int64_t> shape(cast<RankedTensorType>(flat.getType()).getShape());
  if (padding) {
    shape[at] += padding;
    SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high = low;
    high[at] = b.getIndexAttr(padding);
    flat = tensor::PadOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), flat, low,
        high, neutral);
  }
  shape[at] = part;
  shape.insert(shape.begin() + at, parts);
  SmallVector<ReassociationIndices> apart;
  for (int64_t d = 0, next = 0; d < rank; ++d) {
    apart.emplace_back();
    for (int i = 0; i < (d == at ? 2 : 1); ++i)
      apart.back().push_back(next++);
  }
  (void)hasAfter;
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), flat, apart);
}

/// `op` with other operands and dimensions.
static Value reduceLike(OpBuilder &b, linalg::ReduceOp op, Value input,
                        Value init, int64_t dimension) {
  auto reduce = linalg::ReduceOp::create(b, op.getLoc(), input, init,
                                         ArrayRef<int64_t>(dimension), nullptr);
  IRMapping mapping;
  op.getCombiner().cloneInto(&reduce.getCombiner(), mapping);
  reduce->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return reduce.getResult(0);
}

static void split(linalg::ReduceOp op, const Sizes &sizes, int64_t parts) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto result = cast<RankedTensorType>(op.getInits()[0].getType());
  auto fill = op.getInits()[0].getDefiningOp<linalg::FillOp>();
  Value neutral = fill.getInputs()[0];
  Value input = readParts(b, op, sizes, parts, neutral);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(input.getType()).getShape());
  int64_t at = op.getDimensions().front() > 0 ? 1 : 0;
  shape.erase(shape.begin() + at + 1);
  auto start = [&](ArrayRef<int64_t> of) -> Value {
    Value empty = tensor::EmptyOp::create(b, loc, of, result.getElementType());
    return linalg::FillOp::create(b, loc, neutral, empty).getResult(0);
  };
  Value partial = reduceLike(b, op, input, start(shape), at + 1);
  shape.erase(shape.begin() + at);
  Value whole = reduceLike(b, op, partial, start(shape), at);
  if (ArrayRef<int64_t>(shape) != result.getShape())
    whole = tensor::ExpandShapeOp::create(
        b, loc, result, whole,
        *getReassociationIndicesForReshape(
            cast<RankedTensorType>(whole.getType()), result));
  op.getResult(0).replaceAllUsesWith(whole);
  op.erase();
}

/// The init may be used for padding and twice: it is the neutral element.
static bool startsNeutral(linalg::ReduceOp op) {
  auto fill = op.getInits()[0].getDefiningOp<linalg::FillOp>();
  Block &body = op.getCombiner().front();
  TypedAttr value;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&value)) ||
      body.getOperations().size() != 2)
    return false;
  Operation &combiner = body.front();
  // A maximum or minimum may take any init twice.
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp,
          arith::MaxUIOp, arith::MinUIOp, arith::OrIOp, arith::AndIOp>(
          combiner))
    return true;
  if (auto number = dyn_cast<FloatAttr>(value);
      number && isa<arith::AddFOp>(combiner))
    return number.getValue().isZero();
  auto neutral = arith::getNeutralElement(&combiner);
  return neutral && *neutral == value;
}

namespace {
struct SplitReductions final
    : public octavo::impl::SplitReductionsBase<SplitReductions> {
  void runOnOperation() override {
    const TargetInfo *target = getTargetOrError(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<linalg::ReduceOp> ops;
    getOperation().walk([&](linalg::ReduceOp op) { ops.push_back(op); });
    for (linalg::ReduceOp op : ops) {
      std::optional<Sizes> sizes = sizesOf(op);
      if (!sizes || !startsNeutral(op))
        continue;
      auto shape =
          cast<RankedTensorType>(op.getInputs()[0].getType()).getShape();
      SmallVector<int64_t> reduced;
      for (int64_t d : op.getDimensions())
        reduced.push_back(shape[d]);
      int64_t parts = partsOf(*sizes, reduced, *target);
      if (parts > 1)
        split(op, *sizes, parts);
    }
  }
};
} // namespace
