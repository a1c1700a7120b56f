//===- TargetInfo.h - Facts about each supported GPU ------------*- C++ -*-===//
//
// The only place that knows how one GPU differs from another. Every field is a
// number or an enum that some pass or the simulator reads; no field says what a
// pass should do. There is no default row and no order of chips.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_TARGET_TARGETINFO_H
#define OCTAVO_TARGET_TARGETINFO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace octavo {

/// Which 8-bit float encodings the matrix cores and the conversions use.
enum class Float8Encoding { FNUZ, OCP };

/// How LDS serves accesses of one width. The lanes of a phase are those whose
/// numbers are XORs of `phase` (and its cosets); in a phase a bank gives one
/// word of 4 bytes a cycle, to all lanes that ask for it.
struct LdsAccess {
  uint32_t bytes;
  bool isWrite;
  uint32_t banks;
  llvm::ArrayRef<uint8_t> phase;
};

/// One row per GPU.
struct TargetInfo {
  /// LLVM's name of the processor, for example "gfx950".
  llvm::StringLiteral arch;
  /// Product that the figures below describe.
  llvm::StringLiteral product;
  /// Lanes of a wave.
  uint32_t waveSize;
  /// Compute units and XCDs (dies with an L2 of their own) of the whole device.
  uint32_t computeUnits, xcds;
  uint32_t simdsPerComputeUnit;
  /// LDS of a compute unit, which one workgroup may use whole.
  uint32_t ldsBytes;
  /// LDS is allocated in multiples of this.
  uint32_t ldsGranuleBytes;
  uint32_t ldsBanks;
  /// One entry per width (4, 8, 16 bytes) and direction.
  llvm::ArrayRef<LdsAccess> ldsAccesses;
  /// Vector registers of a lane, both files together, and their granule.
  uint32_t vgprs, vgprGranule;
  uint32_t maxWavesPerSimd;
  uint32_t maxWorkgroupLanes;
  uint32_t peakClockMHz;
  /// Size of device memory in GiB and its nominal bandwidth in GB/s.
  uint32_t memoryGiB, memoryGBps;
  Float8Encoding float8;
  /// Largest finite magnitude that the native E4M3 format holds (448 or 240).
  float maxE4M3;
  /// v_cvt_pk_bf16_f32 and its f16 twin exist.
  bool hasPackedBF16Convert;
  /// ds_read_b64_tr_* exist.
  bool hasTransposedLdsRead;
  /// v_permlane16_swap and v_permlane32_swap exist.
  bool hasPermlaneSwap;
  /// v_maximum3_f32 and v_minimum3_f32 (NaN kept) exist.
  bool hasMaximum3;
  /// Widest direct-to-LDS copy of a lane in bytes.
  uint32_t directToLdsBytes;
};

/// All targets, in the order in which they are documented.
llvm::ArrayRef<TargetInfo> getTargets();

/// What the simulator is where neither the user nor a GPU says which chip.
llvm::StringRef getSimulatedTarget();

/// Returns the row for `name`, which may carry features
/// ("gfx942:sramecc+:xnack-"), or null.
const TargetInfo *lookupTarget(llvm::StringRef name);

} // namespace octavo

#endif // OCTAVO_TARGET_TARGETINFO_H
