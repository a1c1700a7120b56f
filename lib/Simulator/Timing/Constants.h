//===- Constants.h - Numbers of the timing model with sources ---*- C++ -*-===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_CONSTANTS_H
#define OCTAVO_LIB_SIMULATOR_TIMING_CONSTANTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace octavo::sim {

/// How well a constant is known.
enum class ConstantKind : uint8_t { Measured, Published, Assumed };

/// One row of the table, as reports print it.
struct TimingConstant {
  llvm::StringRef name, unit;
  double value;
  ConstantKind kind;
  llvm::StringRef source;
};

/// The values for one chip; see Constants.def.
struct TimingConstants {
#define OCTAVO_TIMING_CONSTANT(field, unit, gfx942, gfx950, kind, source)      \
  double field;
#include "lib/Simulator/Timing/Constants.def"
#undef OCTAVO_TIMING_CONSTANT
};

/// Null for a chip without a timing model.
const TimingConstants *getTimingConstants(llvm::StringRef arch);

/// All rows of one chip; empty for a chip without a timing model.
llvm::ArrayRef<TimingConstant> listTimingConstants(llvm::StringRef arch);

llvm::StringRef getKindName(ConstantKind kind);

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_CONSTANTS_H
