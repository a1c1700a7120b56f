//===- Coverage.h - What was executed, by name and modifier -----*- C++ -*-===//
//
// With OCTAVO_SIM_COVERAGE=FOLDER a process appends at its end to a file of its
// own there which instructions it executed, with which modifiers and in which
// test. Without the variable nothing is done.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_COVERAGE_H
#define OCTAVO_SIMULATOR_COVERAGE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace octavo::sim {

class Program;

/// Adds the counts of one launch; `counts[i]` belongs to instruction i. The
/// test is what the variable PYTEST_CURRENT_TEST names now.
void recordCoverage(const Program &program, llvm::ArrayRef<uint64_t> counts);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_COVERAGE_H
