//===- Driver.cpp - From a module's text to a program ---------------------===//

#include "octavo/Codegen/Driver.h"

#include "dialects/Octavo/IR/Octavo.h"
#include "dialects/Tile/IR/Tile.h"
#include "octavo/Target/TargetInfo.h"
#include "passes/Pipelines.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <thread>

using namespace mlir;
using namespace octavo;

namespace {
/// One compilation between two stages.
class Compilation {
public:
  Compilation(MLIRContext &context, const CompileOptions &options)
      : context(context), options(options), messages(&context) {}

  llvm::Error parse(StringRef text);
  /// Runs the phases up to and including the one that gives `last`.
  llvm::Error runPhases(StringRef last);
  llvm::Expected<std::string> print();
  llvm::Expected<std::string> emitIR(bool asAssembly);
  llvm::Error generateCode();
  llvm::Expected<llvm::json::Object> describe();
  llvm::Error takeError(StringRef otherwise) {
    return messages.takeError(otherwise);
  }

  MLIRContext &context;
  const CompileOptions &options;
  CollectMessages messages;
  OwningOpRef<ModuleOp> module;
  std::string target;
  llvm::StringMap<KernelShape> shapes;
  std::vector<CodeObject> objects;
  StageTimes times;

private:
  void noteShapes();
  llvm::Expected<gpu::GPUModuleOp> getKernels();
};
} // namespace

/// Remarks of passes become diagnostics, which are collected.
static void enableRemarks(MLIRContext &context) {
  remark::RemarkCategories all;
  all.all = ".*";
  (void)remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<remark::RemarkEmittingPolicyAll>(), all,
      /*printAsEmitRemarks=*/true);
}

llvm::Error Compilation::parse(StringRef text) {
  enableRemarks(context);
  module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return takeError("the module does not parse");
  auto attribute = module->getOperation()->getAttrOfType<TargetAttr>(
      OctavoDialect::getTargetAttrName());
  target = options.target;
  if (target.empty() && attribute)
    target = attribute.getName().str();
  if (target.empty())
    return llvm::createStringError("the module names no target");
  if (!lookupTarget(target))
    return llvm::createStringError("unknown target '" + target + "'");
  if (attribute && attribute.getName() != target)
    return llvm::createStringError("the module is for " + attribute.getName() +
                                   ", not for " + target);
  context.loadDialect<OctavoDialect>();
  (*module)->setAttr(OctavoDialect::getTargetAttrName(),
                     TargetAttr::get(&context, target));
  times.finish("parse");
  return llvm::Error::success();
}

/// Grid and workgroup of every kernel; a later phase drops them.
void Compilation::noteShapes() {
  uint32_t waveSize = lookupTarget(target)->waveSize;
  auto readGrid = [](Operation *function, KernelShape &shape) {
    auto grid =
        function->getAttrOfType<ArrayAttr>(tile::FuncOp::getGridAttrName());
    if (grid && grid.size() == 3)
      for (auto [extent, value] : llvm::zip(shape.grid, grid))
        extent = cast<IntegerAttr>(value).getInt();
  };
  module->walk([&](tile::FuncOp function) {
    KernelShape &shape = shapes[function.getSymName()];
    readGrid(function, shape);
    shape.lanes = function.getWaves() * waveSize;
  });
  module->walk([&](gpu::GPUFuncOp function) {
    KernelShape &shape = shapes[function.getName()];
    readGrid(function, shape);
    if (auto size = function.getKnownBlockSize())
      shape.lanes = (*size)[0] * (*size)[1] * (*size)[2];
  });
}

llvm::Error Compilation::runPhases(StringRef last) {
  for (const Phase &phase : getPhases()) {
    noteShapes();
    PassManager manager(&context, ModuleOp::getOperationName());
    phase.build(manager);
    if (failed(manager.run(*module)))
      return takeError(("the phase " + phase.pipeline + " failed").str());
    times.finish(phase.result);
    if (phase.result == last)
      break;
  }
  return llvm::Error::success();
}

llvm::Expected<std::string> Compilation::print() {
  std::string text;
  llvm::raw_string_ostream os(text);
  (*module)->print(os, OpPrintingFlags().enableDebugInfo(false));
  os << '\n';
  return text;
}

llvm::Expected<gpu::GPUModuleOp> Compilation::getKernels() {
  auto modules = llvm::to_vector(module->getOps<gpu::GPUModuleOp>());
  if (modules.size() == 1)
    return modules.front();
  if (modules.size() > 1)
    return llvm::createStringError("expected one gpu.module, found %zu",
                                   modules.size());
  WalkResult found = module->walk([](tile::FuncOp function) {
    function.emitError("was not lowered to one lane's program");
    return WalkResult::interrupt();
  });
  if (found.wasInterrupted())
    return takeError("");
  return gpu::GPUModuleOp();
}

/// Divides the functions of `module` over `count` copies of it, big ones first
/// and each to the copy with the least work so far.
static std::vector<OwningOpRef<gpu::GPUModuleOp>>
divideKernels(gpu::GPUModuleOp module, unsigned count) {
  std::vector<std::pair<size_t, StringRef>> kernels;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    size_t ops = 0;
    function.walk([&](Operation *) { ++ops; });
    kernels.push_back({ops, function.getName()});
  }
  llvm::sort(kernels, [](const auto &a, const auto &b) {
    return std::make_pair(b.first, a.second) <
           std::make_pair(a.first, b.second);
  });
  count = std::max<size_t>(1, std::min<size_t>(count, kernels.size()));
  std::vector<size_t> load(count, 0);
  llvm::StringMap<size_t> group;
  for (const auto &[ops, name] : kernels) {
    size_t least = std::min_element(load.begin(), load.end()) - load.begin();
    group[name] = least;
    load[least] += ops;
  }
  std::vector<OwningOpRef<gpu::GPUModuleOp>> parts;
  for (size_t part = 0; part < count; ++part) {
    parts.push_back(cast<gpu::GPUModuleOp>(module->clone()));
    for (auto function :
         llvm::make_early_inc_range(parts[part]->getOps<LLVM::LLVMFuncOp>()))
      if (group[function.getName()] != part)
        function.erase();
  }
  return parts;
}

namespace {
/// What one thread of code generation works on.
struct Part {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir;
  CodeObject object;
  StageTimes times;
  std::string error;
};
} // namespace

llvm::Error Compilation::generateCode() {
  auto kernels = getKernels();
  if (!kernels)
    return kernels.takeError();
  if (!*kernels)
    return llvm::Error::success();
  std::vector<std::unique_ptr<Part>> parts;
  for (auto &module : divideKernels(*kernels, options.threads)) {
    parts.push_back(std::make_unique<Part>());
    auto ir = translateToLLVMIR(*module, parts.back()->context, target);
    if (!ir)
      return llvm::joinErrors(takeError("translation to LLVM IR failed"),
                              ir.takeError());
    parts.back()->ir = std::move(*ir);
  }
  times.finish("translate");
  auto compilePart = [&](Part &part) {
    part.times = StageTimes();
    auto object = compileIR(*part.ir, target, part.times);
    if (object)
      part.object = std::move(*object);
    else
      part.error = llvm::toString(object.takeError());
  };
  std::vector<std::thread> threads;
  for (auto &part : llvm::drop_begin(parts))
    threads.emplace_back([&] { compilePart(*part); });
  compilePart(*parts.front());
  for (std::thread &thread : threads)
    thread.join();
  for (auto &part : parts) {
    if (!part->error.empty())
      return llvm::createStringError(part->error);
    objects.push_back(std::move(part->object));
  }
  times.append(parts.front()->times);
  if (parts.size() > 1)
    times.finish("other threads");
  return llvm::Error::success();
}

llvm::Expected<std::string> Compilation::emitIR(bool asAssembly) {
  auto kernels = getKernels();
  if (!kernels)
    return kernels.takeError();
  if (!*kernels)
    return std::string();
  llvm::LLVMContext llvmContext;
  auto ir = translateToLLVMIR(*kernels, llvmContext, target);
  if (!ir)
    return ir.takeError();
  if (llvm::Error error = optimizeIR(**ir, target))
    return std::move(error);
  std::string text;
  if (!asAssembly) {
    llvm::raw_string_ostream(text) << **ir;
    return text;
  }
  llvm::SmallVector<char, 0> assembly;
  if (llvm::Error error = emitCode(**ir, target, EmitKind::Assembly, assembly))
    return std::move(error);
  return std::string(assembly.begin(), assembly.end());
}

llvm::Expected<llvm::json::Object> Compilation::describe() {
  auto description = describeProgram(*module, target, shapes, objects);
  if (description)
    return description;
  std::string text = llvm::toString(description.takeError());
  return takeError(text);
}

llvm::Expected<CompiledProgram>
octavo::compileProgram(MLIRContext &context, StringRef text,
                       const CompileOptions &options) {
  Compilation compilation(context, options);
  if (llvm::Error error = compilation.parse(text))
    return std::move(error);
  if (llvm::Error error = compilation.runPhases("llvm"))
    return std::move(error);
  if (llvm::Error error = compilation.generateCode())
    return std::move(error);
  auto description = compilation.describe();
  if (!description)
    return description.takeError();
  CompiledProgram result;
  result.json =
      llvm::formatv("{0}", llvm::json::Value(std::move(*description)));
  for (const CodeObject &object : compilation.objects)
    result.code.append(object.bytes.begin(), object.bytes.end());
  compilation.times.finish("describe");
  result.times = compilation.times;
  result.remarks = compilation.messages.getRemarks();
  return result;
}

std::vector<std::string> octavo::getStageNames() {
  std::vector<std::string> names;
  for (const Phase &phase : getPhases())
    names.push_back(phase.result.str());
  names.insert(names.end(), {"llvm-ir", "asm", "resources"});
  return names;
}

llvm::Expected<std::string> octavo::emitStage(MLIRContext &context,
                                              StringRef text,
                                              const CompileOptions &options,
                                              StringRef stage) {
  Compilation compilation(context, options);
  if (llvm::Error error = compilation.parse(text))
    return std::move(error);
  bool isPhase = llvm::any_of(
      getPhases(), [&](const Phase &phase) { return phase.result == stage; });
  if (llvm::Error error = compilation.runPhases(isPhase ? stage : "llvm"))
    return std::move(error);
  if (isPhase)
    return compilation.print();
  if (stage == "llvm-ir" || stage == "asm")
    return compilation.emitIR(stage == "asm");
  if (stage != "resources")
    return llvm::createStringError("unknown stage '" + stage + "'");
  if (llvm::Error error = compilation.generateCode())
    return std::move(error);
  auto description = compilation.describe();
  if (!description)
    return description.takeError();
  return llvm::formatv("{0:2}\n", *description->get("kernels")).str();
}
