//===- PlaceLds.cpp - Give operations that cross lanes their LDS bytes ----===//
//
// An exchange is over before the next one begins, so all of them share one
// piece of LDS; barriers before the first write and before the first read keep
// them apart.
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

namespace {
struct PlaceLds final : public octavo::impl::PlaceLdsBase<PlaceLds> {
  void runOnOperation() override {
    const TargetInfo *target = getTargetOrError(getOperation());
    if (!target)
      return signalPassFailure();
    Builder builder(&getContext());
    int64_t total = 0;
    WalkResult walk = getOperation().walk([&](Operation *op) {
      int64_t bytes = getLdsBytes(op);
      if (bytes == 0)
        return WalkResult::advance();
      if (bytes > target->ldsBytes) {
        op->emitOpError("needs ")
            << bytes << " bytes of LDS, the target has " << target->ldsBytes;
        return WalkResult::interrupt();
      }
      op->setAttr("lds_offset", builder.getI64IntegerAttr(0));
      total = std::max(total, bytes);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    getOperation()->setAttr("tile.lds_bytes", builder.getI64IntegerAttr(total));
  }
};
} // namespace
