//===- KernelsV4.cpp - Kernels for x86-64-v4 ------------------------------===//

#define OCTAVO_MATRIX_KERNELS kernelsV4
#include "lib/Simulator/Matrix/Kernels.inc"
