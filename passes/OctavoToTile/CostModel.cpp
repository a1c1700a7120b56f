//===- CostModel.cpp - Sizes of tiles -------------------------------------===//

#include "passes/OctavoToTile/CostModel.h"

#include "llvm/Support/MathExtras.h"

using namespace octavo;

/// Elements that a lane holds of one tile: enough for 16-byte reads and some
/// latency to hide, few enough for several tiles in registers.
static constexpr int64_t kElementsPerLane = 16;
/// Products with no more rows than this wait for the other operand.
static constexpr int64_t kFewRows = 64;
/// Rows longer than this are read in blocks.
static constexpr int64_t kLongestRow = 8192;

static int64_t powerOfTwoCeil(int64_t n) {
  return int64_t(llvm::PowerOf2Ceil(uint64_t(std::max<int64_t>(n, 1))));
}

int64_t LoopPlan::blockR(int64_t extent) const {
  int64_t whole = powerOfTwoCeil(extent);
  return std::min(whole, std::max<int64_t>(budget / blockX, 1));
}

int64_t LoopPlan::sharedBlockR(const TargetInfo &target, int64_t extent) const {
  return std::min(powerOfTwoCeil(extent),
                  waves * target.waveSize * kElementsPerLane / 2);
}

/// Neighbours in memory are elements of one row: rows first fill the lanes, and
/// a workgroup takes several short ones.
static LoopPlan planRows(const TargetInfo &target, int64_t extentX,
                         int64_t extentR, int64_t units) {
  int64_t row = powerOfTwoCeil(extentR);
  int64_t lanes = 4 * target.waveSize;
  LoopPlan plan{1, 4, kLongestRow};
  if (row >= kLongestRow)
    return plan;
  plan.blockX = std::max<int64_t>(lanes * kElementsPerLane / 2 / row, 1);
  plan.blockX = std::min(plan.blockX, powerOfTwoCeil(extentX));
  // Idle compute units are worse than idle lanes.
  while (plan.blockX > 1 &&
         int64_t(llvm::divideCeil(extentX, plan.blockX)) < units)
    plan.blockX /= 2;
  plan.budget = std::max(plan.blockX * row, lanes);
  while (plan.waves > 1 &&
         plan.waves / 2 * target.waveSize * 4 >= plan.blockX * row)
    plan.waves /= 2;
  return plan;
}

/// Neighbours in memory are different x: x fills the lanes, the reduction is
/// looped over.
static LoopPlan planColumns(const TargetInfo &target, int64_t extentX,
                            int64_t extentR, int64_t units) {
  int64_t lanes = 4 * target.waveSize;
  LoopPlan plan{std::min<int64_t>(64, powerOfTwoCeil(extentX)), 4, 0};
  while (plan.blockX > 16 &&
         int64_t(llvm::divideCeil(extentX, plan.blockX)) < units)
    plan.blockX /= 2;
  plan.budget = lanes * kElementsPerLane / 2;
  // Short reductions: more of x, as long as there is work for everybody.
  while (2 * plan.blockX * powerOfTwoCeil(extentR) <= plan.budget &&
         llvm::divideCeil(extentX, 2 * plan.blockX) >= 2 * target.computeUnits)
    plan.blockX *= 2;
  plan.budget = std::min(plan.budget, plan.blockX * powerOfTwoCeil(extentR));
  plan.budget = std::max(plan.budget, plan.blockX);
  while (plan.waves > 1 && plan.waves / 2 * target.waveSize * 2 >= plan.budget)
    plan.waves /= 2;
  return plan;
}

/// No reduction: 8 elements a lane, fewer where compute units would be idle.
static LoopPlan planPoints(const TargetInfo &target, int64_t extentX,
                           int64_t units) {
  LoopPlan plan{8 * 4 * int64_t(target.waveSize), 4, 0};
  while (plan.blockX > 4 * target.waveSize &&
         int64_t(llvm::divideCeil(extentX, plan.blockX)) < 2 * units)
    plan.blockX /= 2;
  while (plan.waves > 1 && plan.blockX / 2 >= extentX) {
    plan.blockX /= 2;
    plan.waves /= 2;
  }
  plan.blockX = std::min(plan.blockX, powerOfTwoCeil(extentX));
  plan.budget = plan.blockX;
  return plan;
}

LoopPlan octavo::planLoops(const TargetInfo &target, const Domain &domain,
                           int64_t extentR, double share) {
  int64_t extentX = domain.extentX();
  int64_t units = std::max<int64_t>(int64_t(target.computeUnits * share), 1);
  if (extentR == 1)
    return planPoints(target, extentX, units);
  if (domain.isReducedMinor() || extentX == 1)
    return planRows(target, extentX, extentR, units);
  return planColumns(target, extentX, extentR, units);
}

ScatterPlan octavo::planScatter(const TargetInfo &target, int64_t rows,
                                int64_t columns, int64_t tokens) {
  ScatterPlan plan{1, std::min<int64_t>(powerOfTwoCeil(columns), 256), 1};
  auto workgroups = [&] {
    return int64_t(llvm::divideCeil(rows, plan.rows) *
                   llvm::divideCeil(columns, plan.columns));
  };
  // Each workgroup looks at all indices: beyond what hides latency, more of
  // them are only more looking. Few indices are soon seen.
  int64_t enough = 8 * int64_t(target.computeUnits);
  if (workgroups() > enough && tokens > 64)
    plan.columns = std::min<int64_t>(powerOfTwoCeil(columns), 1024);
  while (workgroups() > enough && plan.rows < rows && plan.rows < (1 << 20))
    plan.rows *= 2;
  return plan;
}

MatmulPlan octavo::planMatmul(const TargetInfo &target,
                              llvm::ArrayRef<int64_t> bmnk, unsigned bits) {
  int64_t batch = bmnk[0], m = bmnk[1], n = bmnk[2], k = bmnk[3];
  MatmulPlan plan{256, 256, 64, 4, 1};
  plan.blockM =
      std::min<int64_t>(plan.blockM, std::max<int64_t>(powerOfTwoCeil(m), 16));
  plan.blockN =
      std::min<int64_t>(plan.blockN, std::max<int64_t>(powerOfTwoCeil(n), 16));
  auto workgroups = [&] {
    return batch * llvm::divideCeil(m, plan.blockM) *
           llvm::divideCeil(n, plan.blockN);
  };
  // Smaller tiles until every compute unit has one; the longer side first.
  while (int64_t(workgroups()) < target.computeUnits &&
         plan.blockM * plan.blockN > 32 * 32)
    (plan.blockM >= plan.blockN ? plan.blockM : plan.blockN) /= 2;
  // A product of few rows waits for memory: every compute unit should read for
  // as long as the others. (Narrow tiles that are mostly empty rows do not
  // pay.)
  auto balance = [&] {
    int64_t count = workgroups(), units = target.computeUnits;
    return double(count) / double(llvm::divideCeil(count, units) * units);
  };
  if (m <= kFewRows && 2 * m >= plan.blockM &&
      int64_t(workgroups()) > target.computeUnits) {
    int64_t best = plan.blockN;
    double highest = balance();
    for (; plan.blockN > 32;) {
      plan.blockN /= 2;
      if (balance() > highest + 0.01) {
        highest = balance();
        best = plan.blockN;
      }
    }
    plan.blockN = best;
  }
  // A lane of 4 waves holds 16 KiB / 256 lanes of both operands' blocks.
  plan.blockK = 128 * 8 / std::max(8u, bits);
  plan.blockK =
      std::min<int64_t>(plan.blockK, std::max<int64_t>(powerOfTwoCeil(k), 32));
  while (plan.blockK > 32 &&
         (plan.blockM + plan.blockN) * plan.blockK * bits / 8 > 32 * 1024)
    plan.blockK /= 2;
  // A wave owns at least a fragment of 16x16, better 32x32.
  while (plan.waves > 1 && plan.blockM * plan.blockN / plan.waves < 16 * 16)
    plan.waves /= 2;
  return plan;
}
