//===- DeviceProperties.cpp - hipDeviceProp_t as of HIP 6 -----------------===//

#include "lib/Simulator/Hip/DeviceProperties.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstring>

using namespace octavo;
using namespace octavo::hip;

static int clampToInt(size_t value) {
  return static_cast<int>(std::min<size_t>(value, INT_MAX));
}

/// Compute capability of HIP: the digits of the chip's name.
static void setCapability(hipDeviceProp_t &p, llvm::StringRef arch) {
  p.major = 9;
  p.minor = arch == "gfx950" ? 5 : 4;
}

hipDeviceProp_t hip::makeProperties(const TargetInfo &t) {
  hipDeviceProp_t p;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s (Octavo simulator)",
                t.product.data());
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s:sramecc+:xnack-",
                t.arch.data());
  std::memcpy(p.uuid.bytes, "OCTAVO-SIMULATOR", sizeof p.uuid.bytes);
  setCapability(p, t.arch);
  p.totalGlobalMem = size_t(t.memoryGiB) << 30;
  p.totalConstMem = 1u << 31;
  p.sharedMemPerBlock = p.sharedMemPerMultiprocessor = t.ldsBytes;
  p.sharedMemPerBlockOptin = p.maxSharedMemoryPerMultiProcessor = t.ldsBytes;
  // HIP counts 32-bit registers of one file of a compute unit.
  p.regsPerBlock = t.vgprs / 2 * t.waveSize * t.simdsPerComputeUnit;
  p.regsPerMultiprocessor = p.regsPerBlock;
  p.warpSize = t.waveSize;
  p.memPitch = INT_MAX;
  p.maxThreadsPerBlock = t.maxWorkgroupLanes;
  std::fill_n(p.maxThreadsDim, 3, static_cast<int>(t.maxWorkgroupLanes));
  p.maxGridSize[0] = INT_MAX;
  p.maxGridSize[1] = p.maxGridSize[2] = 65536;
  p.maxThreadsPerMultiProcessor =
      t.waveSize * t.maxWavesPerSimd * t.simdsPerComputeUnit;
  p.maxBlocksPerMultiProcessor = t.maxWavesPerSimd * t.simdsPerComputeUnit;
  p.clockRate = t.peakClockMHz * 1000;
  // The wall clock of s_memrealtime runs at 100 MHz.
  p.clockInstructionRate = 100000;
  p.multiProcessorCount = t.computeUnits;
  // Eight stacks of 1024 bits, four transfers a clock.
  p.memoryBusWidth = 8192;
  p.memoryClockRate = int(t.memoryGBps * 1e6 / (p.memoryBusWidth / 8) / 4);
  // The L2 of one XCD (ROCm hardware specifications).
  p.l2CacheSize = 4 << 20;
  p.textureAlignment = p.texturePitchAlignment = 256;
  p.asyncEngineCount = 2;
  for (int *yes :
       {&p.canMapHostMemory, &p.concurrentKernels, &p.ECCEnabled,
        &p.unifiedAddressing, &p.managedMemory, &p.hostNativeAtomicSupported,
        &p.pageableMemoryAccess, &p.concurrentManagedAccess,
        &p.canUseHostPointerForRegisteredMem, &p.cooperativeLaunch,
        &p.pageableMemoryAccessUsesHostPageTables,
        &p.directManagedMemAccessFromHost, &p.hostRegisterSupported,
        &p.memoryPoolsSupported, &p.streamPrioritiesSupported, &p.isLargeBar,
        &p.globalL1CacheSupported, &p.localL1CacheSupported, &p.deviceOverlap})
    *yes = 1;
  // All flags of hipDeviceArch_t but funnel shift, surfaces and dynamic
  // parallelism, as HIP reports for these chips.
  p.arch = 0xb7ff;
  return p;
}

bool hip::getAttribute(const hipDeviceProp_t &p, const TargetInfo &t,
                       int attribute, int &value) {
  switch (attribute) {
#define ATTRIBUTE(NAME, VALUE, SAYS)                                           \
  case VALUE:                                                                  \
    value = SAYS;                                                              \
    return true;
#include "lib/Simulator/Hip/Attributes.def"
  default:
    return false;
  }
}
