//===- MemoryLayout.h - Layouts that suit an access to memory ---*- C++ -*-===//

#ifndef OCTAVO_PASSES_TILE_MEMORYLAYOUT_H
#define OCTAVO_PASSES_TILE_MEMORYLAYOUT_H

#include "dialects/Tile/IR/Tile.h"
#include "octavo/Analysis/AxisInfo.h"
#include "octavo/Layout/LinearLayout.h"

namespace octavo {

/// What memory sees of a `tile.gather`, `tile.scatter` or `tile.atomic_rmw`.
struct MemoryAccess {
  mlir::Value offsets, mask;
  tile::ViewType view;
};

/// The access that `op` makes, if it makes one.
std::optional<MemoryAccess> getMemoryAccess(mlir::Operation *op);

/// Elements that one lane moves with one instruction when the tile of offsets
/// has `layout`: 1, 2, 4, 8 or 16, at most 16 bytes.
int64_t getAccessWidth(const MemoryAccess &access, const LinearLayout &layout,
                       AxisInfoAnalysis &axes);

/// Consecutive bytes that a wave moves with few instructions.
int64_t getSegmentBytes(const MemoryAccess &access, const LinearLayout &layout,
                        AxisInfoAnalysis &axes);

/// The layout that moves the most bytes per instruction.
LinearLayout chooseMemoryLayout(const MemoryAccess &access, int64_t lanes,
                                int64_t waves, AxisInfoAnalysis &axes);

} // namespace octavo

#endif // OCTAVO_PASSES_TILE_MEMORYLAYOUT_H
