//===- Sharing.cpp - How many workgroups use the same lines ---------------===//

#include "lib/Simulator/Timing/Sharing.h"

#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <bit>
#include <map>

using namespace octavo::sim;

namespace {

/// Bit i of a mask: sample i touches the line.
using LineMasks = llvm::DenseMap<uint64_t, uint32_t>;

/// d from the mean of c over all pairs of a line and a sample that has it.
double estimate(const LineMasks &lines, uint32_t members, uint64_t population) {
  uint64_t pairs = 0, met = 0;
  for (auto [line, mask] : lines) {
    uint64_t count = uint64_t(std::popcount(mask & members));
    pairs += count;
    met += count * count;
  }
  uint64_t samples = uint64_t(std::popcount(members));
  if (pairs == 0 || samples < 2 || population < 2)
    return 1;
  double mean = double(met) / double(pairs);
  return 1 + (mean - 1) * double(population - 1) / double(samples - 1);
}

/// An address range that some load instructions share.
struct Region {
  uint64_t first, last;
  std::vector<uint32_t> insts;
};

std::vector<Region> findRegions(const std::map<uint32_t, LineMasks> &perInst) {
  std::vector<Region> regions;
  for (auto &[inst, masks] : perInst) {
    Region region{~uint64_t(0), 0, {inst}};
    for (auto [line, mask] : masks) {
      region.first = std::min(region.first, line);
      region.last = std::max(region.last, line);
    }
    if (!masks.empty())
      regions.push_back(region);
  }
  std::sort(regions.begin(), regions.end(),
            [](const Region &a, const Region &b) { return a.first < b.first; });
  std::vector<Region> joined;
  for (Region &region : regions) {
    if (joined.empty() || joined.back().last < region.first) {
      joined.push_back(std::move(region));
      continue;
    }
    joined.back().last = std::max(joined.back().last, region.last);
    joined.back().insts.push_back(region.insts.front());
  }
  return joined;
}

/// n L / S for one region and the samples in `members`.
double estimateByRange(const Region &region,
                       const std::map<uint32_t, LineMasks> &perInst,
                       uint32_t members, uint64_t population) {
  LineMasks lines;
  for (uint32_t inst : region.insts)
    for (auto [line, mask] : perInst.at(inst))
      if (mask & members)
        lines[line] |= mask & members;
  uint64_t samples = uint64_t(std::popcount(members)), pairs = 0;
  if (lines.empty() || samples < 2)
    return 1;
  uint64_t first = ~uint64_t(0), last = 0;
  for (auto [line, mask] : lines) {
    pairs += uint64_t(std::popcount(mask));
    first = std::min(first, line);
    last = std::max(last, line);
  }
  double perGroup = double(pairs) / double(samples);
  return double(population) * perGroup / double(last - first + 1);
}

} // namespace

std::vector<SharingDegree>
octavo::sim::estimateSharing(llvm::ArrayRef<TraceInst> program,
                             llvm::ArrayRef<SampledGroup> samples,
                             uint64_t xcdGroups, uint64_t gridGroups) {
  std::map<uint32_t, LineMasks> perInst;
  uint32_t xcdMembers = 0, gridMembers = 0, xcdEdges = 0, gridEdges = 0;
  for (size_t i = 0; i < std::min<size_t>(samples.size(), 32); ++i) {
    const WorkgroupTrace &trace = *samples[i].trace;
    uint32_t bit = 1u << i;
    xcdMembers |= samples[i].onXcd ? bit : 0;
    gridMembers |= samples[i].inGrid ? bit : 0;
    xcdEdges |= samples[i].xcdEdge ? bit : 0;
    gridEdges |= samples[i].gridEdge ? bit : 0;
    for (const WaveTrace &wave : trace.waves)
      for (const TraceStep &step : wave.steps) {
        if (step.access == noAccess ||
            program[step.inst].unit != IssueUnit::VectorMemory ||
            program[step.inst].isStore)
          continue;
        const TraceAccess &access = trace.accesses[step.access];
        LineMasks &masks = perInst[step.inst];
        for (uint32_t l = 0; l < access.lineCount; ++l)
          masks[trace.lines[access.firstLine + l]] |= bit;
      }
  }
  std::vector<SharingDegree> degrees(program.size());
  for (auto &[inst, masks] : perInst) {
    SharingDegree &degree = degrees[inst];
    degree.onXcd = estimate(masks, xcdMembers, xcdGroups);
    degree.inGrid =
        std::max(degree.onXcd, estimate(masks, gridMembers, gridGroups));
  }
  for (const Region &region : findRegions(perInst)) {
    double onXcd =
        estimateByRange(region, perInst, xcdMembers | xcdEdges, xcdGroups);
    double inGrid =
        estimateByRange(region, perInst, gridMembers | gridEdges, gridGroups);
    for (uint32_t inst : region.insts) {
      SharingDegree &degree = degrees[inst];
      degree.onXcd = std::max(degree.onXcd, onXcd);
      degree.inGrid = std::max({degree.inGrid, degree.onXcd, inGrid});
    }
  }
  return degrees;
}
