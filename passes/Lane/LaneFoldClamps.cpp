//===- LaneFoldClamps.cpp - Clamps to one median instruction --------------===//
//
// minimumf(maximumf(x, lo), hi) keeps NaN. Where the target has no instruction
// for such a maximum, LLVM spends three on each; the median of three with the
// NaN put back is three for both.
//
//===----------------------------------------------------------------------===//

#include "dialects/Octavo/IR/Octavo.h"
#include "passes/Lane/LaneValue.h"
#include "passes/Lane/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace octavo {
#define GEN_PASS_DEF_LANEFOLDCLAMPS
#include "passes/Lane/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

/// The value if it is one constant number in all elements and not NaN.
static std::optional<APFloat> getNumber(Value value) {
  FloatAttr number;
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    number = elements.getSplatValue<FloatAttr>();
  else if (!matchPattern(value, m_Constant(&number)))
    return std::nullopt;
  if (number.getValue().isNaN())
    return std::nullopt;
  return number.getValue();
}

/// Replaces `op` if it and its operand are a clamp of f32 by constants.
template <typename Outer, typename Inner> static void foldClamp(Outer outer) {
  auto inner = outer.getLhs().template getDefiningOp<Inner>();
  if (!inner || !getElementTypeOrSelf(outer.getType()).isF32() ||
      (isa<VectorType>(outer.getType()) &&
       cast<VectorType>(outer.getType()).getRank() != 1))
    return;
  std::optional<APFloat> a = getNumber(outer.getRhs());
  std::optional<APFloat> b = getNumber(inner.getRhs());
  constexpr bool isOuterMinimum = std::is_same_v<Outer, arith::MinimumFOp>;
  if (!a || !b || (isOuterMinimum ? *a < *b : *b < *a))
    return;
  OpBuilder builder(outer);
  LaneValue x(builder, outer.getLoc(), inner.getLhs());
  LaneValue median =
      forEachElement({x, x.with(inner.getRhs()), x.with(outer.getRhs())},
                     [&](ValueRange three) -> Value {
                       return ROCDL::FMed3Op::create(
                           builder, outer.getLoc(), three[0].getType(),
                           three[0], three[1], three[2]);
                     });
  outer.replaceAllUsesWith(Value(select(isNaN(x), x, median)));
  outer.erase();
}

namespace {
struct LaneFoldClamps final
    : public octavo::impl::LaneFoldClampsBase<LaneFoldClamps> {
  void runOnOperation() override {
    const TargetInfo *target = getTargetOrError(getOperation());
    if (!target)
      return signalPassFailure();
    if (target->hasMaximum3)
      return;
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::MinimumFOp, arith::MaximumFOp>(op))
        ops.push_back(op);
    });
    // Readers first, so that the inner op of a clamp is still there.
    for (Operation *op : llvm::reverse(ops)) {
      if (auto minimum = dyn_cast<arith::MinimumFOp>(op))
        foldClamp<arith::MinimumFOp, arith::MaximumFOp>(minimum);
      else
        foldClamp<arith::MaximumFOp, arith::MinimumFOp>(
            cast<arith::MaximumFOp>(op));
    }
  }
};
} // namespace
