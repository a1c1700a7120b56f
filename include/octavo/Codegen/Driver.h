//===- Driver.h - From a module's text to a program -------------*- C++ -*-===//
//
// Runs the phases of passes/Pipelines.h over a module, generates code for its
// kernels and writes down the steps of its host function. The module may be at
// any level; a module without host function gives kernels and no steps.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_CODEGEN_DRIVER_H
#define OCTAVO_CODEGEN_DRIVER_H

#include "octavo/Codegen/CodeObject.h"
#include "octavo/Codegen/Messages.h"
#include "octavo/Codegen/StageTimes.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <array>

namespace octavo {

/// Settings of one compilation.
struct CompileOptions {
  /// LLVM's name of the GPU, with features if there are any. Empty: what the
  /// module's `octavo.target` says.
  std::string target;
  /// Threads that generate code; each has a code object of its own.
  unsigned threads = 1;
};

/// A compiled graph (docs/design/levels.md, section 7).
struct CompiledProgram {
  std::string json;
  llvm::SmallVector<char, 0> code;
  StageTimes times;
  std::vector<Message> remarks;
};

/// Compiles `text`; the error holds all diagnostics with their locations.
llvm::Expected<CompiledProgram> compileProgram(mlir::MLIRContext &context,
                                               llvm::StringRef text,
                                               const CompileOptions &options);

/// Names that `emitStage` knows: each phase's result, then "llvm-ir", "asm" and
/// "resources".
std::vector<std::string> getStageNames();

/// Compiles `text` up to a stage and returns its text.
llvm::Expected<std::string> emitStage(mlir::MLIRContext &context,
                                      llvm::StringRef text,
                                      const CompileOptions &options,
                                      llvm::StringRef stage);

/// A kernel's launch shape, read where it is a tile.func or gpu.func.
struct KernelShape {
  std::array<uint32_t, 3> grid = {0, 0, 0};
  uint32_t lanes = 0;
};

/// Describes the program of the planned host function of `module`; without a
/// host function it has kernels only. `shapes` go by the kernel's name; the
/// code objects are laid out behind each other in their order.
llvm::Expected<llvm::json::Object>
describeProgram(mlir::ModuleOp module, llvm::StringRef target,
                const llvm::StringMap<KernelShape> &shapes,
                llvm::ArrayRef<CodeObject> objects);

} // namespace octavo

#endif // OCTAVO_CODEGEN_DRIVER_H
