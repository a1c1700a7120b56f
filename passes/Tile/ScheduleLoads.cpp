//===- ScheduleLoads.cpp - Loads run ahead of the products ----------------===//
//
// In a loop of matrix products the next iteration's accesses to memory are
// issued before this iteration's products, so that their latency is hidden:
//
//   for k { x = gather k; dot x }
//   x = gather 0; for k { y = gather k + 1; dot x; x = y }
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace octavo {
#define GEN_PASS_DEF_SCHEDULELOADS
#include "passes/Tile/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

/// Behind the last iteration addresses may lie anywhere: only a buffer resource
/// answers with zeros.
static constexpr int64_t kMaxBufferBytes = int64_t(1) << 31;

namespace {
/// One loop and the loads that can run ahead in it.
class LoadSchedule {
public:
  explicit LoadSchedule(scf::ForOp loop) : loop(loop) {}

  void run() {
    collect();
    if (!loads.empty())
      rotate();
  }

private:
  /// Ops of the body that compute `value`; false if it depends on more than the
  /// loop's counter and values from outside.
  bool collectSlice(Value value, llvm::SetVector<Operation *> &slice) {
    if (value == loop.getInductionVar() ||
        !loop.getRegion().isAncestor(value.getParentRegion()))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !isPure(op) ||
        op->getNumRegions() != 0)
      return false;
    for (Value operand : op->getOperands())
      if (!collectSlice(operand, slice))
        return false;
    slice.insert(op);
    return true;
  }

  static bool isBuffer(tile::ViewType view) {
    std::optional<int64_t> extent = view.getExtent();
    return !extent || *extent * view.getElementBytes() <= kMaxBufferBytes;
  }

  /// Whether something in the loop may write the view.
  bool isWritten(Value view) {
    bool written = false;
    loop.walk([&](Operation *op) {
      if (auto scatter = dyn_cast<tile::ScatterOp>(op))
        written |= scatter.getView() == view;
      if (auto atomic = dyn_cast<tile::AtomicRmwOp>(op))
        written |= atomic.getView() == view;
    });
    return written;
  }

  void collect() {
    bool hasProducts = false;
    for (Operation &op : loop.getBody()->without_terminator()) {
      hasProducts |= isa<tile::DotOp, tile::DotScaledOp>(op);
      auto load = dyn_cast<tile::GatherOp>(op);
      if (!load || !isBuffer(load.getView().getType()) ||
          isWritten(load.getView()))
        continue;
      llvm::SetVector<Operation *> slice;
      bool movable = true;
      for (Value operand : load->getOperands())
        movable &= collectSlice(operand, slice);
      if (!movable)
        continue;
      loads.push_back(load);
      slices.insert(slice.begin(), slice.end());
    }
    if (!hasProducts)
      loads.clear();
  }

  /// Loads with the counter at `counter`, at the insertion point.
  SmallVector<Value> emitLoads(OpBuilder &b, Value counter) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), counter);
    for (Operation &op : loop.getBody()->without_terminator())
      if (slices.contains(&op))
        b.clone(op, mapping);
    SmallVector<Value> results;
    for (tile::GatherOp load : loads)
      results.push_back(b.clone(*load, mapping)->getResult(0));
    return results;
  }

  void rotate();

  scf::ForOp loop;
  SmallVector<tile::GatherOp> loads;
  llvm::SetVector<Operation *> slices;
};
} // namespace

void LoadSchedule::rotate() {
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> first = emitLoads(rewriter, loop.getLowerBound());
  // Ahead of the first product, behind what brings its operands to their lanes.
  Operation *dot = nullptr;
  for (Operation &op : *loop.getBody())
    if (!dot && isa<tile::DotOp, tile::DotScaledOp>(op))
      dot = &op;
  rewriter.setInsertionPoint(dot);
  Value next = arith::AddIOp::create(rewriter, loop.getLoc(),
                                     loop.getInductionVar(), loop.getStep());
  SmallVector<Value> ahead = emitLoads(rewriter, next);
  auto yieldAhead = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return ahead;
  };
  FailureOr<LoopLikeOpInterface> rotated = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false, yieldAhead);
  if (failed(rotated))
    return;
  auto newLoop = cast<scf::ForOp>(rotated->getOperation());
  for (auto [load, argument] :
       llvm::zip(loads, newLoop.getRegionIterArgs().take_back(loads.size())))
    rewriter.replaceOp(load, argument);
}

namespace {
struct ScheduleLoads final
    : public octavo::impl::ScheduleLoadsBase<ScheduleLoads> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      LoadSchedule(loop).run();
  }
};
} // namespace
