//===- Passes.h - From kernels to tile programs -----------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_PASSES_H
#define OCTAVO_PASSES_OCTAVOTOTILE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace octavo {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/OctavoToTile/Passes.h.inc"
} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_PASSES_H
