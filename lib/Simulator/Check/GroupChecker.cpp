//===- GroupChecker.cpp - Checks of one workgroup -------------------------===//

#include "lib/Simulator/Check/Checker.h"

#include "llvm/Support/FormatVariadic.h"

using namespace octavo::sim;
using namespace octavo::sim::check;

void GroupChecker::beginWorkgroup(const Workgroup &group,
                                  llvm::ArrayRef<Wave *> all) {
  waves.assign(all.begin(), all.end());
  states.clear();
  states.resize(waves.size());
  for (WaveState &state : states)
    state.path = launch.paths.initial();
  if (launch.isFull())
    beginFull();
}

void GroupChecker::endWorkgroup(const Workgroup &group) {
  launch.retire(*this);
}

void GroupChecker::path(Wave &wave, const Inst &first, const Inst &last) {
  WaveState &state = states[wave.index];
  uint32_t begin = first.ordinal;
  // Idle instructions between two stretches, none of which ended with a jump.
  if (state.last && state.last->cls != Class::Branch &&
      state.last->next == &first && state.last->ordinal < begin)
    begin = state.last->ordinal + 1;
  llvm::SmallVector<PathFinding, 2> findings;
  state.path = launch.paths.follow(state.path, begin, last.ordinal, findings);
  state.last = &last;
  for (const PathFinding &finding : findings)
    launch.reportPath(wave, finding);
}

void GroupChecker::instruction(Wave &wave, const Inst &inst) {
  path(wave, inst, inst);
  if (launch.isFull())
    followFull(wave, inst);
}

void GroupChecker::checkLds(Wave &wave, const Inst &inst,
                            llvm::ArrayRef<uint64_t> addresses, uint64_t lanes,
                            uint32_t bytes) {
  uint64_t size = wave.group->ldsBytes;
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctzll(rest));
    uint64_t address = addresses[lane < addresses.size() ? lane : 0];
    if (address + bytes <= size)
      continue;
    launch.report(CheckKind::OutOfBounds, wave, inst, int(lane),
                  llvm::formatv("{0} bytes at {1} of {2} bytes of LDS", bytes,
                                address, size)
                      .str());
    wave.error = "an access outside of LDS, see the report";
    return;
  }
}

void GroupChecker::memory(Wave &wave, const Inst &inst,
                          llvm::ArrayRef<uint64_t> addresses, uint64_t lanes,
                          uint32_t bytes) {
  switch (launch.spaceOf(inst)) {
  case Space::Lds:
    checkLds(wave, inst, addresses, lanes, bytes);
    break;
  case Space::Global:
  case Space::Flat:
    if (!launch.checkBounds(wave, inst, addresses, lanes, bytes))
      wave.error = "an access outside of memory, see the report";
    break;
  case Space::Scratch:
  case Space::None:
    return;
  }
  if (launch.isFull() && !wave.error)
    followMemory(wave, inst, launch.spaceOf(inst) == Space::Lds, addresses,
                 lanes, bytes);
}

void GroupChecker::deadlock(Wave &wave) {
  std::string others;
  for (const Wave *other : waves)
    if (other != &wave && other->status != Status::Ended)
      others += "; wave " + std::to_string(other->index) + " is at " +
                launch.place(other->ip->ordinal);
  launch.report(CheckKind::Deadlock, wave, *wave.ip, -1,
                "no wave makes progress any more" + others);
}

void GroupChecker::barrier(const Workgroup &group) {
  if (launch.isFull()) {
    WaveClock all;
    for (const Wave *wave : waves)
      all.learn(states[wave->index].clock.release());
    for (WaveState &state : states)
      state.clock.learn(all.known);
  }
  const Wave *first = nullptr;
  for (const Wave *wave : waves) {
    const WaveState &state = states[wave->index];
    if (wave->status != Status::Barrier || !state.last)
      continue;
    if (!first)
      first = wave;
    const Inst &here = *state.last, &there = *states[first->index].last;
    if (&here != &there)
      launch.report(CheckKind::Barrier, *wave, here, -1,
                    llvm::formatv("waits here while wave {0} waits at {1}",
                                  first->index, launch.place(there.ordinal))
                        .str());
  }
  for (const Wave *wave : waves)
    if (first && wave->status == Status::Ended && wave->executed)
      launch.report(
          CheckKind::Barrier, *wave, *wave->ip, -1,
          llvm::formatv("ended while wave {0} waits at {1}", first->index,
                        launch.place(states[first->index].last->ordinal))
              .str());
}
