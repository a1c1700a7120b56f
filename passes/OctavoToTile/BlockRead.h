//===- BlockRead.h - Reads that are blocks of a strided view ----*- C++ -*-===//
//
// An offset that is a sum of coordinates times strides is a block of a view
// with one dimension per coordinate: wide reads and direct-to-LDS copies need
// no offset per element.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_BLOCKREAD_H
#define OCTAVO_PASSES_OCTAVOTOTILE_BLOCKREAD_H

#include "dialects/Tile/IR/Tile.h"
#include "octavo/Analysis/IndexExpr.h"

namespace octavo {

/// One dimension of such a view.
struct BlockDim {
  /// What moves along it (null: nothing, only `start` is added).
  const IndexAtom *atom;
  int64_t start, size, stride;
};

/// Dimensions by falling stride, if `offset` is such a sum in which each of the
/// coordinates `axes` occurs exactly once and the rest is the same for the
/// whole tile.
std::optional<llvm::SmallVector<BlockDim>>
findBlock(IndexExpr offset, llvm::ArrayRef<unsigned> axes);

/// The view of these dimensions.
tile::ViewType viewOf(llvm::ArrayRef<BlockDim> dims, mlir::Type element);

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_BLOCKREAD_H
