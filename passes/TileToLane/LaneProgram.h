//===- LaneProgram.h - The lane's program while it is built -----*- C++ -*-===//
//
// A tile is a list of fragments: vectors that hold `fragment` consecutive
// registers of its layout. Everything else (scalars, control flow) maps one to
// one.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_TILETOLANE_LANEPROGRAM_H
#define OCTAVO_PASSES_TILETOLANE_LANEPROGRAM_H

#include "dialects/Tile/IR/Tile.h"
#include "octavo/Analysis/AxisInfo.h"
#include "octavo/Layout/LdsMap.h"
#include "octavo/Target/TargetInfo.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace octavo {

using Fragments = llvm::SmallVector<mlir::Value>;

/// XOR of steps of the lane's and the wave's bits; `bits` are all that it may
/// set. Without a value it is zero.
struct PlaceOffset {
  mlir::Value value;
  int64_t bits = 0;
};

/// What is known while one kernel is built.
class LaneProgram {
public:
  LaneProgram(mlir::OpBuilder &builder, tile::FuncOp source,
              const TargetInfo &target)
      : b(builder), source(source), target(target) {}

  /// Lowers all ops of `block` at the insertion point, terminator excluded.
  mlir::LogicalResult lowerBlock(mlir::Block &block);

  /// Types and fragments of a tile.
  mlir::VectorType getFragmentType(mlir::Type tile);
  int64_t getNumFragments(mlir::Type tile);
  llvm::ArrayRef<mlir::Value> getFragments(mlir::Value tile);
  void define(mlir::Value tile, Fragments fragments);
  /// The scalar in register `reg`.
  mlir::Value getElement(mlir::Value tile, int64_t reg);
  Fragments getElements(mlir::Value tile);
  /// The scalars as one vector.
  mlir::Value gather(mlir::VectorType type,
                     llvm::ArrayRef<mlir::Value> elements);
  /// Puts one scalar per register into fragments.
  void defineElements(mlir::Value tile, llvm::ArrayRef<mlir::Value> elements);
  /// Vectors of one type, one behind the other; a power of two of them.
  mlir::Value concat(llvm::ArrayRef<mlir::Value> vectors);
  /// `count` elements of a vector.
  mlir::Value slice(mlir::Value vector, int64_t first, int64_t count);
  /// Registers of `tile`, as vectors of `width`, become fragments.
  void definePieces(mlir::Value tile, llvm::ArrayRef<mlir::Value> pieces,
                    int64_t width);
  /// `width` registers from `reg` on as one vector.
  mlir::Value getPiece(mlir::Value tile, int64_t reg, int64_t width);

  /// The lowered form of a value that is no tile.
  mlir::Value getScalar(mlir::Value value) {
    return scalars.lookupOrDefault(value);
  }
  /// All lowered values of `value`: fragments or the one scalar.
  Fragments getValues(mlir::Value value);
  /// Gives `value` the lowered values at the head of `lowered`; drops them.
  void takeValues(mlir::Value value, mlir::ValueRange &lowered);

  mlir::Value constantI32(int64_t value);
  mlir::Value getLane();
  mlir::Value getWave();
  /// XOR of the steps of the set bits of the lane's and wave's numbers.
  PlaceOffset getPlaceOffset(llvm::ArrayRef<int64_t> laneSteps,
                             llvm::ArrayRef<int64_t> waveSteps);
  /// The offset of one register: `place` XOR `constant`.
  mlir::Value addConstant(PlaceOffset place, int64_t constant);
  /// Address in LDS, `bytes` behind `base`.
  mlir::Value getLdsPointer(mlir::Value bytes, int64_t base);
  /// Waits for all waves if one may still use what is about to be written
  /// (read) in LDS.
  void beforeLdsWrite(int64_t offset, int64_t bytes);
  void beforeLdsRead(int64_t offset, int64_t bytes);
  /// Control flow comes together: nothing is known of other waves.
  void forgetLds() { ldsUnknown = true; }
  bool isDefined(mlir::Value tile) const { return tiles.contains(tile); }
  /// True in the lane that owns the elements of a tile of `layout`; null if
  /// there are no duplicates.
  mlir::Value getOwner(const LinearLayout &layout);

  mlir::OpBuilder &b;
  /// Location of the op that is lowered.
  mlir::Location loc = b.getUnknownLoc();
  tile::FuncOp source;
  const TargetInfo &target;
  AxisInfoAnalysis axes;
  mlir::IRMapping scalars;
  /// Base address and buffer resource of every view.
  llvm::DenseMap<mlir::Value, mlir::Value> resources;
  /// Base of the kernel's LDS.
  mlir::Value lds;
  /// Number of the lane in the workgroup.
  mlir::Value workitem;
  /// How many bodies of a launch (branches of `tile.apart`) are written.
  uint32_t bodiesEnded = 0;

private:
  void barrier();

  llvm::DenseMap<mlir::Value, Fragments> tiles;
  mlir::Value lane, wave;
  /// Pieces of LDS (first byte, end) used since the last barrier.
  using LdsRange = std::pair<int64_t, int64_t>;
  llvm::SmallVector<LdsRange> ldsWritten, ldsRead;
  bool ldsUnknown = false;
};

/// The layout of a tile; every tile has one at this level.
const LinearLayout &layoutOf(mlir::Type tile);
inline const LinearLayout &layoutOf(mlir::Value tile) {
  return layoutOf(tile.getType());
}

/// Lowerings, one per kind of op. Each reports what it cannot do.
mlir::LogicalResult lowerElementwise(LaneProgram &p, mlir::Operation *op);
mlir::LogicalResult lowerShape(LaneProgram &p, mlir::Operation *op);
mlir::LogicalResult lowerMemory(LaneProgram &p, mlir::Operation *op);
mlir::LogicalResult lowerReduce(LaneProgram &p, tile::ReduceOp op);
mlir::LogicalResult lowerScan(LaneProgram &p, tile::ScanOp op);
mlir::LogicalResult lowerConversion(LaneProgram &p, tile::ConvertLayoutOp op);
mlir::LogicalResult lowerDot(LaneProgram &p, tile::DotOp op);
mlir::LogicalResult lowerDot(LaneProgram &p, tile::DotScaledOp op);
mlir::LogicalResult lowerControlFlow(LaneProgram &p, mlir::Operation *op);

/// Emits a combiner region on two values of every operand.
llvm::SmallVector<mlir::Value> combine(LaneProgram &p, mlir::Region &region,
                                       llvm::ArrayRef<mlir::Value> first,
                                       llvm::ArrayRef<mlir::Value> second);

/// `value` of the lane whose number differs in bit `bit`.
mlir::Value shuffleXor(LaneProgram &p, mlir::Value value, unsigned bit);

/// Byte offset in LDS of register `reg` of a tile.
mlir::Value getLdsOffset(LaneProgram &p, const LinearLayout &layout,
                         const LdsMap &map, int64_t reg, int64_t bytes);
/// One scalar of any type at `offset` bytes behind `base`.
void storeLds(LaneProgram &p, mlir::Value value, mlir::Value offset,
              int64_t base);
mlir::Value loadLds(LaneProgram &p, mlir::Type type, mlir::Value offset,
                    int64_t base);

/// Bits of a vector as one integer or a vector of words (i1 as bytes), as an
/// access to memory wants them, and back.
mlir::Value packBits(LaneProgram &p, mlir::Value piece);
mlir::Value unpackBits(LaneProgram &p, mlir::Value bits, mlir::VectorType type);
/// The type of the packed bits of a vector.
mlir::Type getPackedType(mlir::VectorType type);

/// Writes `tile` to LDS at `base`, or reads it from there.
void writeLds(LaneProgram &p, mlir::Value tile, const LdsMap &map,
              int64_t base);
void readLds(LaneProgram &p, mlir::Value tile, const LdsMap &map, int64_t base);

} // namespace octavo

#endif // OCTAVO_PASSES_TILETOLANE_LANEPROGRAM_H
