//===- Stream.cpp - Streams and simulated time ----------------------------===//

#include "lib/Simulator/Hip/Stream.h"

#include <algorithm>

using namespace octavo;
using namespace octavo::hip;

static std::atomic<uint64_t> nextStreamId{0};

static Stream *makeStream(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = std::clamp(priority, -1, 1);
  stream->id = nextStreamId++;
  return getState().streams.add(std::move(stream));
}

static Stream *getLegacyStream() {
  static Stream *stream = makeStream(0, 0);
  return stream;
}

Stream *hip::resolve(hipStream_t handle) {
  if (!handle || handle == kStreamLegacy)
    return getLegacyStream();
  if (handle == kStreamPerThread) {
    thread_local Stream *stream = makeStream(0, 0);
    return stream;
  }
  return getState().streams.contains(handle) ? handle : nullptr;
}

bool hip::isLegacy(const Stream *stream) { return stream == getLegacyStream(); }

std::recursive_mutex &hip::getStreamMutex() {
  static auto *mutex = new std::recursive_mutex;
  return *mutex;
}

double hip::getBeginUs(Stream *stream) {
  Stream *legacy = getLegacyStream();
  double begin = stream->nowUs;
  if (stream == legacy) {
    getState().streams.forEach([&](Stream &other) {
      if (other.isBlocking())
        begin = std::max(begin, other.nowUs);
    });
  } else if (stream->isBlocking()) {
    begin = std::max(begin, legacy->nowUs);
  }
  return begin;
}

double hip::getDeviceNowUs() {
  double now = 0;
  getState().streams.forEach(
      [&](Stream &stream) { now = std::max(now, stream.nowUs); });
  return now;
}

static hipError_t invalidStream(const char *function) {
  return fail(hipErrorInvalidHandle,
              llvm::Twine(function) + ": no such stream");
}

hipError_t hip::submit(hipStream_t handle, Command &&command) {
  State &state = getState();
  if (!state.target)
    return fail(hipErrorNoDevice, "OCTAVO_TARGET=" + state.targetName +
                                      " is no GPU that the simulator knows");
  Stream *stream = resolve(handle);
  if (!stream)
    return invalidStream("enqueueing work");
  if (stream->capture) {
    std::lock_guard lock(getStreamMutex());
    return captureCommand(stream, std::move(command));
  }
  if (isLegacy(stream) && isLegacyStreamForbidden())
    return fail(hipErrorStreamCaptureImplicit,
                "work on the legacy stream while another stream is capturing");
  if (state.sticky != hipSuccess)
    return fail(state.sticky, "an earlier launch failed; hipDeviceReset or "
                              "octavoSimReset makes the device usable again");
  // Host functions may take their time and call back: no lock for them.
  if (auto *host = std::get_if<HostCommand>(&command)) {
    host->function(host->data);
    return hipSuccess;
  }
  std::lock_guard device(state.execution);
  double time;
  {
    std::lock_guard lock(getStreamMutex());
    time = getBeginUs(stream);
  }
  hipError_t error = execute(command, time, stream->timed);
  if (error != hipSuccess)
    return error;
  std::lock_guard lock(getStreamMutex());
  stream->nowUs = time;
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

OCTAVO_HIP_API hipError_t hipStreamCreateWithPriority(hipStream_t *stream,
                                                      unsigned flags,
                                                      int priority) {
  if (!stream || flags > hipStreamNonBlocking)
    return fail(hipErrorInvalidValue,
                "hipStreamCreate: null pointer or unknown flags");
  *stream = makeStream(flags, priority);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamCreateWithFlags(hipStream_t *stream,
                                                   unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}

OCTAVO_HIP_API hipError_t hipStreamCreate(hipStream_t *stream) {
  return hipStreamCreateWithPriority(stream, 0, 0);
}

OCTAVO_HIP_API hipError_t hipExtStreamCreateWithCUMask(hipStream_t *stream,
                                                       uint32_t words,
                                                       const uint32_t *mask) {
  if (!mask || words == 0)
    return fail(hipErrorInvalidValue,
                "hipExtStreamCreateWithCUMask: the mask is empty");
  for (uint32_t i = 0; i < words; ++i)
    if (mask[i] != ~0u)
      return failMissing("hipExtStreamCreateWithCUMask with less than all CUs");
  return hipStreamCreate(stream);
}

OCTAVO_HIP_API hipError_t hipExtStreamGetCUMask(hipStream_t stream,
                                                uint32_t words,
                                                uint32_t *mask) {
  if (!mask || words == 0 || !resolve(stream))
    return fail(hipErrorInvalidValue, "hipExtStreamGetCUMask: bad argument");
  std::fill_n(mask, words, ~0u);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamDestroy(hipStream_t stream) {
  if (!stream || stream == kStreamLegacy || stream == kStreamPerThread)
    return fail(hipErrorInvalidHandle,
                "hipStreamDestroy: this stream cannot be destroyed");
  if (!getState().streams.remove(stream))
    return invalidStream("hipStreamDestroy");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamSynchronize(hipStream_t handle) {
  Stream *stream = resolve(handle);
  if (!stream)
    return invalidStream("hipStreamSynchronize");
  if (stream->capture)
    return invalidateCapture(stream, hipErrorStreamCaptureUnsupported);
  // Nothing can be pending but what another thread is executing right now.
  std::lock_guard device(getState().execution);
  return fail(getState().sticky);
}

OCTAVO_HIP_API hipError_t hipStreamQuery(hipStream_t handle) {
  return hipStreamSynchronize(handle);
}

OCTAVO_HIP_API hipError_t hipStreamGetFlags(hipStream_t handle,
                                            unsigned *flags) {
  Stream *stream = resolve(handle);
  if (!stream || !flags)
    return invalidStream("hipStreamGetFlags");
  *flags = stream->flags;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamGetPriority(hipStream_t handle,
                                               int *priority) {
  Stream *stream = resolve(handle);
  if (!stream || !priority)
    return invalidStream("hipStreamGetPriority");
  *priority = stream->priority;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamGetId(hipStream_t handle,
                                         unsigned long long *id) {
  Stream *stream = resolve(handle);
  if (!stream || !id)
    return invalidStream("hipStreamGetId");
  *id = stream->id;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamGetDevice(hipStream_t handle,
                                             hipDevice_t *device) {
  if (!resolve(handle) || !device)
    return invalidStream("hipStreamGetDevice");
  *device = 0;
  return hipSuccess;
}

OCTAVO_HIP_API int hipGetStreamDeviceId(hipStream_t) { return 0; }

OCTAVO_HIP_API hipError_t hipStreamAddCallback(hipStream_t handle,
                                               hipStreamCallback_t callback,
                                               void *data, unsigned flags) {
  Stream *stream = resolve(handle);
  if (!stream)
    return invalidStream("hipStreamAddCallback");
  if (!callback || flags != 0)
    return fail(hipErrorInvalidValue, "hipStreamAddCallback: bad argument");
  if (stream->capture)
    return invalidateCapture(stream, hipErrorStreamCaptureUnsupported);
  callback(handle, getState().sticky, data);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipLaunchHostFunc(hipStream_t stream,
                                            hipHostFn_t function, void *data) {
  if (!function)
    return fail(hipErrorInvalidValue, "hipLaunchHostFunc: no function");
  return submit(stream, HostCommand{function, data});
}

OCTAVO_HIP_API hipError_t hipStreamAttachMemAsync(hipStream_t stream, void *,
                                                  size_t, unsigned) {
  return resolve(stream) ? hipSuccess
                         : invalidStream("hipStreamAttachMemAsync");
}

template <typename T>
static hipError_t writeValue(hipStream_t handle, void *address, T value) {
  Stream *stream = resolve(handle);
  if (!stream)
    return invalidStream("hipStreamWriteValue");
  if (!address || reinterpret_cast<uintptr_t>(address) % sizeof(T) != 0)
    return fail(hipErrorInvalidValue,
                "hipStreamWriteValue: null or misaligned address");
  if (stream->capture)
    return invalidateCapture(stream, hipErrorStreamCaptureUnsupported);
  __atomic_store_n(static_cast<T *>(address), value, __ATOMIC_SEQ_CST);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipStreamWriteValue32(hipStream_t stream,
                                                void *address, uint32_t value,
                                                unsigned) {
  return writeValue(stream, address, value);
}

OCTAVO_HIP_API hipError_t hipStreamWriteValue64(hipStream_t stream,
                                                void *address, uint64_t value,
                                                unsigned) {
  return writeValue(stream, address, value);
}
