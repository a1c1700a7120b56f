//===- OperandMap.cpp - Which lane holds which element --------------------===//

#include "lib/Simulator/Matrix/OperandMap.h"

using namespace octavo::sim;

OperandPlace octavo::sim::locateInput(const MatrixInstruction &instruction,
                                      MatrixElement element, uint32_t row,
                                      uint32_t k, uint32_t block,
                                      bool isSparseOperand) {
  uint32_t kElements = isSparseOperand ? instruction.k / 2u : instruction.k;
  // M = N in every instruction, so one size serves both operands.
  uint32_t rows = instruction.m, blocks = instruction.blocks;
  uint32_t perLane = kElements * rows * blocks / 64;
  if (instruction.selectsFormat && getElementBits(element) == 8) {
    uint32_t half = kElements / 2, inHalf = k % half;
    return {16 * (k / half) + inHalf % 16, row + rows * (inHalf / 16)};
  }
  return {k % perLane, row + rows * (block + blocks * (k / perLane))};
}

OperandPlace octavo::sim::locateResult(const MatrixInstruction &instruction,
                                       uint32_t i, uint32_t j, uint32_t block) {
  uint32_t m = instruction.m, n = instruction.n;
  uint32_t h = instruction.a == MatrixElement::F64 ? 1 : 4;
  uint32_t groups = n * m / h;
  uint32_t bi = (64 + groups - 1) / groups;
  uint32_t mi = 64 / bi / n;
  uint32_t g = m / (h * mi);
  return {i % h + h * (i / (h * mi) % g + g * (block / bi)),
          j + n * (i / h % mi + mi * (block % bi))};
}

IndexPlace octavo::sim::locateIndex(const MatrixInstruction &instruction,
                                    uint32_t cbsz, uint32_t abid, uint32_t row,
                                    uint32_t k) {
  OperandPlace place =
      locateInput(instruction, instruction.a, row, k, 0, /*sparse=*/true);
  uint32_t held = instruction.k / 2u * instruction.m / 64;
  // abid selects one of the sets of a register unless cbsz asks for the first.
  uint32_t set = cbsz == 0 ? abid % (16 / held) : 0;
  return {place.lane, 2 * held * set + 2 * place.element};
}

OperandPlan octavo::sim::makeOperandPlan(const MatrixInstruction &instruction) {
  OperandPlan plan;
  for (uint32_t block = 0; block < instruction.blocks; ++block) {
    for (uint32_t k = 0; k < instruction.k; ++k) {
      auto add = [&](std::vector<uint16_t> &rows, MatrixElement element) {
        rows.push_back(locateInput(instruction, element, 0, k, block).offset());
      };
      add(plan.input, instruction.a);
      if (instruction.selectsFormat)
        add(plan.narrow, MatrixElement::E2M1);
    }
    for (uint32_t i = 0; i < instruction.m; ++i)
      plan.result.push_back(locateResult(instruction, i, 0, block).offset());
  }
  if (instruction.sparse)
    for (uint32_t k = 0; k < instruction.k / 2u; ++k)
      plan.sparse.push_back(
          locateInput(instruction, instruction.a, 0, k, 0, true).offset());
  return plan;
}
