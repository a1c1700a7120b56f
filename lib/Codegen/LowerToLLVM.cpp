//===- LowerToLLVM.cpp - gpu.module to LLVM dialect to LLVM IR ------------===//
//
// passes/Lane does the lowering; here it is run and its result translated.
//
//===----------------------------------------------------------------------===//

#include "dialects/Octavo/IR/Octavo.h"
#include "octavo/Codegen/CodeObject.h"
#include "octavo/Target/TargetInfo.h"
#include "passes/Pipelines.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Module.h"

using namespace mlir;

LogicalResult octavo::lowerToLLVMDialect(ModuleOp module,
                                         llvm::StringRef arch) {
  if (!lookupTarget(arch))
    return module.emitError() << "unknown target '" << arch << "'";
  module.getContext()->loadDialect<OctavoDialect>();
  module->setAttr(OctavoDialect::getTargetAttrName(),
                  TargetAttr::get(module.getContext(), arch));
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  buildLanePipeline(pm);
  return pm.run(module);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
octavo::translateToLLVMIR(gpu::GPUModuleOp module, llvm::LLVMContext &context,
                          llvm::StringRef arch) {
  std::unique_ptr<llvm::Module> ir =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!ir)
    return llvm::createStringError("the LLVM dialect of '%s' has no LLVM IR",
                                   module.getName().str().c_str());
  for (llvm::Function &function : *ir) {
    if (function.isDeclaration())
      continue;
    // Minimum and maximum need no canonicalised operands then.
    if (!function.hasFnAttribute("amdgpu-ieee"))
      function.addFnAttr("amdgpu-ieee", "false");
    // All kernels are launched with whole workgroups.
    function.addFnAttr("uniform-work-group-size", "true");
  }
  return ir;
}
