//===- Passes.h - Passes on one lane's program ------------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_LANE_PASSES_H
#define OCTAVO_PASSES_LANE_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

namespace octavo {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Lane/Passes.h.inc"
} // namespace octavo

#endif // OCTAVO_PASSES_LANE_PASSES_H
