//===- Reference.cpp - The reference interpreter in Python ----------------===//

#include "Bindings.h"

#include "octavo/Init/Init.h"
#include "octavo/Reference/Interpreter.h"
#include "octavo/Reference/TileInterpreter.h"

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

/// Parses `text` in `context`; throws std::runtime_error with the diagnostics.
OwningOpRef<ModuleOp> parse(MLIRContext &context, const std::string &text) {
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(messages)
        << diagnostic.getLocation() << ": " << diagnostic << "\n";
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    throw std::runtime_error(messages);
  return module;
}

/// The function `name`, or the only one.
template <typename FuncOp>
FuncOp findFunction(ModuleOp module, const std::string &name) {
  FuncOp function;
  module.walk([&](FuncOp op) {
    if (name.empty() || op.getName() == name)
      function = op;
  });
  if (!function)
    throw std::runtime_error("the module has no function " + name);
  return function;
}

HostTensor makeTensor(llvm::ArrayRef<int64_t> shape, Type type,
                      const py::bytes &input, size_t number) {
  HostTensor tensor(shape, type);
  std::string_view bytes = input;
  if (bytes.size() != tensor.data.size())
    throw std::runtime_error("input " + std::to_string(number) + " has " +
                             std::to_string(bytes.size()) +
                             " bytes, its argument has " +
                             std::to_string(tensor.data.size()));
  tensor.data.assign(bytes.begin(), bytes.end());
  return tensor;
}

py::bytes toBytes(const HostTensor &tensor) {
  return py::bytes(reinterpret_cast<const char *>(tensor.data.data()),
                   tensor.data.size());
}

std::vector<py::tuple> runReference(const std::string &text,
                                    const std::vector<py::bytes> &inputs,
                                    const std::string &name) {
  DialectRegistry registry;
  octavo::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parse(context, text);
  auto function = findFunction<func::FuncOp>(*module, name);
  std::vector<HostTensor> tensors;
  for (auto [argument, input] :
       llvm::zip(function.getArgumentTypes(), inputs)) {
    auto type = dyn_cast<RankedTensorType>(argument);
    if (!type)
      throw std::runtime_error("an argument is not a tensor");
    tensors.push_back(makeTensor(type.getShape(), type.getElementType(), input,
                                 tensors.size()));
  }
  auto results = octavo::reference::run(function, std::move(tensors));
  if (!results)
    throw std::runtime_error(llvm::toString(results.takeError()));
  std::vector<py::tuple> out;
  for (const HostTensor &tensor : *results)
    out.push_back(py::make_tuple(
        typeName(tensor.elementType),
        std::vector<int64_t>(tensor.shape.begin(), tensor.shape.end()),
        toBytes(tensor)));
  return out;
}

/// Arguments are the bytes of a view's memory, integers or floats; returns the
/// memory of each view afterwards and None for each scalar.
std::vector<py::object> runTileReference(const std::string &text,
                                         const std::vector<py::object> &inputs,
                                         std::array<int64_t, 3> grid,
                                         const std::string &name) {
  DialectRegistry registry;
  octavo::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parse(context, text);
  auto kernel = findFunction<octavo::tile::FuncOp>(*module, name);
  if (inputs.size() != kernel.getArgumentTypes().size())
    throw std::runtime_error(
        "expected " + std::to_string(kernel.getArgumentTypes().size()) +
        " arguments, got " + std::to_string(inputs.size()));
  std::vector<octavo::reference::TileArgument> arguments(inputs.size());
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    if (auto view = dyn_cast<octavo::tile::ViewType>(type)) {
      py::bytes bytes = inputs[i];
      int64_t size = py::len(bytes) / view.getElementBytes();
      arguments[i].memory = makeTensor({size}, view.getElementType(), bytes, i);
    } else if (isa<FloatType>(type)) {
      arguments[i].scalar.f = inputs[i].cast<double>();
    } else {
      arguments[i].scalar.i = inputs[i].cast<int64_t>();
    }
  }
  if (llvm::Error error = octavo::reference::runTile(kernel, grid, arguments))
    throw std::runtime_error(llvm::toString(std::move(error)));
  std::vector<py::object> out;
  for (auto [argument, type] : llvm::zip(arguments, kernel.getArgumentTypes()))
    out.push_back(isa<octavo::tile::ViewType>(type)
                      ? py::object(toBytes(argument.memory))
                      : py::none());
  return out;
}

} // namespace

void octavo::bindReference(py::module_ &m) {
  m.def("run_reference", &runReference, py::arg("text"), py::arg("inputs"),
        py::arg("function") = "",
        "Runs a function of an MLIR module on the host, element by element.");
  m.def("run_tile_reference", &runTileReference, py::arg("text"),
        py::arg("inputs"), py::arg("grid"), py::arg("function") = "",
        "Runs every workgroup of a tile.func on the host.");
}
