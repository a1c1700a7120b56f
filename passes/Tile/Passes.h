//===- Passes.h - Passes on one workgroup's program -------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_TILE_PASSES_H
#define OCTAVO_PASSES_TILE_PASSES_H

#include "dialects/Tile/IR/Tile.h"

#include "mlir/Pass/Pass.h"

namespace octavo {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Tile/Passes.h.inc"
} // namespace octavo

#endif // OCTAVO_PASSES_TILE_PASSES_H
