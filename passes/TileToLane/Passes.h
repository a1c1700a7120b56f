//===- Passes.h - From tiles to one lane's program --------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_TILETOLANE_PASSES_H
#define OCTAVO_PASSES_TILETOLANE_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace octavo {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/TileToLane/Passes.h.inc"
} // namespace octavo

#endif // OCTAVO_PASSES_TILETOLANE_PASSES_H
