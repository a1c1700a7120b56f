//===- LdsCost.cpp - Cycles of one LDS access -----------------------------===//

#include "lib/Simulator/Timing/LdsCost.h"
#include "lib/Simulator/Timing/Constants.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace octavo::sim;

namespace {

/// Which phase serves a lane, how many there are, and over how many banks.
struct Phases {
  std::array<uint8_t, 64> of;
  uint32_t count, banks;
};

Phases consecutive(uint32_t lanesPerPhase, uint32_t banks) {
  Phases p{{}, 64 / lanesPerPhase, banks};
  for (uint32_t lane = 0; lane < 64; ++lane)
    p.of[lane] = uint8_t(lane / lanesPerPhase);
  return p;
}

/// {0-3,20-23}, {4-7,16-19}, {8-11,28-31}, {12-15,24-27}, all + 32.
Phases eightByEight(uint32_t banks) {
  constexpr uint8_t quad[8] = {0, 1, 2, 3, 1, 0, 3, 2};
  Phases p{{}, 8, banks};
  for (uint32_t lane = 0; lane < 64; ++lane)
    p.of[lane] = uint8_t(quad[lane % 32 / 4] + 4 * (lane / 32));
  return p;
}

/// {0-3,12-15,20-27}, {4-11,16-19,28-31}, both + 32.
Phases fourBySixteen(uint32_t banks) {
  constexpr uint8_t quad[8] = {0, 1, 1, 0, 1, 0, 0, 1};
  Phases p{{}, 4, banks};
  for (uint32_t lane = 0; lane < 64; ++lane)
    p.of[lane] = uint8_t(quad[lane % 32 / 4] + 2 * (lane / 32));
  return p;
}

Phases getReadPhases(bool isWide, uint32_t bytes) {
  if (bytes > 12)
    return isWide ? fourBySixteen(64) : eightByEight(32);
  if (bytes > 8)
    return eightByEight(32);
  if (bytes > 4)
    return isWide ? consecutive(32, 64) : consecutive(16, 32);
  return consecutive(32, isWide ? 64 : 32); // assumed on the wide LDS
}

Phases getWritePhases(uint32_t bytes) {
  if (bytes > 8)
    return consecutive(8, 32);
  return bytes > 4 ? consecutive(16, 32) : consecutive(32, 32);
}

} // namespace

LdsCost octavo::sim::getLdsCost(llvm::StringRef arch, const LdsAccess &access) {
  bool isWide = arch == "gfx950";
  Phases phases = access.isWrite ? getWritePhases(access.bytes)
                                 : getReadPhases(isWide, access.bytes);
  uint32_t words = std::max(1u, access.bytes / 4), cycles = 0;
  std::vector<uint32_t> touched;
  for (uint32_t phase = 0; phase < phases.count; ++phase) {
    touched.clear();
    for (uint32_t lane = 0; lane < access.addresses.size(); ++lane)
      if ((access.lanes >> lane & 1) && phases.of[lane] == phase)
        for (uint32_t w = 0; w < words; ++w)
          touched.push_back(uint32_t(access.addresses[lane] / 4) + w);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::array<uint32_t, 64> load{};
    uint32_t worst = 0;
    for (uint32_t word : touched)
      worst = std::max(worst, ++load[word % phases.banks]);
    cycles += worst;
  }
  uint32_t ideal = phases.count;
  if (access.isWrite) {
    const TimingConstants *constants = getTimingConstants(arch);
    if (constants) {
      // The store port is a floor under the banks; between the two published
      // widths the cost is taken as linear.
      double port =
          constants->ldsStoreDwordCycles +
          (std::max(4u, access.bytes) - 4) / 12.0 *
              (constants->ldsStoreQuadCycles - constants->ldsStoreDwordCycles);
      ideal = std::max(ideal, uint32_t(port));
    }
    cycles = cycles ? std::max(cycles, ideal) : 0;
  }
  return {cycles, std::min(ideal, cycles)};
}
