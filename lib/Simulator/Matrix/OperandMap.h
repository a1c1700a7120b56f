//===- OperandMap.h - Which lane holds which element ------------*- C++ -*-===//
//
// For dense operands the CDNA3 manual (7.1.4) gives, with L = K * M * blocks /
// 64 elements a lane,
//
//   A[i][k] of block b:  element k % L, lane i + M * (b + blocks * (k / L))
//   D[i][j] of block b:  element i % H + H * ((i / (H * MI)) % G + G * (b /
//   BI))
//                        lane j + N * ((i / H) % MI + MI * (b % BI))
//
// with H = 4 (1 for f64), BI = ceil(64 / (N * M / H)), MI = (64 / BI) / N and
// G = M / (H * MI). B[k][j] follows A with j for i. The 8-bit operands of the
// f8f6f4 instructions hold two runs of 16 along K (facts: hardware, section 4).
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_MATRIX_OPERANDMAP_H
#define OCTAVO_SIMULATOR_MATRIX_OPERANDMAP_H

#include "lib/Simulator/Matrix/Matrix.h"

#include <vector>

namespace octavo::sim {

/// Where an element is: element number within the lane, and lane. For C and D
/// and for f64 operands the element is also counted in elements, not registers.
struct OperandPlace {
  uint32_t element, lane;
  /// Offset in an element-major array.
  uint16_t offset() const { return uint16_t(64 * element + lane); }
};

/// A[row][k] or B[k][row]; `size` is M or N. For a sparse A, `k` counts the
/// elements that are held.
OperandPlace locateInput(const MatrixInstruction &instruction,
                         MatrixElement element, uint32_t row, uint32_t k,
                         uint32_t block, bool isSparseOperand = false);

/// C[i][j] and D[i][j].
OperandPlace locateResult(const MatrixInstruction &instruction, uint32_t i,
                          uint32_t j, uint32_t block);

/// Lane of the register of indices for row i and held element k of a sparse A,
/// and the position of its first bit there.
struct IndexPlace {
  uint32_t lane, bit;
};
IndexPlace locateIndex(const MatrixInstruction &instruction, uint32_t cbsz,
                       uint32_t abid, uint32_t row, uint32_t k);

/// Row offsets for the kernels, block after block.
struct OperandPlan {
  /// `blocks * k` rows of A and B as dense operands; with f8f6f4 those of an
  /// 8-bit operand, and `narrow` those of a 6- or 4-bit one.
  std::vector<uint16_t> input, narrow;
  /// Held rows of a sparse A.
  std::vector<uint16_t> sparse;
  /// `blocks * m` rows of C and D.
  std::vector<uint16_t> result;
};

OperandPlan makeOperandPlan(const MatrixInstruction &instruction);

/// executeMatrix for f64.
void executeDoubleMatrix(const MatrixInstruction &instruction,
                         const MatrixOperands &operands);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_MATRIX_OPERANDMAP_H
