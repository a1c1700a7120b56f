//===- Races.h - Order between the accesses of waves ------------*- C++ -*-===//
//
// Memory instructions of one kind (through vmcnt, through lgkmcnt) of one wave
// are performed in the order in which they were issued, so a count says which
// are: those that an s_waitcnt has waited for. A barrier tells each wave what
// the others have performed, an atomic what its releaser had. Two accesses of
// one byte, one of them a write, are a race if the later wave does not know
// that the earlier access was performed.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_CHECK_RACES_H
#define OCTAVO_LIB_SIMULATOR_CHECK_RACES_H

#include "lib/Simulator/Check/Effects.h"

#include "llvm/ADT/DenseMap.h"
#include <array>
#include <memory>
#include <unordered_map>

namespace octavo::sim::check {

/// Kinds of memory instructions that keep their order.
enum Queue : uint8_t { VectorQueue, LdsQueue, ScalarQueue, QueueCount };
using Counts = std::array<uint32_t, QueueCount>;

/// What a wave knows to be performed: by waves of the launch.
using Knowledge = llvm::DenseMap<uint32_t, Counts>;

/// One access of a wave.
struct Access {
  uint32_t wave = 0, number = 0, ordinal = 0;
  Queue queue = VectorQueue;
  bool isWrite = false, isAtomic = false;
};

/// Orders the accesses of one wave.
struct WaveClock {
  /// Unique in the launch, from 1 on.
  uint32_t wave = 0;
  Counts issued = {}, performed = {};
  Knowledge known;

  void wait(const Effects &inst);
  /// An instruction that enters `queue`; returns its number.
  uint32_t issue(Queue queue);
  /// True if `earlier` happens before an access of this wave now in `queue`.
  bool follows(const Access &earlier, Queue queue) const;
  /// Adds what another wave knows and has performed.
  void learn(const Knowledge &other);
  /// What it can tell others.
  Knowledge release() const;
};

/// The last accesses of each byte (or word) of a memory.
class ShadowMemory {
public:
  struct Race {
    Access earlier;
  };

  /// Notes an access of bytes [address, address + bytes) and returns one that
  /// it races with. `isSame` says that a write leaves the bytes as they are.
  std::optional<Access> access(const WaveClock &clock, const Access &now,
                               uint64_t address, uint32_t bytes, bool isSame);
  /// Atomics on this address give what they know to those that read it.
  void release(uint64_t address, const WaveClock &clock);
  void acquire(uint64_t address, WaveClock &clock) const;
  void clear();

private:
  static constexpr unsigned kReaders = 4;
  struct Cell {
    /// The last plain write and the last atomic; one does not hide the other.
    Access writer, atomic;
    Access readers[kReaders];
    uint8_t next = 0;
  };
  struct Page {
    /// Bytes of a cell: 4 until a part of a word is accessed.
    unsigned cellBytes = 4;
    std::vector<Cell> cells;
  };
  static constexpr uint64_t kPageBytes = 1024;

  Page &page(uint64_t index);
  static void split(Page &page);
  std::optional<Access> touch(Cell &cell, const WaveClock &clock,
                              const Access &now, bool isSame);

  std::unordered_map<uint64_t, Page> pages;
  std::unordered_map<uint64_t, Knowledge> released;
};

} // namespace octavo::sim::check

#endif // OCTAVO_LIB_SIMULATOR_CHECK_RACES_H
