//===- Capability.cpp - What the compiler can lower -----------------------===//

#include "Bindings.h"

#include "dialects/Aten/IR/Aten.h"
#include "octavo/Init/Init.h"
#include "passes/AtenToOctavo/Call.h"
#include "passes/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace mlir;

namespace {

struct Refused {
  std::string node, overload, reason;
};

/// The name that the importer gave the location: "module/node".
std::string nodeName(Location location) {
  auto named = dyn_cast<NameLoc>(location);
  return named ? named.getName().str().substr(named.getName().str().rfind('/') +
                                              1)
               : std::string();
}

/// Each call of a graph at level aten that stays a call, and why.
std::vector<Refused> refusedCalls(const std::string &text) {
  DialectRegistry registry;
  octavo::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      messages += diagnostic.str() + "\n";
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  PassManager manager(&context);
  octavo::buildImportPipeline(manager);
  if (!module || failed(manager.run(*module)))
    throw std::runtime_error(messages);
  std::vector<Refused> refused;
  module->walk([&](octavo::aten::CallOp op) {
    auto reason = op->getAttrOfType<StringAttr>("octavo.reason");
    refused.push_back({nodeName(op.getLoc()), op.getOverload().str(),
                       reason ? reason.str() : std::string()});
  });
  return refused;
}

} // namespace

void octavo::bindCapability(py::module_ &m) {
  m.def(
      "lowered_operators", [] { return allRules().names(); },
      "Overloads that have a rule; it may still refuse some arguments.");
  m.def(
      "refused_calls",
      [](const std::string &text) {
        std::vector<Refused> refused;
        {
          py::gil_scoped_release release;
          refused = refusedCalls(text);
        }
        std::vector<std::tuple<std::string, std::string, std::string>> result;
        for (const Refused &call : refused)
          result.emplace_back(call.node, call.overload, call.reason);
        return result;
      },
      "FX node, overload and reason of each call that has no lowering, for a "
      "graph at level aten.");
}
