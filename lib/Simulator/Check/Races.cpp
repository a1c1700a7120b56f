//===- Races.cpp - Order between the accesses of waves --------------------===//

#include "lib/Simulator/Check/Races.h"

using namespace octavo::sim;
using namespace octavo::sim::check;

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

void WaveClock::wait(const Effects &inst) {
  auto raise = [&](Queue queue, uint32_t underWay) {
    if (issued[queue] > underWay)
      performed[queue] = std::max(performed[queue], issued[queue] - underWay);
  };
  raise(VectorQueue, inst.vmcnt);
  raise(LdsQueue, inst.lgkmcnt);
  if (inst.lgkmcnt == 0)
    performed[ScalarQueue] = issued[ScalarQueue];
}

uint32_t WaveClock::issue(Queue queue) {
  uint32_t number = ++issued[queue];
  uint32_t capacity = queue == VectorQueue ? 63 : 15;
  if (queue != ScalarQueue && number > capacity)
    performed[queue] = std::max(performed[queue], number - capacity);
  return number;
}

bool WaveClock::follows(const Access &earlier, Queue queue) const {
  if (earlier.wave == wave)
    return (earlier.queue == queue && queue != ScalarQueue) ||
           performed[earlier.queue] >= earlier.number;
  auto it = known.find(earlier.wave);
  return it != known.end() && it->second[earlier.queue] >= earlier.number;
}

void WaveClock::learn(const Knowledge &other) {
  for (const auto &[who, counts] : other) {
    Counts &mine = known[who];
    for (unsigned i = 0; i < QueueCount; ++i)
      mine[i] = std::max(mine[i], counts[i]);
  }
}

Knowledge WaveClock::release() const {
  Knowledge result = known;
  result[wave] = performed;
  return result;
}

//===----------------------------------------------------------------------===//
// Shadow memory
//===----------------------------------------------------------------------===//

ShadowMemory::Page &ShadowMemory::page(uint64_t index) {
  Page &page = pages[index];
  if (page.cells.empty())
    page.cells.resize(kPageBytes / page.cellBytes);
  return page;
}

void ShadowMemory::split(Page &page) {
  std::vector<Cell> cells;
  cells.reserve(kPageBytes);
  for (const Cell &cell : page.cells)
    cells.insert(cells.end(), page.cellBytes, cell);
  page.cells = std::move(cells);
  page.cellBytes = 1;
}

std::optional<Access> ShadowMemory::touch(Cell &cell, const WaveClock &clock,
                                          const Access &now, bool isSame) {
  std::optional<Access> race;
  auto compare = [&](const Access &earlier) {
    if (!race && earlier.number && !(earlier.isAtomic && now.isAtomic) &&
        !clock.follows(earlier, now.queue))
      race = earlier;
  };
  if (!(now.isWrite && isSame && cell.writer.isWrite))
    compare(cell.writer);
  if (!now.isAtomic)
    compare(cell.atomic);
  if (now.isWrite && !isSame)
    for (const Access &reader : cell.readers)
      compare(reader);
  if (now.isWrite) {
    (now.isAtomic ? cell.atomic : cell.writer) = now;
    return race;
  }
  for (Access &reader : cell.readers)
    if (reader.wave == now.wave && reader.queue == now.queue) {
      reader = now;
      return race;
    }
  cell.readers[cell.next++ % kReaders] = now;
  return race;
}

std::optional<Access> ShadowMemory::access(const WaveClock &clock,
                                           const Access &now, uint64_t address,
                                           uint32_t bytes, bool isSame) {
  std::optional<Access> race;
  while (bytes) {
    Page &p = page(address / kPageBytes);
    uint64_t offset = address % kPageBytes;
    uint32_t here = uint32_t(std::min<uint64_t>(bytes, kPageBytes - offset));
    if (p.cellBytes > 1 && (offset % 4 || here % 4))
      split(p);
    for (uint64_t at = offset; at < offset + here; at += p.cellBytes)
      if (auto found = touch(p.cells[at / p.cellBytes], clock, now, isSame))
        race = found;
    address += here;
    bytes -= here;
  }
  return race;
}

void ShadowMemory::release(uint64_t address, const WaveClock &clock) {
  Knowledge &at = released[address];
  for (const auto &[who, counts] : clock.release()) {
    Counts &there = at[who];
    for (unsigned i = 0; i < QueueCount; ++i)
      there[i] = std::max(there[i], counts[i]);
  }
}

void ShadowMemory::acquire(uint64_t address, WaveClock &clock) const {
  auto it = released.find(address);
  if (it != released.end())
    clock.learn(it->second);
}

void ShadowMemory::clear() {
  pages.clear();
  released.clear();
}
