//===- TimingTest.cpp - Known answers of the cycle model ------------------===//
//
// Hand-written traces whose cycles were published (facts: hardware, sections 3,
// 8 and 10).
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Timing/LdsCost.h"
#include "lib/Simulator/Timing/Prediction.h"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace octavo;
using namespace octavo::sim;

namespace {

TraceInst matrix(uint16_t passes, uint16_t d, uint16_t registers) {
  TraceInst inst;
  inst.unit = IssueUnit::Matrix;
  inst.passes = passes;
  inst.writes = {{d, registers}};
  inst.reads = {{200, 2}, {204, 2}, {d, registers}};
  inst.accumulator = 2;
  return inst;
}

TraceInst vector(uint16_t d, uint16_t a, uint16_t busy = 4) {
  TraceInst inst;
  inst.unit = IssueUnit::Vector;
  inst.busyCycles = busy;
  inst.latency = 8;
  inst.writes = {{d, 1}};
  inst.reads = {{a, 1}};
  return inst;
}

TraceInst internal(InternalAction action, uint16_t value = 0) {
  TraceInst inst;
  inst.action = action;
  inst.value = value;
  return inst;
}

TraceInst waitVector(uint16_t count) {
  TraceInst inst = internal(InternalAction::Wait);
  inst.waitVector = count;
  return inst;
}

/// A workgroup all of whose waves run the same steps.
WorkgroupTrace makeGroup(unsigned waves, std::vector<TraceStep> steps) {
  WorkgroupTrace trace;
  WaveTrace wave;
  wave.executed = steps.size();
  wave.steps = std::move(steps);
  trace.waves.assign(waves, wave);
  return trace;
}

std::vector<TraceStep> repeat(std::vector<uint32_t> insts, unsigned times) {
  std::vector<TraceStep> steps;
  for (unsigned i = 0; i < times; ++i)
    for (uint32_t inst : insts)
      steps.push_back({inst});
  return steps;
}

ComputeUnitResult runOn(const char *arch, llvm::ArrayRef<TraceInst> program,
                        const WorkgroupTrace &trace, uint32_t resident = 1) {
  const TimingConstants &constants = *getTimingConstants(arch);
  MemoryModel memory(constants, {1, 1, 2400, 8000}, {});
  ComputeUnit unit({constants, 4, resident}, memory, program);
  std::vector<const WorkgroupTrace *> groups(resident, &trace);
  return unit.run(groups);
}

double cyclesEach(const char *arch, llvm::ArrayRef<TraceInst> program,
                  std::vector<uint32_t> loop) {
  WorkgroupTrace trace = makeGroup(1, repeat(loop, 1000));
  return double(runOn(arch, program, trace).cycles) / 1000 /
         double(loop.size());
}

TEST(Timing, MatrixChainsTakeTheirPasses) {
  // Measured on gfx950 for 16x16x32 f16: dependent 18, independent 17 clk.
  EXPECT_NEAR(cyclesEach("gfx950", {matrix(4, 0, 4)}, {0}), 17, 1.1);
  EXPECT_NEAR(cyclesEach("gfx950", {matrix(4, 0, 4), matrix(4, 4, 4)}, {0, 1}),
              17, 1.1);
  EXPECT_NEAR(cyclesEach("gfx942", {matrix(8, 0, 16)}, {0}), 32, 0.5);
  EXPECT_NEAR(cyclesEach("gfx950", {matrix(16, 0, 16)}, {0}), 64, 0.5);
  // A dependent 2-pass MFMA waits two passes more.
  EXPECT_NEAR(cyclesEach("gfx942", {matrix(2, 0, 4)}, {0}), 16, 0.5);
}

TEST(Timing, VectorChainsTakeTheirLatency) {
  EXPECT_NEAR(cyclesEach("gfx950", {vector(0, 0)}, {0}), 8, 0.1);
  EXPECT_NEAR(cyclesEach("gfx950", {vector(0, 2), vector(1, 3)}, {0, 1}), 4,
              0.1);
  EXPECT_NEAR(
      cyclesEach("gfx950", {vector(0, 2, 16), vector(1, 3, 16)}, {0, 1}), 16,
      0.1);
}

TEST(Timing, VectorWorkHidesUnderMatrixWork) {
  // 12 of the 16 clk of a 4-pass MFMA are free for another wave's VALU.
  std::vector<TraceInst> program = {matrix(4, 0, 4), vector(20, 30),
                                    vector(21, 31), vector(22, 32)};
  WorkgroupTrace matrixOnly = makeGroup(8, repeat({0}, 500));
  WorkgroupTrace both = matrixOnly;
  for (unsigned wave = 4; wave < 8; ++wave)
    both.waves[wave].steps = repeat({1, 2, 3}, 500);
  for (unsigned wave = 0; wave < 4; ++wave)
    matrixOnly.waves[wave + 4].steps = {};
  double alone = double(runOn("gfx950", program, matrixOnly).cycles);
  EXPECT_NEAR(alone, 500 * 16, 100);
  EXPECT_NEAR(double(runOn("gfx950", program, both).cycles), alone, 100);
}

TEST(Timing, ReadingAMatrixResultWaitsForIt) {
  // gfx950: passes + 4 wait states between a 4-pass MFMA and a VALU read.
  std::vector<TraceInst> program = {matrix(4, 0, 4), vector(30, 0)};
  WorkgroupTrace trace = makeGroup(1, {{0}, {1}});
  EXPECT_EQ(runOn("gfx950", program, trace).cycles, 36u);
  EXPECT_EQ(runOn("gfx942", program, trace).cycles, 32u);
}

TEST(Timing, NopsAndPrioritiesAreObeyed) {
  EXPECT_NEAR(cyclesEach("gfx942", {internal(InternalAction::Nop, 6)}, {0}), 28,
              0.1);
  // Two waves of one SIMD compete for the vector port; the higher priority
  // goes first until it ends.
  std::vector<TraceInst> program = {internal(InternalAction::SetPriority, 3),
                                    vector(0, 2), vector(1, 3)};
  WorkgroupTrace trace = makeGroup(5, {});
  trace.waves[0].steps = repeat({1, 2}, 100);
  trace.waves[4].steps = repeat({1, 2}, 100);
  trace.waves[4].steps.insert(trace.waves[4].steps.begin(), TraceStep{0});
  ComputeUnitResult result = runOn("gfx950", program, trace);
  EXPECT_NEAR(double(result.cycles), 400 * 4, 20);
}

TEST(Timing, BarriersWaitForTheLastWave) {
  std::vector<TraceInst> program = {internal(InternalAction::Barrier),
                                    internal(InternalAction::Sleep, 10),
                                    internal(InternalAction::End)};
  WorkgroupTrace trace = makeGroup(2, {{0}, {2}});
  trace.waves[1].steps = {{1}, {0}, {2}};
  ComputeUnitResult result = runOn("gfx950", program, trace);
  EXPECT_NEAR(double(result.cycles), 640, 20);
  EXPECT_GT(result.stalls[unsigned(StallCause::Barrier)], 600u);
}

//===- LDS ----------------------------------------------------------------===//

using Swizzle = std::function<uint32_t(uint32_t row, uint32_t byte)>;

/// b128 reads of one half-fragment of 8-bit data: lane = row + rows * chunk.
uint32_t readCycles(const char *arch, uint32_t rows, const Swizzle &swizzle) {
  std::vector<uint64_t> addresses;
  for (uint32_t lane = 0; lane < 64; ++lane)
    addresses.push_back(swizzle(lane % rows, 16 * (lane / rows)));
  return getLdsCost(arch, {addresses, ~0ull, 16, false}).cycles;
}

TEST(Timing, LdsConflictsMatchThePublishedTable) {
  Swizzle plain = [](uint32_t row, uint32_t byte) { return 128 * row + byte; };
  Swizzle kittens = [](uint32_t row, uint32_t byte) {
    uint32_t off = 128 * row + byte;
    return off ^ ((off % 2048) >> 8) << 4;
  };
  Swizzle byRow = [](uint32_t row, uint32_t byte) {
    uint32_t off = 128 * row + byte;
    return off ^ ((off >> 7) & 7) << 4;
  };
  Swizzle pad16 = [](uint32_t row, uint32_t byte) { return 144 * row + byte; };
  Swizzle pad32 = [](uint32_t row, uint32_t byte) { return 160 * row + byte; };
  struct Row {
    Swizzle swizzle;
    uint32_t narrow16, wide16, narrow32, wide32;
  };
  for (const Row &row : {Row{plain, 32, 16, 64, 32}, Row{kittens, 16, 4, 16, 4},
                         Row{byRow, 8, 4, 8, 8}, Row{pad16, 16, 8, 8, 4},
                         Row{pad32, 8, 4, 16, 8}}) {
    EXPECT_EQ(readCycles("gfx942", 16, row.swizzle), row.narrow16);
    EXPECT_EQ(readCycles("gfx950", 16, row.swizzle), row.wide16);
    EXPECT_EQ(readCycles("gfx942", 32, row.swizzle), row.narrow32);
    EXPECT_EQ(readCycles("gfx950", 32, row.swizzle), row.wide32);
  }
}

TEST(Timing, LdsBroadcastsAndStorePorts) {
  std::vector<uint64_t> same(64, 256), next;
  for (uint32_t lane = 0; lane < 64; ++lane)
    next.push_back(4 * lane);
  EXPECT_EQ(getLdsCost("gfx942", {same, ~0ull, 4, false}).cycles, 2u);
  EXPECT_EQ(getLdsCost("gfx942", {next, ~0ull, 4, false}).cycles, 2u);
  EXPECT_EQ(getLdsCost("gfx942", {next, ~0ull, 4, true}).cycles, 8u);
  for (uint64_t &address : next)
    address *= 4;
  EXPECT_EQ(getLdsCost("gfx942", {next, ~0ull, 16, true}).cycles, 20u);
  EXPECT_EQ(getLdsCost("gfx950", {next, ~0ull, 16, true}).cycles, 20u);
}

//===- Memory and whole launches ------------------------------------------===//

/// Workgroups of 4 waves that read, and perhaps write, 4 KB a wave and turn.
LaunchPrediction predictStream(const char *arch, bool writes) {
  TraceInst load, store;
  load.unit = store.unit = IssueUnit::VectorMemory;
  load.returns = true;
  store.isStore = true;
  std::vector<TraceInst> program = {load, waitVector(0), store};
  constexpr unsigned turns = 16;
  std::vector<WorkgroupTrace> traces;
  const TargetInfo &target = *lookupTarget(arch);
  LaunchShape shape{uint64_t(target.computeUnits) * 64, {8, 8, "waves"}};
  SamplePlan plan = planSamples(target, shape);
  std::vector<uint64_t> numbers;
  for (const auto *part :
       {&plan.onXcd, &plan.inGrid, &plan.xcdEdges, &plan.gridEdges})
    numbers.insert(numbers.end(), part->begin(), part->end());
  for (uint64_t number : numbers) {
    WorkgroupTrace trace;
    for (uint64_t wave = 0; wave < 4; ++wave) {
      WaveTrace steps;
      for (uint64_t turn = 0; turn < turns; ++turn) {
        for (uint32_t inst : {0u, 0u, 0u, 0u, 1u, 2u, 2u, 2u, 2u}) {
          if (inst == 2 && !writes)
            continue;
          TraceStep step{inst};
          if (inst != 1) {
            step.access = uint32_t(trace.accesses.size());
            uint64_t at = ((number * 4 + wave) * turns + turn) * 32 +
                          steps.steps.size() % 4 * 8 +
                          (inst == 2 ? 1u << 28 : 0);
            trace.accesses.push_back(
                {uint32_t(trace.lines.size()), 8, 16, 1024});
            for (uint64_t l = 0; l < 8; ++l)
              trace.lines.push_back(at + l);
          }
          steps.steps.push_back(step);
        }
      }
      steps.executed = steps.steps.size();
      trace.waves.push_back(std::move(steps));
    }
    traces.push_back(std::move(trace));
  }
  std::vector<SampledGroup> samples;
  size_t onXcd = plan.onXcd.size(), random = onXcd + plan.inGrid.size();
  for (size_t i = 0; i < traces.size(); ++i)
    samples.push_back({&traces[i], i < onXcd, i >= onXcd && i < random,
                       i >= random && i < random + 2, i >= random + 2});
  return predictFromTraces(target, *getTimingConstants(arch), shape, program,
                           samples);
}

TEST(Timing, StreamsReachThePublishedBandwidth) {
  double bytes = 304.0 * 64 * 4 * 16 * 4096;
  // MI300X: 4.20 TB/s read, 4.11 TB/s copy (both directions counted).
  LaunchPrediction read = predictStream("gfx942", false);
  EXPECT_EQ(read.bound, "hbm");
  EXPECT_NEAR(bytes / read.microseconds / 1e6, 4.20, 0.3);
  LaunchPrediction copy = predictStream("gfx942", true);
  EXPECT_EQ(copy.bound, "hbm");
  EXPECT_NEAR(2 * bytes / copy.microseconds / 1e6, 4.11, 0.3);
}

TEST(Timing, SharingIsFoundFromSamples) {
  // A 16 x 16 grid: row tiles are used by 16 workgroups, column tiles too.
  TraceInst load;
  load.unit = IssueUnit::VectorMemory;
  std::vector<TraceInst> program = {load, load, load};
  std::vector<WorkgroupTrace> traces(32);
  std::vector<SampledGroup> samples;
  std::vector<uint64_t> groups(256);
  std::iota(groups.begin(), groups.end(), 0);
  std::shuffle(groups.begin(), groups.end(), std::mt19937_64(3));
  for (uint32_t i = 0; i < 32; ++i) {
    uint64_t group = groups[i], row = group / 16, column = group % 16;
    uint64_t starts[3] = {row * 100, 100000 + column * 100,
                          1000000 + group * 100};
    WaveTrace wave;
    for (uint32_t inst = 0; inst < 3; ++inst) {
      wave.steps.push_back({inst, inst});
      traces[i].accesses.push_back({inst * 50, 50, 100});
      for (uint64_t l = 0; l < 50; ++l)
        traces[i].lines.push_back(starts[inst] + l);
    }
    traces[i].waves.push_back(wave);
    samples.push_back({&traces[i], true, true});
  }
  std::vector<SharingDegree> degrees =
      estimateSharing(program, samples, 256, 256);
  EXPECT_NEAR(degrees[0].inGrid, 16, 6);
  EXPECT_NEAR(degrees[1].inGrid, 16, 6);
  EXPECT_DOUBLE_EQ(degrees[2].inGrid, 1);
}

TEST(Timing, EveryConstantHasASource) {
  for (const char *arch : {"gfx942", "gfx950"}) {
    ASSERT_FALSE(listTimingConstants(arch).empty());
    for (const TimingConstant &row : listTimingConstants(arch)) {
      EXPECT_FALSE(row.source.empty()) << row.name.str();
      EXPECT_FALSE(row.unit.empty()) << row.name.str();
    }
  }
  EXPECT_EQ(getTimingConstants("gfx90a"), nullptr);
}

} // namespace
