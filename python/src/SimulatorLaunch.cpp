//===- SimulatorLaunch.cpp - Kernels on the simulator, without HIP --------===//
//
// For tests: a code object runs on the chip that it names, so one process can
// test several targets. Programs run through HIP (Runtime.cpp).
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include "octavo/Simulator/Device.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace octavo;

namespace {
struct SimulatedCode {
  std::shared_ptr<sim::CodeObject> object;
};
} // namespace

static SimulatedCode load(const py::bytes &code) {
  std::string_view bytes = code;
  auto object = sim::CodeObject::load(llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  if (!object)
    throw std::runtime_error(llvm::toString(object.takeError()));
  return {std::move(*object)};
}

static py::dict launch(const SimulatedCode &self, const std::string &name,
                       std::array<uint32_t, 3> grid, uint32_t lanes,
                       const py::bytes &arguments) {
  const sim::KernelDescriptor *kernel = self.object->lookupKernel(name);
  if (!kernel)
    throw py::value_error("the code object has no kernel '" + name + "'");
  std::string_view bytes = arguments;
  sim::LaunchConfig config;
  config.block = {lanes, 1, 1};
  config.setGrid(grid[0], grid[1], grid[2]);
  config.kernarg = llvm::ArrayRef<uint8_t>(
      reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  llvm::Expected<sim::LaunchReport> report = [&] {
    py::gil_scoped_release release;
    return sim::launch(*self.object, *kernel, config);
  }();
  if (!report)
    throw std::runtime_error(llvm::toString(report.takeError()));
  py::dict result;
  result["wave_instructions"] = report->counters.waveInstructions;
  result["instructions"] = report->counters.mnemonics;
  result["bytes_loaded"] = report->counters.bytesLoaded;
  result["bytes_stored"] = report->counters.bytesStored;
  result["host_seconds"] = report->hostSeconds;
  return result;
}

void octavo::bindSimulatorLaunch(py::module_ &m) {
  py::class_<SimulatedCode>(m, "SimulatedCode",
                            "A code object, loaded for its own chip.")
      .def(py::init(&load), py::arg("code"))
      .def(
          "launch", &launch, py::arg("kernel"), py::arg("grid"),
          py::arg("lanes"), py::arg("arguments"),
          "Runs a kernel to its end. `arguments` are the bytes of the kernel's "
          "argument block; returns counters.");
}
