//===- Path.cpp - Waits and wait states along executed paths --------------===//

#include "lib/Simulator/Check/Path.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace octavo::sim;
using namespace octavo::sim::check;

namespace {

/// The largest count of a counter: an instruction waits before it is issued if
/// that many are under way.
unsigned capacity(Memory memory) { return memory == Memory::Vector ? 63 : 15; }

/// Instructions of this kind end in the order in which they began.
bool endsInOrder(Memory memory) {
  return memory == Memory::Vector || memory == Memory::Lds;
}

std::vector<Effects> makeAll(const Program &program) {
  std::vector<Effects> result;
  result.reserve(program.instructions().size());
  for (const Inst &inst : program.instructions())
    result.push_back(makeEffects(program, inst));
  return result;
}

uint64_t hashOf(const PathState &state) {
  uint64_t hash = 0;
  for (const Pending &p : state.pending)
    hash = llvm::hash_combine(hash, p.span.first, p.span.count,
                              uint8_t(p.memory), p.later, p.producer);
  for (const Recent &r : state.recent)
    hash = llvm::hash_combine(hash, uint8_t(r.trace), r.age, r.span.first,
                              r.span.count, r.producer);
  return hash;
}

} // namespace

PathAutomaton::PathAutomaton(const Program &program, RegisterLimits limits)
    : limits(limits), effectList(makeAll(program)),
      table(program.arch(), effectList) {
  intern(PathState());
}

uint32_t PathAutomaton::intern(PathState &&state) {
  uint64_t hash = hashOf(state);
  auto [begin, end] = byHash.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (states[it->second] == state)
      return it->second;
  uint32_t index = uint32_t(states.size());
  states.push_back(std::move(state));
  byHash.emplace(hash, index);
  return index;
}

uint32_t PathAutomaton::follow(uint32_t state, uint32_t first, uint32_t last,
                               llvm::SmallVectorImpl<PathFinding> &findings) {
  std::pair<uint64_t, uint32_t> key = {uint64_t(first) << 32 | last, state};
  auto it = known.find(key);
  if (it != known.end())
    return it->second;
  PathState next = states[state];
  for (uint32_t ordinal = first; ordinal <= last; ++ordinal)
    step(next, ordinal, findings);
  uint32_t result = intern(std::move(next));
  known[key] = result;
  return result;
}

void PathAutomaton::wait(PathState &state, const Effects &inst) const {
  llvm::erase_if(state.pending, [&](Pending &p) {
    switch (p.memory) {
    case Memory::Vector:
      return p.later >= inst.vmcnt;
    case Memory::Lds:
      return p.later >= inst.lgkmcnt;
    case Memory::Scalar:
      return inst.lgkmcnt == 0;
    case Memory::Flat:
      p.later |= (inst.vmcnt == 0) | (inst.lgkmcnt == 0) << 1;
      return p.later == 3;
    case Memory::None:
      break;
    }
    return true;
  });
}

void PathAutomaton::checkPending(
    PathState &state, uint32_t ordinal,
    llvm::SmallVectorImpl<PathFinding> &findings) const {
  const Effects &inst = effectList[ordinal];
  auto report = [&](const Pending &p, PathProblem problem) {
    findings.push_back({problem, ordinal, p.span, p.producer});
  };
  llvm::erase_if(state.pending, [&](const Pending &p) {
    for (const Span &read : inst.reads)
      if (read.overlaps(p.span))
        return report(p, PathProblem::Unwaited), true;
    for (const Span &written : inst.writes) {
      if (!written.overlaps(p.span))
        continue;
      // The later of two loads of one kind also ends later.
      if (!(inst.isDelayed && inst.memory == p.memory && endsInOrder(p.memory)))
        report(p, PathProblem::Overwritten);
      return true;
    }
    return false;
  });
}

void PathAutomaton::issue(PathState &state, uint32_t ordinal) const {
  const Effects &inst = effectList[ordinal];
  if (endsInOrder(inst.memory)) {
    for (Pending &p : state.pending)
      p.later += p.memory == inst.memory;
    llvm::erase_if(state.pending, [&](const Pending &p) {
      return p.memory == inst.memory && p.later >= capacity(p.memory);
    });
  }
  if (!inst.isDelayed)
    return;
  for (const Span &written : inst.writes)
    state.pending.push_back({written, inst.memory, 0, ordinal});
}

void PathAutomaton::checkLimits(
    uint32_t ordinal, llvm::SmallVectorImpl<PathFinding> &findings) const {
  const Effects &inst = effectList[ordinal];
  auto check = [&](const Span &span) {
    if (!span.isVector())
      return;
    bool accumulation = span.first >= FirstAccumulation;
    unsigned end = span.first + span.count -
                   (accumulation ? unsigned(FirstAccumulation) : 0);
    unsigned limit = accumulation ? limits.accumulation : limits.vector;
    if (end > limit)
      findings.push_back(
          {PathProblem::Limit, ordinal, span, ordinal, nullptr, end, limit});
  };
  for (const Span &span : inst.reads)
    check(span);
  for (const Span &span : inst.writes)
    check(span);
}

void PathAutomaton::step(PathState &state, uint32_t ordinal,
                         llvm::SmallVectorImpl<PathFinding> &findings) const {
  const Effects &inst = effectList[ordinal];
  llvm::SmallVector<HazardFinding, 2> hazards;
  table.check(inst, state.recent, hazards);
  for (const HazardFinding &h : hazards)
    findings.push_back({PathProblem::Hazard, ordinal, h.span, h.producer,
                        h.rule, h.needed, h.present});
  checkLimits(ordinal, findings);
  if (inst.isWait)
    wait(state, inst);
  else
    checkPending(state, ordinal, findings);
  issue(state, ordinal);
  for (Recent &r : state.recent)
    r.age = uint8_t(std::min<unsigned>(r.age + inst.states, 255));
  llvm::erase_if(state.recent, [](const Recent &r) {
    return r.age >= HazardTable::lifetime(r);
  });
  table.append(inst, ordinal, state.recent);
}
