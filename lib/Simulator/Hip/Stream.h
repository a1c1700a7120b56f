//===- Stream.h - Streams, events and simulated time ------------*- C++ -*-===//
//
// Work is executed in order, before the call that enqueues it returns. What a
// stream adds is time: each has a clock in simulated microseconds that advances
// by the predicted time of its work. An event keeps the time of its stream; a
// wait moves the waiting stream's clock forward. The legacy stream (handle 0)
// waits for all streams that do not opt out, and they for it.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_STREAM_H
#define OCTAVO_LIB_SIMULATOR_HIP_STREAM_H

#include "lib/Simulator/Hip/Command.h"
#include "lib/Simulator/Hip/State.h"
#include <thread>

namespace octavo::hip {

/// A recording of one or more streams into a graph.
struct Capture {
  Graph *graph = nullptr;
  uint64_t id = 0;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  Stream *origin = nullptr;
  std::thread::id owner;
  bool invalidated = false;
  /// False if the graph was given by hipStreamBeginCaptureToGraph.
  bool ownsGraph = true;
};

struct Stream {
  unsigned flags = 0;
  int priority = 0;
  uint64_t id = 0;
  double nowUs = 0;
  /// An event that keeps time was recorded here.
  bool timed = false;
  std::shared_ptr<Capture> capture;
  /// The nodes that the next captured command depends on.
  llvm::SmallVector<GraphNode *, 2> frontier;

  bool isBlocking() const { return !(flags & hipStreamNonBlocking); }
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  double timeUs = 0;
  /// Set if last recorded in a capturing stream.
  std::shared_ptr<Capture> capture;
  llvm::SmallVector<GraphNode *, 2> frontier;
};

/// The stream behind a handle: the legacy stream for null, this thread's for
/// hipStreamPerThread; null if the handle is not live.
Stream *resolve(hipStream_t handle);

/// True if `stream` is the legacy stream.
bool isLegacy(const Stream *stream);

/// Guards clocks, captures and graphs. Taken after State::execution.
std::recursive_mutex &getStreamMutex();

/// The simulated time at which the next command of `stream` begins.
double getBeginUs(Stream *stream);
/// The latest clock of all streams.
double getDeviceNowUs();

/// Adds a node for `command` to the graph that `stream` is captured into.
hipError_t captureCommand(Stream *stream, Command &&command);
/// Marks the capture of `stream` as failed and returns `code`.
hipError_t invalidateCapture(Stream *stream, hipError_t code);
/// Streams that are captured now and forbid work on the legacy stream.
bool isLegacyStreamForbidden();

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_STREAM_H
