//===- MatrixElement.h - Elements of matrix operands ------------*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_MATRIX_MATRIXELEMENT_H
#define OCTAVO_SIMULATOR_MATRIX_MATRIXELEMENT_H

#include <cstdint>

namespace octavo::sim {

enum class MatrixElement : uint8_t {
  E4M3FN,
  E5M2,
  E4M3FNUZ,
  E5M2FNUZ,
  E2M3,
  E3M2,
  E2M1,
  F16,
  BF16,
  F32,
  XF32, // f32 whose low 13 bits are cut off
  F64,
  I8,
};

constexpr uint32_t getElementBits(MatrixElement element) {
  switch (element) {
  case MatrixElement::E2M3:
  case MatrixElement::E3M2:
    return 6;
  case MatrixElement::E2M1:
    return 4;
  case MatrixElement::F16:
  case MatrixElement::BF16:
    return 16;
  case MatrixElement::F32:
  case MatrixElement::XF32:
    return 32;
  case MatrixElement::F64:
    return 64;
  default:
    return 8;
  }
}

/// Exponent of the smallest normal number, which is that of subnormals too.
constexpr int32_t getMinimumExponent(MatrixElement element) {
  switch (element) {
  case MatrixElement::E4M3FN:
    return -6;
  case MatrixElement::E5M2:
  case MatrixElement::F16:
    return -14;
  case MatrixElement::E4M3FNUZ:
    return -7;
  case MatrixElement::E5M2FNUZ:
    return -15;
  case MatrixElement::E2M3:
  case MatrixElement::E2M1:
    return 0;
  case MatrixElement::E3M2:
    return -2;
  default:
    return -126;
  }
}

/// Bits after the leading one.
constexpr int32_t getMantissaBits(MatrixElement element) {
  switch (element) {
  case MatrixElement::E4M3FN:
  case MatrixElement::E4M3FNUZ:
  case MatrixElement::E2M3:
    return 3;
  case MatrixElement::E5M2:
  case MatrixElement::E5M2FNUZ:
  case MatrixElement::E3M2:
    return 2;
  case MatrixElement::E2M1:
    return 1;
  case MatrixElement::F16:
  case MatrixElement::XF32:
    return 10;
  case MatrixElement::BF16:
    return 7;
  default:
    return 23;
  }
}

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_MATRIX_MATRIXELEMENT_H
