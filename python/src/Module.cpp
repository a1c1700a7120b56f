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
  octavo::bindPasses(m);
  octavo::bindReference(m);
}
