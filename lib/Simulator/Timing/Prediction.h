//===- Prediction.h - From traces to the time of a launch -------*- C++ -*-===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_PREDICTION_H
#define OCTAVO_LIB_SIMULATOR_TIMING_PREDICTION_H

#include "lib/Simulator/Timing/ComputeUnit.h"
#include "lib/Simulator/Timing/Sharing.h"
#include "octavo/Simulator/Occupancy.h"
#include "octavo/Simulator/Timing.h"

namespace octavo::sim {

/// What the model must know of a launch beside its traces.
struct LaunchShape {
  uint64_t workgroups;
  Occupancy occupancy;
  /// Events that the prediction keeps.
  size_t timelineEvents = 0;
};

/// Workgroups to trace: a random sample of those that start together on the
/// first XCD, and one of the whole grid. The seed is fixed.
struct SamplePlan {
  std::vector<uint64_t> onXcd, inGrid;
  /// First and last of both.
  std::vector<uint64_t> xcdEdges, gridEdges;
};
SamplePlan planSamples(const TargetInfo &target, const LaunchShape &shape);

/// `samples` are the traces of a plan.
LaunchPrediction predictFromTraces(const TargetInfo &target,
                                   const TimingConstants &constants,
                                   const LaunchShape &shape,
                                   llvm::ArrayRef<TraceInst> program,
                                   llvm::ArrayRef<SampledGroup> samples);

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_PREDICTION_H
