//===- DotLayout.h - Matrix instruction and layouts of a product -*- C++
//-*-===//

#ifndef OCTAVO_PASSES_TILE_DOTLAYOUT_H
#define OCTAVO_PASSES_TILE_DOTLAYOUT_H

#include "dialects/Tile/IR/Tile.h"
#include "octavo/Target/MatrixInstructions.h"

namespace octavo {

/// How a `tile.dot` is computed. The product is computed transposed (the tile's
/// B is the instruction's A), so that a lane owns neighbours along N of the
/// result.
struct DotPlan {
  const MatrixInstruction *instruction;
  LinearLayout a, b, accumulator;
};

/// How a `tile.dot_scaled` is computed: elements of K in the instruction's own
/// order, because 32 neighbours share a scale.
struct ScaledDotPlan {
  DotPlan product;
  LinearLayout scaleA, scaleB;
};

/// The element type of a matrix instruction, or none if `target` multiplies no
/// numbers of `type`.
std::optional<MatrixElement> getMatrixElement(mlir::Type type,
                                              const TargetInfo &target);

/// Chooses instruction and layouts; emits an error if there is none.
mlir::FailureOr<DotPlan> planDot(tile::DotOp op, const TargetInfo &target,
                                 int64_t waves);

/// Whether a matrix instruction of `target` computes `op`.
bool hasScaledInstruction(tile::DotScaledOp op, const TargetInfo &target);

/// The same for a product with scales.
mlir::FailureOr<ScaledDotPlan>
planScaledDot(tile::DotScaledOp op, const TargetInfo &target, int64_t waves);

/// The instruction that `planDot` chose for an op that has layouts.
const MatrixInstruction *getDotInstruction(tile::DotOp op,
                                           const TargetInfo &target);

/// The same for a `tile.dot` or `tile.dot_scaled` with operands `a` and `b`.
const MatrixInstruction *getDotInstruction(mlir::Operation *op, mlir::Value a,
                                           mlir::Value b,
                                           const TargetInfo &target);

} // namespace octavo

#endif // OCTAVO_PASSES_TILE_DOTLAYOUT_H
