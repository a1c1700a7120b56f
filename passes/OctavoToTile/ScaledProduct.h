//===- ScaledProduct.h - Scales that change along K -------------*- C++ -*-===//
//
// A scale per block of K cannot wait for the end of the sum. Scales of f32 are
// multiplied with the partial sum of a block, in f32, which is then added. E8M0
// scales of both operands go into the matrix instructions of a target that has
// such; else they make the operand bf16, which holds the product exactly but at
// the far ends of its range.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_SCALEDPRODUCT_H
#define OCTAVO_PASSES_OCTAVOTOTILE_SCALEDPRODUCT_H

#include "passes/OctavoToTile/CostModel.h"
#include "passes/OctavoToTile/KernelBody.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace octavo {

struct ProductBlock;

/// The operands of a product.
enum class ProductSide { A, B };

/// Whether the scale of an operand is applied inside of the sum.
bool hasScaleAlongK(ScaledMatmulOp op, ProductSide side);

/// Bits of the elements that are multiplied, the narrower ones.
unsigned getMultipliedBits(ScaledMatmulOp op);

/// Makes a step along K lie inside of one granule, or consist of some. An error
/// is reported at the op if no step does.
mlir::LogicalResult fitGranules(ScaledMatmulOp op, MatmulPlan &plan);

/// Emits what scales along K add to the body of the loop over K.
class ScaledProduct {
public:
  ScaledProduct(mlir::OpBuilder &b, KernelBody &body, ScaledMatmulOp op,
                const MatmulPlan &plan, const ProductBlock &block,
                mlir::scf::ForOp loop);

  /// The tile of an operand with its E8M0 scales, if it has any. K is its last
  /// axis or its first.
  mlir::Value scaleOperand(ProductSide side, mlir::Value tile, bool minorK);
  /// `sum` plus the product, scaled; null after an error.
  mlir::Value accumulate(mlir::Value a, mlir::Value c, mlir::Value sum,
                         bool transposeA, bool transposeB);

private:
  mlir::Value scaledDot(mlir::Value a, mlir::Value c, mlir::Value sum,
                        bool transposeA, bool transposeB);
  mlir::Value scaleTile(ProductSide side, int axis, int axisK,
                        bool asIs = false);
  BoundCoordinate bindGranules(BoundCoordinate of, int64_t size, int axis,
                               int64_t &repeat);
  mlir::Value repeatAlong(mlir::Value tile, int axis, int64_t times);
  mlir::Value divide(mlir::Value x, int64_t by);

  mlir::OpBuilder &b;
  KernelBody &body;
  ScaledMatmulOp op;
  const MatmulPlan &plan;
  const ProductBlock &block;
  mlir::scf::ForOp loop;
  mlir::Location loc;
  /// Coordinates of scales count granules, so they have a space of their own.
  ElementSpace space;
};

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_SCALEDPRODUCT_H
