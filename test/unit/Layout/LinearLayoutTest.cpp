//===- LinearLayoutTest.cpp -----------------------------------------------===//

#include "octavo/Layout/LinearLayout.h"

#include <gtest/gtest.h>
#include <set>

using namespace octavo;

namespace {
/// Operand A of a 16x16x32 matrix instruction on 8-bit floats.
LinearLayout operandA() {
  return LinearLayout({{0, 1}, {0, 2}, {0, 4}},
                      {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}, {0, 16}}, {},
                      {1, 1});
}

/// How many places hold each element of `shape`.
std::multiset<int64_t> places(const LinearLayout &layout) {
  std::multiset<int64_t> found;
  TileIndex shape = layout.shape();
  for (int64_t wave = 0; wave < layout.numWaves(); ++wave)
    for (int64_t lane = 0; lane < layout.numLanes(); ++lane)
      for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
        found.insert(linearize(layout.indexOf(reg, lane, wave), shape));
  return found;
}
} // namespace

TEST(LinearLayout, MapsAPlaceToAnIndex) {
  LinearLayout layout = operandA();
  EXPECT_EQ(layout.shape(), TileIndex({16, 32}));
  EXPECT_EQ(layout.check({16, 32}), "");
  // Lane 37 = row 5, second group of eight columns after the first 16.
  EXPECT_EQ(layout.indexOf(3, 37, 0), TileIndex({5, 19}));
  EXPECT_EQ(layout.findRegister({0, 5}), 5);
  EXPECT_EQ(layout.findRegister({1, 0}), std::nullopt);
}

TEST(LinearLayout, SaysWhatIsWrong) {
  LinearLayout layout = operandA();
  EXPECT_EQ(layout.check({16, 64}),
            "the layout covers 32 of the 64 elements of dimension 1");
  EXPECT_EQ(layout.check({16}), "the layout has 2 dimensions, the tile has 1");
  LinearLayout twice({{1}, {2}, {3}}, {{4}}, {}, {1});
  EXPECT_EQ(twice.check({8}), "registers hold duplicates");
  LinearLayout gap({{1}}, {{4}}, {}, {1});
  EXPECT_EQ(gap.check({8}), "the bases span 2 of the 3 index bits");
}

TEST(LinearLayout, BlockedCoversEveryElementOnce) {
  LinearLayout layout =
      LinearLayout::blocked({8, 192}, 4, 64, 4, {1, 0}, {0, 1});
  EXPECT_EQ(layout.check({8, 192}), "");
  EXPECT_EQ(layout.repetitions(), TileIndex({1, 3}));
  EXPECT_EQ(layout.contiguous(1), 4);
  std::multiset<int64_t> found = places(layout);
  // 64 lanes of 4 waves hold 1536 elements, so each has duplicates.
  EXPECT_EQ(layout.numRegisters(), 12);
  for (int64_t i = 0; i < 8 * 192; ++i)
    EXPECT_EQ(found.count(i), 256u * 12 / (8 * 192));
}

TEST(LinearLayout, LanesThatAreNotNeededHoldDuplicates) {
  LinearLayout layout = LinearLayout::blocked({16}, 4, 64, 2, {0}, {0});
  EXPECT_EQ(layout.duplicateLaneMask(), 0b111100);
  EXPECT_EQ(layout.duplicateWaveMask(), 1);
  EXPECT_EQ(places(layout).count(7), 32u);
}

TEST(LinearLayout, ReductionDropsADimension) {
  LinearLayout layout = operandA().dropDim(1);
  EXPECT_EQ(layout.shape(), TileIndex({16}));
  EXPECT_EQ(layout.numRegisters(), 1);
  EXPECT_EQ(layout.duplicateLaneMask(), 0b110000);
  EXPECT_EQ(layout.insertDim(1).shape(), TileIndex({16, 1}));
  EXPECT_EQ(operandA().shrinkDims({1}), layout.insertDim(1));
}

TEST(LinearLayout, PermutationMovesDimensions) {
  LinearLayout layout = operandA().permute({1, 0});
  EXPECT_EQ(layout.shape(), TileIndex({32, 16}));
  EXPECT_EQ(layout.indexOf(3, 37, 0), TileIndex({19, 5}));
}

TEST(LinearLayout, ReshapeKeepsRowMajorOrder) {
  LinearLayout layout = operandA();
  std::optional<LinearLayout> flat = layout.reshape({512});
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->indexOf(3, 37, 0), TileIndex({5 * 32 + 19}));
  EXPECT_EQ(flat->reshape({16, 32}), layout);
  std::optional<LinearLayout> other = layout.reshape({8, 2, 4, 8});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->indexOf(3, 37, 0), TileIndex({2, 1, 2, 3}));
}

TEST(LinearLayout, ReshapeMovesRepetitionsOnlyOutermost) {
  LinearLayout layout = LinearLayout::blocked({192, 4}, 4, 64, 1, {1, 0}, {0});
  std::optional<LinearLayout> flat = layout.reshape({768});
  ASSERT_TRUE(flat);
  for (int64_t reg = 0; reg < layout.numRegisters(); ++reg)
    EXPECT_EQ(linearize(layout.indexOf(reg, 5, 0), {192, 4}),
              flat->indexOf(reg, 5, 0)[0]);
  EXPECT_EQ(
      LinearLayout::blocked({4, 192}, 4, 64, 1, {1, 0}, {0}).reshape({192, 4}),
      std::nullopt);
}
