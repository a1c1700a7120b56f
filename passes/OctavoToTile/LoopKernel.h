//===- LoopKernel.h - Kernels without matrix products -----------*- C++ -*-===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_LOOPKERNEL_H
#define OCTAVO_PASSES_OCTAVOTOTILE_LOOPKERNEL_H

#include "passes/OctavoToTile/CostModel.h"
#include "passes/OctavoToTile/KernelBody.h"

namespace octavo {

/// The sizes of a body without matrix products.
struct LoopShape {
  Domain domain;
  LoopPlan plan;
  /// Elements of each reduction, by extent, that are taken at once.
  std::map<int64_t, int64_t> blockOf;
  int64_t workgroups;
};

/// The domain of `block`: `domain`, what the kernel was formed with, or if that
/// is null what its results say.
Domain findDomain(mlir::Block *block, mlir::Attribute domain);

/// Chooses the sizes of `block`, whose launch gives it `share` of the compute
/// units. An error is reported at the op that no kernel can do.
std::optional<LoopShape> shapeLoops(mlir::Block *block, const Domain &domain,
                                    double share, const TargetInfo &target);

/// Emits `body` for the workgroup with number `workgroup` (i32) among its own.
mlir::LogicalResult emitLoops(mlir::OpBuilder &builder, KernelBody &body,
                              const LoopShape &shape, mlir::Value workgroup);

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_LOOPKERNEL_H
