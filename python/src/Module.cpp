//===- Module.cpp - The one extension module ------------------------------===//

#include "Bindings.h"

#include "octavo/Support/Version.h"
#include "octavo/Target/TargetInfo.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

PYBIND11_MODULE(_octavo, m) {
  m.doc() = "Octavo's compiler and runtime; use the package octavo instead.";
  m.attr("__version__") = octavo::getVersion().str();
  m.def(
      "targets",
      [] {
        std::vector<std::string> names;
        for (const octavo::TargetInfo &row : octavo::getTargets())
          names.push_back(row.arch.str());
        return names;
      },
      "Names of the supported GPUs, as LLVM spells them.");
  octavo::bindCapability(m);
  octavo::bindPasses(m);
  m.attr("simulated_target") = octavo::getSimulatedTarget().str();
  m.def(
      "target_facts",
      [](const std::string &name) -> py::object {
        const octavo::TargetInfo *row = octavo::lookupTarget(name);
        if (!row)
          return py::none();
        py::dict facts;
        facts["product"] = row->product.str();
        facts["float8"] =
            row->float8 == octavo::Float8Encoding::FNUZ ? "fnuz" : "ocp";
        facts["compute_units"] = row->computeUnits;
        facts["wave_size"] = row->waveSize;
        return facts;
      },
      "What the table of targets says of a GPU; None for an unknown one.");
  octavo::bindReference(m);
  octavo::bindSimulator(m);
  octavo::bindSimulatorLaunch(m);
  octavo::bindCompiler(m);
  octavo::bindRuntime(m);
}
