//===- Rematerialize.h - A tile in another layout ---------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_TILE_REMATERIALIZE_H
#define OCTAVO_PASSES_TILE_REMATERIALIZE_H

#include "dialects/Tile/IR/Tile.h"

namespace octavo {

/// Gives tiles in other layouts: index arithmetic, constants and splats are
/// computed again, everything else passes a `tile.convert_layout`.
class Rematerializer {
public:
  /// `tile` with `layout`, defined where `tile` is.
  mlir::Value convert(mlir::Value tile, tile::LayoutAttr layout);

private:
  /// Ops that would have to be repeated; -1 if that is not possible.
  int64_t cost(mlir::Value tile, tile::LayoutAttr layout, int64_t budget);
  mlir::Value repeat(mlir::Value tile, tile::LayoutAttr layout);

  llvm::DenseMap<std::pair<mlir::Value, tile::LayoutAttr>, mlir::Value> made;
};

} // namespace octavo

#endif // OCTAVO_PASSES_TILE_REMATERIALIZE_H
