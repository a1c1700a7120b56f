//===- Bindings.h - The parts of the extension module -----------*- C++ -*-===//

#ifndef OCTAVO_PYTHON_SRC_BINDINGS_H
#define OCTAVO_PYTHON_SRC_BINDINGS_H

#include <pybind11/pybind11.h>

namespace octavo {

/// Adds `lowered_operators` and `refused_calls`.
void bindCapability(pybind11::module_ &m);

/// Adds `run_pipeline`.
void bindPasses(pybind11::module_ &m);

/// Adds `compile`, `emit` and the cache's folder.
void bindCompiler(pybind11::module_ &m);

/// Adds `Program` and what concerns the HIP library.
void bindRuntime(pybind11::module_ &m);

/// Adds `SimulatedCode`.
void bindSimulatorLaunch(pybind11::module_ &m);

/// Adds `run_reference` and `run_tile_reference`.
void bindReference(pybind11::module_ &m);

/// Arithmetic of the simulator, for tests.
void bindSimulator(pybind11::module_ &m);

} // namespace octavo

#endif // OCTAVO_PYTHON_SRC_BINDINGS_H
