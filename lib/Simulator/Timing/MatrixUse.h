//===- MatrixUse.h - What depends on matrix arithmetic ----------*- C++ -*-===//
//
// A run that only wants a time may leave out matrix arithmetic if every
// address, branch and EXEC mask stays the same without it. That is proved by a
// forward slice over the program: which registers may hold what a matrix
// instruction computed, at each instruction. LDS, scratch and other memory
// count as one place each, for the whole program: once such a value may be
// stored, every load from there may give it. Scalar loads are not touched, as
// their cache does not see vector stores; a program that invalidates it is not
// proved.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_MATRIXUSE_H
#define OCTAVO_LIB_SIMULATOR_TIMING_MATRIXUSE_H

#include "lib/Simulator/Program.h"

namespace octavo::sim {

struct MatrixUse {
  /// Only data depends on the results of matrix instructions.
  bool isOnlyData;
  /// Otherwise what may depend on them: "branch at 1f0 's_cbranch_scc1 ...'".
  std::string reason;
};

/// Looks at what the kernel at `entry` (a byte offset in the image) can reach.
/// `fullWaves`: all lanes of all waves are on at the entry.
MatrixUse findMatrixUse(const Program &program, uint64_t entry, bool fullWaves);

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_MATRIXUSE_H
