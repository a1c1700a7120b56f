//===- ScatterKernel.h - Kernels around a scatter ---------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_SCATTERKERNEL_H
#define OCTAVO_PASSES_OCTAVOTOTILE_SCATTERKERNEL_H

#include "passes/OctavoToTile/CostModel.h"
#include "passes/OctavoToTile/KernelBody.h"

namespace octavo {

/// The sizes of a body around a scatter.
struct ScatterShape {
  ScatterReduceOp op;
  ScatterPlan plan;
  int64_t workgroups;
};

/// The scatter of `block`, or null if it has none.
ScatterReduceOp findScatter(mlir::Block *block);

/// Chooses the sizes of a body whose scatter is `op`. An error is reported at
/// the op if it has no lowering.
std::optional<ScatterShape> shapeScatter(ScatterReduceOp op,
                                         const TargetInfo &target);

/// Emits `body` for the workgroup with number `workgroup` (i32) among its own.
mlir::LogicalResult emitScatter(mlir::OpBuilder &builder, KernelBody &body,
                                const ScatterShape &shape,
                                mlir::Value workgroup);

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_SCATTERKERNEL_H
