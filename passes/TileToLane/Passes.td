//===- Passes.td - From tiles to one lane's program --------*- tablegen -*-===//

#ifndef OCTAVO_PASSES_TILETOLANE_PASSES_TD
#define OCTAVO_PASSES_TILETOLANE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileToLane : Pass<"tile-to-lane", "::mlir::ModuleOp"> {
  let summary = "Every kernel becomes the program of one of its lanes";
  let description = [{
    Before: tile.funcs whose tiles have layouts and LDS bytes. After: one
    gpu.module `kernels` with a kernel function of the same name for each; a tile
    is a list of vectors of as many elements as its layout's fragment; arith, math
    and scf on them stay what they are.

    ```mlir
    %y = arith.addf %x, %x : tensor<512xf32, #layout>
    // two fragments of 4
    %y0 = arith.addf %x0, %x0 : vector<4xf32>
    %y1 = arith.addf %x1, %x1 : vector<4xf32>
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

#endif // OCTAVO_PASSES_TILETOLANE_PASSES_TD
