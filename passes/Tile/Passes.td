//===- Passes.td - Passes on one workgroup's program -------*- tablegen -*-===//

#ifndef OCTAVO_PASSES_TILE_PASSES_TD
#define OCTAVO_PASSES_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandBlocks : Pass<"tile-expand-blocks", "::octavo::tile::FuncOp"> {
  let summary = "Block accesses become gathers and scatters";
  let description = [{
    Before: `tile.load` and `tile.store` at block offsets. After: `tile.gather`
    and `tile.scatter` with element offsets and a mask that is false outside of
    the view.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandScaledDots : Pass<"tile-expand-scaled-dots", "::octavo::tile::FuncOp"> {
  let summary = "Scaled products without a matrix instruction become plain ones";
  let description = [{
    Before: `tile.dot_scaled` of any floats. After: only those that a matrix
    instruction of the target computes; the others are a `tile.dot` of operands
    that hold their scales, in bf16 (in f32 for wider elements).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AssignLayouts : Pass<"tile-assign-layouts", "::octavo::tile::FuncOp"> {
  let summary = "Say which lane holds which element";
  let description = [{
    Anchors are matrix products, then accesses to memory from the largest to the
    smallest; a layout spreads from its anchor through everything that it
    determines. Where two meet, cheap values are computed twice and others pass a
    `tile.convert_layout`.

    Before: tiles without layouts. After: every tensor type has a `#tile.layout`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ScheduleLoads : Pass<"tile-schedule-loads", "::octavo::tile::FuncOp"> {
  let summary = "Loads run ahead of the products of a loop";
  let description = [{
    Before: loops that load tiles and multiply them. After: an iteration issues
    the loads of the next one before its products; loaded tiles are carried by
    the loop.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PlaceLds : Pass<"tile-place-lds", "::octavo::tile::FuncOp"> {
  let summary = "Give operations that cross lanes their LDS bytes";
  let description = [{
    Before: tiles with layouts. After: every `tile.convert_layout`, `tile.reduce`
    and `tile.scan` that needs LDS has `lds_offset`, and the function has
    `tile.lds_bytes`. More than the target has is an error.
  }];
}

#endif // OCTAVO_PASSES_TILE_PASSES_TD
