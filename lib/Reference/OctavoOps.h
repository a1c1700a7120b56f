//===- OctavoOps.h - The meaning of the octavo dialect ----------*- C++ -*-===//

#ifndef OCTAVO_LIB_REFERENCE_OCTAVOOPS_H
#define OCTAVO_LIB_REFERENCE_OCTAVOOPS_H

#include "octavo/Reference/HostTensor.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"

namespace octavo::reference {

/// The results of `op` on `operands` if it is an op of the octavo dialect that
/// computes tensors; nothing for any other op.
llvm::Expected<std::optional<std::vector<HostTensor>>>
executeOctavo(mlir::Operation *op, llvm::ArrayRef<const HostTensor *> operands);

} // namespace octavo::reference

#endif // OCTAVO_LIB_REFERENCE_OCTAVOOPS_H
