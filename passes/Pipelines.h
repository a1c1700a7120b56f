//===- Pipelines.h - The order of the compiler's passes ---------*- C++ -*-===//

#ifndef OCTAVO_PASSES_PIPELINES_H
#define OCTAVO_PASSES_PIPELINES_H

#include "mlir/Pass/PassManager.h"

namespace octavo {

/// `octavo-import`: a graph in the aten dialect to values (levels 1 to 2).
void buildImportPipeline(mlir::OpPassManager &passes);

/// `octavo-kernels`: values to `octavo.kernel`, one launch each.
void buildKernelsPipeline(mlir::OpPassManager &passes);

/// `octavo-tile`: kernels to tile programs, launches and a plan of the
/// workspace.
void buildTilePipeline(mlir::OpPassManager &passes);

/// `octavo-lane`: a gpu.module of one lane's program to the LLVM dialect.
void buildLanePipeline(mlir::OpPassManager &passes);

/// `octavo-tile-to-lane`: workgroup programs (tile.func) to a gpu.module.
void buildTileToLanePipeline(mlir::OpPassManager &passes);

/// One phase of the compiler.
struct Phase {
  /// What the module holds afterwards: "octavo", "kernels", "tile", "lane",
  /// "llvm".
  llvm::StringLiteral result;
  /// Name for octavo-opt.
  llvm::StringLiteral pipeline;
  llvm::StringLiteral summary;
  void (*build)(mlir::OpPassManager &);
};

/// All phases in the order in which the compiler runs them. A phase leaves
/// alone what is already at a later level.
llvm::ArrayRef<Phase> getPhases();

/// Registers the pipelines under their names for `octavo-opt`.
void registerPipelines();

} // namespace octavo

#endif // OCTAVO_PASSES_PIPELINES_H
