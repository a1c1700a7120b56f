//===- Passes.h - From values to kernels ------------------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_OCTAVO_PASSES_H
#define OCTAVO_PASSES_OCTAVO_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace octavo {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Octavo/Passes.h.inc"
} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVO_PASSES_H
