//===- CacheShare.h - One unit's share of a shared cache --------*- C++ -*-===//
//
// A compute unit alone is simulated, so a cache that many share is seen through
// its share of the lines: a line that d workgroups use takes 1/d of itself from
// each. Least recently used lines leave first; sets are not modelled.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_CACHESHARE_H
#define OCTAVO_LIB_SIMULATOR_TIMING_CACHESHARE_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <deque>

namespace octavo::sim {

class CacheShare {
public:
  /// `lines` is the share's capacity.
  explicit CacheShare(double lines) : capacity(lines) {}

  /// Makes the line the most recent one; whether it was there.
  bool touch(uint64_t line, double weight);

private:
  struct Entry {
    uint64_t stamp;
    double weight;
  };
  double capacity, used = 0;
  uint64_t now = 0;
  llvm::DenseMap<uint64_t, Entry> entries;
  /// Every touch in order; all but the last of a line are stale.
  std::deque<std::pair<uint64_t, uint64_t>> order;
};

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_CACHESHARE_H
