//===- KernelsV3.cpp - Kernels for x86-64-v3 ------------------------------===//

#define OCTAVO_MATRIX_KERNELS kernelsV3
#include "lib/Simulator/Matrix/Kernels.inc"
