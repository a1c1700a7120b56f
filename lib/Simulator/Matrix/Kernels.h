//===- Kernels.h - The hot loops of the matrix instructions -----*- C++ -*-===//
//
// Kernels.inc is compiled once per instruction set of the host, with the same
// bits from each. So that no inline function of a library is compiled for the
// wider set and then linked into code for the narrower one, these files include
// nothing but <cstdint> and what includes nothing but that.
//
// A decoded operand is element-major: element e of lane l is at 64 * e + l. A
// row k of A or B (M or N values) is contiguous at a row offset.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_MATRIX_KERNELS_H
#define OCTAVO_SIMULATOR_MATRIX_KERNELS_H

#include "lib/Simulator/Matrix/MatrixElement.h"

namespace octavo::sim {

/// Products of values this near to 1 stay normal f32 numbers, and 2^(24 - e)
/// for their exponents e does too.
inline constexpr int32_t narrowExponent = 50;

/// Exponent that stands for zero beside such values.
inline constexpr int32_t narrowZero = -200;

/// Elements of the widest operand, with room to read one vector past the end.
inline constexpr uint32_t maxElements = 64 * 32;
inline constexpr uint32_t paddedElements = maxElements + 16;

/// One M x N block: d = a * b + c over `k` rows.
struct BlockProduct {
  /// Values, or significands for cdna3Wide.
  const float *a, *b;
  const int32_t *aExponent, *bExponent;
  const double *aWide, *bWide;
  /// k row offsets of A; those of B may differ from row to row of A.
  const uint16_t *aRow, *bRow;
  uint32_t bRowStride;
  uint32_t m, n, k;
  const uint32_t *c;
  uint32_t *d;
  /// m offsets of rows of C and D.
  const uint16_t *cRow;
  /// Per block of 32 along K: m and n scales, each block at a stride of 32.
  const double *scaleA, *scaleB;
};

/// Widest spread of a decoded operand, for proofs that a sum is exact.
struct ExponentRange {
  int32_t lowest, highest;
};

struct MatrixKernels {
  /// Decodes `elements` elements of each lane; true if any is not finite.
  bool (*decode)(MatrixElement element, const uint32_t *registers,
                 uint32_t elements, float *values);
  /// Exponents as the CDNA3 rule names them: not below `minimum`, and
  /// `zeroExponent` for zeros.
  void (*splitExponents)(const float *values, uint32_t count, int32_t minimum,
                         int32_t zeroExponent, int32_t *exponents);
  /// As above, and significands value * 2^-exponent.
  void (*splitSignificands)(const float *values, uint32_t count,
                            int32_t minimum, int32_t zeroExponent,
                            int32_t *exponents, float *significands);
  /// Exponents of the nonzero values.
  ExponentRange (*findRange)(const float *values, uint32_t count);
  void (*widen)(const float *values, uint32_t count, double *wide);

  void (*fmaChain)(const BlockProduct &product);
  void (*scaledChain)(const BlockProduct &product);
  /// CDNA3 rule of the 8-bit formats: chunks of 16, even and odd halves.
  void (*cdna3Eight)(const BlockProduct &product);
  /// CDNA3 rule of f16, bf16 and xf32 with chunks of `chunk`: on values whose
  /// exponents lie within +-narrowExponent, and on significands.
  void (*cdna3Narrow)(const BlockProduct &product, uint32_t chunk);
  void (*cdna3Wide)(const BlockProduct &product, uint32_t chunk);
  /// Every sum of 32 products must fit in 53 bits.
  void (*exactBlock)(const BlockProduct &product);
  /// For any 8-bit floats: products from 1 up and those below are summed apart.
  void (*exactBlockSplit)(const BlockProduct &product);
  void (*integer)(const BlockProduct &product);
};

/// For AVX2 with FMA (x86-64-v3) and for AVX-512 (x86-64-v4).
extern const MatrixKernels kernelsV3, kernelsV4;

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_MATRIX_KERNELS_H
