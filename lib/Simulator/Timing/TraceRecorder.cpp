//===- TraceRecorder.cpp - Tracing sampled workgroups ---------------------===//

#include "lib/Simulator/Timing/TraceRecorder.h"
#include "lib/Simulator/Timing/LdsCost.h"

#include "llvm/ADT/STLExtras.h"
#include <bit>

using namespace octavo::sim;

/// Steps that all traces of a launch may hold together: about 400 MB.
static constexpr uint64_t totalSteps = 24'000'000;

WorkgroupRecorder::WorkgroupRecorder(llvm::StringRef arch,
                                     const TimingConstants &constants,
                                     llvm::ArrayRef<TraceInst> program,
                                     uint64_t stepLimit)
    : arch(arch), constants(constants), program(program), stepLimit(stepLimit) {
}

void WorkgroupRecorder::beginWorkgroup(const Workgroup &group,
                                       llvm::ArrayRef<Wave *> waves) {
  trace.waves.resize(waves.size());
  keeps.assign(waves.size(), false);
}

void WorkgroupRecorder::instruction(Wave &wave, const Inst &inst) {
  WaveTrace &steps = trace.waves[wave.index];
  ++steps.executed;
  keeps[wave.index] = steps.steps.size() < stepLimit;
  if (keeps[wave.index])
    steps.steps.push_back({inst.ordinal});
}

TraceAccess &WorkgroupRecorder::getAccess(TraceStep &step) {
  if (step.access == noAccess) {
    step.access = uint32_t(trace.accesses.size());
    trace.accesses.push_back({uint32_t(trace.lines.size())});
  }
  return trace.accesses[step.access];
}

void WorkgroupRecorder::addLines(TraceAccess &access,
                                 llvm::ArrayRef<uint64_t> addresses,
                                 uint64_t lanes, uint32_t bytes) {
  llvm::SmallVector<uint64_t, 128> sectors;
  for (size_t lane = 0; lane < addresses.size(); ++lane)
    if (lanes >> lane & 1)
      for (uint64_t s = addresses[lane] / 64;
           s <= (addresses[lane] + bytes - 1) / 64; ++s)
        if (sectors.empty() || sectors.back() != s)
          sectors.push_back(s);
  llvm::sort(sectors);
  sectors.erase(llvm::unique(sectors), sectors.end());
  access.sectors += uint32_t(sectors.size());
  access.bytes += uint32_t(std::popcount(lanes)) * bytes;
  uint64_t perLine = uint64_t(constants.lineBytes) / 64;
  for (uint64_t sector : sectors) {
    uint64_t line = sector / perLine;
    bool isNew = access.lineCount == 0 || trace.lines.back() != line;
    if (isNew) {
      trace.lines.push_back(line);
      ++access.lineCount;
    }
  }
}

void WorkgroupRecorder::memory(Wave &wave, const Inst &inst,
                               llvm::ArrayRef<uint64_t> addresses,
                               uint64_t lanes, uint32_t bytes) {
  if (!keeps[wave.index] || lanes == 0)
    return;
  TraceAccess &access = getAccess(trace.waves[wave.index].steps.back());
  const TraceInst &kind = program[inst.ordinal];
  if (kind.unit == IssueUnit::Lds) {
    LdsCost cost = getLdsCost(arch, {addresses, lanes, bytes, kind.isStore});
    access.ldsCycles += cost.cycles;
    access.ldsIdealCycles += cost.idealCycles;
    return;
  }
  addLines(access, addresses, lanes, bytes);
  if (kind.toLds) {
    double moved = double(std::popcount(lanes)) * std::max(bytes, 4u);
    access.ldsCycles += uint32_t(moved / constants.ldsWriteBytesPerClk);
  }
}

SampleRecorder::SampleRecorder(llvm::StringRef arch,
                               const TimingConstants &constants,
                               llvm::ArrayRef<TraceInst> program,
                               const SamplePlan &plan, uint64_t waves) {
  uint64_t count = plan.onXcd.size() + plan.inGrid.size() +
                   plan.xcdEdges.size() + plan.gridEdges.size();
  uint64_t limit = totalSteps / std::max<uint64_t>(1, count * waves);
  auto add = [&](uint64_t number) -> Sample & {
    return groups
        .try_emplace(number,
                     Sample{WorkgroupRecorder(arch, constants, program, limit)})
        .first->second;
  };
  for (uint64_t number : plan.onXcd)
    add(number).onXcd = true;
  for (uint64_t number : plan.inGrid)
    add(number).inGrid = true;
  for (uint64_t number : plan.xcdEdges)
    add(number).xcdEdge = true;
  for (uint64_t number : plan.gridEdges)
    add(number).gridEdge = true;
  for (auto &[number, sample] : groups)
    sample.recorder.trace.linear = number;
}

Observer *SampleRecorder::select(uint64_t workgroup) {
  auto found = groups.find(workgroup);
  return found == groups.end() ? nullptr : &found->second.recorder;
}

std::vector<SampledGroup> SampleRecorder::samples() const {
  std::vector<SampledGroup> out;
  for (auto &[number, sample] : groups)
    out.push_back({&sample.recorder.trace, sample.onXcd, sample.inGrid,
                   sample.xcdEdge, sample.gridEdge});
  return out;
}
