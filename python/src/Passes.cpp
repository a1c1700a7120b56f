//===- Passes.cpp - Running passes from Python ----------------------------===//

#include "Bindings.h"

#include "octavo/Init/Init.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace py = pybind11;
using namespace mlir;

namespace {

/// Runs a textual pipeline ("builtin.module(...)") over a module; throws
/// std::runtime_error with the diagnostics.
std::string runPipeline(const std::string &text, const std::string &pipeline) {
  static const bool registered = (octavo::registerAllPasses(), true);
  (void)registered;
  DialectRegistry registry;
  octavo::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string messages;
  llvm::raw_string_ostream errors(messages);
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors << diagnostic.getLocation() << ": " << diagnostic << "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      errors << note.getLocation() << ": note: " << note << "\n";
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  FailureOr<OpPassManager> passes = parsePassPipeline(pipeline, errors);
  if (!module || failed(passes))
    throw std::runtime_error(messages);
  PassManager manager(&context, passes->getOpAnchorName());
  static_cast<OpPassManager &>(manager) = std::move(*passes);
  if (failed(manager.run(*module)))
    throw std::runtime_error(messages);
  std::string result;
  llvm::raw_string_ostream(result) << *module;
  return result;
}

} // namespace

void octavo::bindPasses(py::module_ &m) {
  m.def("run_pipeline", &runPipeline, py::arg("text"), py::arg("pipeline"),
        py::call_guard<py::gil_scoped_release>(),
        "Runs a textual pass pipeline over a module and returns its text.");
}
