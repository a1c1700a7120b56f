//===- ResidentWorkgroup.cpp - Waves of one workgroup ---------------------===//
//
// Waves take turns: each runs until a barrier, its end, or the end of its
// slice.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Run.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <mutex>
#include <sys/mman.h>

using namespace octavo::sim;

namespace {

/// Instructions per turn of a wave.
constexpr uint64_t Slice = 50000;
/// Turns without a barrier after which another workgroup gets a chance.
constexpr unsigned Patience = 100;
/// What registers and LDS hold before they are written: a signalling NaN that
/// is no address.
constexpr uint32_t Poison = 0x7fa5dead;
/// Scratch beyond what the descriptor declares, for stacks of unknown depth.
constexpr uint32_t DynamicStackBytes = 16384;

/// Waves that wait for the next launch: to map one costs more than to run a
/// small kernel.
class WavePool {
public:
  Wave *take() {
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        Wave *wave = idle.back();
        idle.pop_back();
        return wave;
      }
    }
    void *memory = mmap(nullptr, sizeof(Wave), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      llvm::report_fatal_error("no memory for a wave");
    return static_cast<Wave *>(memory);
  }

  void give(Wave *wave) {
    {
      std::lock_guard lock(mutex);
      if (idle.size() < MaxIdle) {
        idle.push_back(wave);
        return;
      }
    }
    munmap(wave, sizeof(Wave));
  }

private:
  static constexpr size_t MaxIdle = 256;
  std::mutex mutex;
  std::vector<Wave *> idle;
};

WavePool &getWavePool() {
  static auto *pool = new WavePool;
  return *pool;
}

} // namespace

ResidentWorkgroup::ResidentWorkgroup(const LaunchState &launch,
                                     uint64_t *counts)
    : launch(launch), counts(counts) {
  const std::array<uint32_t, 3> &block = launch.config.block;
  unsigned count = llvm::divideCeil(block[0] * block[1] * block[2], Lanes);
  for (unsigned i = 0; i < count; ++i)
    waves.push_back(getWavePool().take());
  scratchBytes =
      llvm::alignTo(launch.kernel.privateBytes +
                        (launch.kernel.dynamicStack ? DynamicStackBytes : 0),
                    16);
  scratch.resize(size_t(scratchBytes) * Lanes * count);
  // Room behind the end, so that handlers may copy whole vectors.
  lds = std::make_unique<uint8_t[]>(launch.ldsBytes + 64);
  group.lds = lds.get();
  group.ldsBytes = launch.ldsBytes;
}

ResidentWorkgroup::~ResidentWorkgroup() {
  for (Wave *wave : waves)
    getWavePool().give(wave);
}

void ResidentWorkgroup::start(uint64_t linear) {
  number = linear;
  if (launch.options.order)
    random.seed(launch.options.order * 0x9e3779b97f4a7c15ull + linear);
  group.id[0] = linear % launch.groups[0];
  group.id[1] = linear / launch.groups[0] % launch.groups[1];
  group.id[2] = linear / launch.groups[0] / launch.groups[1];
  for (uint32_t at = 0; at + 4 <= launch.ldsBytes; at += 4)
    memcpy(lds.get() + at, &Poison, 4);
  // The last workgroup of a dimension may be smaller.
  uint32_t size[3];
  for (unsigned i = 0; i < 3; ++i)
    size[i] = std::min(launch.config.block[i],
                       launch.config.gridItems[i] -
                           group.id[i] * launch.config.block[i]);
  lanes = size[0] * size[1] * size[2];
  observer =
      launch.config.observer ? launch.config.observer->select(linear) : nullptr;
  for (unsigned i = 0; i < waves.size(); ++i)
    startWave(i);
  if (observer)
    observer->beginWorkgroup(group, waves);
}

/// User SGPRs in the order of kernel_code_properties, then the workgroup's ids.
void ResidentWorkgroup::setScalars(Wave &w) {
  unsigned next = 0;
  auto put32 = [&](uint32_t value) { w.s[next++] = value; };
  auto put64 = [&](uint64_t value) {
    put32(uint32_t(value));
    put32(uint32_t(value >> 32));
  };
  uint32_t properties = launch.kernel.codeProperties;
  if (properties & 1)
    for (unsigned i = 0; i < 4; ++i)
      put32(0); // no buffer for scratch: it has an aperture
  if (properties & 2)
    put64(uint64_t(launch.packet.data()));
  if (properties & 4)
    put64(uint64_t(launch.queue.data()));
  if (properties & 8)
    put64(uint64_t(launch.kernarg.data()));
  if (properties & 16)
    put64(0);
  if (properties & 32)
    put64(0);
  if (properties & 64)
    put32(scratchBytes);
  for (unsigned i = 0; i < launch.kernel.preloadDwords; ++i) {
    uint32_t value = 0;
    size_t offset = 4 * (launch.kernel.preloadOffsetDwords + i);
    if (offset + 4 <= launch.kernarg.size())
      memcpy(&value, launch.kernarg.data() + offset, 4);
    put32(value);
  }
  next = std::max(next, launch.kernel.rsrc2 >> 1 & 31);
  for (unsigned i = 0; i < 3; ++i)
    if (launch.kernel.rsrc2 >> (7 + i) & 1)
      put32(group.id[i]);
}

void ResidentWorkgroup::setLaneIds(Wave &w, unsigned index) {
  uint32_t size[3];
  for (unsigned i = 0; i < 3; ++i)
    size[i] = std::min(launch.config.block[i],
                       launch.config.gridItems[i] -
                           group.id[i] * launch.config.block[i]);
  uint32_t item = index * Lanes;
  uint32_t x = item % size[0], y = item / size[0] % size[1],
           z = item / size[0] / size[1];
  for (unsigned l = 0; l < Lanes; ++l) {
    w.v[l] = x | y << 10 | z << 20;
    if (++x < size[0])
      continue;
    x = 0;
    if (++y < size[1])
      continue;
    y = 0;
    ++z;
  }
}

void ResidentWorkgroup::startWave(unsigned index) {
  Wave &w = *waves[index];
  const KernelDescriptor &kernel = launch.kernel;
  unsigned first = std::min(kernel.accumOffset, FirstAccumulation);
  unsigned accumulation =
      kernel.vgprs > first ? std::min<unsigned>(kernel.vgprs - first, 256) : 0;
  std::fill_n(w.v, std::min(first, kernel.vgprs) * Lanes, Poison);
  std::fill_n(w.v + FirstAccumulation * Lanes, accumulation * Lanes, Poison);
  std::fill_n(w.s, 128, Poison);
  memset(reinterpret_cast<char *>(&w) + offsetof(Wave, execLanes), 0,
         sizeof(Wave) - offsetof(Wave, execLanes));
  w.index = index;
  w.ip = launch.entry->flags & Idle && !observer ? launch.entry->next
                                                 : launch.entry;
  w.firstInst = launch.entry;
  w.group = &group;
  w.program = &launch.object.program();
  w.codeBase = w.program->base();
  w.observer = observer;
  w.skipMatrix = observer && launch.config.skipMatrix;
  w.counts = counts;
  w.scratch = scratch.data() + size_t(index) * scratchBytes * Lanes;
  w.scratchBytes = scratchBytes;
  uint32_t rsrc1 = kernel.rsrc1;
  setMode(w, (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 |
                 (rsrc1 >> 23 & 1) << 9 | (rsrc1 >> 26 & 1) << 23);
  setScalars(w);
  setLaneIds(w, index);
  unsigned active = lanes > index * Lanes
                        ? std::min<unsigned>(lanes - index * Lanes, Lanes)
                        : 0;
  uint64_t exec = active == 64 ? ~uint64_t(0) : (uint64_t(1) << active) - 1;
  memcpy(w.s + Exec, &exec, 8);
  w.execCached = 0; // execLanes is all zero
  w.status = active ? Status::Ready : Status::Ended;
}

std::vector<unsigned> ResidentWorkgroup::order() {
  std::vector<unsigned> result(waves.size());
  for (unsigned i = 0; i < result.size(); ++i)
    result[i] = i;
  if (launch.options.order)
    std::shuffle(result.begin(), result.end(), random);
  return result;
}

/// Lets all waves go on if each one that lives waits at a barrier.
bool ResidentWorkgroup::releaseBarrier() {
  bool any = false;
  for (Wave *wave : waves) {
    if (wave->status == Status::Barrier)
      any = true;
    else if (wave->status != Status::Ended)
      return false;
  }
  if (!any)
    return false;
  if (observer)
    observer->barrier(group);
  for (Wave *wave : waves)
    if (wave->status == Status::Barrier)
      wave->status = Status::Ready;
  return true;
}

ResidentWorkgroup::Outcome ResidentWorkgroup::run() {
  for (unsigned turns = 0;;) {
    bool alive = false, progress = false;
    for (unsigned index : order()) {
      Wave &wave = *waves[index];
      if (wave.status == Status::Ended || wave.status == Status::Barrier) {
        alive |= wave.status == Status::Barrier;
        continue;
      }
      wave.status = Status::Ready;
      uint64_t before = wave.progress;
      runWave(wave, Slice);
      if (wave.status == Status::Failed)
        return Outcome::Failed;
      if (launch.options.instructionLimit &&
          wave.executed > launch.options.instructionLimit) {
        wave.error = "a wave reached the limit of instructions "
                     "(OCTAVO_SIM_LIMIT): an endless loop or a deadlock";
        wave.status = Status::Failed;
        return Outcome::Failed;
      }
      alive |= wave.status != Status::Ended;
      progress |= wave.progress != before || wave.status == Status::Ended;
    }
    if (!alive)
      break;
    if (releaseBarrier())
      continue;
    if (!progress || ++turns == Patience)
      return Outcome::Waiting;
  }
  if (observer)
    observer->endWorkgroup(group);
  return Outcome::Done;
}

void ResidentWorkgroup::endDeadlock() {
  for (Wave *wave : waves) {
    if (wave->status == Status::Ended)
      continue;
    wave->error = "deadlock: no wave makes progress any more";
    wave->status = Status::Failed;
    if (observer)
      observer->deadlock(*wave);
    return;
  }
}

std::string ResidentWorkgroup::error() const {
  for (const Wave *wave : waves)
    if (wave->status == Status::Failed)
      return llvm::formatv(
          "{0}: {1}, at {2:x} '{3}' (workgroup {4},{5},{6} wave {7})",
          launch.kernel.name, wave->error, wave->ip->address,
          wave->program->text(*wave->ip), group.id[0], group.id[1], group.id[2],
          wave->index);
  return {};
}

void ResidentWorkgroup::addCounters(LaunchCounters &counters) const {
  for (const Wave *wave : waves) {
    counters.waves += wave->executed != 0;
    counters.bytesLoaded += wave->bytesLoaded;
    counters.bytesStored += wave->bytesStored;
    counters.ldsBytesRead += wave->ldsRead;
    counters.ldsBytesWritten += wave->ldsWritten;
  }
  ++counters.workgroups;
}
