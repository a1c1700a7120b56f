//===- MemoryMap.cpp - Who owns which bytes -------------------------------===//

#include "lib/Simulator/Hip/MemoryMap.h"

#include <cstdlib>
#include <mutex>

using namespace octavo;
using namespace octavo::hip;

static bool isOwned(MemoryKind kind) {
  return kind == MemoryKind::Device || kind == MemoryKind::Host ||
         kind == MemoryKind::Managed;
}

/// The level of checks; a wrong setting is told when the first kernel runs.
static sim::CheckLevel checkLevel() {
  static const sim::CheckLevel level = [] {
    llvm::Expected<sim::CheckLevel> read = sim::getCheckLevel();
    if (read)
      return *read;
    llvm::consumeError(read.takeError());
    return sim::CheckLevel::Off;
  }();
  return level;
}

/// How much freed memory is kept.
static size_t quarantineBytes() {
  return checkLevel() == sim::CheckLevel::Off ? 0 : size_t(64) << 20;
}

void *MemoryMap::allocate(size_t bytes, MemoryKind kind, unsigned flags,
                          size_t deviceBytes, hipMemPool_t pool) {
  std::unique_lock lock(mutex);
  if (bytes > deviceBytes || allocated > deviceBytes - bytes)
    return nullptr;
  void *raw = nullptr;
  if (posix_memalign(&raw, kRedzone, bytes + 2 * kRedzone) != 0)
    return nullptr;
  if (kind == MemoryKind::Device && checkLevel() == sim::CheckLevel::Full)
    sim::fillUninitialized(raw, bytes + 2 * kRedzone);
  uintptr_t base = reinterpret_cast<uintptr_t>(raw) + kRedzone;
  ranges[base] = {base, bytes, kind, flags, nextId++, pool};
  allocated += bytes;
  return reinterpret_cast<void *>(base);
}

std::optional<MemoryRange> MemoryMap::take(uintptr_t base, bool owned) {
  std::unique_lock lock(mutex);
  auto it = ranges.find(base);
  if (it == ranges.end() || isOwned(it->second.kind) != owned)
    return std::nullopt;
  MemoryRange range = it->second;
  ranges.erase(it);
  if (owned)
    allocated -= range.bytes;
  return range;
}

std::optional<MemoryRange> MemoryMap::release(void *pointer) {
  uintptr_t base = reinterpret_cast<uintptr_t>(pointer);
  std::optional<MemoryRange> range = take(base, /*owned=*/true);
  if (!range)
    return range;
  std::unique_lock lock(mutex);
  freed.push_back(*range);
  freedBytes += range->bytes;
  while (!freed.empty() && freedBytes > quarantineBytes()) {
    freedBytes -= freed.front().bytes;
    std::free(reinterpret_cast<void *>(freed.front().base - kRedzone));
    freed.pop_front();
  }
  return range;
}

std::vector<octavo::sim::MemoryExtent> MemoryMap::extents() const {
  std::shared_lock lock(mutex);
  std::vector<sim::MemoryExtent> result;
  result.reserve(ranges.size() + freed.size());
  for (auto &entry : ranges)
    result.push_back({entry.second.base, entry.second.bytes, false});
  for (const MemoryRange &range : freed)
    result.push_back({range.base, range.bytes, true});
  return result;
}

bool MemoryMap::add(void *pointer, size_t bytes, MemoryKind kind,
                    unsigned flags) {
  uintptr_t base = reinterpret_cast<uintptr_t>(pointer);
  std::unique_lock lock(mutex);
  auto next = ranges.lower_bound(base);
  if (next != ranges.end() && next->first - base < bytes)
    return false;
  if (next != ranges.begin()) {
    auto previous = std::prev(next);
    if (base - previous->first < previous->second.bytes)
      return false;
  }
  ranges[base] = {base, bytes, kind, flags, nextId++, nullptr};
  return true;
}

bool MemoryMap::remove(void *pointer) {
  return take(reinterpret_cast<uintptr_t>(pointer), /*owned=*/false)
      .has_value();
}

std::optional<MemoryRange> MemoryMap::lookup(const void *pointer) const {
  uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  std::shared_lock lock(mutex);
  auto it = ranges.upper_bound(address);
  if (it == ranges.begin())
    return std::nullopt;
  const MemoryRange &range = std::prev(it)->second;
  if (address - range.base >= range.bytes)
    return std::nullopt;
  return range;
}

size_t MemoryMap::allocatedBytes() const {
  std::shared_lock lock(mutex);
  return allocated;
}
