//===- MatmulKernel.h - Kernels around a matrix product ---------*- C++ -*-===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_MATMULKERNEL_H
#define OCTAVO_PASSES_OCTAVOTOTILE_MATMULKERNEL_H

#include "passes/OctavoToTile/CostModel.h"
#include "passes/OctavoToTile/KernelBody.h"

namespace octavo {

/// The sizes of a body around a matrix product.
struct MatmulShape {
  ScaledMatmulOp op;
  MatmulPlan plan;
  int64_t workgroups;
};

/// The product of `block`, or null if it has none.
ScaledMatmulOp findProduct(mlir::Block *block);

/// Chooses the sizes of `block`, whose product is `op`. An error is reported at
/// the op if it has no lowering.
std::optional<MatmulShape> shapeMatmul(ScaledMatmulOp op,
                                       const TargetInfo &target);

/// Emits `body` for the workgroup with number `workgroup` (i32) among its own.
mlir::LogicalResult emitMatmul(mlir::OpBuilder &builder, KernelBody &body,
                               const MatmulShape &shape, mlir::Value workgroup);

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_MATMULKERNEL_H
