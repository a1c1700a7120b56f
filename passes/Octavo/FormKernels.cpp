//===- FormKernels.cpp - Group values into launches -----------------------===//

#include "passes/Octavo/Passes.h"

#include "passes/Octavo/KernelGraph.h"

namespace octavo {
#define GEN_PASS_DEF_FORMKERNELS
#include "passes/Octavo/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

namespace {
struct FormKernels final : public octavo::impl::FormKernelsBase<FormKernels> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    const TargetInfo *target = getTargetOrError(func);
    if (!target)
      return signalPassFailure();
    if (!llvm::hasSingleElement(func.getBody())) {
      func.emitOpError("expected one block without control flow");
      return signalPassFailure();
    }
    // Already a list of launches: nothing is left to group.
    if (!func.getBody().getOps<LaunchOp>().empty())
      return;
    ownResults(func);
    KernelGraph graph(func, *target);
    graph.form();
    if (failed(outlineKernels(func, graph)))
      signalPassFailure();
  }
};
} // namespace
