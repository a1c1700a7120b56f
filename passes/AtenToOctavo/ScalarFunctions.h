//===- ScalarFunctions.h - PyTorch's functions of numbers -------*- C++ -*-===//
//
// Named as in aten ("exp", "maximum"), so that a pointwise operator and its
// foreach form share one meaning.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_SCALARFUNCTIONS_H
#define OCTAVO_PASSES_ATENTOOCTAVO_SCALARFUNCTIONS_H

#include "passes/AtenToOctavo/Scalars.h"

#include "llvm/ADT/ArrayRef.h"

namespace octavo {

using UnaryFunction = mlir::Value (*)(Scalars &, mlir::Value);
using BinaryFunction = mlir::Value (*)(Scalars &, mlir::Value, mlir::Value);

struct NamedUnary {
  llvm::StringLiteral name;
  UnaryFunction function;
};

struct NamedBinary {
  llvm::StringLiteral name;
  BinaryFunction function;
};

/// Functions whose result has the type that they compute in.
llvm::ArrayRef<NamedUnary> unaryFunctions();
llvm::ArrayRef<NamedBinary> binaryFunctions();
UnaryFunction findUnary(llvm::StringRef name);
BinaryFunction findBinary(llvm::StringRef name);

/// Rounds towards minus infinity, as Python divides.
mlir::Value floorDivide(Scalars &s, mlir::Value a, mlir::Value b);
/// `a` to the power of `b`, for floats and integers.
mlir::Value power(Scalars &s, mlir::Value a, mlir::Value b);
/// The logistic function of a float.
mlir::Value sigmoid(Scalars &s, mlir::Value a);

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_SCALARFUNCTIONS_H
