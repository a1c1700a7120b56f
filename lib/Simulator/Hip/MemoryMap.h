//===- MemoryMap.h - Who owns which bytes -----------------------*- C++ -*-===//
//
// Device memory is host memory. The map knows every allocation made through HIP
// and every range that a client registered, so that pointers can be asked for
// their attributes and accesses can be judged.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_MEMORYMAP_H
#define OCTAVO_LIB_SIMULATOR_HIP_MEMORYMAP_H

#include "lib/Simulator/Hip/Abi.h"
#include "octavo/Simulator/Check.h"
#include <deque>
#include <map>
#include <optional>
#include <shared_mutex>

namespace octavo::hip {

/// Where a range came from.
enum class MemoryKind { Device, Host, Managed, Registered, Variable };

struct MemoryRange {
  uintptr_t base = 0;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::Device;
  unsigned flags = 0;
  /// Serial number, unique in the process.
  uint64_t id = 0;
  hipMemPool_t pool = nullptr;
};

class MemoryMap {
public:
  /// Bytes before and after each allocation that belong to nobody.
  static constexpr size_t kRedzone = 256;

  /// Allocates `bytes` (at least 1) on a border of 256 bytes with a redzone on
  /// either side; null if the device or the host has no room.
  void *allocate(size_t bytes, MemoryKind kind, unsigned flags,
                 size_t deviceBytes, hipMemPool_t pool = nullptr);
  /// Frees what allocate returned and says what it was; nothing if `pointer` is
  /// no such address.
  std::optional<MemoryRange> release(void *pointer);

  /// Notes memory that others own; false if it overlaps a known range.
  bool add(void *pointer, size_t bytes, MemoryKind kind, unsigned flags);
  /// Forgets memory that others own; false if it was not noted.
  bool remove(void *pointer);

  /// The range that contains `pointer`.
  std::optional<MemoryRange> lookup(const void *pointer) const;
  /// All ranges, and those that were freed lately if checks are on.
  std::vector<sim::MemoryExtent> extents() const;
  /// Bytes allocated now.
  size_t allocatedBytes() const;

private:
  std::optional<MemoryRange> take(uintptr_t base, bool owned);

  mutable std::shared_mutex mutex;
  std::map<uintptr_t, MemoryRange> ranges;
  /// Freed memory that is kept so that late accesses can be told.
  std::deque<MemoryRange> freed;
  size_t freedBytes = 0;
  size_t allocated = 0;
  uint64_t nextId = 1;
};

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_MEMORYMAP_H
