//===- MatrixBinding.h - Matrix instructions as handlers --------*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_EXECUTE_PORTABLE_MATRIXBINDING_H
#define OCTAVO_SIMULATOR_EXECUTE_PORTABLE_MATRIXBINDING_H

#include "../../Machine.h"
#include "lib/Simulator/Matrix/Matrix.h"
#include <string>
#include <vector>

namespace octavo::sim {

/// Rows of all matrix instructions; some occur twice.
std::vector<Entry> matrixEntries();
/// Chooses the instruction of this target and its numeric model. Returns what
/// is wrong, or nothing.
std::string finishMatrix(Inst &inst, const Entry &entry, llvm::StringRef arch);
/// The numeric model in words.
std::string describeMatrix(const Inst &inst);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_EXECUTE_PORTABLE_MATRIXBINDING_H
