//===- OperandCache.h - Decoded operands of late ----------------*- C++ -*-===//
//
// The matrix instructions of a tile use each fragment several times. An operand
// whose registers hold what one of the last operands held is not decoded again;
// comparing takes a tenth of the time. Results are the same with and without.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_MATRIX_OPERANDCACHE_H
#define OCTAVO_LIB_SIMULATOR_MATRIX_OPERANDCACHE_H

#include "lib/Simulator/Matrix/Kernels.h"

#include <array>
#include <cstring>
#include <optional>

namespace octavo::sim {

/// Words of the widest operand.
inline constexpr uint32_t maxOperandWords = 64 * 8;

/// An operand and what has been made of it so far.
struct DecodedOperand {
  MatrixElement element = MatrixElement::F64; // never decoded: an empty entry
  uint32_t elements = 0;
  /// `values` keeps NaN and infinities.
  bool keepsSpecial = false;
  /// There are any; then `raw` has them and `values`, unless it keeps them,
  /// zeros.
  bool hasSpecial = false;
  bool hasExponents = false, hasSignificands = false, hasWide = false;
  std::optional<ExponentRange> range;
  /// `values` is there.
  bool isDecoded = false;
  uint32_t registers[maxOperandWords];
  alignas(64) float values[paddedElements];
  alignas(64) float significands[paddedElements];
  /// Of `values` with narrowZero, or of `significands`.
  alignas(64) int32_t exponents[paddedElements];
  alignas(64) int32_t wideExponents[paddedElements];
  alignas(64) double wide[paddedElements];
  float raw[maxElements];
};

/// The last operands of one side (A or B) on one thread.
class OperandCache {
public:
  /// The entry that holds these registers, or an empty one that now does.
  DecodedOperand &find(MatrixElement element, uint32_t elements,
                       bool keepsSpecial, const uint32_t *registers) {
    uint32_t words = (elements * getElementBits(element) + 31) / 32 * 64;
    for (DecodedOperand &entry : entries)
      if (entry.element == element && entry.elements == elements &&
          entry.keepsSpecial == keepsSpecial &&
          std::memcmp(entry.registers, registers, words * 4) == 0)
        return entry;
    DecodedOperand &entry = entries[next++ % entries.size()];
    entry.element = element;
    entry.elements = elements;
    entry.keepsSpecial = keepsSpecial;
    entry.hasSpecial = false;
    entry.hasExponents = entry.hasSignificands = entry.hasWide = false;
    entry.range.reset();
    entry.isDecoded = false;
    std::memcpy(entry.registers, registers, words * 4);
    return entry;
  }

private:
  std::array<DecodedOperand, 8> entries;
  uint32_t next = 0;
};

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_MATRIX_OPERANDCACHE_H
