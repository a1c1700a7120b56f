//===- KernelBody.h - One body of a kernel, ready to be emitted -*- C++ -*-===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_KERNELBODY_H
#define OCTAVO_PASSES_OCTAVOTOTILE_KERNELBODY_H

#include "passes/OctavoToTile/Evaluator.h"

namespace octavo {

/// One body of a kernel and where its tensors lie.
struct KernelBody {
  mlir::Block *block;
  /// Memory of the block's arguments and of the yielded values.
  std::map<void *, MemoryTensor> memory;
  llvm::SmallVector<MemoryTensor> results;
};

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_KERNELBODY_H
