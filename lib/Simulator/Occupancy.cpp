//===- Occupancy.cpp - Workgroups that share a compute unit ---------------===//

#include "octavo/Simulator/Occupancy.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace octavo;
using namespace octavo::sim;

Occupancy sim::getOccupancy(const TargetInfo &target,
                            const KernelDescriptor &kernel,
                            uint32_t workgroupLanes, uint32_t dynamicLdsBytes) {
  Occupancy result;
  if (workgroupLanes == 0)
    return result;
  uint32_t waves = llvm::divideCeil(workgroupLanes, target.waveSize);
  uint32_t registers = std::max<uint32_t>(
      llvm::alignTo(kernel.vgprs, target.vgprGranule), target.vgprGranule);
  uint32_t wavesByRegisters = target.vgprs / registers;
  uint32_t wavesPerSimd = std::min(wavesByRegisters, target.maxWavesPerSimd);
  uint32_t bySlots = wavesPerSimd * target.simdsPerComputeUnit / waves;
  result.workgroups = bySlots;
  result.limit =
      wavesByRegisters < target.maxWavesPerSimd ? "registers" : "waves";
  uint64_t lds = llvm::alignTo(uint64_t(kernel.ldsBytes) + dynamicLdsBytes,
                               target.ldsGranuleBytes);
  if (lds > 0 && target.ldsBytes / lds < result.workgroups) {
    result.workgroups = uint32_t(target.ldsBytes / lds);
    result.limit = "LDS";
  }
  result.wavesPerSimd =
      llvm::divideCeil(result.workgroups * waves, target.simdsPerComputeUnit);
  return result;
}
