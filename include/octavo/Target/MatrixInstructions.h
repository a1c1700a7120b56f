//===- MatrixInstructions.h - What the matrix cores can do ------*- C++ -*-===//
//
// One row per matrix instruction of a GPU: D = A·B + C with A of m x k, B of
// k x n. Which lane holds what is a linear layout (lib/Layout) that is given by
// few numbers, because all instructions share a scheme:
//
//   operands  the low bits of the lane count rows of A (columns of B); the
//   lane's
//             other bits and the bits of the register step along k
//   result    the low bits of the lane count columns; the lane's other bits and
//             the bits of the register step along rows
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_TARGET_MATRIXINSTRUCTIONS_H
#define OCTAVO_TARGET_MATRIXINSTRUCTIONS_H

#include "octavo/Target/TargetInfo.h"

namespace octavo {

/// Element types; the encoding of the 8-bit floats is the target's.
enum class MatrixElement { F8E4M3, F8E5M2, BF16, F16, F32, F64, I8, I32 };

/// Bits of an element.
uint32_t getElementBits(MatrixElement element);

/// One instruction.
struct MatrixInstruction {
  /// LLVM's intrinsic after "llvm.amdgcn.", also the op of the rocdl dialect.
  llvm::StringLiteral name;
  MatrixElement a, b, accumulator;
  uint16_t m, n, k;
  /// Time on the matrix core in units of 4 cycles.
  uint16_t passes;
  /// Steps along k of the register's and the lane's bits of an operand.
  llvm::ArrayRef<uint16_t> registerK, laneK;
  /// Steps along the rows of the register's and the lane's bits of the result.
  llvm::ArrayRef<uint16_t> registerM, laneM;
  /// The formats of 8-bit operands are arguments, as are two scales.
  bool selectsFormat;

  /// Elements of an operand and of the result that a lane holds.
  uint32_t operandElements() const { return 1u << registerK.size(); }
  uint32_t resultElements() const { return 1u << registerM.size(); }
  /// Registers of 32 bits that a lane's part takes.
  uint32_t operandRegisters() const {
    return operandElements() * getElementBits(a) / 32;
  }
  uint32_t resultRegisters() const {
    return resultElements() * getElementBits(accumulator) / 32;
  }
};

/// The instructions of `target`, in no particular order.
llvm::ArrayRef<MatrixInstruction>
getMatrixInstructions(const TargetInfo &target);

/// The row with this name and operand types, or null.
const MatrixInstruction *findMatrixInstruction(const TargetInfo &target,
                                               llvm::StringRef name,
                                               MatrixElement a,
                                               MatrixElement b);

/// The number that selects the format of an operand of an instruction with
/// `selectsFormat`.
uint32_t getFormatCode(MatrixElement element);

} // namespace octavo

#endif // OCTAVO_TARGET_MATRIXINSTRUCTIONS_H
