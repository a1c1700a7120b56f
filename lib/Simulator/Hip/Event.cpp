//===- Event.cpp - Events with simulated times ----------------------------===//

#include "lib/Simulator/Hip/Report.h"
#include "lib/Simulator/Hip/Stream.h"
#include "octavo/Simulator/OctavoSim.h"

#include <algorithm>

using namespace octavo;
using namespace octavo::hip;

static hipError_t invalidEvent(const char *function) {
  return fail(hipErrorInvalidHandle, llvm::Twine(function) + ": no such event");
}

OCTAVO_HIP_API hipError_t hipEventCreateWithFlags(hipEvent_t *event,
                                                  unsigned flags) {
  if (!event)
    return fail(hipErrorInvalidValue, "hipEventCreate: null pointer");
  auto object = std::make_unique<Event>();
  object->flags = flags;
  *event = getState().events.add(std::move(object));
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipEventCreate(hipEvent_t *event) {
  return hipEventCreateWithFlags(event, 0);
}

OCTAVO_HIP_API hipError_t hipEventDestroy(hipEvent_t event) {
  if (!getState().events.remove(event))
    return invalidEvent("hipEventDestroy");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipEventRecord(hipEvent_t event, hipStream_t handle) {
  Stream *stream = resolve(handle);
  if (!getState().events.contains(event) || !stream)
    return invalidEvent("hipEventRecord");
  std::lock_guard lock(getStreamMutex());
  if (stream->capture) {
    event->capture = stream->capture;
    event->frontier = stream->frontier;
    return hipSuccess;
  }
  event->capture = nullptr;
  event->frontier.clear();
  event->recorded = true;
  event->timeUs = getBeginUs(stream);
  if (!(event->flags & hipEventDisableTiming))
    stream->timed = true;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipEventRecordWithFlags(hipEvent_t event,
                                                  hipStream_t stream,
                                                  unsigned flags) {
  if (flags > 1)
    return fail(hipErrorInvalidValue, "hipEventRecordWithFlags: bad flags");
  Stream *target = resolve(stream);
  if (flags == 1 && target && target->capture) {
    if (!getState().events.contains(event))
      return invalidEvent("hipEventRecordWithFlags");
    return submit(stream, RecordCommand{event});
  }
  return hipEventRecord(event, stream);
}

OCTAVO_HIP_API hipError_t hipEventSynchronize(hipEvent_t event) {
  if (!getState().events.contains(event))
    return invalidEvent("hipEventSynchronize");
  if (event->capture)
    return fail(hipErrorCapturedEvent, "hipEventSynchronize");
  return fail(getState().sticky);
}

OCTAVO_HIP_API hipError_t hipEventQuery(hipEvent_t event) {
  return hipEventSynchronize(event);
}

OCTAVO_HIP_API hipError_t hipEventElapsedTime(float *ms, hipEvent_t start,
                                              hipEvent_t stop) {
  State &state = getState();
  if (!ms)
    return fail(hipErrorInvalidValue, "hipEventElapsedTime: null pointer");
  if (!state.events.contains(start) || !state.events.contains(stop))
    return invalidEvent("hipEventElapsedTime");
  if ((start->flags | stop->flags) & hipEventDisableTiming)
    return fail(hipErrorInvalidHandle,
                "hipEventElapsedTime: an event was made without timing");
  if (!start->recorded || !stop->recorded)
    return fail(hipErrorInvalidHandle,
                "hipEventElapsedTime: an event was never recorded");
  if (getTimingMode() == OCTAVO_SIM_TIMING_OFF)
    return fail(
        hipErrorNotSupported,
        "hipEventElapsedTime: launches are not timed (octavoSimSetTiming"
        ", OCTAVO_SIM_TIMING)");
  *ms = float((stop->timeUs - start->timeUs) / 1000);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamWaitEvent(hipStream_t handle,
                                             hipEvent_t event, unsigned flags) {
  Stream *stream = resolve(handle);
  if (!getState().events.contains(event) || !stream)
    return invalidEvent("hipStreamWaitEvent");
  std::lock_guard lock(getStreamMutex());
  if (flags == 1 && stream->capture)
    return captureCommand(stream, WaitCommand{event});
  if (event->capture) {
    // The stream joins the capture that the event was recorded in.
    if (stream->capture && stream->capture != event->capture)
      return invalidateCapture(stream, hipErrorStreamCaptureMerge);
    stream->capture = event->capture;
    for (GraphNode *node : event->frontier)
      if (!llvm::is_contained(stream->frontier, node))
        stream->frontier.push_back(node);
    return hipSuccess;
  }
  if (stream->capture)
    return invalidateCapture(stream, hipErrorStreamCaptureIsolation);
  if (event->recorded)
    stream->nowUs = std::max(stream->nowUs, event->timeUs);
  return hipSuccess;
}
