//===- Context.cpp - Contexts, limits, libraries --------------------------===//
//
// HIP keeps CUDA's contexts for old programs: here there is the device's own
// context and nothing in it, so that each call only moves a handle.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Hip/Module.h"

#include <vector>

using namespace octavo;
using namespace octavo::hip;

namespace octavo::hip {
struct Context {};
} // namespace octavo::hip

static Context primary;
static thread_local std::vector<hipCtx_t> stack = {&primary};

static hipError_t checkContext(hipCtx_t context, const char *function) {
  if (context == &primary)
    return hipSuccess;
  return fail(hipErrorInvalidContext,
              llvm::Twine(function) + ": no such context");
}

static hipError_t checkResult(const void *result, int device,
                              const char *function) {
  if (device != 0)
    return fail(hipErrorInvalidDevice, llvm::Twine(function) + ": device " +
                                           llvm::Twine(device) + " of 1");
  if (!result)
    return fail(hipErrorInvalidValue, llvm::Twine(function) + ": null pointer");
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipCtxCreate(hipCtx_t *context, unsigned,
                                       hipDevice_t device) {
  if (hipError_t error = checkResult(context, device, "hipCtxCreate"))
    return error;
  stack.push_back(&primary);
  *context = &primary;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipCtxDestroy(hipCtx_t context) {
  return checkContext(context, "hipCtxDestroy");
}

OCTAVO_HIP_API hipError_t hipCtxPushCurrent(hipCtx_t context) {
  if (hipError_t error = checkContext(context, "hipCtxPushCurrent"))
    return error;
  stack.push_back(context);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipCtxPopCurrent(hipCtx_t *context) {
  if (stack.empty())
    return fail(hipErrorInvalidContext, "hipCtxPopCurrent: there is none");
  if (context)
    *context = stack.back();
  stack.pop_back();
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipCtxSetCurrent(hipCtx_t context) {
  if (!stack.empty())
    stack.pop_back();
  if (!context)
    return hipSuccess;
  return hipCtxPushCurrent(context);
}

OCTAVO_HIP_API hipError_t hipCtxGetCurrent(hipCtx_t *context) {
  if (hipError_t error = checkResult(context, 0, "hipCtxGetCurrent"))
    return error;
  *context = stack.empty() ? nullptr : stack.back();
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipCtxGetDevice(hipDevice_t *device) {
  if (hipError_t error = checkResult(device, 0, "hipCtxGetDevice"))
    return error;
  *device = 0;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *context,
                                                    hipDevice_t device) {
  if (hipError_t error =
          checkResult(context, device, "hipDevicePrimaryCtxRetain"))
    return error;
  *context = &primary;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) {
  return checkResult(&primary, device, "hipDevicePrimaryCtxRelease");
}

OCTAVO_HIP_API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device,
                                                      unsigned *flags,
                                                      int *active) {
  if (hipError_t error =
          checkResult(active, device, "hipDevicePrimaryCtxGetState"))
    return error;
  if (flags)
    *flags = 0;
  *active = 1;
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// HIP: units of 256 dwords, up to 128 K - 16; and what hipDeviceSetLimit chose
/// below it.
static constexpr size_t kMaxStackBytes = 131056;
static std::atomic<size_t> stackBytes{1024};

OCTAVO_HIP_API hipError_t hipDeviceGetLimit(size_t *value, int limit) {
  if (hipError_t error = checkResult(value, 0, "hipDeviceGetLimit"))
    return error;
  if (limit != 0)
    return fail(hipErrorUnsupportedLimit,
                "hipDeviceGetLimit: limit " + llvm::Twine(limit));
  *value = stackBytes;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDeviceSetLimit(int limit, size_t value) {
  if (limit != 0)
    return fail(hipErrorUnsupportedLimit,
                "hipDeviceSetLimit: limit " + llvm::Twine(limit));
  if (value > kMaxStackBytes)
    return fail(hipErrorInvalidValue, "hipDeviceSetLimit: at most " +
                                          llvm::Twine(kMaxStackBytes) +
                                          " bytes of stack");
  stackBytes = value;
  return hipSuccess;
}
