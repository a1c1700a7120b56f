//===- LdsCost.h - Cycles of one LDS access ---------------------*- C++ -*-===//
//
// A phase serves a fixed group of lanes; it takes as many cycles as the busiest
// bank has distinct words (equal words are broadcast). The groups were measured
// on MI300X and MI355X (facts: hardware, section 8).
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_LDSCOST_H
#define OCTAVO_LIB_SIMULATOR_TIMING_LDSCOST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace octavo::sim {

struct LdsAccess {
  /// Byte offsets in LDS, one per lane.
  llvm::ArrayRef<uint64_t> addresses;
  /// Lanes that take part.
  uint64_t lanes;
  /// Bytes of a lane.
  uint32_t bytes;
  bool isWrite;
};

struct LdsCost {
  uint32_t cycles;
  /// Cycles that an access without conflicts would take.
  uint32_t idealCycles;
};

LdsCost getLdsCost(llvm::StringRef arch, const LdsAccess &access);

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_LDSCOST_H
