//===- CompileGpuModule.cpp - gpu.module to code object -------------------===//

#include "octavo/Codegen/CodeObject.h"
#include "octavo/Codegen/Messages.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

llvm::Expected<octavo::CodeObject> octavo::compileIR(llvm::Module &module,
                                                     llvm::StringRef arch,
                                                     StageTimes &times) {
  if (llvm::Error error = optimizeIR(module, arch))
    return std::move(error);
  times.finish("optimize");
  llvm::SmallVector<char, 0> object;
  if (llvm::Error error = emitCode(module, arch, EmitKind::Object, object))
    return std::move(error);
  times.finish("object");
  CodeObject result;
  llvm::StringRef bytes(object.data(), object.size());
  if (llvm::Error error = linkObjects(bytes, result.bytes))
    return std::move(error);
  auto kernels =
      readKernelResources({result.bytes.data(), result.bytes.size()});
  if (!kernels)
    return kernels.takeError();
  result.kernels = std::move(*kernels);
  times.finish("link");
  return result;
}

llvm::Expected<octavo::CodeObject>
octavo::compileGpuModule(ModuleOp module, llvm::StringRef arch,
                         StageTimes &times) {
  auto gpuModules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (gpuModules.size() != 1)
    return llvm::createStringError("expected one gpu.module, found %zu",
                                   gpuModules.size());
  {
    CollectMessages messages(module.getContext());
    if (failed(lowerToLLVMDialect(module, arch)))
      return messages.takeError("lowering to LLVM failed");
  }
  times.finish("lower");
  llvm::LLVMContext context;
  CollectMessages messages(module.getContext());
  gpu::GPUModuleOp gpuModule = *module.getOps<gpu::GPUModuleOp>().begin();
  auto ir = translateToLLVMIR(gpuModule, context, arch);
  if (!ir) {
    llvm::Error error = ir.takeError();
    return llvm::joinErrors(messages.takeError("translation to LLVM IR"),
                            std::move(error));
  }
  times.finish("translate");
  return compileIR(**ir, arch, times);
}
