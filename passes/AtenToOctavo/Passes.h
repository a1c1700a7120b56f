//===- Passes.h - From PyTorch's operators to values ------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_PASSES_H
#define OCTAVO_PASSES_ATENTOOCTAVO_PASSES_H

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

#include <string>
#include <vector>

namespace octavo {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/AtenToOctavo/Passes.h.inc"

/// Overloads that `aten-to-octavo` has a rule for, sorted. With some arguments
/// a rule may still refuse; the remark then says why.
std::vector<std::string> getLoweredAtenOps();

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_PASSES_H
