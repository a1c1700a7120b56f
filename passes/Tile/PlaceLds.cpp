//===- PlaceLds.cpp - Give operations that cross lanes their LDS bytes ----===//
//
// Exchanges follow each other around a ring of LDS bytes: each lies behind the
// one before it as long as there is room, so that a wave may begin one while
// others still read the last. Conversions that can be done together lie side by
// side.
//
//===----------------------------------------------------------------------===//

#include "passes/Tile/Exchange.h"
#include "passes/Tile/Passes.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/IR/Builders.h"

namespace octavo {
#define GEN_PASS_DEF_PLACELDS
#include "passes/Tile/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

/// Size of the ring where no exchange needs more: little enough that LDS does
/// not limit the number of workgroups on a compute unit.
static constexpr int64_t kRingBytes = 16 * 1024;

/// Exchanges begin at multiples of this, so that all banks are used alike.
static constexpr int64_t kAlignBytes = 256;

namespace {
/// Ops that exchange data at the same time.
struct ExchangeGroup {
  SmallVector<Operation *> ops;
  int64_t bytes = 0;
};

struct PlaceLds final : public octavo::impl::PlaceLdsBase<PlaceLds> {
  void runOnOperation() override {
    const TargetInfo *target = getTargetOrError(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<ExchangeGroup> groups = collectGroups(*target);
    int64_t ring = std::min<int64_t>(kRingBytes, target->ldsBytes);
    for (const ExchangeGroup &group : groups) {
      if (group.bytes > target->ldsBytes) {
        group.ops.front()->emitOpError("needs ")
            << group.bytes << " bytes of LDS, the target has "
            << target->ldsBytes;
        return signalPassFailure();
      }
      ring = std::max(ring, group.bytes);
    }
    Builder builder(&getContext());
    int64_t next = 0, total = 0;
    for (const ExchangeGroup &group : groups) {
      if (next + group.bytes > ring)
        next = 0;
      for (Operation *op : group.ops) {
        op->setAttr("lds_offset", builder.getI64IntegerAttr(next));
        next += llvm::alignTo(getLdsBytes(op), kAlignBytes);
      }
      total = std::max(total, next);
    }
    total = std::min<int64_t>(total, target->ldsBytes);
    getOperation()->setAttr("tile.lds_bytes", builder.getI64IntegerAttr(total));
  }

  SmallVector<ExchangeGroup> collectGroups(const TargetInfo &target) {
    SmallVector<ExchangeGroup> groups;
    llvm::DenseSet<Operation *> done;
    getOperation().walk([&](Operation *op) {
      if (getLdsBytes(op) == 0 || done.contains(op))
        return;
      ExchangeGroup group;
      if (auto convert = dyn_cast<tile::ConvertLayoutOp>(op))
        for (tile::ConvertLayoutOp member : collectExchange(convert, target)) {
          if (!done.contains(member))
            group.ops.push_back(member);
        }
      else
        group.ops.push_back(op);
      for (Operation *member : group.ops) {
        done.insert(member);
        group.bytes += llvm::alignTo(getLdsBytes(member), kAlignBytes);
      }
      groups.push_back(group);
    });
    return groups;
  }
};
} // namespace
