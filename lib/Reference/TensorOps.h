//===- TensorOps.h - The meaning of ops that move elements ------*- C++ -*-===//

#ifndef OCTAVO_LIB_REFERENCE_TENSOROPS_H
#define OCTAVO_LIB_REFERENCE_TENSOROPS_H

#include "octavo/Reference/HostTensor.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace octavo::reference {

/// Calls `body` with every index of a space, the last dimension fastest.
void forEachIndex(llvm::ArrayRef<int64_t> extents,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

/// Executes `op` if it is a `tensor` op that moves elements without computing;
/// nothing for any other op.
std::optional<HostTensor>
moveElements(mlir::Operation *op, llvm::ArrayRef<const HostTensor *> operands);

} // namespace octavo::reference

#endif // OCTAVO_LIB_REFERENCE_TENSOROPS_H
