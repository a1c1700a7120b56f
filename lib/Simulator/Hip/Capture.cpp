//===- Capture.cpp - Recording streams into graphs ------------------------===//

#include "lib/Simulator/Hip/Graph.h"

#include "llvm/ADT/STLExtras.h"

using namespace octavo;
using namespace octavo::hip;

static std::atomic<uint64_t> nextCaptureId{1};
static std::atomic<unsigned> strictCaptures{0};
static thread_local hipStreamCaptureMode threadMode =
    hipStreamCaptureModeGlobal;

bool hip::isLegacyStreamForbidden() { return strictCaptures != 0; }

hipError_t hip::captureCommand(Stream *stream, Command &&command) {
  Capture &capture = *stream->capture;
  if (capture.invalidated)
    return fail(hipErrorStreamCaptureInvalidated,
                "the capture of this stream has failed before");
  GraphNode *node =
      addNode(*capture.graph, std::move(command), stream->frontier);
  if (auto *allocation = std::get_if<AllocateCommand>(&node->command))
    capture.graph->allocations.push_back(allocation->pointer);
  stream->frontier.assign({node});
  return hipSuccess;
}

hipError_t hip::invalidateCapture(Stream *stream, hipError_t code) {
  std::lock_guard lock(getStreamMutex());
  if (stream->capture)
    stream->capture->invalidated = true;
  return fail(code);
}

static hipError_t begin(hipStream_t handle, Graph *graph, bool ownsGraph,
                        llvm::ArrayRef<GraphNode *> frontier, int mode) {
  Stream *stream = resolve(handle);
  if (!stream)
    return fail(hipErrorInvalidHandle, "hipStreamBeginCapture: no such stream");
  if (isLegacy(stream))
    return fail(hipErrorStreamCaptureUnsupported,
                "the legacy stream cannot be captured");
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return fail(hipErrorInvalidValue, "hipStreamBeginCapture: no such mode");
  std::lock_guard lock(getStreamMutex());
  if (stream->capture)
    return fail(hipErrorIllegalState, "the stream is being captured already");
  auto capture = std::make_shared<Capture>();
  capture->graph = graph;
  capture->ownsGraph = ownsGraph;
  capture->id = nextCaptureId++;
  capture->mode = static_cast<hipStreamCaptureMode>(mode);
  capture->origin = stream;
  capture->owner = std::this_thread::get_id();
  if (mode != hipStreamCaptureModeRelaxed)
    ++strictCaptures;
  stream->capture = std::move(capture);
  stream->frontier.assign(frontier.begin(), frontier.end());
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamBeginCapture(hipStream_t stream, int mode) {
  Graph *graph = getState().graphs.add(std::make_unique<Graph>());
  hipError_t error = begin(stream, graph, true, {}, mode);
  if (error != hipSuccess)
    getState().graphs.remove(graph);
  return error;
}

OCTAVO_HIP_API hipError_t hipStreamBeginCaptureToGraph(
    hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *dependencies,
    const void *, size_t count, int mode) {
  if (!getState().graphs.contains(graph) || (count && !dependencies))
    return fail(hipErrorInvalidHandle,
                "hipStreamBeginCaptureToGraph: bad argument");
  return begin(stream, graph, false, {dependencies, count}, mode);
}

/// True if every node of the capture leads to what `stream` would wait for.
static bool isJoined(const Capture &capture, const Stream &stream) {
  bool joined = true;
  getState().streams.forEach([&](Stream &other) {
    if (&other == &stream || other.capture.get() != &capture)
      return;
    for (GraphNode *end : other.frontier) {
      bool waited = llvm::is_contained(stream.frontier, end);
      for (auto &node : capture.graph->nodes)
        waited |= llvm::is_contained(node->dependencies, end);
      joined &= waited;
    }
  });
  return joined;
}

OCTAVO_HIP_API hipError_t hipStreamEndCapture(hipStream_t handle,
                                              hipGraph_t *graph) {
  Stream *stream = resolve(handle);
  if (!stream || !graph)
    return fail(hipErrorInvalidHandle, "hipStreamEndCapture: bad argument");
  std::lock_guard lock(getStreamMutex());
  *graph = nullptr;
  std::shared_ptr<Capture> capture = stream->capture;
  if (!capture)
    return fail(hipErrorIllegalState, "the stream is not being captured");
  if (capture->origin != stream)
    return fail(hipErrorStreamCaptureUnmatched,
                "the capture began in another stream");
  if (capture->mode != hipStreamCaptureModeRelaxed &&
      capture->owner != std::this_thread::get_id())
    return fail(hipErrorStreamCaptureWrongThread,
                "the capture began in another thread");
  bool joined = isJoined(*capture, *stream);
  getState().streams.forEach([&](Stream &other) {
    if (other.capture != capture)
      return;
    other.capture = nullptr;
    other.frontier.clear();
  });
  if (capture->mode != hipStreamCaptureModeRelaxed)
    --strictCaptures;
  if (!capture->invalidated && joined) {
    *graph = capture->graph;
    return hipSuccess;
  }
  if (capture->ownsGraph)
    getState().graphs.remove(capture->graph);
  if (capture->invalidated)
    return fail(hipErrorStreamCaptureInvalidated,
                "an operation during the capture was not allowed");
  return fail(hipErrorStreamCaptureUnjoined,
              "work of another stream does not lead back to this one");
}

static hipStreamCaptureStatus getStatus(const Stream &stream) {
  if (!stream.capture)
    return hipStreamCaptureStatusNone;
  return stream.capture->invalidated ? hipStreamCaptureStatusInvalidated
                                     : hipStreamCaptureStatusActive;
}

OCTAVO_HIP_API hipError_t hipStreamIsCapturing(hipStream_t handle,
                                               hipStreamCaptureStatus *status) {
  Stream *stream = resolve(handle);
  if (!stream || !status)
    return fail(hipErrorInvalidHandle, "hipStreamIsCapturing: bad argument");
  std::lock_guard lock(getStreamMutex());
  *status = getStatus(*stream);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamGetCaptureInfo_v2(
    hipStream_t handle, hipStreamCaptureStatus *status, unsigned long long *id,
    hipGraph_t *graph, const hipGraphNode_t **dependencies, size_t *count) {
  Stream *stream = resolve(handle);
  if (!stream || !status)
    return fail(hipErrorInvalidHandle, "hipStreamGetCaptureInfo: bad argument");
  std::lock_guard lock(getStreamMutex());
  *status = getStatus(*stream);
  if (*status != hipStreamCaptureStatusActive)
    return hipSuccess;
  if (id)
    *id = stream->capture->id;
  if (graph)
    *graph = stream->capture->graph;
  if (dependencies)
    *dependencies = stream->frontier.data();
  if (count)
    *count = stream->frontier.size();
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t
hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status,
                        unsigned long long *id) {
  return hipStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr,
                                    nullptr);
}

OCTAVO_HIP_API hipError_t hipStreamUpdateCaptureDependencies(
    hipStream_t handle, hipGraphNode_t *dependencies, size_t count,
    unsigned flags) {
  Stream *stream = resolve(handle);
  if (!stream || (count && !dependencies) || flags > 1)
    return fail(hipErrorInvalidValue,
                "hipStreamUpdateCaptureDependencies: bad argument");
  std::lock_guard lock(getStreamMutex());
  if (!stream->capture)
    return fail(hipErrorIllegalState, "the stream is not being captured");
  if (flags == 1)
    stream->frontier.clear();
  for (size_t i = 0; i < count; ++i)
    if (!llvm::is_contained(stream->frontier, dependencies[i]))
      stream->frontier.push_back(dependencies[i]);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t
hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
  if (!mode || *mode < hipStreamCaptureModeGlobal ||
      *mode > hipStreamCaptureModeRelaxed)
    return fail(hipErrorInvalidValue,
                "hipThreadExchangeStreamCaptureMode: no such mode");
  std::swap(*mode, threadMode);
  return hipSuccess;
}
