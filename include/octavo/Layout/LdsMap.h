//===- LdsMap.h - Where the elements of a tile are in LDS -------*- C++ -*-===//
//
// LDS is one more place of a tile: a linear map from the bits of an element's
// index to the bits of its position. Any list of independent index bases gives
// one: basis i of the list is at position 2^i. So "lanes read consecutive
// words" is written by listing the lanes' bases next to each other.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LAYOUT_LDSMAP_H
#define OCTAVO_LAYOUT_LDSMAP_H

#include "octavo/Layout/LinearLayout.h"

namespace octavo {

/// Invertible map from an element's index to its position, in elements.
class LdsMap {
public:
  /// The map of a tile of `shape` that puts `order[i]` at position 2^i. Bases
  /// that depend on earlier ones are skipped, what the list does not reach
  /// follows in row-major order. Where a size is no power of two, repetitions
  /// of its largest power of two follow each other.
  LdsMap(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<TileIndex> order);

  /// Position of the element at `index`. Linear (by XOR) in the index.
  int64_t positionOf(llvm::ArrayRef<int64_t> index) const;
  /// Number of elements.
  int64_t size() const;
  /// Bits of a position inside one repetition.
  int64_t linearBits() const { return images.size(); }
  /// The map in which positions with bit `bit` set are changed by XOR with
  /// `mask`, whose bits are below `bit`.
  LdsMap swizzled(int64_t bit, int64_t mask) const;
  /// Number of consecutive registers of `layout`, from 0, that lie at
  /// consecutive positions; every group of as many registers does.
  int64_t contiguous(const LinearLayout &layout) const;

private:
  TileIndex linear, repeats;
  /// Position of each bit of the flattened index.
  llvm::SmallVector<int64_t, 24> images;
};

/// The map through which a tile goes from layout `from` to layout `to`: what a
/// lane of `to` reads at once lies together, as do the lanes of a wave. At most
/// `maxVector` elements are read at once.
LdsMap makeExchangeMap(const LinearLayout &from, const LinearLayout &to,
                       int64_t maxVector);

} // namespace octavo

#endif // OCTAVO_LAYOUT_LDSMAP_H
