//===- AssignLayouts.cpp - Say which lane holds which element -------------===//
//
// Layouts spread from anchors (matrix products, then accesses to memory) by the
// rules of LayoutRules.h. Then every op is looked at once: an operand that is
// held otherwise than the op needs it is computed again in the needed layout if
// that is cheap, else it passes a tile.convert_layout.
//
//===----------------------------------------------------------------------===//

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
    assignAnchors();
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

  void assignAnchors() {
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
    // 64 bytes are half a cache line; more brings little.
    int64_t wanted = std::min<int64_t>(64, getSegmentBytes(access, best, axes));
    return getSegmentBytes(access, layout, axes) >= wanted;
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
  FailureOr<SmallVector<LayoutFact>> getNeeds(Operation *op);
  void convertResult(Value result, LayoutAttr produced);

  tile::FuncOp function;
  const TargetInfo &target;
  AxisInfoAnalysis axes;
  llvm::MapVector<Value, LayoutAttr> layouts;
  llvm::DenseMap<Operation *, LayoutAttr> accessLayouts;
  SmallVector<Value> worklist;
  Rematerializer rematerializer;
};
} // namespace

/// The layouts of all tiles of `op` that follow from the one that leads.
FailureOr<SmallVector<LayoutFact>> LayoutAssignment::getNeeds(Operation *op) {
  if (auto it = accessLayouts.find(op); it != accessLayouts.end())
    return deriveLayouts(op, getAccessedTile(op), it->second);
  if (isa<tile::ReduceOp, tile::ScanOp>(op)) {
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
  if (isa<tile::CatOp>(op)) {
    op->emitOpError("has no lowering yet");
    return failure();
  }
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
