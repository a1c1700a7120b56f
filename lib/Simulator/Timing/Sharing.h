//===- Sharing.h - How many workgroups use the same lines -------*- C++ -*-===//
//
// Of n workgroups m were sampled at random. If a workgroup's line is met on
// average in c of the samples (itself counted), then d - 1 = (c - 1) (n - 1) /
// (m - 1) others of the n use it. The mean is taken per load instruction, which
// usually reads one tensor.
//
// Few samples of a large grid seldom meet, so there is a second estimate, and
// the larger one counts: n workgroups of L lines each within a region of S
// lines use a line n L / S times at least. Regions are the address ranges of
// the load instructions, joined where they overlap; the first and the last
// workgroup are looked at too, so that ranges are whole.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_SHARING_H
#define OCTAVO_LIB_SIMULATOR_TIMING_SHARING_H

#include "lib/Simulator/Timing/MemoryModel.h"

namespace octavo::sim {

struct SampledGroup {
  const WorkgroupTrace *trace;
  /// Member of the sample of the first XCD, and of that of the whole grid.
  bool onXcd, inGrid;
  /// First or last of those that start on the XCD, and of the grid.
  bool xcdEdge = false, gridEdge = false;
};

/// Degrees per instruction of `program`. `xcdGroups` run at the same time on
/// one XCD; `gridGroups` is the whole launch.
std::vector<SharingDegree> estimateSharing(llvm::ArrayRef<TraceInst> program,
                                           llvm::ArrayRef<SampledGroup> samples,
                                           uint64_t xcdGroups,
                                           uint64_t gridGroups);

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_SHARING_H
