//===- TargetInfo.cpp - Facts about each supported GPU --------------------===//

#include "octavo/Target/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"

using namespace octavo;

// Lanes that LDS serves together. Reads of 8 and 16 bytes were measured
// (HipKittens phase solver on MI355X, pyhip on MI300X), writes are from AMD's
// CK-Tile documentation; accesses of 4 bytes are assumed.
static constexpr uint8_t kLanes8[] = {1, 2, 4};
static constexpr uint8_t kLanes16[] = {1, 2, 4, 8};
static constexpr uint8_t kLanes32[] = {1, 2, 4, 8, 16};
static constexpr uint8_t kLanes8Crossed[] = {1, 2, 20};
static constexpr uint8_t kLanes16Crossed[] = {1, 2, 12, 20};

static constexpr LdsAccess kGfx942Lds[] = {
    {4, false, 32, kLanes32},        {8, false, 32, kLanes16},
    {16, false, 32, kLanes8Crossed}, {4, true, 32, kLanes32},
    {8, true, 32, kLanes16},         {16, true, 32, kLanes8}};
static constexpr LdsAccess kGfx950Lds[] = {
    {4, false, 64, kLanes32},         {8, false, 64, kLanes32},
    {16, false, 64, kLanes16Crossed}, {4, true, 32, kLanes32},
    {8, true, 32, kLanes16},          {16, true, 32, kLanes8}};

// Sources: ROCm "GPU hardware specifications" (CUs, LDS, L2, memory), CDNA3 and
// CDNA4 ISA manuals (registers, LDS banks, instructions), llc 22 for limits.
static constexpr TargetInfo kTargets[] = {
    {
        .arch = "gfx942",
        .product = "AMD Instinct MI300X",
        .waveSize = 64,
        .computeUnits = 304,
        .xcds = 8,
        .simdsPerComputeUnit = 4,
        .ldsBytes = 64 * 1024,
        .ldsGranuleBytes = 512,
        .ldsBanks = 32,
        .ldsAccesses = kGfx942Lds,
        .vgprs = 512,
        .vgprGranule = 8,
        .maxWavesPerSimd = 8,
        .maxWorkgroupLanes = 1024,
        .peakClockMHz = 2100,
        .memoryGiB = 192,
        .memoryGBps = 5300,
        .float8 = Float8Encoding::FNUZ,
        .maxE4M3 = 240.0f,
        .hasPackedBF16Convert = false,
        .hasTransposedLdsRead = false,
        .hasPermlaneSwap = false,
        .hasMaximum3 = false,
        .directToLdsBytes = 4,
    },
    {
        .arch = "gfx950",
        .product = "AMD Instinct MI355X",
        .waveSize = 64,
        .computeUnits = 256,
        .xcds = 8,
        .simdsPerComputeUnit = 4,
        .ldsBytes = 160 * 1024,
        .ldsGranuleBytes = 1280,
        .ldsBanks = 64,
        .ldsAccesses = kGfx950Lds,
        .vgprs = 512,
        .vgprGranule = 8,
        .maxWavesPerSimd = 8,
        .maxWorkgroupLanes = 1024,
        .peakClockMHz = 2400,
        .memoryGiB = 288,
        .memoryGBps = 8000,
        .float8 = Float8Encoding::OCP,
        .maxE4M3 = 448.0f,
        .hasPackedBF16Convert = true,
        .hasTransposedLdsRead = true,
        .hasPermlaneSwap = true,
        .hasMaximum3 = true,
        .directToLdsBytes = 16,
    },
};

llvm::StringRef octavo::getSimulatedTarget() { return "gfx950"; }

llvm::ArrayRef<TargetInfo> octavo::getTargets() { return kTargets; }

const TargetInfo *octavo::lookupTarget(llvm::StringRef name) {
  llvm::StringRef arch = name.split(':').first;
  const auto *it = llvm::find_if(
      kTargets, [&](const TargetInfo &row) { return row.arch == arch; });
  return it == std::end(kTargets) ? nullptr : it;
}
