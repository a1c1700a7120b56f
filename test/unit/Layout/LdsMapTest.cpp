//===- LdsMapTest.cpp -----------------------------------------------------===//

#include "octavo/Layout/BankConflicts.h"

#include <gtest/gtest.h>
#include <set>

using namespace octavo;

namespace {
/// Rows of 64 elements; a lane loads 8 neighbours of a row.
LinearLayout loaded() {
  return LinearLayout::blocked({64, 64}, 8, 64, 4, {1, 0}, {0, 1});
}

/// The same tile as operand of a 16x16 matrix instruction.
LinearLayout operand() {
  return LinearLayout({{0, 1}, {0, 2}, {0, 4}, {0, 32}, {16, 0}},
                      {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}, {0, 16}},
                      {{32, 0}, {0, 0}}, {1, 1});
}
} // namespace

TEST(LdsMap, PutsBasesAtPowersOfTwo) {
  LdsMap map({4, 8}, {{0, 2}, {3, 1}});
  EXPECT_EQ(map.positionOf({0, 2}), 1);
  EXPECT_EQ(map.positionOf({3, 1}), 2);
  std::set<int64_t> seen;
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 8; ++j)
      seen.insert(map.positionOf({i, j}));
  EXPECT_EQ(seen.size(), 32u);
  EXPECT_EQ(*seen.rbegin(), 31);
}

TEST(LdsMap, RepetitionsFollowEachOther) {
  LdsMap map({6, 4}, {});
  std::set<int64_t> seen;
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 4; ++j)
      seen.insert(map.positionOf({i, j}));
  EXPECT_EQ(seen.size(), 24u);
  EXPECT_EQ(*seen.rbegin(), 23);
}

TEST(BankConflicts, SwizzleLeavesNoConflict) {
  for (const TargetInfo &target : getTargets()) {
    LdsMap map = makeSwizzledMap(loaded(), operand(), 2, target);
    std::set<int64_t> seen;
    for (int64_t i = 0; i < 64; ++i)
      for (int64_t j = 0; j < 64; ++j)
        seen.insert(map.positionOf({i, j}));
    EXPECT_EQ(seen.size(), 64u * 64) << target.arch.str();
    // Lanes of 16 bytes: a phase of 8 (16) lanes is one cycle of 32 (64) banks.
    EXPECT_EQ(countLdsCycles(loaded(), map, 2, /*isWrite=*/true, target),
              2 * 8);
    int64_t lanes = target.ldsBanks / 4;
    EXPECT_EQ(countLdsCycles(operand(), map, 2, /*isWrite=*/false, target),
              4 * (64 / lanes))
        << target.arch.str();
  }
}

TEST(BankConflicts, RowsOf128BytesCollideWithoutSwizzle) {
  const TargetInfo *target = lookupTarget("gfx942");
  LdsMap rows({64, 64}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}});
  EXPECT_GT(countLdsCycles(operand(), rows, 2, /*isWrite=*/false, *target),
            4 * 8);
}
