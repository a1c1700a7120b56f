//===- PlanWorkspace.cpp - Where each launch writes its results -----------===//
//
// Results of the function lie in its outputs, everything else in one workspace:
// largest first, each at the lowest offset that no value alive at the same time
// uses.
//
//===----------------------------------------------------------------------===//

#include "passes/Octavo/Passes.h"

#include "passes/Octavo/KernelGraph.h"

#include "llvm/Support/MathExtras.h"

namespace octavo {
#define GEN_PASS_DEF_PLANWORKSPACE
#include "passes/Octavo/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

static constexpr int64_t kAlignment = 256;

namespace {
/// A value in the workspace.
struct Slot {
  Value value;
  /// Positions of the ops that write it and read it last.
  size_t first, last;
  int64_t bytes;
  int64_t offset = 0;
};

struct PlanWorkspace final
    : public octavo::impl::PlanWorkspaceBase<PlanWorkspace> {
  void runOnOperation() override;
};
} // namespace

/// Bytes of a row-major tensor; a truth value takes one.
static int64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  int64_t bits = 0;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
  else
    bits = element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
  return llvm::divideCeil(type.getNumElements() * bits, 8);
}

/// Position of the last op that reads `value` or a reshape of it.
static size_t lastRead(Value value,
                       const DenseMap<Operation *, size_t> &position) {
  size_t last = 0;
  for (Operation *user : value.getUsers()) {
    last = std::max(last, position.lookup(user));
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      last = std::max(last, lastRead(user->getResult(0), position));
  }
  return last;
}

/// Gives each slot its offset; returns the bytes of all.
static int64_t assignOffsets(std::vector<Slot> &slots) {
  std::vector<Slot *> order;
  for (Slot &slot : slots)
    order.push_back(&slot);
  llvm::stable_sort(order,
                    [](Slot *x, Slot *y) { return x->bytes > y->bytes; });
  int64_t total = 0;
  std::vector<Slot *> placed;
  for (Slot *slot : order) {
    // Neighbours in time, by offset: the first gap that is large enough.
    std::vector<Slot *> others;
    for (Slot *other : placed)
      if (other->first <= slot->last && slot->first <= other->last)
        others.push_back(other);
    llvm::sort(others, [](Slot *x, Slot *y) { return x->offset < y->offset; });
    int64_t offset = 0;
    for (Slot *other : others) {
      if (offset + slot->bytes <= other->offset)
        break;
      offset = std::max<int64_t>(
          offset, llvm::alignTo(other->offset + other->bytes, kAlignment));
    }
    slot->offset = offset;
    placed.push_back(slot);
    total = std::max<int64_t>(total,
                              llvm::alignTo(offset + slot->bytes, kAlignment));
  }
  return total;
}

void PlanWorkspace::runOnOperation() {
  func::FuncOp func = getOperation();
  if (!llvm::hasSingleElement(func.getBody()) ||
      func->hasAttr(OctavoDialect::getWorkspaceAttrName()))
    return;
  Block &body = func.getBody().front();
  DenseMap<Operation *, size_t> position;
  for (auto [i, op] : llvm::enumerate(body))
    position[&op] = i;
  DenseMap<Value, int64_t> outputs;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    // Nothing is written there.
    if (hasNoElements(value.getType()))
      continue;
    Value base = stripReshapes(value);
    if (!isa_and_nonnull<LaunchOp, CallOp>(base.getDefiningOp()) ||
        !outputs.try_emplace(base, i).second) {
      func.emitOpError("result ")
          << i << " is not written by a launch or a call of its own";
      return signalPassFailure();
    }
  }
  std::vector<Slot> slots;
  for (Operation &op : body)
    if (isa<LaunchOp, CallOp>(op))
      for (Value result : op.getResults())
        if (!outputs.count(result))
          slots.push_back({result, position[&op],
                           std::max(position[&op], lastRead(result, position)),
                           bytesOf(result)});
  int64_t total = assignOffsets(slots);
  DenseMap<Value, int64_t> offsets;
  for (Slot &slot : slots)
    offsets[slot.value] = slot.offset;
  MLIRContext *context = &getContext();
  for (Operation &op : body) {
    if (!isa<LaunchOp, CallOp>(op))
      continue;
    SmallVector<Attribute> places;
    for (Value result : op.getResults()) {
      auto output = outputs.find(result);
      places.push_back(
          output != outputs.end()
              ? PlaceAttr::get(context, PlaceKind::output, output->second)
              : PlaceAttr::get(context, PlaceKind::workspace, offsets[result]));
    }
    op.setAttr("places", ArrayAttr::get(context, places));
  }
  Builder b(context);
  func->setAttr(OctavoDialect::getWorkspaceAttrName(),
                b.getI64IntegerAttr(total));
}
