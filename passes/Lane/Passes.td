//===- Passes.td - Passes on one lane's program ------------*- tablegen -*-===//

#ifndef OCTAVO_PASSES_LANE_PASSES_TD
#define OCTAVO_PASSES_LANE_PASSES_TD

include "mlir/Pass/PassBase.td"

def LaneToLLVM : Pass<"lane-to-llvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "One lane's program to the LLVM dialect";
  let description = [{
    One conversion for every dialect of this level, because their types change
    together.

    Before: gpu, cf, arith, vector, memref, amdgpu, rocdl and llvm ops; no math
    and no scf. After: only llvm and rocdl ops; an op without lowering is an
    error that names it.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif // OCTAVO_PASSES_LANE_PASSES_TD
