//===- LinearLayout.h - Where the elements of a tile are --------*- C++ -*-===//
//
// A tile of elements is held by the lanes of a workgroup. Which register of
// which lane of which wave holds which element is the tile's layout.
//
// Idea. Every size involved is a power of two, so a register number, a lane
// number and a wave number are strings of bits, and so is an element's index
// along each dimension. In every layout that hardware asks for, each bit of the
// place moves the index by a fixed step, independently of the other bits:
//
//   index(register, lane, wave) = XOR over all set bits of that bit's step
//
// The step of a bit is its *basis*: one number per dimension. A layout is three
// lists of bases. For example the operand A (16 rows by 32 columns of 8-bit
// floats) of a 16x16x32 matrix instruction is
//
//   register = [[0, 1], [0, 2], [0, 4]]              8 neighbours of a row
//   lane     = [[1, 0], [2, 0], [4, 0], [8, 0],      16 rows
//               [0, 8], [0, 16]]                     4 groups along the row
//
// With XOR instead of addition the map is linear over the field of two elements
// so that everything is a small matrix over bits: a conversion between layouts
// is a product with an inverse, "this access has no bank conflict" is a rank,
// "this layout starts with the instruction's tile" is a comparison of columns.
//
// A basis that is zero means that the bit does not matter: the lanes (or waves)
// that differ in it hold the same elements. Registers never hold duplicates.
//
// Sizes that are not powers of two. A tile of 192 rows is three tiles of 64. A
// layout carries a count of repetitions per dimension; repetitions are
// registers above the linear ones, the last dimension varies fastest. The index
// of a repetition lies in bits above the linear part, so adding it is an XOR
// too.
//
// Everything is exact integer work on a handful of numbers; nothing here knows
// of MLIR or of any GPU.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LAYOUT_LINEARLAYOUT_H
#define OCTAVO_LAYOUT_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <string>

namespace octavo {

/// One step of a place bit, or an element's index: a number per dimension.
using TileIndex = llvm::SmallVector<int64_t, 4>;
using TileBases = llvm::SmallVector<TileIndex, 8>;

/// Map from (register, lane, wave) to the index of an element of a tile.
class LinearLayout {
public:
  LinearLayout() = default;
  /// Layout of a tile of `repeats.size()` dimensions. No check is made here;
  /// `check` says what is wrong.
  LinearLayout(TileBases registers, TileBases lanes, TileBases waves,
               TileIndex repeats);

  /// Lays out `shape` so that a lane owns `vector` neighbours along
  /// `order[0]`, lanes follow along `order[0]`, `order[1]` …, and waves are
  /// spread along `waveOrder`. What remains are registers. Lanes and waves that
  /// are not needed hold duplicates.
  static LinearLayout blocked(llvm::ArrayRef<int64_t> shape, int64_t vector,
                              int64_t lanes, int64_t waves,
                              llvm::ArrayRef<unsigned> order,
                              llvm::ArrayRef<unsigned> waveOrder);

  /// Says why this is no layout of `shape`, or returns an empty string.
  std::string check(llvm::ArrayRef<int64_t> shape) const;

  unsigned rank() const { return repeats.size(); }
  const TileBases &registerBases() const { return registers; }
  const TileBases &laneBases() const { return lanes; }
  const TileBases &waveBases() const { return waves; }
  const TileIndex &repetitions() const { return repeats; }
  /// Registers of one repetition (a power of two) and of the whole tile.
  int64_t linearRegisters() const { return int64_t(1) << registers.size(); }
  int64_t numRegisters() const;
  int64_t numLanes() const { return int64_t(1) << lanes.size(); }
  int64_t numWaves() const { return int64_t(1) << waves.size(); }
  /// Elements along each dimension of one repetition, and of the whole tile.
  TileIndex linearShape() const;
  TileIndex shape() const;

  /// The part of the index that `reg` contributes.
  TileIndex registerIndex(int64_t reg) const;
  /// The index of the element at a place.
  TileIndex indexOf(int64_t reg, int64_t lane, int64_t wave) const;
  /// The register that contributes exactly `index`, if one does.
  std::optional<int64_t> findRegister(llvm::ArrayRef<int64_t> index) const;

  /// Bits of the lane number (wave number) that change no element: the owner of
  /// an element is the place where all of them are 0.
  int64_t duplicateLaneMask() const;
  int64_t duplicateWaveMask() const;

  /// Number of consecutive registers, from 0, that hold consecutive elements
  /// along `dim`; every group of as many registers does.
  int64_t contiguous(unsigned dim) const;
  /// The layout of the result of a reduction over `dim`.
  LinearLayout dropDim(unsigned dim) const;
  /// The layout with a dimension of size 1 put before `dim`.
  LinearLayout insertDim(unsigned dim) const;
  /// The layout of an operand that is stretched to this one: `dims` have
  /// size 1.
  LinearLayout shrinkDims(llvm::ArrayRef<unsigned> dims) const;
  /// Dimension i of the result is dimension `order[i]` of this layout.
  LinearLayout permute(llvm::ArrayRef<unsigned> order) const;
  /// The layout of the same places when the tile is read, in row-major order,
  /// with another shape; none if repetitions cut across dimensions.
  std::optional<LinearLayout> reshape(llvm::ArrayRef<int64_t> to) const;
  /// True if every basis moves along one dimension only.
  bool isAxisAligned() const;

  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

private:
  TileBases registers, lanes, waves;
  TileIndex repeats;
};

/// Row-major position of `index` in a tile of `shape`.
int64_t linearize(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);
/// The inverse of `linearize`.
TileIndex delinearize(int64_t position, llvm::ArrayRef<int64_t> shape);

} // namespace octavo

#endif // OCTAVO_LAYOUT_LINEARLAYOUT_H
