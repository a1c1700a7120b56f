//===- Device.cpp - The one device and its attributes ---------------------===//

#include "lib/Simulator/Hip/State.h"
#include "lib/Simulator/Hip/Stream.h"

#include <cstring>

using namespace octavo;
using namespace octavo::hip;

State::State() {
  const char *name = std::getenv("OCTAVO_TARGET");
  targetName = name && *name ? name : getSimulatedTarget().str();
  target = lookupTarget(targetName);
  if (target)
    properties = makeProperties(*target);
}

State &hip::getState() {
  static State *state = new State;
  return *state;
}

/// hipSuccess if the device exists and `device` is its number.
static hipError_t checkDevice(int device) {
  State &state = getState();
  if (!state.target)
    return fail(hipErrorNoDevice, "OCTAVO_TARGET=" + state.targetName +
                                      " is no GPU that the simulator knows");
  if (device != 0)
    return fail(hipErrorInvalidDevice,
                "device " + llvm::Twine(device) + " of 1");
  return hipSuccess;
}

static hipError_t nullPointer(const char *function) {
  return fail(hipErrorInvalidValue,
              llvm::Twine(function) + ": the pointer for the result is null");
}

OCTAVO_HIP_API hipError_t hipInit(unsigned flags) {
  if (flags != 0)
    return fail(hipErrorInvalidValue, "hipInit: flags must be 0");
  return checkDevice(0);
}

// HIP's encoding: major * 10^7 + minor * 10^5 + patch.
static constexpr int kHipVersion = 7 * 10000000 + 1 * 100000;

OCTAVO_HIP_API hipError_t hipDriverGetVersion(int *version) {
  if (!version)
    return nullPointer("hipDriverGetVersion");
  *version = kHipVersion;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipRuntimeGetVersion(int *version) {
  if (!version)
    return nullPointer("hipRuntimeGetVersion");
  *version = kHipVersion;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGetDeviceCount(int *count) {
  if (!count)
    return nullPointer("hipGetDeviceCount");
  *count = getState().target ? 1 : 0;
  return checkDevice(0);
}

OCTAVO_HIP_API hipError_t hipGetDevice(int *device) {
  if (!device)
    return nullPointer("hipGetDevice");
  *device = 0;
  return checkDevice(0);
}

OCTAVO_HIP_API hipError_t hipSetDevice(int device) {
  return checkDevice(device);
}

OCTAVO_HIP_API hipError_t hipSetValidDevices(int *devices, int count) {
  if (count > 0 && !devices)
    return fail(hipErrorInvalidValue, "hipSetValidDevices: no list");
  for (int i = 0; i < count; ++i)
    if (hipError_t error = checkDevice(devices[i]))
      return error;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  if (!device)
    return nullPointer("hipDeviceGet");
  *device = ordinal;
  return checkDevice(ordinal);
}

OCTAVO_HIP_API hipError_t hipDeviceComputeCapability(int *major, int *minor,
                                                     hipDevice_t device) {
  if (!major || !minor)
    return nullPointer("hipDeviceComputeCapability");
  if (hipError_t error = checkDevice(device))
    return error;
  *major = getState().properties.major;
  *minor = getState().properties.minor;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceGetName(char *name, int bytes,
                                           hipDevice_t device) {
  if (!name || bytes <= 0)
    return nullPointer("hipDeviceGetName");
  if (hipError_t error = checkDevice(device))
    return error;
  std::snprintf(name, bytes, "%s", getState().properties.name);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
  if (!uuid)
    return nullPointer("hipDeviceGetUuid");
  if (hipError_t error = checkDevice(device))
    return error;
  *uuid = getState().properties.uuid;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceGetPCIBusId(char *text, int bytes,
                                               int device) {
  if (!text || bytes < 13)
    return fail(hipErrorInvalidValue,
                "hipDeviceGetPCIBusId: needs a buffer of 13 bytes");
  if (hipError_t error = checkDevice(device))
    return error;
  std::snprintf(text, bytes, "0000:00:00.0");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceGetByPCIBusId(int *device,
                                                 const char *text) {
  if (!device || !text)
    return nullPointer("hipDeviceGetByPCIBusId");
  if (llvm::StringRef(text) != "0000:00:00.0")
    return fail(hipErrorInvalidDevice,
                llvm::Twine("no device at PCI address ") + text);
  *device = 0;
  return checkDevice(0);
}

OCTAVO_HIP_API hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  if (!bytes)
    return nullPointer("hipDeviceTotalMem");
  if (hipError_t error = checkDevice(device))
    return error;
  *bytes = getState().properties.totalGlobalMem;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_t *result,
                                                      int device) {
  if (!result)
    return nullPointer("hipGetDeviceProperties");
  if (hipError_t error = checkDevice(device))
    return error;
  *result = getState().properties;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t
hipChooseDeviceR0600(int *device, const hipDeviceProp_t *properties) {
  if (!device || !properties)
    return nullPointer("hipChooseDevice");
  *device = 0;
  return checkDevice(0);
}

OCTAVO_HIP_API hipError_t hipDeviceGetAttribute(int *value, int attribute,
                                                int device) {
  if (!value)
    return nullPointer("hipDeviceGetAttribute");
  if (hipError_t error = checkDevice(device))
    return error;
  State &state = getState();
  if (getAttribute(state.properties, *state.target, attribute, *value))
    return hipSuccess;
  return fail(hipErrorInvalidValue,
              "hipDeviceGetAttribute: no attribute " + llvm::Twine(attribute));
}

OCTAVO_HIP_API hipError_t hipDeviceGetP2PAttribute(int *value, int attribute,
                                                   int source, int target) {
  if (!value)
    return nullPointer("hipDeviceGetP2PAttribute");
  return fail(hipErrorInvalidDevice,
              "hipDeviceGetP2PAttribute: there is one device");
}

OCTAVO_HIP_API hipError_t hipDeviceCanAccessPeer(int *can, int device,
                                                 int peer) {
  if (!can)
    return nullPointer("hipDeviceCanAccessPeer");
  *can = 0;
  if (hipError_t error = checkDevice(device))
    return error;
  return checkDevice(peer);
}

OCTAVO_HIP_API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned) {
  return fail(hipErrorInvalidDevice,
              "device " + llvm::Twine(peer) + " is no peer: there is one");
}

OCTAVO_HIP_API hipError_t hipDeviceDisablePeerAccess(int peer) {
  return fail(hipErrorPeerAccessNotEnabled,
              "device " + llvm::Twine(peer) + " is no peer: there is one");
}

OCTAVO_HIP_API hipError_t hipDeviceSynchronize() {
  if (hipError_t error = checkDevice(0))
    return error;
  State &state = getState();
  std::lock_guard device(state.execution);
  std::lock_guard lock(getStreamMutex());
  if (isLegacyStreamForbidden())
    return fail(hipErrorStreamCaptureUnsupported,
                "hipDeviceSynchronize while a stream is capturing");
  double now = getDeviceNowUs();
  state.streams.forEach([&](Stream &stream) { stream.nowUs = now; });
  return fail(state.sticky);
}

OCTAVO_HIP_API hipError_t hipDeviceReset() {
  if (hipError_t error = checkDevice(0))
    return error;
  getState().sticky = hipSuccess;
  return hipSuccess;
}

// Settings that hardware of this kind ignores: what is set is read back.
static std::atomic<unsigned> deviceFlags{0};

OCTAVO_HIP_API hipError_t hipGetDeviceFlags(unsigned *flags) {
  if (!flags)
    return nullPointer("hipGetDeviceFlags");
  *flags = deviceFlags;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipSetDeviceFlags(unsigned flags) {
  deviceFlags = flags;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceSetCacheConfig(int) { return hipSuccess; }

OCTAVO_HIP_API hipError_t hipDeviceGetCacheConfig(int *config) {
  if (!config)
    return nullPointer("hipDeviceGetCacheConfig");
  *config = 0;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceSetSharedMemConfig(int) {
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceGetSharedMemConfig(int *config) {
  if (!config)
    return nullPointer("hipDeviceGetSharedMemConfig");
  *config = 0;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceGetStreamPriorityRange(int *least,
                                                          int *greatest) {
  if (least)
    *least = 1;
  if (greatest)
    *greatest = -1;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipProfilerStart() { return hipSuccess; }
OCTAVO_HIP_API hipError_t hipProfilerStop() { return hipSuccess; }
