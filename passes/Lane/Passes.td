//===- Passes.td - Passes on one lane's program ------------*- tablegen -*-===//

#ifndef OCTAVO_PASSES_LANE_PASSES_TD
#define OCTAVO_PASSES_LANE_PASSES_TD

include "mlir/Pass/PassBase.td"

def LaneLowerMath : Pass<"lane-lower-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Math functions to arithmetic";
  let description = [{
    Accurate to a few units in the last place with IEEE 754's special values;
    `fastmath<afn>` on exp, exp2, log, log2, sqrt and rsqrt of f32 gives the bare
    instruction. f16 and bf16 are computed in f32. A function that has no
    lowering for its type is an error that names both.

    Before: `math` ops and `arith.remf` on scalars and vectors. After: none.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

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
