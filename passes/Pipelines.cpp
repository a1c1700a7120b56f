//===- Pipelines.cpp - The order of the compiler's passes -----------------===//
//
// The only place where the order is written; each phase has a name that
// octavo-opt accepts, so the tool runs what the compiler runs.
//
//===----------------------------------------------------------------------===//

#include "passes/Pipelines.h"

#include "passes/AtenToOctavo/Passes.h"
#include "passes/Lane/Passes.h"
#include "passes/Octavo/Passes.h"
#include "passes/OctavoToTile/Passes.h"
#include "passes/Tile/Passes.h"
#include "passes/TileToLane/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void octavo::buildImportPipeline(OpPassManager &passes) {
  passes.addPass(createAtenToOctavo());
  // Rules convert the same operand once per reader, and leave views unread.
  passes.addPass(createCSEPass());
}

void octavo::buildKernelsPipeline(OpPassManager &passes) {
  passes.addNestedPass<func::FuncOp>(createFoldEmpty());
  passes.addPass(createLowerQuantize());
  passes.addPass(createLowerScatter());
  // The scale of a tensor without elements was a reduction in disguise.
  passes.addNestedPass<func::FuncOp>(createFoldEmpty());
  passes.addPass(createSplitProducts());
  passes.addPass(createSplitReductions());
  // Equal values must be one value before anybody decides where they lie.
  passes.addPass(createCSEPass());
  passes.addNestedPass<func::FuncOp>(createFormKernels());
}

void octavo::buildTilePipeline(OpPassManager &passes) {
  passes.addPass(createOctavoToTile());
  passes.addNestedPass<tile::FuncOp>(createCSEPass());
  passes.addNestedPass<func::FuncOp>(createPlanWorkspace());
}

void octavo::buildLanePipeline(OpPassManager &passes) {
  OpPassManager &kernels = passes.nest<gpu::GPUModuleOp>();
  kernels.addPass(createCanonicalizerPass());
  // Math lowerings may create loops and branches.
  kernels.addPass(createLaneLowerMath());
  // Math on bf16 and f16 has left casts; clamps must still be whole.
  kernels.addPass(createLaneFoldClamps());
  kernels.addPass(createLaneLowerCasts());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createLaneToLLVM());
  kernels.addPass(createCSEPass());
  kernels.addPass(createCanonicalizerPass());
}

void octavo::buildTileToLanePipeline(OpPassManager &passes) {
  OpPassManager &functions = passes.nest<tile::FuncOp>();
  functions.addPass(createExpandScaledDots());
  functions.addPass(createExpandBlocks());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createAssignLayouts());
  // Repeated index arithmetic leaves dead and equal ops.
  functions.addPass(createCSEPass());
  // Needs the exchanges between loads and products in their final places.
  functions.addPass(createScheduleLoads());
  functions.addPass(createCSEPass());
  functions.addPass(createPlaceLds());
  passes.addPass(createTileToLane());
}

llvm::ArrayRef<octavo::Phase> octavo::getPhases() {
  static constexpr Phase kPhases[] = {
      {"octavo", "octavo-import", "PyTorch's operators to values",
       buildImportPipeline},
      {"kernels", "octavo-kernels", "values to kernels, one launch each",
       buildKernelsPipeline},
      {"tile", "octavo-tile", "kernels to workgroup programs and a plan",
       buildTilePipeline},
      {"lane", "octavo-tile-to-lane",
       "workgroup programs to one lane's program", buildTileToLanePipeline},
      {"llvm", "octavo-lane", "one lane's program to the LLVM dialect",
       buildLanePipeline},
  };
  return kPhases;
}

void octavo::registerPipelines() {
  for (const Phase &phase : getPhases())
    registerPassPipeline(
        phase.pipeline, phase.summary,
        [&phase](OpPassManager &passes, StringRef options,
                 function_ref<LogicalResult(const Twine &)> emitError) {
          if (!options.empty())
            return emitError("the pipeline " + phase.pipeline +
                             " has no options");
          phase.build(passes);
          return success();
        },
        [](function_ref<void(const mlir::detail::PassOptions &)>) {});
}
