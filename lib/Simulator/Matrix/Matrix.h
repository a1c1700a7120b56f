//===- Matrix.h - What the matrix instructions compute ----------*- C++ -*-===//
//
// All v_mfma_*, v_mfma_scale_* and v_smfmac_* of gfx942 and gfx950: operand
// maps, number formats and accumulation by a named numeric model.
//
// Registers are register-major: register r of an operand is the 64 consecutive
// uint32_t at `pointer + 64 * r`, one per lane. MFMA ignores EXEC.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_MATRIX_MATRIX_H
#define OCTAVO_SIMULATOR_MATRIX_MATRIX_H

#include "lib/Simulator/Matrix/MatrixElement.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace octavo::sim {

/// How products are accumulated. Floating-point only: i8 is exact and wraps,
/// f32 and f64 are chains of FMA in K order whatever the model.
enum class MatrixModel : uint8_t {
  /// The published bit-exact rule of CDNA3 (facts: simulator, 4.1 and 4.2). On
  /// gfx950 it is assumed for f16, bf16 and the classic 8-bit shapes.
  CDNA3,
  /// Exact dot product of each block of 32, times its scales, added to C in
  /// ascending block order with one rounding to nearest even a block. Assumed:
  /// gfx950's f8f6f4 accumulation is unpublished. 8-, 6- and 4-bit only.
  ExactBlock,
  /// One f32 FMA a product in K order (for f8f6f4: a chain a block, which is
  /// scaled and added). Matches other emulators.
  FmaChain,
};

/// One instruction on one chip.
struct MatrixInstruction {
  /// As LLVM prints it, without _e64.
  llvm::StringRef mnemonic;
  llvm::StringRef arch;
  /// Elements of A and B. With `selectsFormat` cbsz and blgp choose them.
  MatrixElement a, b;
  /// M, N, K of one block and the number of blocks. K counts the zeros that a
  /// sparse A leaves out.
  uint16_t m, n, k, blocks;
  /// v_smfmac: A holds 2 of each 4 elements along K.
  bool sparse;
  /// f8f6f4: cbsz and blgp are the formats of A and B.
  bool selectsFormat;
  /// Takes E8M0 scales.
  bool scaled;
  /// Registers of the operands, the widest format for f8f6f4.
  uint16_t aRegisters, bRegisters, cRegisters;
  /// Passes of 4 cycles; with `selectsFormat` for an 8-bit operand.
  uint16_t passes;
  /// Index into the operand maps.
  uint16_t plan;
};

struct MatrixOperands {
  const uint32_t *a, *b;
  /// Accumulator in and out. For v_smfmac `c` is the old value of D.
  const uint32_t *c;
  uint32_t *d;
  /// v_smfmac: the register of indices.
  const uint32_t *index = nullptr;
  uint32_t cbsz = 0, abid = 0, blgp = 0;
  /// E8M0 scales of v_mfma_scale: one register each and the byte within it.
  const uint32_t *scaleA = nullptr, *scaleB = nullptr;
  uint32_t scaleByteA = 0, scaleByteB = 0;
  /// v_mfma_f64: negates an operand (the blgp field of the encoding).
  bool negateA = false, negateB = false;
  /// v_mfma_f64 and f8f6f4.
  bool negateC = false, absoluteC = false;
};

/// Every instruction of one chip; empty for a chip without a table.
llvm::ArrayRef<MatrixInstruction> getMatrixInstructions(llvm::StringRef arch);

/// Null if `arch` has no such matrix instruction.
const MatrixInstruction *lookupMatrixInstruction(llvm::StringRef mnemonic,
                                                 llvm::StringRef arch);

/// For the time when code is loaded: an error names a modifier that the
/// instruction does not have.
llvm::Error checkModifiers(const MatrixInstruction &instruction, uint32_t cbsz,
                           uint32_t abid, uint32_t blgp);

/// Element of A (code = cbsz) or B (code = blgp) of an f8f6f4 instruction, and
/// the registers that an operand of such elements takes.
std::optional<MatrixElement> getSelectedElement(uint32_t code);
uint32_t getOperandRegisters(const MatrixInstruction &instruction,
                             MatrixElement element);

/// Passes of 4 cycles with these formats.
uint32_t getPasses(const MatrixInstruction &instruction, uint32_t cbsz,
                   uint32_t blgp);

/// OCTAVO_SIM_MFMA: nothing, or cdna3, exact-block, fma-chain.
llvm::Expected<std::optional<MatrixModel>> getRequestedModel();

/// The model that is used: the requested one where it is defined for the
/// instruction, else its default (cdna3, and exact-block for f8f6f4).
MatrixModel resolveModel(const MatrixInstruction &instruction,
                         std::optional<MatrixModel> requested);

/// Name of a model, and the label for reports, which says what is assumed.
llvm::StringRef getModelName(MatrixModel model);
std::string describeModel(const MatrixInstruction &instruction,
                          MatrixModel model);

/// D = A * B + C for the whole wave. `model` goes through resolveModel.
void executeMatrix(const MatrixInstruction &instruction,
                   const MatrixOperands &operands, MatrixModel model);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_MATRIX_MATRIX_H
