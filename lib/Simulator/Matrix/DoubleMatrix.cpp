//===- DoubleMatrix.cpp - v_mfma_f64 --------------------------------------===//

#include "lib/Simulator/Matrix/OperandMap.h"

#include <bit>
#include <cmath>

using namespace octavo::sim;

static double readDouble(const uint32_t *registers, OperandPlace place) {
  uint64_t low = registers[128 * place.element + place.lane];
  uint64_t high = registers[128 * place.element + 64 + place.lane];
  return std::bit_cast<double>(high << 32 | low);
}

/// A chain of FMA in K order; BLGP is negation here.
void octavo::sim::executeDoubleMatrix(const MatrixInstruction &instruction,
                                      const MatrixOperands &operands) {
  double result[256];
  OperandPlace places[256];
  uint32_t count = 0;
  for (uint32_t block = 0; block < instruction.blocks; ++block)
    for (uint32_t i = 0; i < instruction.m; ++i)
      for (uint32_t j = 0; j < instruction.n; ++j) {
        OperandPlace at = locateResult(instruction, i, j, block);
        double sum = readDouble(operands.c, at);
        sum = operands.absoluteC ? std::fabs(sum) : sum;
        sum = operands.negateC ? -sum : sum;
        for (uint32_t k = 0; k < instruction.k; ++k) {
          double x = readDouble(
              operands.a, locateInput(instruction, instruction.a, i, k, block));
          double y = readDouble(
              operands.b, locateInput(instruction, instruction.b, j, k, block));
          sum = std::fma(operands.negateA ? -x : x, operands.negateB ? -y : y,
                         sum);
        }
        places[count] = at;
        result[count++] = sum;
      }
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t bits = std::bit_cast<uint64_t>(result[i]);
    uint32_t *to = operands.d + 128 * places[i].element + places[i].lane;
    to[0] = uint32_t(bits);
    to[64] = uint32_t(bits >> 32);
  }
}
