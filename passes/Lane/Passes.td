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

def LaneFoldClamps : Pass<"lane-fold-clamps", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Clamps by constants to the median of three";
  let description = [{
    On targets without a maximum that keeps NaN. `minimumf(maximumf(x, lo), hi)`
    of f32 becomes `rocdl.fmed3` with NaN put back.

    Before and after: the same values.
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect", "::mlir::vector::VectorDialect"];
}

def LaneLowerCasts : Pass<"lane-lower-casts", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Casts of 8-bit floats and of bf16 to instructions";
  let description = [{
    `arith.truncf` and `arith.extf` with an 8-bit float on one side mean what
    APFloat computes: round to nearest even, overflow to infinity where the
    format has one and to NaN where it has none. Formats of the target's own
    become one instruction for two numbers; others an exact sequence of integer
    operations. Casts to f8E8M0FNU round as PyTorch's do. A cast to bf16 is packed
    by hand where the target has no instruction; its NaN is 0x7fc0.

    Before: any casts. After: none with an 8-bit float.
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect", "::mlir::ub::UBDialect",
                           "::mlir::vector::VectorDialect"];
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
