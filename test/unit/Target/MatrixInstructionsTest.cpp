//===- MatrixInstructionsTest.cpp -----------------------------------------===//

#include "octavo/Target/MatrixInstructions.h"

#include <gtest/gtest.h>

using namespace octavo;

/// XOR of all steps, and how many there are.
static void addSteps(llvm::ArrayRef<uint16_t> steps, uint32_t &all,
                     uint32_t &count) {
  for (uint16_t step : steps) {
    all ^= step;
    ++count;
  }
}

TEST(MatrixInstructions, EveryElementHasOnePlace) {
  for (const TargetInfo &target : getTargets()) {
    EXPECT_FALSE(getMatrixInstructions(target).empty());
    for (const MatrixInstruction &row : getMatrixInstructions(target)) {
      uint32_t all = 0, count = 0;
      addSteps(row.registerK, all, count);
      addSteps(row.laneK, all, count);
      EXPECT_EQ(all, row.k - 1u) << row.name.str();
      EXPECT_EQ(row.m * row.k, 64 * row.operandElements()) << row.name.str();
      all = count = 0;
      addSteps(row.registerM, all, count);
      addSteps(row.laneM, all, count);
      EXPECT_EQ(all, row.m - 1u) << row.name.str();
      EXPECT_EQ(row.m * row.n, 64 * row.resultElements()) << row.name.str();
    }
  }
}

TEST(MatrixInstructions, AreFoundByNameAndTypes) {
  const TargetInfo *target = lookupTarget("gfx950");
  const MatrixInstruction *row =
      findMatrixInstruction(*target, "mfma.scale.f32.16x16x128.f8f6f4",
                            MatrixElement::F8E4M3, MatrixElement::F8E5M2);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->operandRegisters(), 8u);
  EXPECT_EQ(row->resultRegisters(), 4u);
  EXPECT_EQ(getFormatCode(row->a), 0u);
  EXPECT_EQ(getFormatCode(row->b), 1u);
  EXPECT_EQ(
      findMatrixInstruction(*lookupTarget("gfx942"), row->name, row->a, row->b),
      nullptr);
}
