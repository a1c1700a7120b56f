//===- Occupancy.h - Workgroups that share a compute unit -------*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_OCCUPANCY_H
#define OCTAVO_SIMULATOR_OCCUPANCY_H

#include "octavo/Simulator/CodeObject.h"
#include "octavo/Target/TargetInfo.h"

namespace octavo::sim {

struct Occupancy {
  /// Workgroups that are resident on one compute unit at once; 0 if not even
  /// one fits.
  uint32_t workgroups = 0;
  /// Waves of one SIMD, where most are.
  uint32_t wavesPerSimd = 0;
  /// What keeps more from fitting: "waves" (the SIMD's slots), "registers" or
  /// "LDS".
  const char *limit = "waves";
};

/// What registers, LDS and wave slots of `target` allow for workgroups of
/// `workgroupLanes` work items with `dynamicLdsBytes` of LDS added.
Occupancy getOccupancy(const TargetInfo &target, const KernelDescriptor &kernel,
                       uint32_t workgroupLanes, uint32_t dynamicLdsBytes);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_OCCUPANCY_H
