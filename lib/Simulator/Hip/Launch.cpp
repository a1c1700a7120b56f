//===- Launch.cpp - All forms of launching a kernel -----------------------===//

#include "lib/Simulator/Hip/Launch.h"
#include "lib/Simulator/Hip/Module.h"
#include "lib/Simulator/Hip/Stream.h"
#include "octavo/Simulator/Occupancy.h"

#include <cstring>

using namespace octavo;
using namespace octavo::hip;

// Keys of the `extra` list of hipModuleLaunchKernel.
static void *const kBufferPointer = reinterpret_cast<void *>(1);
static void *const kBufferSize = reinterpret_cast<void *>(2);
static void *const kBufferEnd = reinterpret_cast<void *>(3);

static std::string describe(const Function &function) {
  return "kernel " + function.kernel->name + ": ";
}

/// Places arguments where the metadata says; each pointer leads to as many
/// bytes as its argument has.
static hipError_t packParameters(const Function &function, void **parameters,
                                 KernelCommand &command) {
  command.arguments.resize(function.explicitBytes);
  for (auto [index, argument] : llvm::enumerate(function.parameters)) {
    if (!parameters || !parameters[index])
      return fail(hipErrorInvalidValue,
                  describe(function) + "argument " + llvm::Twine(index) +
                      " of " + llvm::Twine(function.parameters.size()) +
                      " is missing");
    std::memcpy(command.arguments.data() + argument->offset, parameters[index],
                argument->size);
  }
  return hipSuccess;
}

/// Reads a buffer that the caller packed.
static hipError_t packBuffer(const Function &function, void **extra,
                             KernelCommand &command) {
  const uint8_t *buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; extra[i] != kBufferEnd; i += 2) {
    if (i > 4 || !extra[i + 1])
      return fail(hipErrorInvalidValue,
                  describe(function) + "the list `extra` has no end");
    if (extra[i] == kBufferPointer)
      buffer = static_cast<const uint8_t *>(extra[i + 1]);
    else if (extra[i] == kBufferSize)
      bytes = *static_cast<const size_t *>(extra[i + 1]);
    else
      return fail(hipErrorInvalidValue,
                  describe(function) + "unknown key in `extra`");
  }
  if (bytes < function.explicitBytes || (bytes && !buffer))
    return fail(hipErrorInvalidValue, describe(function) + "needs " +
                                          llvm::Twine(function.explicitBytes) +
                                          " bytes of arguments, got " +
                                          llvm::Twine(bytes));
  command.arguments.assign(buffer, buffer + function.explicitBytes);
  return hipSuccess;
}

static hipError_t checkShape(const Function &function, const LaunchShape &s) {
  const TargetInfo &target = *getState().target;
  const sim::KernelDescriptor &kernel = *function.kernel;
  auto show = [](const dim3 &d) {
    return llvm::Twine(d.x).str() + "," + llvm::Twine(d.y).str() + "," +
           llvm::Twine(d.z).str();
  };
  if (!s.grid.x || !s.grid.y || !s.grid.z || !s.block.x || !s.block.y ||
      !s.block.z)
    return fail(hipErrorInvalidConfiguration,
                describe(function) + "grid " + show(s.grid) +
                    " of workgroups " + show(s.block) +
                    " has a dimension of zero");
  uint64_t lanes = uint64_t(s.block.x) * s.block.y;
  if (lanes > target.maxWorkgroupLanes ||
      lanes * s.block.z >
          std::min(kernel.maxWorkgroupLanes, target.maxWorkgroupLanes))
    return fail(hipErrorInvalidConfiguration,
                describe(function) + "workgroup " + show(s.block) +
                    " has more work items than " +
                    llvm::Twine(kernel.maxWorkgroupLanes) +
                    ", for which it was compiled");
  const auto &required = kernel.requiredWorkgroup;
  if ((required[0] && required[0] != s.block.x) ||
      (required[1] && required[1] != s.block.y) ||
      (required[2] && required[2] != s.block.z))
    return fail(hipErrorInvalidConfiguration,
                describe(function) + "workgroup " + show(s.block) +
                    ", but it was compiled for " +
                    show({required[0], required[1], required[2]}));
  if (uint64_t(s.grid.x) * s.block.x > UINT32_MAX ||
      uint64_t(s.grid.y) * s.block.y > UINT32_MAX ||
      uint64_t(s.grid.z) * s.block.z > UINT32_MAX)
    return fail(hipErrorInvalidConfiguration,
                describe(function) + "grid " + show(s.grid) +
                    " of workgroups " + show(s.block) +
                    " has 2^32 work items in a dimension");
  if (s.dynamicLdsBytes > target.ldsBytes ||
      kernel.ldsBytes + s.dynamicLdsBytes > target.ldsBytes)
    return fail(hipErrorLaunchOutOfResources,
                describe(function) + llvm::Twine(kernel.ldsBytes) + " + " +
                    llvm::Twine(s.dynamicLdsBytes) + " bytes of LDS, " +
                    target.arch + " has " + llvm::Twine(target.ldsBytes));
  return hipSuccess;
}

/// A cooperative grid must be resident as a whole.
static hipError_t checkCooperative(const Function &function,
                                   const LaunchShape &s) {
  const TargetInfo &target = *getState().target;
  uint64_t workgroups = uint64_t(s.grid.x) * s.grid.y * s.grid.z;
  uint64_t fits = uint64_t(target.computeUnits) *
                  sim::getOccupancy(target, *function.kernel,
                                    s.block.x * s.block.y * s.block.z,
                                    uint32_t(s.dynamicLdsBytes))
                      .workgroups;
  if (workgroups <= fits)
    return hipSuccess;
  return fail(hipErrorCooperativeLaunchTooLarge,
              describe(function) + llvm::Twine(workgroups) +
                  " workgroups, but only " + llvm::Twine(fits) +
                  " are resident at once");
}

hipError_t hip::makeKernelCommand(Function *function, const LaunchShape &shape,
                                  void **parameters, void **extra,
                                  KernelCommand &command) {
  State &state = getState();
  if (!state.target)
    return fail(hipErrorNoDevice, "launch without a device");
  if (!state.functions.contains(function))
    return fail(hipErrorInvalidHandle, "launch: no such function");
  if (hipError_t error = checkShape(*function, shape))
    return error;
  if (shape.cooperative)
    if (hipError_t error = checkCooperative(*function, shape))
      return error;
  if (parameters && extra)
    return fail(hipErrorInvalidValue,
                describe(*function) + "both kernelParams and extra are given");
  command.function = function;
  command.object = function->object;
  command.kernel = function->kernel;
  command.grid = shape.grid;
  command.block = shape.block;
  command.items = shape.items;
  command.dynamicLdsBytes = uint32_t(shape.dynamicLdsBytes);
  command.cooperative = shape.cooperative;
  return extra ? packBuffer(*function, extra, command)
               : packParameters(*function, parameters, command);
}

static hipError_t launch(Function *function, const LaunchShape &shape,
                         hipStream_t stream, void **parameters, void **extra) {
  KernelCommand command;
  if (hipError_t error =
          makeKernelCommand(function, shape, parameters, extra, command))
    return error;
  return submit(stream, std::move(command));
}

OCTAVO_HIP_API hipError_t hipModuleLaunchKernel(
    hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
    unsigned blockX, unsigned blockY, unsigned blockZ, unsigned ldsBytes,
    hipStream_t stream, void **parameters, void **extra) {
  return launch(function,
                {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {}, ldsBytes},
                stream, parameters, extra);
}

OCTAVO_HIP_API hipError_t hipModuleLaunchCooperativeKernel(
    hipFunction_t function, unsigned gridX, unsigned gridY, unsigned gridZ,
    unsigned blockX, unsigned blockY, unsigned blockZ, unsigned ldsBytes,
    hipStream_t stream, void **parameters) {
  LaunchShape shape = {
      {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, {}, ldsBytes, true};
  return launch(function, shape, stream, parameters, nullptr);
}

OCTAVO_HIP_API hipError_t hipModuleLaunchCooperativeKernelMultiDevice(
    hipFunctionLaunchParams *list, unsigned count, unsigned) {
  if (!list || count != 1)
    return fail(hipErrorInvalidValue,
                "cooperative launch on several devices: there is one");
  return hipModuleLaunchCooperativeKernel(
      list->function, list->gridDimX, list->gridDimY, list->gridDimZ,
      list->blockDimX, list->blockDimY, list->blockDimZ, list->sharedMemBytes,
      list->hStream, list->kernelParams);
}

/// True if the attributes ask for a cooperative launch; those that only steer
/// caches and queues change nothing here.
static bool isCooperative(const hipLaunchAttribute *attributes,
                          unsigned count) {
  for (unsigned i = 0; attributes && i < count; ++i)
    if (attributes[i].id == hipLaunchAttributeCooperative)
      return attributes[i].value.cooperative != 0;
  return false;
}

OCTAVO_HIP_API hipError_t hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config,
                                               hipFunction_t function,
                                               void **parameters,
                                               void **extra) {
  if (!config)
    return fail(hipErrorInvalidValue, "hipDrvLaunchKernelEx: null pointer");
  LaunchShape shape = {
      {config->gridDimX, config->gridDimY, config->gridDimZ},
      {config->blockDimX, config->blockDimY, config->blockDimZ},
      {},
      config->sharedMemBytes,
      isCooperative(config->attrs, config->numAttrs)};
  return launch(function, shape, config->hStream, parameters, extra);
}

OCTAVO_HIP_API hipError_t hipExtModuleLaunchKernel(
    hipFunction_t function, uint32_t itemsX, uint32_t itemsY, uint32_t itemsZ,
    uint32_t blockX, uint32_t blockY, uint32_t blockZ, size_t ldsBytes,
    hipStream_t stream, void **parameters, void **extra, hipEvent_t start,
    hipEvent_t stop, uint32_t) {
  if (!blockX || !blockY || !blockZ)
    return fail(hipErrorInvalidConfiguration,
                "hipExtModuleLaunchKernel: a workgroup of zero");
  auto divide = [](uint32_t a, uint32_t b) { return a / b + (a % b != 0); };
  LaunchShape shape = {
      {divide(itemsX, blockX), divide(itemsY, blockY), divide(itemsZ, blockZ)},
      {blockX, blockY, blockZ},
      {itemsX, itemsY, itemsZ},
      ldsBytes};
  return launchBetween(start, stop, stream, [&] {
    return launch(function, shape, stream, parameters, extra);
  });
}

//===----------------------------------------------------------------------===//
// Launches of host functions (HIP C++)
//===----------------------------------------------------------------------===//

static hipError_t launchHost(const void *address, const LaunchShape &shape,
                             void **arguments, hipStream_t stream) {
  Function *function = getHostFunction(address);
  if (!function)
    return hipErrorInvalidDeviceFunction;
  return launch(function, shape, stream, arguments, nullptr);
}

OCTAVO_HIP_API hipError_t hipLaunchKernel(const void *address, dim3 grid,
                                          dim3 block, void **arguments,
                                          size_t ldsBytes, hipStream_t stream) {
  return launchHost(address, {grid, block, {}, ldsBytes}, arguments, stream);
}

OCTAVO_HIP_API hipError_t hipLaunchCooperativeKernel(const void *address,
                                                     dim3 grid, dim3 block,
                                                     void **arguments,
                                                     unsigned ldsBytes,
                                                     hipStream_t stream) {
  return launchHost(address, {grid, block, {}, ldsBytes, true}, arguments,
                    stream);
}

OCTAVO_HIP_API hipError_t hipLaunchKernelExC(const hipLaunchConfig_t *config,
                                             const void *address,
                                             void **arguments) {
  if (!config)
    return fail(hipErrorInvalidValue, "hipLaunchKernelExC: null pointer");
  return launchHost(address,
                    {config->gridDim,
                     config->blockDim,
                     {},
                     config->dynamicSmemBytes,
                     isCooperative(config->attrs, config->numAttrs)},
                    arguments, config->stream);
}

OCTAVO_HIP_API hipError_t hipExtLaunchKernel(const void *address, dim3 grid,
                                             dim3 block, void **arguments,
                                             size_t ldsBytes,
                                             hipStream_t stream,
                                             hipEvent_t start, hipEvent_t stop,
                                             int) {
  return launchBetween(start, stop, stream, [&] {
    return launchHost(address, {grid, block, {}, ldsBytes}, arguments, stream);
  });
}

OCTAVO_HIP_API hipError_t hipLaunchCooperativeKernelMultiDevice(
    hipLaunchParams *list, int count, unsigned) {
  if (!list || count != 1)
    return fail(hipErrorInvalidValue,
                "cooperative launch on several devices: there is one");
  return launchHost(list->func,
                    {list->gridDim, list->blockDim, {}, list->sharedMem, true},
                    list->args, list->stream);
}
