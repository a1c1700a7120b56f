//===- AssignLayouts.cpp - Say which lane holds which element -------------===//
//
// Layouts spread from anchors (matrix products, then accesses to memory) by the
// rules of LayoutRules.h. Then every op is looked at once: an operand that is
// held otherwise than the op needs it is computed again in the needed layout if
// that is cheap, else it passes a tile.convert_layout.
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/DotLayout.h"
#include "passes/Tile/LayoutRules.h"
#include "passes/Tile/MemoryLayout.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/Rematerialize.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace octavo {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/Tile/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;
using tile::LayoutAttr;

/// Registers that one vector of the lane's program holds, if nothing else asks
/// for more: 4 are a 16-byte access of 32-bit elements and the packed
/// conversions of 8-bit floats.
static constexpr int64_t kFragment = 4;

/// A tile with fewer bytes is not worth an exchange through LDS.
static constexpr int64_t kMinExchangeBytes = 4096;

namespace {
class LayoutAssignment {
public:
  LayoutAssignment(tile::FuncOp function, const TargetInfo &target)
      : function(function), target(target) {}

  LogicalResult run() {
    if (failed(assignDots()))
      return failure();
    assignAccesses();
    assignRest();
    applyTypes();
    return fixOperands();
  }

private:
  MLIRContext *context() { return function.getContext(); }

  void assign(Value tile, LayoutAttr layout) {
    if (isa<RankedTensorType>(tile.getType()) &&
        layouts.try_emplace(tile, layout).second)
      worklist.push_back(tile);
  }

  void spread() {
    while (!worklist.empty()) {
      Value tile = worklist.pop_back_val();
      LayoutAttr layout = layouts[tile];
      SmallVector<Operation *> around(tile.getUsers());
      if (Operation *op = tile.getDefiningOp())
        around.push_back(op);
      else
        around.push_back(tile.getParentBlock()->getParentOp());
      for (Operation *op : around)
        for (LayoutFact fact : deriveLayouts(op, tile, layout))
          assign(fact.tile, fact.layout);
    }
  }

  /// The tile that decides how an access to memory is held.
  static Value getAccessedTile(Operation *op) {
    if (auto scatter = dyn_cast<tile::ScatterOp>(op))
      return scatter.getValue();
    if (auto atomic = dyn_cast<tile::AtomicRmwOp>(op))
      return atomic.getValue();
    return op->getResult(0);
  }

  /// Accumulators spread, for they stay in registers over a loop; operands are
  /// brought into their layout where they are read.
  LogicalResult assignDots() {
    WalkResult walk = function.walk([&](tile::DotOp dot) {
      FailureOr<DotPlan> plan = planDot(dot, target, function.getWaves());
      if (failed(plan))
        return WalkResult::interrupt();
      const MatrixInstruction &row = *plan->instruction;
      auto operand = [&](const LinearLayout &layout) {
        return makeLayoutAttr(context(), layout, row.operandElements());
      };
      dotOperands[dot] = {operand(plan->a), operand(plan->b)};
      assign(dot.getResult(), makeLayoutAttr(context(), plan->accumulator,
                                             row.resultElements()));
      spread();
      // A sum of products of other sizes may have come first.
      dotResults[dot] =
          makeLayoutAttr(context(), plan->accumulator, row.resultElements());
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted() || failed(assignScaledDots()));
  }

  /// Scales are few: they are read in the layout that the product wants.
  LogicalResult assignScaledDots() {
    WalkResult walk = function.walk([&](tile::DotScaledOp dot) {
      FailureOr<ScaledDotPlan> plan =
          planScaledDot(dot, target, function.getWaves());
      if (failed(plan))
        return WalkResult::interrupt();
      const MatrixInstruction &row = *plan->product.instruction;
      auto of = [&](const LinearLayout &layout, int64_t fragment) {
        return makeLayoutAttr(context(), layout, fragment);
      };
      dotOperands[dot] = {of(plan->product.a, row.operandElements()),
                          of(plan->product.b, row.operandElements())};
      dotScales[dot] = {of(plan->scaleA, 1), of(plan->scaleB, 1)};
      dotResults[dot] = of(plan->product.accumulator, row.resultElements());
      assign(dot.getResult(), dotResults[dot]);
      assign(dot.getScaleA(), dotScales[dot].first);
      assign(dot.getScaleB(), dotScales[dot].second);
      spread();
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  void assignAccesses() {
    SmallVector<Operation *> accesses;
    function.walk([&](Operation *op) {
      if (getMemoryAccess(op))
        accesses.push_back(op);
    });
    llvm::stable_sort(accesses, [](Operation *a, Operation *b) {
      auto size = [](Operation *op) {
        return cast<RankedTensorType>(getAccessedTile(op).getType())
            .getNumElements();
      };
      return size(a) > size(b);
    });
    for (Operation *op : accesses) {
      MemoryAccess access = *getMemoryAccess(op);
      LinearLayout best = chooseMemoryLayout(access, target.waveSize,
                                             function.getWaves(), axes);
      Value tile = getAccessedTile(op);
      LayoutAttr preferred = makeLayoutAttr(context(), best, kFragment);
      auto it = layouts.find(tile);
      if (it == layouts.end()) {
        assign(tile, preferred);
        spread();
        it = layouts.find(tile);
      }
      accessLayouts[op] =
          isGoodEnough(access, it->second.getLayout(), best, tile) ? it->second
                                                                   : preferred;
    }
  }

  /// Whether to access memory in the layout that a tile has anyway.
  bool isGoodEnough(const MemoryAccess &access, const LinearLayout &layout,
                    const LinearLayout &best, Value tile) {
    int64_t bytes = cast<RankedTensorType>(tile.getType()).getNumElements() *
                    access.view.getElementBytes();
    if (layout == best || bytes < kMinExchangeBytes)
      return true;
    // 64 bytes are half a cache line; more brings little, as do lanes with more
    // than 8 bytes.
    auto suffices = [&](auto measure, int64_t enough) {
      return measure(access, layout, axes) >=
             std::min<int64_t>(enough, measure(access, best, axes));
    };
    return suffices(getSegmentBytes, 64) &&
           suffices(getAccessWidth, 8 / access.view.getElementBytes());
  }

  /// Tiles that no anchor reaches: a plain layout for each shape.
  void assignRest() {
    function.walk([&](Operation *op) {
      for (Value result : op->getResults()) {
        auto type = dyn_cast<RankedTensorType>(result.getType());
        if (!type || layouts.contains(result))
          continue;
        SmallVector<unsigned> order, waveOrder;
        for (unsigned d = 0; d < type.getRank(); ++d)
          waveOrder.push_back(d);
        order.assign(waveOrder.rbegin(), waveOrder.rend());
        assign(result,
               makeLayoutAttr(
                   context(),
                   LinearLayout::blocked(type.getShape(), 1, target.waveSize,
                                         function.getWaves(), order, waveOrder),
                   kFragment));
        spread();
      }
    });
  }

  void applyTypes() {
    for (auto [tile, layout] : layouts) {
      tile.setType(tile::withLayout(tile.getType(), layout));
      if (auto constant = tile.getDefiningOp<arith::ConstantOp>())
        constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue())
                                  .reshape(cast<ShapedType>(tile.getType())));
    }
  }

  LogicalResult fixOperands() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (op != function)
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(fixOperands(op)))
        return failure();
    return success();
  }

  LogicalResult fixOperands(Operation *op);
  LayoutAttr chooseScanLayout(tile::ScanOp op);
  SmallVector<LayoutFact> getCatNeeds(tile::CatOp op);
  FailureOr<SmallVector<LayoutFact>> getNeeds(Operation *op);
  void convertResult(Value result, LayoutAttr produced);

  tile::FuncOp function;
  const TargetInfo &target;
  AxisInfoAnalysis axes;
  llvm::MapVector<Value, LayoutAttr> layouts;
  llvm::DenseMap<Operation *, LayoutAttr> accessLayouts, dotResults;
  llvm::DenseMap<Operation *, std::pair<LayoutAttr, LayoutAttr>> dotOperands,
      dotScales;
  SmallVector<Value> worklist;
  Rematerializer rematerializer;
};
} // namespace

/// Lines along the axis lie in the registers and lanes of one wave.
LayoutAttr LayoutAssignment::chooseScanLayout(tile::ScanOp op) {
  auto type = cast<RankedTensorType>(op.getSources().front().getType());
  SmallVector<unsigned> order{static_cast<unsigned>(op.getAxis())}, others;
  for (unsigned d = type.getRank(); d-- > 0;)
    if (d != op.getAxis())
      others.push_back(d);
  llvm::append_range(order, others);
  int64_t perLane = type.getNumElements() / (target.waveSize);
  return makeLayoutAttr(
      context(),
      LinearLayout::blocked(
          type.getShape(), std::clamp<int64_t>(perLane, 1, kFragment),
          target.waveSize, function.getWaves(), order, others),
      kFragment);
}

/// Both parts and the whole are repetitions of one smaller tile.
SmallVector<LayoutFact> LayoutAssignment::getCatNeeds(tile::CatOp op) {
  unsigned axis = op.getAxis();
  SmallVector<LayoutFact> facts;
  int64_t left = op.getLhs().getType().getDimSize(axis);
  int64_t right = op.getRhs().getType().getDimSize(axis);
  int64_t part = std::min(left & -left, right & -right);
  SmallVector<unsigned> order, waveOrder;
  for (int64_t d = 0; d < op.getType().getRank(); ++d)
    waveOrder.push_back(d);
  order.assign(waveOrder.rbegin(), waveOrder.rend());
  SmallVector<int64_t> shape(op.getType().getShape());
  shape[axis] = part;
  LinearLayout small = LinearLayout::blocked(
      shape, 1, target.waveSize, function.getWaves(), order, waveOrder);
  for (Value tile :
       {Value(op.getLhs()), Value(op.getRhs()), Value(op.getResult())}) {
    TileIndex repeats = small.repetitions();
    repeats[axis] =
        cast<RankedTensorType>(tile.getType()).getDimSize(axis) / part;
    facts.push_back(
        {tile,
         makeLayoutAttr(context(),
                        LinearLayout(small.registerBases(), small.laneBases(),
                                     small.waveBases(), repeats),
                        kFragment)});
  }
  return facts;
}

/// The layouts of all tiles of `op` that follow from the one that leads.
FailureOr<SmallVector<LayoutFact>> LayoutAssignment::getNeeds(Operation *op) {
  if (auto it = accessLayouts.find(op); it != accessLayouts.end())
    return deriveLayouts(op, getAccessedTile(op), it->second);
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    auto [a, b] = dotOperands[op];
    dot.getAMutable().set(rematerializer.convert(dot.getA(), a));
    dot.getBMutable().set(rematerializer.convert(dot.getB(), b));
    return deriveLayouts(op, dot.getResult(), dotResults[op]);
  }
  if (auto dot = dyn_cast<tile::DotScaledOp>(op)) {
    auto convert = [&](OpOperand &operand, LayoutAttr layout) {
      operand.set(rematerializer.convert(operand.get(), layout));
    };
    convert(dot.getAMutable(), dotOperands[op].first);
    convert(dot.getBMutable(), dotOperands[op].second);
    convert(dot.getScaleAMutable(), dotScales[op].first);
    convert(dot.getScaleBMutable(), dotScales[op].second);
    return deriveLayouts(op, dot.getResult(), dotResults[op]);
  }
  if (auto scan = dyn_cast<tile::ScanOp>(op)) {
    Value first = op->getOperand(0);
    return deriveLayouts(op, first, chooseScanLayout(scan));
  }
  if (isa<tile::ReduceOp>(op)) {
    Value first = op->getOperand(0);
    return deriveLayouts(op, first, tile::getLayout(first.getType()));
  }
  if (isa<tile::ReshapeOp>(op)) {
    for (Value lead : {Value(op->getResult(0)), op->getOperand(0)}) {
      auto facts = deriveLayouts(op, lead, tile::getLayout(lead.getType()));
      if (!facts.empty())
        return facts;
    }
    op->emitOpError("no layout fits both shapes");
    return failure();
  }
  if (auto cat = dyn_cast<tile::CatOp>(op))
    return getCatNeeds(cat);
  SmallVector<LayoutFact> facts;
  SmallVector<Value> leads(op->getResults());
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    leads.assign(op->getOperands().begin(), op->getOperands().end());
  for (Value lead : leads)
    if (LayoutAttr layout = tile::getLayout(lead.getType()))
      for (LayoutFact fact : deriveLayouts(op, lead, layout))
        facts.push_back(fact);
  return facts;
}

LogicalResult LayoutAssignment::fixOperands(Operation *op) {
  // Yielded values follow the block arguments and results of the parent.
  if (isa<scf::YieldOp, scf::ConditionOp>(op)) {
    Operation *parent = op->getParentOp();
    bool toBefore = isa<scf::WhileOp>(parent) && isa<scf::YieldOp>(op);
    ValueRange targets =
        toBefore ? ValueRange(cast<scf::WhileOp>(parent).getBeforeArguments())
                 : ValueRange(parent->getResults());
    unsigned skip = isa<scf::ConditionOp>(op) ? 1 : 0;
    for (auto [i, target] : llvm::enumerate(targets))
      if (LayoutAttr layout = tile::getLayout(target.getType()))
        op->setOperand(
            i + skip, rematerializer.convert(op->getOperand(i + skip), layout));
    return success();
  }
  FailureOr<SmallVector<LayoutFact>> needs = getNeeds(op);
  if (failed(needs))
    return failure();
  for (LayoutFact need : *needs) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == need.tile)
        operand.set(rematerializer.convert(need.tile, need.layout));
    if (need.tile.getDefiningOp() == op &&
        tile::getLayout(need.tile.getType()) != need.layout)
      convertResult(need.tile, need.layout);
  }
  return success();
}

/// `result` is produced in another layout than its readers were promised.
void LayoutAssignment::convertResult(Value result, LayoutAttr produced) {
  RankedTensorType promised = cast<RankedTensorType>(result.getType());
  result.setType(tile::withLayout(promised, produced));
  OpBuilder builder(context());
  builder.setInsertionPointAfterValue(result);
  auto convert = tile::ConvertLayoutOp::create(builder, result.getLoc(),
                                               promised, result, IntegerAttr());
  result.replaceAllUsesExcept(convert.getResult(), convert);
}

namespace {
struct AssignLayouts final
    : public octavo::impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override {
    const TargetInfo *target = getTargetOrError(getOperation());
    if (!target || failed(LayoutAssignment(getOperation(), *target).run()))
      return signalPassFailure();
  }
};
} // namespace
