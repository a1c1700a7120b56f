//===- Runtime.cpp - Executing programs from Python -----------------------===//

#include "Bindings.h"

#include "octavo/Runtime/Program.h"

#include <optional>
#include <pybind11/stl.h>

namespace py = pybind11;
using octavo::runtime::Hip;
using octavo::runtime::Program;

static void raise(llvm::Error error) {
  if (error)
    throw std::runtime_error(llvm::toString(std::move(error)));
}

static const Hip &requireHip() {
  auto hip = octavo::runtime::getHip();
  if (!hip)
    raise(hip.takeError());
  return **hip;
}

static std::unique_ptr<Program> loadProgram(const std::string &json,
                                            const py::bytes &code) {
  std::string_view bytes = code;
  auto program = Program::load(json, {bytes.data(), bytes.size()});
  if (!program)
    raise(program.takeError());
  return std::move(*program);
}

using Addresses = std::vector<uint64_t>;

static void run(const Program &self, const Addresses &inputs,
                const Addresses &outputs, uint64_t workspace, uint64_t stream,
                std::optional<size_t> segment) {
  py::gil_scoped_release release;
  Program::Addresses addresses = {inputs, outputs, workspace};
  void *handle = reinterpret_cast<void *>(stream);
  raise(segment ? self.run(*segment, addresses, handle)
                : self.run(addresses, handle));
}

static void runLaunch(const Program &self, size_t launch,
                      const Addresses &inputs, const Addresses &outputs,
                      uint64_t workspace, uint64_t stream) {
  py::gil_scoped_release release;
  raise(self.runLaunch(launch, {inputs, outputs, workspace},
                       reinterpret_cast<void *>(stream)));
}

static std::string getReport() {
  const Hip &hip = requireHip();
  if (!hip.isSimulator())
    throw std::runtime_error(hip.path + " is not the simulator");
  std::string text(hip.simReportJson(nullptr, 0), '\0');
  while (true) {
    size_t needed = hip.simReportJson(text.data(), text.size());
    if (needed <= text.size()) {
      text.resize(needed ? needed - 1 : 0);
      return text;
    }
    text.resize(needed);
  }
}

void octavo::bindRuntime(py::module_ &m) {
  py::class_<Program>(m, "Program", "A compiled graph, ready to run.")
      .def(py::init(&loadProgram), py::arg("json"), py::arg("code"))
      .def("run", &run, py::arg("inputs"), py::arg("outputs"),
           py::arg("workspace") = 0, py::arg("stream") = 0,
           py::arg("segment") = py::none(),
           "Enqueues the launches of one segment (of the whole program without "
           "`segment`) on a stream of the current device; addresses and the "
           "stream's handle are integers.")
      .def("run_launch", &runLaunch, py::arg("launch"), py::arg("inputs"),
           py::arg("outputs"), py::arg("workspace") = 0, py::arg("stream") = 0,
           "Enqueues one launch.")
      .def_property_readonly(
          "kernel_names",
          [](const Program &self) {
            std::vector<std::string> names;
            for (size_t i = 0; i < self.getNumLaunches(); ++i)
              names.push_back(self.getKernelName(i).str());
            return names;
          },
          "The kernel of each launch.")
      .def_property_readonly("inputs", &Program::getNumInputs)
      .def_property_readonly("outputs", &Program::getNumOutputs)
      .def_property_readonly("workspace_bytes", &Program::getWorkspaceBytes)
      .def_property_readonly("launches", &Program::getNumLaunches)
      .def_property_readonly(
          "segments",
          [](const Program &self) {
            std::vector<std::optional<int>> result;
            for (const Program::Segment &segment : self.getSegments())
              result.push_back(segment.step < 0
                                   ? std::nullopt
                                   : std::optional<int>(segment.step));
            return result;
          },
          "For each segment the number of the step that Python does, or None "
          "for launches.");
  m.def(
      "hip_library", [] { return requireHip().path; },
      "Path of the HIP library in use.");
  m.def("runs_on_simulator", [] { return requireHip().isSimulator(); });
  m.def(
      "synchronize",
      [](uint64_t stream) {
        py::gil_scoped_release release;
        const Hip &hip = requireHip();
        raise(hip.check(hip.streamSynchronize(reinterpret_cast<void *>(stream)),
                        "synchronising the stream"));
      },
      py::arg("stream") = 0);
  m.def("simulator_report", &getReport,
        "JSON of all launches since the last reset (OctavoSim.h).");
  m.def("simulator_reset", [] {
    if (requireHip().simReset)
      requireHip().simReset();
  });
}
