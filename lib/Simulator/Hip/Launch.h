//===- Launch.h - From a call's arguments to a kernel command ---*- C++ -*-===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_LAUNCH_H
#define OCTAVO_LIB_SIMULATOR_HIP_LAUNCH_H

#include "lib/Simulator/Hip/Stream.h"

OCTAVO_HIP_API octavo::hip::hipError_t
hipEventRecord(octavo::hip::hipEvent_t event, octavo::hip::hipStream_t stream);

namespace octavo::hip {

/// Workgroups, work items of each, and LDS that the launch adds.
struct LaunchShape {
  dim3 grid, block;
  /// Work items of the grid if it is no multiple of the workgroup, else zeros.
  dim3 items = {0, 0, 0};
  size_t dynamicLdsBytes = 0;
  bool cooperative = false;
};

/// Checks a launch and copies its arguments. One of `parameters` (a pointer per
/// argument) and `extra` (a packed buffer) may be given.
hipError_t makeKernelCommand(Function *function, const LaunchShape &shape,
                             void **parameters, void **extra,
                             KernelCommand &command);

/// Runs `body` between two events, either of which may be null.
template <typename Body>
hipError_t launchBetween(hipEvent_t start, hipEvent_t stop, hipStream_t stream,
                         Body body) {
  if (start)
    if (hipError_t error = hipEventRecord(start, stream))
      return error;
  if (hipError_t error = body())
    return error;
  return stop ? hipEventRecord(stop, stream) : hipSuccess;
}

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_LAUNCH_H
