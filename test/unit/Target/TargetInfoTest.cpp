//===- TargetInfoTest.cpp -------------------------------------------------===//

#include "octavo/Target/TargetInfo.h"

#include <gtest/gtest.h>

using namespace octavo;

TEST(TargetInfo, FindsARowByNameWithFeatures) {
  const TargetInfo *row = lookupTarget("gfx942:sramecc+:xnack-");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->arch, "gfx942");
}

TEST(TargetInfo, HasNoDefaultRow) {
  EXPECT_EQ(lookupTarget("gfx90a"), nullptr);
  EXPECT_EQ(lookupTarget(""), nullptr);
}

TEST(TargetInfo, RegisterFileHoldsWholeGranules) {
  for (const TargetInfo &row : getTargets()) {
    EXPECT_EQ(row.vgprs % row.vgprGranule, 0u) << row.arch.str();
    EXPECT_EQ(row.ldsBytes % row.ldsGranuleBytes, 0u) << row.arch.str();
    EXPECT_EQ(row.computeUnits % row.xcds, 0u) << row.arch.str();
  }
}
