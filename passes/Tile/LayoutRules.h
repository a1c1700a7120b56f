//===- LayoutRules.h - What one layout says about another -------*- C++ -*-===//
//
// Every op relates the layouts of its tiles: an elementwise op holds all of
// them in one layout, a reduction drops a dimension, a broadcast forgets where
// its operand repeats. These rules are used twice: to spread a layout from an
// anchor and to find where two layouts meet.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_TILE_LAYOUTRULES_H
#define OCTAVO_PASSES_TILE_LAYOUTRULES_H

#include "dialects/Tile/IR/Tile.h"

namespace octavo {

/// A tile and the layout that follows for it.
struct LayoutFact {
  mlir::Value tile;
  tile::LayoutAttr layout;
};

/// The attribute of `layout`; a lane keeps at most `fragment` registers in one
/// vector.
tile::LayoutAttr makeLayoutAttr(mlir::MLIRContext *context,
                                const LinearLayout &layout, int64_t fragment);

/// What `op` says of its other tiles when `tile` has `layout`. `op` may also be
/// the parent of a block whose argument `tile` is.
llvm::SmallVector<LayoutFact>
deriveLayouts(mlir::Operation *op, mlir::Value tile, tile::LayoutAttr layout);

/// True if `op` maps elements to elements, so that all of its tiles have one
/// layout.
bool isElementwise(mlir::Operation *op);

/// The layout of a tile with `dim` of size 2 appended in the lowest register.
tile::LayoutAttr appendPair(tile::LayoutAttr layout);

} // namespace octavo

#endif // OCTAVO_PASSES_TILE_LAYOUTRULES_H
