//===- Occupancy.cpp - How many workgroups share a compute unit -----------===//

#include "octavo/Simulator/Occupancy.h"
#include "lib/Simulator/Hip/Module.h"

#include <algorithm>

using namespace octavo;
using namespace octavo::hip;
using sim::getOccupancy;
using sim::Occupancy;

static hipError_t getActiveBlocks(int *blocks, Function *function,
                                  int blockSize, size_t dynamicLdsBytes) {
  State &state = getState();
  if (!blocks || blockSize <= 0 || dynamicLdsBytes > UINT32_MAX)
    return fail(hipErrorInvalidValue, "occupancy: bad argument");
  if (!function || !state.functions.contains(function))
    return fail(hipErrorInvalidDeviceFunction, "occupancy: no such function");
  const sim::KernelDescriptor &kernel = *function->kernel;
  *blocks = 0;
  if (uint32_t(blockSize) <= kernel.maxWorkgroupLanes)
    *blocks = getOccupancy(*state.target, kernel, blockSize,
                           uint32_t(dynamicLdsBytes))
                  .workgroups;
  return hipSuccess;
}

/// The workgroup size with the most resident waves; the larger of equal ones.
static hipError_t getBestBlock(int *grid, int *block, Function *function,
                               size_t dynamicLdsBytes, int limit) {
  State &state = getState();
  if (!grid || !block || dynamicLdsBytes > UINT32_MAX)
    return fail(hipErrorInvalidValue, "occupancy: bad argument");
  if (!function || !state.functions.contains(function))
    return fail(hipErrorInvalidDeviceFunction, "occupancy: no such function");
  const TargetInfo &target = *state.target;
  uint32_t most = function->kernel->maxWorkgroupLanes;
  if (limit > 0)
    most = std::min<uint32_t>(most, limit);
  uint32_t bestWaves = 0;
  *grid = *block = 0;
  for (uint32_t lanes = target.waveSize; lanes <= most;
       lanes += target.waveSize) {
    Occupancy occupancy = getOccupancy(target, *function->kernel, lanes,
                                       uint32_t(dynamicLdsBytes));
    uint32_t waves = occupancy.workgroups * (lanes / target.waveSize);
    if (waves < bestWaves || waves == 0)
      continue;
    bestWaves = waves;
    *block = lanes;
    *grid = occupancy.workgroups * target.computeUnits;
  }
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, hipFunction_t function, int blockSize, size_t lds) {
  return getActiveBlocks(blocks, function, blockSize, lds);
}

OCTAVO_HIP_API hipError_t
hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, hipFunction_t function, int blockSize, size_t lds, unsigned) {
  return getActiveBlocks(blocks, function, blockSize, lds);
}

OCTAVO_HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, const void *address, int blockSize, size_t lds) {
  return getActiveBlocks(blocks, getHostFunction(address), blockSize, lds);
}

OCTAVO_HIP_API hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *address, int blockSize, size_t lds, unsigned) {
  return getActiveBlocks(blocks, getHostFunction(address), blockSize, lds);
}

OCTAVO_HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSize(
    int *grid, int *block, hipFunction_t function, size_t lds, int limit) {
  return getBestBlock(grid, block, function, lds, limit);
}

OCTAVO_HIP_API hipError_t hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *block, hipFunction_t function, size_t lds, int limit,
    unsigned) {
  return getBestBlock(grid, block, function, lds, limit);
}

OCTAVO_HIP_API hipError_t hipOccupancyMaxPotentialBlockSize(
    int *grid, int *block, const void *address, size_t lds, int limit) {
  return getBestBlock(grid, block, getHostFunction(address), lds, limit);
}
