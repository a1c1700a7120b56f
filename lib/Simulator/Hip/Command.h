//===- Command.h - What a stream or a graph node does -----------*- C++ -*-===//
//
// Every call that enqueues work makes one of these. On an ordinary stream it is
// executed before the call returns; on a capturing stream it becomes a node.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_COMMAND_H
#define OCTAVO_LIB_SIMULATOR_HIP_COMMAND_H

#include "lib/Simulator/Hip/Abi.h"
#include "octavo/Simulator/CodeObject.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <variant>

namespace octavo::hip {

struct KernelCommand {
  Function *function = nullptr;
  /// Keeps the code alive if the module is unloaded.
  std::shared_ptr<sim::CodeObject> object;
  const sim::KernelDescriptor *kernel = nullptr;
  /// Workgroups; work items of a workgroup.
  dim3 grid = {1, 1, 1}, block = {1, 1, 1};
  /// Work items of the grid if it is no multiple of the workgroup, else zeros.
  dim3 items = {0, 0, 0};
  uint32_t dynamicLdsBytes = 0;
  bool cooperative = false;
  llvm::SmallVector<uint8_t, 256> arguments;
};

/// A copy of `depth` slices of `height` rows of `width` bytes.
struct CopyCommand {
  void *dst = nullptr;
  const void *src = nullptr;
  size_t dstPitch = 0, dstSlice = 0, srcPitch = 0, srcSlice = 0;
  hipExtent extent = {0, 1, 1};
  hipMemcpyKind kind = hipMemcpyDefault;
};

/// A fill of `depth` slices of `height` rows of `width` elements.
struct FillCommand {
  void *dst = nullptr;
  size_t pitch = 0, slice = 0;
  uint32_t value = 0;
  unsigned elementBytes = 1;
  hipExtent extent = {0, 1, 1};
};

struct HostCommand {
  hipHostFn_t function = nullptr;
  void *data = nullptr;
};

struct RecordCommand {
  hipEvent_t event = nullptr;
};

struct WaitCommand {
  hipEvent_t event = nullptr;
};

/// Work of another graph, copied when the node was made.
struct ChildCommand {
  std::shared_ptr<Graph> graph;
};

/// A node that only joins others.
struct EmptyCommand {};

/// Memory of a captured hipMallocAsync: made when it was captured, kept until
/// a FreeCommand is executed or the graph is gone.
struct AllocateCommand {
  void *pointer = nullptr;
  size_t bytes = 0;
};

struct FreeCommand {
  void *pointer = nullptr;
};

using Command =
    std::variant<KernelCommand, CopyCommand, FillCommand, HostCommand,
                 RecordCommand, WaitCommand, ChildCommand, EmptyCommand,
                 AllocateCommand, FreeCommand>;

/// Executes or captures `command` on `stream` (which may be a null handle or
/// one of the two special ones).
hipError_t submit(hipStream_t stream, Command &&command);

/// Runs `command` at once. `endUs` is the simulated time at which it begins and
/// becomes the time at which it ends; `timed` asks for a prediction.
hipError_t execute(const Command &command, double &endUs, bool timed);

/// Runs one kernel and counts it. Raises `endUs` by its predicted time.
hipError_t executeKernel(const KernelCommand &command, double &endUs,
                         bool timed);

/// Fills in a copy of three dimensions; false if it names arrays, null pointers
/// or rows wider than the pitch.
bool makeCopyCommand(const hipMemcpy3DParms &parameters, CopyCommand &command);

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_COMMAND_H
