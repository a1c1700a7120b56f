//===- CostModelParts.cpp - Products in parts of K ------------------------===//
//
// An estimate of a product's time in cycles: its loop by the unit that binds
// it, and its traffic to memory. It need not be exact; it decides between times
// that differ much.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/CostModel.h"

#include "octavo/Target/MatrixInstructions.h"

#include "llvm/Support/MathExtras.h"

using namespace octavo;

/// Cycles until a launch's first tiles have come from memory, and after its
/// last product until the results are written.
static constexpr double kFillCycles = 3000;
/// Cycles of one step along K if nothing but waiting takes time, in tiles of up
/// to `kHidingArea` elements; larger ones hide it better.
static constexpr double kStepCycles = 1000, kHidingArea = 64 * 64;
/// What a compute unit reads from its caches, and the device from its memory,
/// as a share of the nominal rate.
static constexpr double kCacheBytesPerCycle = 64, kMemoryShare = 0.8;
/// A part has at least so many terms, and whole steps along K.
static constexpr int64_t kLeastPart = 128, kStepMultiple = 32;
/// Splitting must be worth its second launch.
static constexpr double kLeastGain = 0.9;

/// Operations of a compute unit in a cycle, or 0 if there is no instruction.
static double getMatrixRate(const TargetInfo &target, unsigned bits) {
  double best = 0;
  for (const MatrixInstruction &row : getMatrixInstructions(target))
    if (getElementBits(row.a) == bits && getElementBits(row.b) == bits)
      best = std::max(best, 2.0 * row.m * row.n * row.k / (4.0 * row.passes));
  return best * target.simdsPerComputeUnit;
}

static double getMemoryCycles(const TargetInfo &target, double bytes) {
  double perCycle =
      target.memoryGBps * 1e3 * kMemoryShare / target.peakClockMHz;
  return bytes / perCycle;
}

/// The cycles of a product in `parts` without those of the sum.
static double estimateProduct(const TargetInfo &target, const ProductSizes &s,
                              int64_t parts, double rate) {
  unsigned bits = std::min(s.bitsA, s.bitsB);
  int64_t k = s.k / parts;
  MatmulPlan plan = planMatmul(target, {s.batch * parts, s.m, s.n, k}, bits);
  int64_t tiles = s.batch * parts * llvm::divideCeil(s.m, plan.blockM) *
                  llvm::divideCeil(s.n, plan.blockN);
  double onUnit = double(llvm::divideCeil(tiles, target.computeUnits));
  double area = double(plan.blockM) * double(plan.blockN);
  double matrix = onUnit * 2 * area * double(k) / rate;
  double bytes = double(plan.blockM * s.bitsA + plan.blockN * s.bitsB) / 8;
  double cache = onUnit * bytes * double(k) / kCacheBytesPerCycle;
  // Two workgroups or more wait at the same time.
  double rounds = std::max(1.0, onUnit / 2);
  double wait = rounds * double(llvm::divideCeil(k, plan.blockK)) *
                kStepCycles * std::min(1.0, kHidingArea / area);
  double traffic =
      double(s.batch) *
      (double(s.k) * double(s.m * s.bitsA + s.n * s.bitsB) / 8 +
       double(parts * s.m * s.n) * (parts > 1 ? 32 : s.bitsResult) / 8);
  return kFillCycles +
         std::max({matrix, cache, wait, getMemoryCycles(target, traffic)});
}

/// The cycles of the sum over the parts.
static double estimateSum(const TargetInfo &target, const ProductSizes &s,
                          int64_t parts) {
  double elements = double(s.batch) * double(s.m) * double(s.n);
  double bytes = elements * (double(parts) * 4 + double(s.bitsResult) / 8);
  return kFillCycles + getMemoryCycles(target, bytes);
}

int64_t octavo::planParts(const TargetInfo &target, const ProductSizes &sizes) {
  double rate = getMatrixRate(target, std::min(sizes.bitsA, sizes.bitsB));
  if (rate == 0 || sizes.k < 2 * kLeastPart)
    return 1;
  double whole = estimateProduct(target, sizes, 1, rate);
  int64_t best = 1;
  double least = whole * kLeastGain;
  for (int64_t parts = 2; parts * kLeastPart <= sizes.k; ++parts) {
    if (sizes.k % (parts * sizes.leastPart) != 0 ||
        (sizes.k / parts) % kStepMultiple != 0 ||
        sizes.batch * parts > int64_t(target.computeUnits))
      continue;
    double cycles = estimateProduct(target, sizes, parts, rate) +
                    estimateSum(target, sizes, parts);
    if (cycles < least) {
      least = cycles;
      best = parts;
    }
  }
  return best;
}
