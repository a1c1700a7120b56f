//===- EmitCode.cpp - LLVM IR to a relocatable object ---------------------===//

#include "octavo/Codegen/CodeObject.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>
#include <optional>

// TargetSelect.h would name every target of the packaged LLVM.
extern "C" void LLVMInitializeAMDGPUTargetInfo();
extern "C" void LLVMInitializeAMDGPUTarget();
extern "C" void LLVMInitializeAMDGPUTargetMC();
extern "C" void LLVMInitializeAMDGPUAsmPrinter();
extern "C" void LLVMInitializeAMDGPUAsmParser();

namespace {
/// Turns LLVM's errors into text; its other messages are dropped.
struct CollectErrors : llvm::DiagnosticHandler {
  explicit CollectErrors(std::string &errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      llvm::raw_string_ostream os(errors);
      llvm::DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
      os << '\n';
    }
    return true;
  }
  std::string &errors;
};
} // namespace

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(llvm::StringRef arch) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
  });
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return llvm::createStringError(error);
  // "arch:sramecc+:xnack-" names the processor and its features.
  llvm::SmallVector<llvm::StringRef, 4> parts;
  arch.split(parts, ':');
  std::string features;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_front()) {
    if (part.size() < 2 || (part.back() != '+' && part.back() != '-'))
      return llvm::createStringError("target '%s': feature '%s' has no sign",
                                     arch.str().c_str(), part.str().c_str());
    features += (features.empty() ? "" : ",") + std::string(1, part.back()) +
                part.drop_back().str();
  }
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, parts[0], features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return llvm::createStringError("LLVM has no target '%s'",
                                   arch.str().c_str());
  return machine;
}

llvm::Error octavo::optimizeIR(llvm::Module &module, llvm::StringRef arch) {
  auto machine = createMachine(arch);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  std::string broken;
  llvm::raw_string_ostream os(broken);
  if (llvm::verifyModule(module, &os))
    return llvm::createStringError("invalid LLVM IR: " + broken);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = false;
  tuning.SLPVectorization = tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(machine->get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
  loadArgumentsLate(module);
  return llvm::Error::success();
}

llvm::Error octavo::emitCode(llvm::Module &module, llvm::StringRef arch,
                             EmitKind kind,
                             llvm::SmallVectorImpl<char> &result) {
  auto machine = createMachine(arch);
  if (!machine)
    return machine.takeError();
  std::string errors;
  module.getContext().setDiagnosticHandler(
      std::make_unique<CollectErrors>(errors));
  llvm::raw_svector_ostream os(result);
  llvm::legacy::PassManager passes;
  auto type = kind == EmitKind::Assembly ? llvm::CodeGenFileType::AssemblyFile
                                         : llvm::CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, type))
    return llvm::createStringError("LLVM cannot emit this kind of file");
  passes.run(module);
  if (!errors.empty())
    return llvm::createStringError("code generation: " + errors);
  return llvm::Error::success();
}
