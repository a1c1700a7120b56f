//===- Memory.cpp - Allocation, registration, attributes of pointers ------===//

#include "lib/Simulator/Hip/State.h"
#include "lib/Simulator/Hip/Stream.h"

#include <cstring>

using namespace octavo;
using namespace octavo::hip;

/// Allocates device, host or managed memory. A request of zero bytes gives
/// null.
static hipError_t allocate(void **result, size_t bytes, MemoryKind kind,
                           unsigned flags) {
  State &state = getState();
  if (!result)
    return fail(hipErrorInvalidValue,
                "allocation: null pointer for the result");
  *result = nullptr;
  if (!state.target)
    return fail(hipErrorNoDevice, "allocation without a device");
  if (bytes == 0)
    return hipSuccess;
  *result = state.memory.allocate(bytes, kind, flags,
                                  state.properties.totalGlobalMem);
  if (!*result)
    return fail(hipErrorOutOfMemory,
                "no room for " + llvm::Twine(bytes) + " bytes (" +
                    llvm::Twine(state.memory.allocatedBytes()) + " in use)");
  return hipSuccess;
}

static hipError_t release(void *pointer, const char *function) {
  if (!pointer)
    return hipSuccess;
  State &state = getState();
  // What a kernel on another thread still uses may not vanish.
  std::lock_guard device(state.execution);
  if (auto range = state.memory.release(pointer)) {
    countPoolFree(*range);
    return hipSuccess;
  }
  return fail(hipErrorInvalidValue,
              llvm::Twine(function) + ": not the address of an allocation");
}

OCTAVO_HIP_API hipError_t hipMalloc(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::Device, 0);
}

OCTAVO_HIP_API hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes,
                                                unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::Device, flags);
}

OCTAVO_HIP_API hipError_t hipHostMalloc(void **pointer, size_t bytes,
                                        unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::Host, flags);
}

OCTAVO_HIP_API hipError_t hipHostAlloc(void **pointer, size_t bytes,
                                       unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::Host, flags);
}

OCTAVO_HIP_API hipError_t hipMallocHost(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::Host, 0);
}

OCTAVO_HIP_API hipError_t hipMemAllocHost(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::Host, 0);
}

OCTAVO_HIP_API hipError_t hipMallocManaged(void **pointer, size_t bytes,
                                           unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::Managed, flags);
}

/// Rows begin on borders of 256 bytes.
static hipError_t allocatePitched(void **pointer, size_t *pitch, size_t width,
                                  size_t rows) {
  if (!pointer || !pitch)
    return fail(hipErrorInvalidValue, "hipMallocPitch: null pointer");
  size_t bytes;
  if (width > SIZE_MAX - 255 ||
      __builtin_mul_overflow((width + 255) / 256 * 256, rows, &bytes))
    return fail(hipErrorOutOfMemory, "hipMallocPitch: size overflows");
  *pitch = (width + 255) / 256 * 256;
  return allocate(pointer, bytes, MemoryKind::Device, 0);
}

OCTAVO_HIP_API hipError_t hipMallocPitch(void **pointer, size_t *pitch,
                                         size_t width, size_t height) {
  return allocatePitched(pointer, pitch, width, height);
}

OCTAVO_HIP_API hipError_t hipMemAllocPitch(hipDeviceptr_t *pointer,
                                           size_t *pitch, size_t width,
                                           size_t height, unsigned) {
  return allocatePitched(pointer, pitch, width, height);
}

OCTAVO_HIP_API hipError_t hipMalloc3D(hipPitchedPtr *result, hipExtent extent) {
  if (!result)
    return fail(hipErrorInvalidValue, "hipMalloc3D: null pointer");
  size_t rows;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
    return fail(hipErrorOutOfMemory, "hipMalloc3D: size overflows");
  *result = {nullptr, 0, extent.width, extent.height};
  return allocatePitched(&result->ptr, &result->pitch, extent.width, rows);
}

OCTAVO_HIP_API hipError_t hipFree(void *pointer) {
  return release(pointer, "hipFree");
}

OCTAVO_HIP_API hipError_t hipHostFree(void *pointer) {
  return release(pointer, "hipHostFree");
}

OCTAVO_HIP_API hipError_t hipFreeHost(void *pointer) {
  return release(pointer, "hipFreeHost");
}

OCTAVO_HIP_API hipError_t hipMemGetInfo(size_t *free, size_t *total) {
  State &state = getState();
  if (!state.target)
    return fail(hipErrorNoDevice, "hipMemGetInfo");
  size_t bytes = state.properties.totalGlobalMem;
  if (free)
    *free = bytes - state.memory.allocatedBytes();
  if (total)
    *total = bytes;
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Memory that others own
//===----------------------------------------------------------------------===//

OCTAVO_HIP_API hipError_t hipHostRegister(void *pointer, size_t bytes,
                                          unsigned flags) {
  if (!pointer || bytes == 0 ||
      reinterpret_cast<uintptr_t>(pointer) > UINTPTR_MAX - bytes)
    return fail(hipErrorInvalidValue, "hipHostRegister: empty or absurd range");
  if (!getState().memory.add(pointer, bytes, MemoryKind::Registered, flags))
    return fail(hipErrorHostMemoryAlreadyRegistered,
                "hipHostRegister: the range overlaps a known one");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipHostUnregister(void *pointer) {
  if (!getState().memory.remove(pointer))
    return fail(hipErrorHostMemoryNotRegistered,
                "hipHostUnregister: not the start of a registered range");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipHostGetDevicePointer(void **result, void *pointer,
                                                  unsigned) {
  if (!result || !pointer)
    return fail(hipErrorInvalidValue, "hipHostGetDevicePointer: null pointer");
  if (!getState().memory.lookup(pointer))
    return fail(hipErrorInvalidValue,
                "hipHostGetDevicePointer: memory that is not known");
  *result = pointer;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipHostGetFlags(unsigned *flags, void *pointer) {
  auto range = getState().memory.lookup(pointer);
  if (!flags || !range)
    return fail(hipErrorInvalidValue, "hipHostGetFlags: unknown memory");
  *flags = range->flags;
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Questions about pointers
//===----------------------------------------------------------------------===//

static hipMemoryType getType(const MemoryRange &range) {
  switch (range.kind) {
  case MemoryKind::Device:
  case MemoryKind::Variable:
    return hipMemoryTypeDevice;
  case MemoryKind::Host:
  case MemoryKind::Registered:
    return hipMemoryTypeHost;
  case MemoryKind::Managed:
    return hipMemoryTypeManaged;
  }
  return hipMemoryTypeUnregistered;
}

OCTAVO_HIP_API hipError_t hipPointerGetAttributes(hipPointerAttribute_t *result,
                                                  const void *pointer) {
  if (!result || !pointer)
    return fail(hipErrorInvalidValue, "hipPointerGetAttributes: null pointer");
  auto range = getState().memory.lookup(pointer);
  void *address = const_cast<void *>(pointer);
  // Since HIP 6 memory that is not known is no error.
  if (!range) {
    *result = {hipMemoryTypeUnregistered, -2, nullptr, nullptr, 0, 0};
    return hipSuccess;
  }
  hipMemoryType type = getType(*range);
  *result = {type,
             0,
             address,
             type == hipMemoryTypeDevice ? nullptr : address,
             type == hipMemoryTypeManaged,
             range->flags};
  return hipSuccess;
}

/// Writes a value of the type that the attribute has.
template <typename T> static hipError_t put(void *data, T value) {
  std::memcpy(data, &value, sizeof value);
  return hipSuccess;
}

static hipError_t getAttribute(void *data, hipPointer_attribute attribute,
                               void *pointer, const MemoryRange &range) {
  hipMemoryType type = getType(range);
  switch (attribute) {
  case HIP_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return put(data, pointer);
  case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return put<unsigned>(data, type);
  case HIP_POINTER_ATTRIBUTE_HOST_POINTER:
    if (type == hipMemoryTypeDevice)
      return fail(hipErrorInvalidValue, "device memory has no host pointer");
    return put(data, pointer);
  case HIP_POINTER_ATTRIBUTE_BUFFER_ID:
    return put<unsigned long long>(data, range.id);
  case HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
    return put<unsigned>(data, attribute == HIP_POINTER_ATTRIBUTE_IS_MANAGED &&
                                   type == hipMemoryTypeManaged);
  case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return put<int>(data, 0);
  case HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    return put(data, range.base);
  case HIP_POINTER_ATTRIBUTE_RANGE_SIZE:
    return put(data, range.bytes);
  case HIP_POINTER_ATTRIBUTE_MAPPED:
    return put<bool>(data, true);
  case HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return put<int>(data, 3);
  case HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return put(data, range.pool);
  default:
    return fail(hipErrorNotSupported, "hipPointerGetAttribute: attribute " +
                                          llvm::Twine(int(attribute)));
  }
}

OCTAVO_HIP_API hipError_t hipPointerGetAttribute(void *data,
                                                 hipPointer_attribute attribute,
                                                 hipDeviceptr_t pointer) {
  if (!data || !pointer)
    return fail(hipErrorInvalidValue);
  auto range = getState().memory.lookup(pointer);
  if (!range)
    return fail(hipErrorInvalidValue);
  return getAttribute(data, attribute, pointer, *range);
}

OCTAVO_HIP_API hipError_t
hipDrvPointerGetAttributes(unsigned count, hipPointer_attribute *attributes,
                           void **data, hipDeviceptr_t pointer) {
  if (!attributes || !data || count == 0)
    return fail(hipErrorInvalidValue, "hipDrvPointerGetAttributes: no list");
  auto range = getState().memory.lookup(pointer);
  for (unsigned i = 0; range && i < count; ++i)
    if (hipError_t error =
            getAttribute(data[i], attributes[i], pointer, *range))
      return error;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipMemGetAddressRange(hipDeviceptr_t *base,
                                                size_t *bytes,
                                                hipDeviceptr_t pointer) {
  auto range = getState().memory.lookup(pointer);
  if (!range)
    return fail(hipErrorNotFound, "hipMemGetAddressRange: unknown memory");
  if (base)
    *base = reinterpret_cast<void *>(range->base);
  if (bytes)
    *bytes = range->bytes;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipMemPtrGetInfo(void *pointer, size_t *bytes) {
  auto range = getState().memory.lookup(pointer);
  if (!bytes || !range)
    return fail(hipErrorInvalidValue, "hipMemPtrGetInfo: unknown memory");
  *bytes = range->bytes;
  return hipSuccess;
}

// All memory is in one place: a hint where to put it changes nothing.

OCTAVO_HIP_API hipError_t hipMemPrefetchAsync(const void *pointer, size_t, int,
                                              hipStream_t stream) {
  if (!pointer || !resolve(stream))
    return fail(hipErrorInvalidValue, "hipMemPrefetchAsync: bad argument");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipMemAdvise(const void *pointer, size_t, int, int) {
  if (!pointer)
    return fail(hipErrorInvalidValue, "hipMemAdvise: null pointer");
  return hipSuccess;
}
