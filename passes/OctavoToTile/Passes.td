//===- Passes.td - From kernels to tile programs -----------*- tablegen -*-===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_PASSES_TD
#define OCTAVO_PASSES_OCTAVOTOTILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def OctavoToTile : Pass<"octavo-to-tile", "::mlir::ModuleOp"> {
  let summary = "Each octavo.kernel becomes a tile.func and a launch";
  let description = [{
    Emission is by demand: every value of a kernel is a function from an index
    to an element tensor, so that views, slices, transposes, broadcasts, padding
    and concatenation cost no copy.

    Before: functions whose computation is in `octavo.kernel` and `octavo.call`.
    After: `octavo.launch` and `octavo.call`, and one `tile.func` per distinct
    kernel. What has no lowering is an error that names it.
  }];
  let dependentDialects = [
    "::octavo::tile::TileDialect", "::mlir::scf::SCFDialect",
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // OCTAVO_PASSES_OCTAVOTOTILE_PASSES_TD
