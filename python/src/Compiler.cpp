//===- Compiler.cpp - Compiling from Python, with the cache ---------------===//

#include "Bindings.h"

#include "octavo/Codegen/Driver.h"
#include "octavo/Init/Init.h"
#include "octavo/Runtime/CodeCache.h"

#include "mlir/IR/MLIRContext.h"
#include <pybind11/stl.h>

namespace py = pybind11;
using octavo::runtime::CodeCache;

namespace {

/// What `compile` returns; times and remarks are Python-friendly copies.
struct Compiled {
  std::string json, code;
  std::vector<std::pair<std::string, double>> times;
  /// Severity, location, text.
  std::vector<std::tuple<std::string, std::string, std::string>> remarks;
  std::string cacheKey;
  bool isFromCache = false;
  /// Why the result could not be cached, or empty.
  std::string cacheWarning;
};

} // namespace

static std::string nameSeverity(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Note:
    return "note";
  case mlir::DiagnosticSeverity::Warning:
    return "warning";
  case mlir::DiagnosticSeverity::Error:
    return "error";
  case mlir::DiagnosticSeverity::Remark:
    return "remark";
  }
  return "remark";
}

/// Options of a compilation; an unknown name is an error.
static octavo::CompileOptions
readOptions(const std::string &target,
            const std::map<std::string, std::string> &given) {
  octavo::CompileOptions options;
  options.target = target;
  for (const auto &[name, value] : given) {
    unsigned number = 0;
    if (name != "threads")
      throw py::value_error("unknown compile option '" + name + "'");
    if (llvm::StringRef(value).getAsInteger(10, number) || number == 0)
      throw py::value_error("option 'threads' is a number from 1, not '" +
                            value + "'");
    options.threads = number;
  }
  return options;
}

/// The remarks as text for the cache: three fields of each behind each other.
static void unpackRemarks(const std::string &text, Compiled &result) {
  llvm::SmallVector<llvm::StringRef> fields;
  llvm::StringRef(text).split(fields, '\0');
  for (size_t i = 0; i + 2 < fields.size(); i += 3)
    result.remarks.emplace_back(fields[i].str(), fields[i + 1].str(),
                                fields[i + 2].str());
}

static Compiled compile(const std::string &text, const std::string &target,
                        const std::map<std::string, std::string> &given,
                        bool useCache) {
  octavo::CompileOptions options = readOptions(target, given);
  std::string optionText;
  for (const auto &[name, value] : given)
    optionText += name + "=" + value + "\n";
  Compiled result;
  CodeCache cache(CodeCache::getDefaultFolder());
  result.cacheKey = CodeCache::makeKey({text, optionText, target});
  if (useCache) {
    auto parts = cache.lookUp(result.cacheKey);
    if (parts && parts->size() == 3) {
      result.json = std::move((*parts)[0]);
      result.code = std::move((*parts)[1]);
      unpackRemarks((*parts)[2], result);
      result.isFromCache = true;
      return result;
    }
  }
  mlir::DialectRegistry registry;
  octavo::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto program = octavo::compileProgram(context, text, options);
  if (!program)
    throw std::runtime_error(llvm::toString(program.takeError()));
  result.json = std::move(program->json);
  result.code.assign(program->code.begin(), program->code.end());
  result.times.assign(program->times.get().begin(), program->times.get().end());
  std::string remarkText;
  for (const octavo::Message &message : program->remarks) {
    std::string severity = nameSeverity(message.severity);
    for (llvm::StringRef field :
         {llvm::StringRef(severity), llvm::StringRef(message.location),
          llvm::StringRef(message.text)})
      (remarkText += field) += '\0';
    result.remarks.emplace_back(severity, message.location, message.text);
  }
  if (useCache)
    if (llvm::Error error = cache.store(result.cacheKey,
                                        {result.json, result.code, remarkText}))
      result.cacheWarning = llvm::toString(std::move(error));
  return result;
}

static std::string emit(const std::string &text, const std::string &target,
                        const std::string &stage) {
  octavo::CompileOptions options;
  options.target = target;
  mlir::DialectRegistry registry;
  octavo::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto result = octavo::emitStage(context, text, options, stage);
  if (!result)
    throw std::runtime_error(llvm::toString(result.takeError()));
  return *result;
}

void octavo::bindCompiler(py::module_ &m) {
  py::class_<Compiled>(m, "CompiledProgram",
                       "A compiled graph: the steps as JSON and the code.")
      .def_readonly("json", &Compiled::json)
      .def_property_readonly(
          "code", [](const Compiled &self) { return py::bytes(self.code); })
      .def_property_readonly(
          "times",
          [](const Compiled &self) {
            py::dict times;
            for (const auto &[name, ms] : self.times)
              times[py::str(name)] = ms;
            return times;
          },
          "Milliseconds of each stage; empty if it came from the cache.")
      .def_readonly("remarks", &Compiled::remarks,
                    "Tuples of severity, location and text.")
      .def_readonly("cache_key", &Compiled::cacheKey)
      .def_readonly("from_cache", &Compiled::isFromCache)
      .def_readonly("cache_warning", &Compiled::cacheWarning,
                    "Why the result could not be cached, or ''.");
  m.def("compile", &compile, py::arg("text"), py::arg("target"),
        py::arg("options") = std::map<std::string, std::string>(),
        py::arg("cache") = true, py::call_guard<py::gil_scoped_release>(),
        "Compiles a module at any level for `target`. Raises RuntimeError with "
        "the compiler's errors and their locations.");
  m.def("emit", &emit, py::arg("text"), py::arg("target"), py::arg("stage"),
        py::call_guard<py::gil_scoped_release>(),
        "The module's text after one stage of the compiler.");
  m.def("stages", &octavo::getStageNames, "Names that `emit` knows.");
  m.def("cache_folder", &CodeCache::getDefaultFolder);
}
