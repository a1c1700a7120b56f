//===- Prediction.cpp - From traces to the time of a launch ---------------===//

#include "lib/Simulator/Timing/Prediction.h"

#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace octavo;
using namespace octavo::sim;

/// Samples of each kind. More find sharing better and take longer to run.
static constexpr uint64_t samplesPerKind = 8;

/// Workgroups that one compute unit replays: the first fill and two more, and
/// at least these many.
static constexpr uint64_t leastReplayed = 4;

/// Wave instructions that a replay may take in all.
static constexpr uint64_t replayBudget = 3'000'000;

namespace {

uint64_t countOnXcd(const TargetInfo &target, const LaunchShape &shape) {
  uint64_t perXcd = llvm::divideCeil(shape.workgroups, target.xcds);
  uint64_t room = uint64_t(target.computeUnits / target.xcds) *
                  std::max(1u, shape.occupancy.workgroups);
  return std::min(perXcd, room);
}

/// `count` different numbers below `limit`, ascending.
std::vector<uint64_t> choose(uint64_t limit, uint64_t count,
                             std::mt19937_64 &random) {
  std::vector<uint64_t> out;
  if (count >= limit) {
    for (uint64_t i = 0; i < limit; ++i)
      out.push_back(i);
    return out;
  }
  while (out.size() < count) {
    uint64_t number = random() % limit;
    if (!llvm::is_contained(out, number))
      out.push_back(number);
  }
  llvm::sort(out);
  return out;
}

/// One launch while it is predicted.
class Predictor {
public:
  Predictor(const TargetInfo &target, const TimingConstants &constants,
            const LaunchShape &shape, llvm::ArrayRef<TraceInst> program,
            llvm::ArrayRef<SampledGroup> samples)
      : target(target), constants(constants), shape(shape), program(program),
        samples(samples) {}

  LaunchPrediction run();

private:
  std::vector<const WorkgroupTrace *> chooseReplay() const;
  double extrapolate(const ComputeUnitResult &result, uint64_t perUnit) const;
  void addRoofs(const ComputeUnitResult &result, const MemoryTraffic &traffic,
                double groups, LaunchPrediction &out) const;
  void addCosts(const ComputeUnitResult &result, LaunchPrediction &out) const;
  void nameBound(LaunchPrediction &out) const;

  const TargetInfo &target;
  const TimingConstants &constants;
  const LaunchShape &shape;
  llvm::ArrayRef<TraceInst> program;
  llvm::ArrayRef<SampledGroup> samples;
  uint32_t resident = 1;
  uint64_t perUnit = 1;
};

std::vector<const WorkgroupTrace *> Predictor::chooseReplay() const {
  uint64_t steps = 0;
  for (const SampledGroup &sample : samples)
    steps += sample.trace->countSteps();
  uint64_t perGroup = std::max<uint64_t>(1, steps / samples.size());
  uint64_t wanted = std::max<uint64_t>(3 * resident, leastReplayed);
  wanted = std::min(
      {wanted, perUnit, std::max<uint64_t>(resident, replayBudget / perGroup)});
  // Samples of the whole grid first: workgroups may differ in their work.
  std::vector<const WorkgroupTrace *> order, out;
  for (const SampledGroup &sample : samples)
    if (sample.inGrid)
      order.push_back(sample.trace);
  for (const SampledGroup &sample : samples)
    if (!sample.inGrid)
      order.push_back(sample.trace);
  std::mt19937_64 random(1);
  std::shuffle(order.begin(), order.end(), random);
  for (uint64_t i = 0; i < wanted; ++i)
    out.push_back(order[i % order.size()]);
  return out;
}

/// Cycles for `perUnit` workgroups from those of the replayed ones: the rate
/// after the first fill goes on.
double Predictor::extrapolate(const ComputeUnitResult &result,
                              uint64_t wanted) const {
  uint64_t replayed = result.ends.size();
  if (wanted <= replayed)
    return double(result.cycles);
  uint64_t first = std::min<uint64_t>(resident, replayed);
  double rate = replayed > first
                    ? double(result.ends.back() - result.ends[first - 1]) /
                          double(replayed - first)
                    : double(result.cycles) / double(replayed);
  return double(result.cycles) + rate * double(wanted - replayed);
}

void Predictor::addRoofs(const ComputeUnitResult &result,
                         const MemoryTraffic &traffic, double groups,
                         LaunchPrediction &out) const {
  // `scale` takes the replayed workgroups to the launch.
  double scale = double(shape.workgroups) / groups;
  double units = target.computeUnits, mhz = target.peakClockMHz;
  double unitCycles = scale / units / mhz; // to microseconds
  out.l2Bytes = traffic.l2 * scale;
  out.matrixOperations = result.matrixOperations * scale;
  out.vectorOperations = result.vectorOperations * scale;
  out.mallBytes = traffic.mall * scale;
  out.hbmReadBytes = traffic.hbmRead * scale;
  out.hbmWriteBytes = traffic.hbmWrite * scale;
  double simds = target.simdsPerComputeUnit;
  double hbm = target.memoryGBps * 1e3; // bytes in a microsecond
  out.roofs = {
      {"matrix", double(result.matrixBusy) / simds * unitCycles},
      {"vector", double(result.vectorBusy) / simds * unitCycles},
      {"lds", double(result.ldsBusy) * unitCycles},
      {"l1", traffic.l1 / constants.l1BytesPerClk * unitCycles},
      {"l2", out.l2Bytes / (constants.l2ReadBytesPerClk * target.xcds) / mhz},
      {"mall", out.mallBytes / (constants.mallGBps * 1e3)},
      {"hbm", (out.hbmReadBytes / constants.hbmReadShare +
               out.hbmWriteBytes / constants.hbmWriteShare) /
                  hbm},
  };
}

void Predictor::addCosts(const ComputeUnitResult &result,
                         LaunchPrediction &out) const {
  for (uint32_t i = 0; i < result.costs.size(); ++i) {
    const InstCost &cost = result.costs[i];
    if (cost.issues)
      out.instructions.push_back(
          {i, 0, cost.issues, {cost.stalls.begin(), cost.stalls.end()}});
  }
  for (const IssueEvent &event : result.events)
    out.timeline.push_back({event.simd, event.wave, event.workgroup, event.inst,
                            event.turn, event.issue, event.end,
                            uint32_t(event.cause)});
}

void Predictor::nameBound(LaunchPrediction &out) const {
  const Roof *highest = &out.roofs.front();
  for (const Roof &roof : out.roofs)
    if (roof.microseconds > highest->microseconds)
      highest = &roof;
  double busy = out.cycles / out.clockMHz;
  if (busy < out.microseconds / 2)
    out.bound = "launch";
  else
    out.bound =
        highest->microseconds >= 0.7 * busy ? highest->resource : "latency";
}

LaunchPrediction Predictor::run() {
  LaunchPrediction out;
  out.clockMHz = target.peakClockMHz;
  out.workgroups = shape.workgroups;
  out.tracedWorkgroups = samples.size();
  uint64_t active = std::min<uint64_t>(target.computeUnits, shape.workgroups);
  perUnit = llvm::divideCeil(shape.workgroups, uint64_t(target.computeUnits));
  resident = uint32_t(
      std::min<uint64_t>(std::max(1u, shape.occupancy.workgroups), perUnit));
  out.residentWorkgroups = resident;
  out.wavesPerSimd = shape.occupancy.wavesPerSimd;
  out.occupancyLimit = perUnit < shape.occupancy.workgroups
                           ? "the grid"
                           : std::string(shape.occupancy.limit);

  MemoryShare share{uint32_t(active),
                    uint32_t(llvm::divideCeil(active, uint64_t(target.xcds))),
                    double(target.peakClockMHz), double(target.memoryGBps)};
  std::vector<SharingDegree> sharing = estimateSharing(
      program, samples, countOnXcd(target, shape), shape.workgroups);
  MemoryModel memory(constants, share, sharing);
  ComputeUnit unit(
      {constants, target.simdsPerComputeUnit, resident, shape.timelineEvents},
      memory, program);
  std::vector<const WorkgroupTrace *> replay = chooseReplay();
  ComputeUnitResult result = unit.run(replay);

  // Traces that were cut off stand for all that was executed.
  uint64_t executed = 0, steps = 0;
  for (const WorkgroupTrace *trace : replay) {
    executed += trace->countExecuted();
    steps += trace->countSteps();
  }
  double cut = steps ? double(executed) / double(steps) : 1;
  out.replayedWorkgroups = replay.size();
  out.cycles = extrapolate(result, perUnit) * cut;
  addRoofs(result, memory.traffic(), double(replay.size()) / cut, out);
  for (unsigned i = 0; i < stallCauses; ++i)
    out.stallCycles.emplace_back(getStallName(StallCause(i)).str(),
                                 double(result.stalls[i]));
  out.issueCycles = double(result.issued) * constants.issueCycles;
  addCosts(result, out);
  if (result.ldsBusy)
    out.ldsConflictShare = double(result.ldsConflicts) / double(result.ldsBusy);
  double busy = out.cycles / out.clockMHz;
  // No model of a unit may beat a resource of the chip.
  for (const Roof &roof : out.roofs)
    busy = std::max(busy, roof.microseconds);
  out.microseconds = busy + constants.launchNanoseconds / 1e3;
  nameBound(out);
  return out;
}

} // namespace

double InstructionCost::waited() const {
  return std::accumulate(stallCycles.begin(), stallCycles.end(), 0.0);
}

SamplePlan octavo::sim::planSamples(const TargetInfo &target,
                                    const LaunchShape &shape) {
  std::mt19937_64 random(42);
  SamplePlan plan;
  uint64_t onXcd = countOnXcd(target, shape);
  for (uint64_t local : choose(onXcd, samplesPerKind, random)) {
    // Workgroups go round the XCDs.
    uint64_t linear = local * target.xcds;
    if (linear < shape.workgroups)
      plan.onXcd.push_back(linear);
  }
  uint64_t last = (onXcd - 1) * target.xcds;
  plan.xcdEdges = {0, std::min(last, shape.workgroups - 1)};
  plan.gridEdges = {0, shape.workgroups - 1};
  plan.inGrid = choose(shape.workgroups, samplesPerKind, random);
  return plan;
}

LaunchPrediction octavo::sim::predictFromTraces(
    const TargetInfo &target, const TimingConstants &constants,
    const LaunchShape &shape, llvm::ArrayRef<TraceInst> program,
    llvm::ArrayRef<SampledGroup> samples) {
  return Predictor(target, constants, shape, program, samples).run();
}
