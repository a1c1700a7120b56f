//===- MemoryModel.h - Memory as one compute unit sees it -------*- C++ -*-===//
//
// L1 is simulated (tags, least recently used). Behind it are queues with this
// unit's share of the bandwidth and of the lines of L2, MALL and HBM: all
// active units are taken to do alike. At first use, and after a line has left,
// how many workgroups use it (see Sharing.h) says who has to fetch it.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_MEMORYMODEL_H
#define OCTAVO_LIB_SIMULATOR_TIMING_MEMORYMODEL_H

#include "lib/Simulator/Timing/CacheShare.h"
#include "lib/Simulator/Timing/Constants.h"
#include "lib/Simulator/Timing/Trace.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace octavo::sim {

/// Sizes of the chip, and this launch's share.
struct MemoryShare {
  uint32_t activeUnits, activeUnitsPerXcd;
  double clockMHz, hbmGBps;
};

/// How many workgroups use a line that an instruction loads: those that run at
/// the same time on one XCD, and all of the launch.
struct SharingDegree {
  double onXcd = 1, inGrid = 1;
};

/// Bytes that passed each level.
struct MemoryTraffic {
  double l1 = 0, l2 = 0, mall = 0, hbmRead = 0, hbmWrite = 0;
};

class MemoryModel {
public:
  MemoryModel(const TimingConstants &constants, const MemoryShare &share,
              llvm::ArrayRef<SharingDegree> sharing);

  /// A line's number in the model: pages are numbered as they are first used,
  /// so that a prediction does not depend on where the host put its arrays.
  uint64_t place(uint64_t line);
  /// Earliest cycle at which the address unit takes another instruction.
  uint64_t nextAccept() const;
  /// Performs an access that issues at `cycle`; the cycle at which its data is
  /// there, or its store is acknowledged.
  uint64_t access(uint64_t cycle, const TraceInst &inst, uint32_t instIndex,
                  const TraceAccess &access, llvm::ArrayRef<uint64_t> lines);
  /// A scalar load of one line.
  uint64_t accessScalar(uint64_t cycle, llvm::ArrayRef<uint64_t> lines);

  const MemoryTraffic &traffic() const { return moved; }

private:
  struct L1Line {
    /// Line + 1; 0 is empty.
    uint64_t tag = 0;
    /// When its data is there.
    double ready = 0;
  };
  /// The line, most recent in its set; its tag is another's if it missed.
  L1Line &lookupL1(uint64_t line);
  MemoryLevel findLevel(uint64_t line, uint32_t instIndex);
  /// Passes `bytes` through a queue; the cycle at which the last leaves it.
  static double pass(double &queue, double cycle, double bytes, double rate);
  /// The same for HBM, whose rate falls when reads and writes mix.
  double passHbm(double cycle, double bytes, bool isWrite);

  const TimingConstants &constants;
  llvm::ArrayRef<SharingDegree> sharing;
  double l2Rate, l2WriteRate, mallRate, hbmRate;
  double l1Free = 0, l2Free = 0, l2WriteFree = 0, mallFree = 0, hbmFree = 0;
  /// Set by set, most recent first.
  std::vector<L1Line> l1;
  CacheShare l2, mall;
  llvm::DenseSet<uint64_t> scalarSeen;
  llvm::DenseMap<uint64_t, uint64_t> pages;
  MemoryTraffic moved;
};

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_MEMORYMODEL_H
