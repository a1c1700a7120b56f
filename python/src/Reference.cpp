//===- Reference.cpp - The reference interpreter in Python ----------------===//

#include "Bindings.h"

#include "octavo/Init/Init.h"
#include "octavo/Reference/Interpreter.h"

#include "mlir/Parser/Parser.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace mlir;
using octavo::reference::HostTensor;

namespace {

std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream os(name);
  type.print(os);
  return name;
}

/// Parses `text` and runs its function `name` (the only one if empty).
/// Throws std::runtime_error with the diagnostics.
std::vector<py::tuple> runReference(const std::string &text,
                                    const std::vector<py::bytes> &inputs,
                                    const std::string &name) {
  DialectRegistry registry;
  octavo::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(messages)
        << diagnostic.getLocation() << ": " << diagnostic << "\n";
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    throw std::runtime_error(messages);
  func::FuncOp function;
  module->walk([&](func::FuncOp op) {
    if (name.empty() || op.getSymName() == name)
      function = op;
  });
  if (!function)
    throw std::runtime_error("the module has no function " + name);
  std::vector<HostTensor> tensors;
  for (auto [argument, input] :
       llvm::zip(function.getArgumentTypes(), inputs)) {
    auto type = dyn_cast<RankedTensorType>(argument);
    if (!type)
      throw std::runtime_error("an argument is not a tensor");
    HostTensor tensor(type.getShape(), type.getElementType());
    std::string_view bytes = input;
    if (bytes.size() != tensor.data.size())
      throw std::runtime_error("input " + std::to_string(tensors.size()) +
                               " has " + std::to_string(bytes.size()) +
                               " bytes, its argument has " +
                               std::to_string(tensor.data.size()));
    tensor.data.assign(bytes.begin(), bytes.end());
    tensors.push_back(std::move(tensor));
  }
  auto results = octavo::reference::run(function, std::move(tensors));
  if (!results)
    throw std::runtime_error(llvm::toString(results.takeError()));
  std::vector<py::tuple> out;
  for (const HostTensor &tensor : *results)
    out.push_back(py::make_tuple(
        typeName(tensor.elementType),
        std::vector<int64_t>(tensor.shape.begin(), tensor.shape.end()),
        py::bytes(reinterpret_cast<const char *>(tensor.data.data()),
                  tensor.data.size())));
  return out;
}

} // namespace

void octavo::bindReference(py::module_ &m) {
  m.def("run_reference", &runReference, py::arg("text"), py::arg("inputs"),
        py::arg("function") = "",
        "Runs a function of an MLIR module on the host, element by element.");
}
