//===- ProductLoop.h - The loop over K of a matrix product ------*- C++ -*-===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_PRODUCTLOOP_H
#define OCTAVO_PASSES_OCTAVOTOTILE_PRODUCTLOOP_H

#include "passes/OctavoToTile/CostModel.h"
#include "passes/OctavoToTile/Evaluator.h"
#include "passes/OctavoToTile/KernelBody.h"

namespace octavo {

/// Where the block of the result lies that a workgroup computes.
struct ProductBlock {
  BoundCoordinate batch, m, n;
};

/// Emits the sum over K of one block.
class ProductLoop {
public:
  ProductLoop(mlir::OpBuilder &b, KernelBody &body, ScaledMatmulOp op,
              const MatmulPlan &plan, ElementSpace &space,
              const ProductBlock &block);

  /// The accumulator, or null if an error was reported. `reads` are those of
  /// `productReads`.
  mlir::Value emit(llvm::ArrayRef<Element> reads);

private:
  bool isMinorK(const Element &operand, unsigned other);
  mlir::Value operandTile(Evaluator &evaluator, const Element &operand);
  mlir::Type operandType(mlir::Type a, mlir::Type b);
  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }

  mlir::OpBuilder &b;
  KernelBody &body;
  ScaledMatmulOp op;
  const MatmulPlan &plan;
  mlir::Location loc;
  ElementSpace &space;
  const ProductBlock &block;
};

/// Views with which operands can be read in blocks, by block argument: a
/// dimension for each coordinate of the product that moves it.
std::map<void *, tile::ViewType>
operandViews(ScaledMatmulOp op,
             const std::map<void *, llvm::SmallVector<int64_t>> &strides);

/// `tile` with elements of type `element`; null is the type it has.
mlir::Value convertTile(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value tile, mlir::Type element);

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_PRODUCTLOOP_H
