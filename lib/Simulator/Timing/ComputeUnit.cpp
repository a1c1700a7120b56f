//===- ComputeUnit.cpp - The cycle model of one compute unit --------------===//

#include "lib/Simulator/Timing/ComputeUnit.h"

#include "lib/Simulator/Machine.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

using namespace octavo::sim;

/// One wave while it runs.
struct ComputeUnit::Wave {
  const WaveTrace *trace;
  Resident *group;
  uint32_t simd;
  uint64_t age;
  size_t next = 0;
  /// Not before this cycle, and why.
  uint64_t earliest = 0;
  /// When its turn came after the last issue: a stall counts from here.
  uint64_t turnAt = 0;
  StallCause earliestCause = StallCause::IssueSlot;
  Readiness dependency{0, StallCause::IssueSlot};
  bool atBarrier = false;
  uint32_t priority = 0;
  /// When each register may be read, and what writes it.
  std::array<uint64_t, registerCount> ready{};
  std::array<StallCause, registerCount> writer{};
  /// Matrix instruction that wrote a register: its first register, issue and
  /// passes, for the forwarding of SrcC.
  std::array<uint64_t, firstScalarRegister> matrixIssue{};
  std::array<uint16_t, firstScalarRegister> matrixFirst{}, matrixCount{};
  std::array<uint16_t, firstScalarRegister> matrixPasses{};
  /// Completion of the operations that vmcnt and lgkmcnt count, oldest first.
  std::deque<uint64_t> vectorDone, lgkmDone;
};

struct ComputeUnit::Resident {
  const WorkgroupTrace *trace;
  /// Added to its lines: a trace that runs again stands for another workgroup.
  uint64_t lineOffset = 0;
  std::vector<std::unique_ptr<Wave>> waves;
  uint32_t alive = 0, arrived = 0;
  /// Last arrival at a barrier or end of a wave, and when all is done.
  uint64_t lastArrival = 0, end = 0;
};

llvm::StringRef octavo::sim::getStallName(StallCause cause) {
  constexpr llvm::StringLiteral names[stallCauses] = {"vector_memory",
                                                      "lgkm",
                                                      "barrier",
                                                      "matrix_result",
                                                      "vector_result",
                                                      "scalar_result",
                                                      "matrix_unit",
                                                      "vector_unit",
                                                      "lds_unit",
                                                      "memory_unit",
                                                      "issue_slot",
                                                      "instruction_fetch",
                                                      "nop"};
  return names[unsigned(cause)];
}

ComputeUnit::ComputeUnit(const ComputeUnitConfig &config, MemoryModel &memory,
                         llvm::ArrayRef<TraceInst> program)
    : config(config), memory(memory), program(program), slotFree(config.simds),
      matrixFree(config.simds), wavesOnSimd(config.simds) {}

ComputeUnit::~ComputeUnit() = default;

uint64_t ComputeUnit::align(uint64_t cycle, uint32_t simd) const {
  uint64_t period = uint64_t(config.constants.issueCycles);
  uint64_t phase = simd % period;
  uint64_t rest = (cycle + period - phase) % period;
  return rest ? cycle + period - rest : cycle;
}

void ComputeUnit::start(const WorkgroupTrace &trace, uint64_t cycle) {
  auto group = std::make_unique<Resident>();
  group->trace = &trace;
  group->lineOffset = runs[&trace]++ << 44;
  for (const WaveTrace &waveTrace : trace.waves) {
    auto wave = std::make_unique<Wave>();
    wave->trace = &waveTrace;
    wave->group = group.get();
    auto least = std::min_element(wavesOnSimd.begin(), wavesOnSimd.end());
    wave->simd = uint32_t(least - wavesOnSimd.begin());
    ++*least;
    wave->age = started++;
    wave->earliest = wave->turnAt = cycle;
    live.push_back(wave.get());
    ++group->alive;
    group->waves.push_back(std::move(wave));
  }
  residents.push_back(std::move(group));
  for (std::unique_ptr<Wave> &wave : residents.back()->waves)
    wave->dependency = findDependency(*wave);
}

/// Forgets the operations that are complete.
static void drop(std::deque<uint64_t> &done, uint64_t cycle) {
  done.erase(std::remove_if(done.begin(), done.end(),
                            [&](uint64_t d) { return d <= cycle; }),
             done.end());
}

/// Cycle at which at most `allowed` of the operations are outstanding.
static uint64_t findDrain(const std::deque<uint64_t> &done, size_t allowed) {
  if (done.size() <= allowed)
    return 0;
  std::vector<uint64_t> sorted(done.begin(), done.end());
  size_t last = sorted.size() - allowed - 1;
  std::nth_element(sorted.begin(), sorted.begin() + ptrdiff_t(last),
                   sorted.end());
  return sorted[last];
}

ComputeUnit::Readiness ComputeUnit::findDependency(const Wave &wave) const {
  Readiness out{0, StallCause::IssueSlot};
  auto raise = [&](uint64_t cycle, StallCause cause) {
    if (cycle > out.cycle)
      out = {cycle, cause};
  };
  if (wave.next >= wave.trace->steps.size())
    return out;
  const TraceInst &inst = program[wave.trace->steps[wave.next].inst];
  if (inst.action == InternalAction::Wait) {
    raise(findDrain(wave.vectorDone, inst.waitVector),
          StallCause::VectorMemory);
    raise(findDrain(wave.lgkmDone, inst.waitLgkm), StallCause::Lgkm);
    return out;
  }
  const TimingConstants &k = config.constants;
  for (size_t i = 0; i < inst.reads.size(); ++i) {
    RegisterSpan span = inst.reads[i];
    for (uint32_t r = span.first; r < uint32_t(span.first + span.count); ++r) {
      bool forwards = int(i) == inst.accumulator && r < firstScalarRegister &&
                      wave.writer[r] == StallCause::MatrixResult;
      if (!forwards) {
        raise(wave.ready[r], wave.writer[r]);
        continue;
      }
      bool isSame = wave.matrixFirst[r] == span.first &&
                    wave.matrixCount[r] == span.count;
      uint32_t passes = wave.matrixPasses[r];
      double extra = !isSame       ? k.matrixToOverlapPasses
                     : passes <= 2 ? k.shortMatrixExtraPasses
                                   : 0;
      raise(wave.matrixIssue[r] + uint64_t((passes + extra) * k.passCycles),
            StallCause::MatrixResult);
    }
  }
  return out;
}

ComputeUnit::Readiness ComputeUnit::findIssue(const Wave &wave) const {
  Readiness out{wave.earliest, wave.earliestCause};
  auto raise = [&](uint64_t cycle, StallCause cause) {
    if (cycle > out.cycle)
      out = {cycle, cause};
  };
  raise(wave.dependency.cycle, wave.dependency.cause);
  if (wave.next >= wave.trace->steps.size())
    return {align(out.cycle, wave.simd), out.cause};
  const TraceInst &inst = program[wave.trace->steps[wave.next].inst];
  auto &slots = slotFree[wave.simd];
  switch (inst.unit) {
  case IssueUnit::Vector:
    raise(slots[unsigned(IssueUnit::Vector)], StallCause::VectorUnit);
    break;
  case IssueUnit::Matrix:
    raise(slots[unsigned(IssueUnit::Vector)], StallCause::VectorUnit);
    raise(matrixFree[wave.simd], StallCause::MatrixUnit);
    break;
  case IssueUnit::Lds: {
    uint64_t queue = uint64_t(config.constants.ldsQueueCycles);
    raise(ldsFree > queue ? ldsFree - queue : 0, StallCause::LdsUnit);
    raise(slots[unsigned(inst.unit)], StallCause::IssueSlot);
    break;
  }
  case IssueUnit::VectorMemory:
    raise(memory.nextAccept(), StallCause::MemoryUnit);
    // vmcnt holds 63 operations.
    raise(findDrain(wave.vectorDone, 62), StallCause::MemoryUnit);
    raise(slots[unsigned(inst.unit)], StallCause::IssueSlot);
    break;
  case IssueUnit::Internal:
    break;
  default:
    raise(slots[unsigned(inst.unit)], StallCause::IssueSlot);
  }
  return {align(out.cycle, wave.simd), out.cause};
}

void ComputeUnit::write(Wave &wave, const TraceInst &inst, uint64_t cycle,
                        StallCause cause) {
  for (RegisterSpan span : inst.writes)
    for (uint32_t r = span.first; r < uint32_t(span.first + span.count); ++r) {
      wave.ready[r] = cycle;
      wave.writer[r] = cause;
    }
}

void ComputeUnit::issueMatrix(Wave &wave, const TraceInst &inst,
                              uint64_t cycle) {
  const TimingConstants &k = config.constants;
  uint64_t busy = uint64_t(inst.passes * k.passCycles);
  matrixFree[wave.simd] = cycle + busy;
  result.matrixBusy += busy;
  uint64_t toRead =
      uint64_t((inst.passes + k.matrixToReadPasses + 1) * k.passCycles);
  write(wave, inst, cycle + toRead, StallCause::MatrixResult);
  for (RegisterSpan span : inst.writes)
    for (uint32_t r = span.first;
         r < std::min<uint32_t>(span.first + span.count, firstScalarRegister);
         ++r) {
      wave.matrixIssue[r] = cycle;
      wave.matrixFirst[r] = span.first;
      wave.matrixCount[r] = span.count;
      wave.matrixPasses[r] = inst.passes;
    }
}

void ComputeUnit::issueLds(Wave &wave, const TraceInst &inst,
                           const TraceAccess &access, uint64_t cycle) {
  uint64_t startCycle = std::max(cycle, ldsFree);
  ldsFree = startCycle + access.ldsCycles;
  result.ldsBusy += access.ldsCycles;
  result.ldsConflicts += access.ldsCycles - access.ldsIdealCycles;
  uint64_t done = ldsFree + uint64_t(config.constants.ldsLatency);
  drop(wave.lgkmDone, cycle);
  wave.lgkmDone.push_back(done);
}

void ComputeUnit::issueMemory(Wave &wave, const TraceInst &inst,
                              const TraceStep &step, uint64_t cycle) {
  TraceAccess access;
  llvm::SmallVector<uint64_t, 64> lines;
  if (step.access != noAccess) {
    const Resident &group = *wave.group;
    access = group.trace->accesses[step.access];
    for (uint32_t l = 0; l < access.lineCount; ++l)
      lines.push_back(memory.place(group.trace->lines[access.firstLine + l] +
                                   group.lineOffset));
  }
  if (inst.unit == IssueUnit::ScalarMemory) {
    wave.lgkmDone.push_back(memory.accessScalar(cycle, lines));
    return;
  }
  drop(wave.vectorDone, cycle);
  uint64_t done = memory.access(cycle, inst, step.inst, access, lines);
  if (inst.toLds) {
    // The data takes write cycles of LDS when it arrives; which ones is not
    // followed, only how many.
    ldsFree = std::max(cycle, ldsFree) + access.ldsCycles;
    result.ldsBusy += access.ldsCycles;
  }
  if (!wave.vectorDone.empty())
    done = std::max(done, wave.vectorDone.back());
  wave.vectorDone.push_back(done);
}

void ComputeUnit::issueInternal(Wave &wave, const TraceInst &inst,
                                uint64_t cycle) {
  const TimingConstants &k = config.constants;
  switch (inst.action) {
  case InternalAction::None:
    break;
  case InternalAction::Nop:
    wave.earliest = cycle + uint64_t((inst.value + 1) * k.issueCycles);
    wave.earliestCause = StallCause::Nop;
    break;
  case InternalAction::Wait:
    drop(wave.vectorDone, cycle);
    drop(wave.lgkmDone, cycle);
    break;
  case InternalAction::Barrier:
    wave.atBarrier = true;
    ++wave.group->arrived;
    wave.group->lastArrival = std::max(wave.group->lastArrival, cycle);
    break;
  case InternalAction::SetPriority:
    wave.priority = inst.value & 3;
    break;
  case InternalAction::Sleep:
    wave.earliest = cycle + uint64_t(inst.value * k.sleepCycles);
    wave.earliestCause = StallCause::Nop;
    break;
  case InternalAction::End:
    wave.next = wave.trace->steps.size();
    break;
  }
}

/// Counts an issue at `cycle` after waiting for `cause`.
void ComputeUnit::account(const Wave &wave, const TraceInst &inst,
                          uint64_t cycle, StallCause cause) {
  uint32_t number = wave.trace->steps[wave.next].inst;
  InstCost &cost = result.costs[number];
  ++result.issued;
  ++cost.issues;
  if (cycle > wave.turnAt) {
    result.stalls[unsigned(cause)] += cycle - wave.turnAt;
    cost.stalls[unsigned(cause)] += cycle - wave.turnAt;
  }
  if (inst.unit == IssueUnit::Matrix)
    result.matrixOperations += inst.operations;
  else if (inst.unit == IssueUnit::Vector)
    result.vectorOperations += Lanes;
  if (result.events.size() < config.keptEvents)
    result.events.push_back(
        {wave.simd, uint32_t(wave.age), uint32_t(wave.group->trace->linear),
         number, std::min(wave.turnAt, cycle), cycle,
         cycle + uint64_t(config.constants.issueCycles), cause});
}

void ComputeUnit::issue(Wave &wave, uint64_t cycle, StallCause cause) {
  const TimingConstants &k = config.constants;
  const TraceStep &step = wave.trace->steps[wave.next];
  const TraceInst &inst = program[step.inst];
  uint64_t turn = uint64_t(k.issueCycles);
  account(wave, inst, cycle, cause);
  ++wave.next;
  wave.earliest = wave.turnAt = cycle + turn;
  wave.earliestCause = StallCause::IssueSlot;
  auto &slots = slotFree[wave.simd];
  switch (inst.unit) {
  case IssueUnit::Vector:
    slots[unsigned(IssueUnit::Vector)] = cycle + inst.busyCycles;
    result.vectorBusy += inst.busyCycles;
    write(wave, inst, cycle + std::max<uint64_t>(inst.latency, inst.busyCycles),
          StallCause::VectorResult);
    break;
  case IssueUnit::Matrix:
    slots[unsigned(IssueUnit::Vector)] = cycle + uint64_t(k.matrixIssueCycles);
    issueMatrix(wave, inst, cycle);
    break;
  case IssueUnit::Lds:
    slots[unsigned(inst.unit)] = cycle + turn;
    issueLds(wave, inst,
             step.access == noAccess ? TraceAccess()
                                     : wave.group->trace->accesses[step.access],
             cycle);
    break;
  case IssueUnit::VectorMemory:
  case IssueUnit::ScalarMemory:
    slots[unsigned(inst.unit)] = cycle + turn;
    issueMemory(wave, inst, step, cycle);
    break;
  case IssueUnit::Scalar:
    slots[unsigned(inst.unit)] = cycle + turn;
    write(wave, inst, cycle + inst.latency, StallCause::ScalarResult);
    break;
  case IssueUnit::Branch: {
    slots[unsigned(inst.unit)] = cycle + turn;
    bool isTaken = wave.next < wave.trace->steps.size() &&
                   wave.trace->steps[wave.next].inst != step.inst + 1;
    wave.earliest =
        cycle + uint64_t(isTaken ? k.branchTakenCycles : k.branchCycles);
    wave.earliestCause = StallCause::InstructionFetch;
    break;
  }
  case IssueUnit::Internal:
    issueInternal(wave, inst, cycle);
    break;
  }
  wave.dependency = findDependency(wave);
}

void ComputeUnit::releaseBarrier(Resident &group, uint64_t cycle) {
  if (group.arrived == 0 || group.arrived < group.alive)
    return;
  group.arrived = 0;
  for (std::unique_ptr<Wave> &wave : group.waves)
    if (wave->atBarrier) {
      wave->atBarrier = false;
      wave->earliest = cycle + uint64_t(config.constants.barrierCycles);
      wave->earliestCause = StallCause::Barrier;
    }
}

void ComputeUnit::endWave(Wave &wave) {
  --wavesOnSimd[wave.simd];
  --wave.group->alive;
  live.erase(std::find(live.begin(), live.end(), &wave));
}

ComputeUnitResult
ComputeUnit::run(llvm::ArrayRef<const WorkgroupTrace *> workgroups) {
  result = {};
  result.costs.resize(program.size());
  size_t next = 0;
  auto startNext = [&](uint64_t cycle) {
    if (next < workgroups.size())
      start(*workgroups[next++], cycle);
  };
  for (uint32_t i = 0; i < config.residentWorkgroups; ++i)
    startNext(0);
  while (!live.empty()) {
    Wave *best = nullptr;
    Readiness when{0, StallCause::IssueSlot};
    for (Wave *wave : live) {
      if (wave->atBarrier)
        continue;
      Readiness r = findIssue(*wave);
      bool isBetter =
          !best || r.cycle < when.cycle ||
          (r.cycle == when.cycle &&
           (wave->priority > best->priority ||
            (wave->priority == best->priority && wave->age < best->age)));
      if (isBetter) {
        best = wave;
        when = r;
      }
    }
    if (!best)
      llvm::report_fatal_error("timing model: all waves wait at a barrier");
    Resident *group = best->group;
    if (best->next < best->trace->steps.size())
      issue(*best, when.cycle, when.cause);
    result.cycles = std::max(result.cycles, when.cycle);
    if (best->next >= best->trace->steps.size() && !best->atBarrier) {
      // What is still on its way (stores) ends the wave's work too.
      group->lastArrival = std::max(group->lastArrival, when.cycle);
      group->end = std::max(group->end, when.cycle);
      for (auto *done : {&best->vectorDone, &best->lgkmDone})
        for (uint64_t d : *done)
          group->end = std::max(group->end, d);
      endWave(*best);
    }
    releaseBarrier(*group, group->lastArrival);
    if (group->alive == 0) {
      uint64_t end = group->end;
      result.ends.push_back(end);
      result.cycles = std::max(result.cycles, end);
      residents.erase(std::find_if(
          residents.begin(), residents.end(),
          [&](const auto &resident) { return resident.get() == group; }));
      startNext(end + uint64_t(config.constants.workgroupStartCycles));
    }
  }
  std::sort(result.ends.begin(), result.ends.end());
  return std::move(result);
}
