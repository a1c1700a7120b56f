//===- CodeObject.h - From a gpu.module to a code object --------*- C++ -*-===//
//
// The last stretch of the compiler, all inside this process: upstream
// conversions to the LLVM dialect, LLVM IR, LLVM's optimiser and code
// generator, lld. The loops that arrive are already scheduled, so LLVM may
// neither vectorise nor unroll them.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_CODEGEN_CODEOBJECT_H
#define OCTAVO_CODEGEN_CODEOBJECT_H

#include "octavo/Codegen/StageTimes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace octavo {

/// What one kernel takes of the GPU, as the metadata of its object says.
struct KernelResources {
  std::string name;
  /// Registers of a lane: `vgprs` counts the accumulation registers too.
  uint32_t vgprs = 0, agprs = 0, sgprs = 0;
  uint32_t vgprSpills = 0, sgprSpills = 0;
  uint32_t ldsBytes = 0;
  /// Scratch memory of a lane.
  uint32_t scratchBytes = 0;
  uint32_t kernargBytes = 0;
  /// The largest workgroup that may be launched.
  uint32_t maxLanes = 0;
};

/// A linked code object and what is known about its kernels.
struct CodeObject {
  llvm::SmallVector<char, 0> bytes;
  std::vector<KernelResources> kernels;
};

/// Rewrites everything inside `module` to the LLVM dialect, for the GPU that
/// the row `arch` of the target table describes. Errors go to the diagnostics
/// of the context.
mlir::LogicalResult lowerToLLVMDialect(mlir::ModuleOp module,
                                       llvm::StringRef arch);

/// LLVM IR of a `gpu.module` that holds only the LLVM dialect, not optimised.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVMIR(mlir::gpu::GPUModuleOp module, llvm::LLVMContext &context,
                  llvm::StringRef arch);

/// Runs LLVM's optimiser on `module` in place.
llvm::Error optimizeIR(llvm::Module &module, llvm::StringRef arch);

/// Moves the loads of a kernel's arguments, where they are too many for the
/// scalar registers, from its entry to the blocks that use them. `optimizeIR`
/// ends with it.
void loadArgumentsLate(llvm::Module &module);

/// Assembly text or a relocatable object.
enum class EmitKind { Assembly, Object };

/// Generates code for optimised IR.
llvm::Error emitCode(llvm::Module &module, llvm::StringRef arch, EmitKind kind,
                     llvm::SmallVectorImpl<char> &result);

/// Links relocatable objects with lld inside this process. lld keeps global
/// state: calls wait for each other.
llvm::Error linkObjects(llvm::ArrayRef<llvm::StringRef> objects,
                        llvm::SmallVectorImpl<char> &codeObject);

/// Reads the kernels' resources out of the notes of an object or code object.
llvm::Expected<std::vector<KernelResources>>
readKernelResources(llvm::StringRef object);

/// Optimises, generates code and links.
llvm::Expected<CodeObject> compileIR(llvm::Module &module, llvm::StringRef arch,
                                     StageTimes &times);

/// All of the above for the `gpu.module` inside `module`, which is changed.
llvm::Expected<CodeObject> compileGpuModule(mlir::ModuleOp module,
                                            llvm::StringRef arch,
                                            StageTimes &times);

} // namespace octavo

#endif // OCTAVO_CODEGEN_CODEOBJECT_H
