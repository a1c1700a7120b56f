//===- Pool.cpp - Stream-ordered allocation and memory pools --------------===//
//
// Streams execute at once, so an allocation in stream order is an allocation. A
// pool only counts; what it could keep for later goes back to the host.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Hip/Graph.h"
#include "lib/Simulator/Hip/Stream.h"

#include <cstring>

using namespace octavo;
using namespace octavo::hip;

namespace octavo::hip {
struct MemPool {
  std::mutex mutex;
  uint64_t used = 0, usedHigh = 0;
  uint64_t releaseThreshold = 0, maxBytes = 0;
  int reuse[3] = {1, 1, 1};
};
} // namespace octavo::hip

static MemPool *getDefaultPool() {
  static MemPool *pool = getState().pools.add(std::make_shared<MemPool>());
  return pool;
}

static std::atomic<MemPool *> &currentPool() {
  static std::atomic<MemPool *> pool{getDefaultPool()};
  return pool;
}

static hipError_t checkPool(hipMemPool_t pool, const char *function) {
  if (getState().pools.contains(pool))
    return hipSuccess;
  return fail(hipErrorInvalidValue,
              llvm::Twine(function) + ": no such memory pool");
}

static hipError_t allocate(void **result, size_t bytes, hipMemPool_t pool,
                           hipStream_t handle) {
  State &state = getState();
  Stream *stream = resolve(handle);
  if (!result || !stream)
    return fail(hipErrorInvalidValue, "hipMallocAsync: bad argument");
  *result = nullptr;
  if (!state.target)
    return fail(hipErrorNoDevice, "allocation without a device");
  if (bytes == 0)
    return hipSuccess;
  std::lock_guard lock(pool->mutex);
  void *pointer = nullptr;
  if (!pool->maxBytes || bytes <= pool->maxBytes - pool->used)
    pointer = state.memory.allocate(bytes, MemoryKind::Device, 0,
                                    state.properties.totalGlobalMem, pool);
  if (!pointer)
    return fail(hipErrorOutOfMemory,
                "the pool has no room for " + llvm::Twine(bytes) + " bytes");
  pool->used += bytes;
  pool->usedHigh = std::max(pool->usedHigh, pool->used);
  *result = pointer;
  return stream->capture ? submit(handle, AllocateCommand{pointer, bytes})
                         : hipSuccess;
}

OCTAVO_HIP_API hipError_t hipMallocAsync(void **result, size_t bytes,
                                         hipStream_t stream) {
  return allocate(result, bytes, currentPool(), stream);
}

OCTAVO_HIP_API hipError_t hipMallocFromPoolAsync(void **result, size_t bytes,
                                                 hipMemPool_t pool,
                                                 hipStream_t stream) {
  if (hipError_t error = checkPool(pool, "hipMallocFromPoolAsync"))
    return error;
  return allocate(result, bytes, pool, stream);
}

void hip::countPoolFree(const MemoryRange &range) {
  if (!range.pool || !getState().pools.contains(range.pool))
    return;
  std::lock_guard lock(range.pool->mutex);
  range.pool->used -= range.bytes;
}

OCTAVO_HIP_API hipError_t hipFreeAsync(void *pointer, hipStream_t handle) {
  if (!pointer)
    return hipSuccess;
  auto range = getState().memory.lookup(pointer);
  if (!range || reinterpret_cast<void *>(range->base) != pointer)
    return fail(hipErrorInvalidValue,
                "hipFreeAsync: not the address of an allocation");
  return submit(handle, FreeCommand{pointer});
}

OCTAVO_HIP_API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t *pool,
                                                     int device) {
  if (!pool || device != 0)
    return fail(hipErrorInvalidValue, "hipDeviceGetDefaultMemPool");
  *pool = getDefaultPool();
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceGetMemPool(hipMemPool_t *pool, int device) {
  if (!pool || device != 0)
    return fail(hipErrorInvalidValue, "hipDeviceGetMemPool: bad argument");
  *pool = currentPool();
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
  if (device != 0)
    return fail(hipErrorInvalidDevice, "hipDeviceSetMemPool");
  if (hipError_t error = checkPool(pool, "hipDeviceSetMemPool"))
    return error;
  currentPool() = pool;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipMemPoolCreate(hipMemPool_t *pool,
                                           const hipMemPoolProps *properties) {
  if (!pool || !properties)
    return fail(hipErrorInvalidValue, "hipMemPoolCreate: null pointer");
  if (properties->handleTypes != 0)
    return failMissing("hipMemPoolCreate with shareable handles");
  auto object = std::make_shared<MemPool>();
  object->maxBytes = properties->maxSize;
  *pool = getState().pools.add(std::move(object));
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  if (pool == getDefaultPool())
    return fail(hipErrorInvalidValue, "the default pool cannot be destroyed");
  if (!getState().pools.remove(pool))
    return checkPool(pool, "hipMemPoolDestroy");
  MemPool *expected = pool;
  currentPool().compare_exchange_strong(expected, getDefaultPool());
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t) {
  return checkPool(pool, "hipMemPoolTrimTo");
}

OCTAVO_HIP_API hipError_t hipMemPoolSetAccess(hipMemPool_t pool,
                                              const hipMemAccessDesc *list,
                                              size_t count) {
  if (count && !list)
    return fail(hipErrorInvalidValue, "hipMemPoolSetAccess: null pointer");
  return checkPool(pool, "hipMemPoolSetAccess");
}

OCTAVO_HIP_API hipError_t hipMemPoolGetAccess(int *flags, hipMemPool_t pool,
                                              hipMemLocation *location) {
  if (!flags || !location)
    return fail(hipErrorInvalidValue, "hipMemPoolGetAccess: null pointer");
  *flags = 3; // read and write
  return checkPool(pool, "hipMemPoolGetAccess");
}

OCTAVO_HIP_API hipError_t hipMemPoolSetAttribute(hipMemPool_t pool,
                                                 hipMemPoolAttr attribute,
                                                 void *value) {
  if (hipError_t error = checkPool(pool, "hipMemPoolSetAttribute"))
    return error;
  if (!value)
    return fail(hipErrorInvalidValue, "hipMemPoolSetAttribute: null pointer");
  std::lock_guard lock(pool->mutex);
  switch (attribute) {
  case hipMemPoolReuseFollowEventDependencies:
  case hipMemPoolReuseAllowOpportunistic:
  case hipMemPoolReuseAllowInternalDependencies:
    std::memcpy(&pool->reuse[attribute - 1], value, sizeof(int));
    return hipSuccess;
  case hipMemPoolAttrReleaseThreshold:
    std::memcpy(&pool->releaseThreshold, value, sizeof(uint64_t));
    return hipSuccess;
  case hipMemPoolAttrReservedMemHigh:
  case hipMemPoolAttrUsedMemHigh:
    // Only a reset is allowed.
    if (*static_cast<uint64_t *>(value) != 0)
      break;
    pool->usedHigh = pool->used;
    return hipSuccess;
  default:
    break;
  }
  return fail(hipErrorInvalidValue,
              "hipMemPoolSetAttribute: this attribute cannot be set so");
}

OCTAVO_HIP_API hipError_t hipMemPoolGetAttribute(hipMemPool_t pool,
                                                 hipMemPoolAttr attribute,
                                                 void *value) {
  if (hipError_t error = checkPool(pool, "hipMemPoolGetAttribute"))
    return error;
  if (!value)
    return fail(hipErrorInvalidValue, "hipMemPoolGetAttribute: null pointer");
  std::lock_guard lock(pool->mutex);
  auto put = [&](uint64_t number) {
    std::memcpy(value, &number, sizeof number);
    return hipSuccess;
  };
  switch (attribute) {
  case hipMemPoolReuseFollowEventDependencies:
  case hipMemPoolReuseAllowOpportunistic:
  case hipMemPoolReuseAllowInternalDependencies:
    std::memcpy(value, &pool->reuse[attribute - 1], sizeof(int));
    return hipSuccess;
  case hipMemPoolAttrReleaseThreshold:
    return put(pool->releaseThreshold);
  case hipMemPoolAttrReservedMemCurrent:
  case hipMemPoolAttrUsedMemCurrent:
    return put(pool->used);
  case hipMemPoolAttrReservedMemHigh:
  case hipMemPoolAttrUsedMemHigh:
    return put(pool->usedHigh);
  }
  return fail(hipErrorInvalidValue,
              "hipMemPoolGetAttribute: no such attribute");
}
