//===- Arithmetic.h - Pointwise arithmetic on tensors -----------*- C++ -*-===//
//
// Shared by the pointwise operators and their foreach forms. The result type
// `dtype` is also the type that the operands are promoted to.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_ARITHMETIC_H
#define OCTAVO_PASSES_ATENTOOCTAVO_ARITHMETIC_H

#include "passes/AtenToOctavo/Emitter.h"
#include "passes/AtenToOctavo/ScalarFunctions.h"

namespace octavo {

Tensor applyUnary(Emitter &e, UnaryFunction function, Operand a,
                  llvm::ArrayRef<int64_t> shape, mlir::Type dtype);
Tensor applyBinary(Emitter &e, BinaryFunction function, Operand a, Operand b,
                   llvm::ArrayRef<int64_t> shape, mlir::Type dtype);
/// a + alpha * b, or a - alpha * b; a null alpha is 1.
Tensor applyScaledAdd(Emitter &e, bool subtract, Operand a, Operand b,
                      mlir::Attribute alpha, llvm::ArrayRef<int64_t> shape,
                      mlir::Type dtype);
Tensor applyPower(Emitter &e, Operand a, Operand b,
                  llvm::ArrayRef<int64_t> shape, mlir::Type dtype);
/// self + value * a * b, or self + value * a / b.
Tensor applyAddProduct(Emitter &e, bool divide, Operand self, Operand a,
                       Operand b, Operand value, llvm::ArrayRef<int64_t> shape,
                       mlir::Type dtype);
/// start + weight * (end - start), the way PyTorch orders it.
Tensor applyLerp(Emitter &e, Operand start, Operand end, Operand weight,
                 llvm::ArrayRef<int64_t> shape, mlir::Type dtype);

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_ARITHMETIC_H
