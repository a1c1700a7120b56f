//===- Tensor.h - A PyTorch tensor while aten is lowered --------*- C++ -*-===//
//
// The octavo level has signless integers and no complex numbers, so a value is
// kept together with PyTorch's element type: uint8 is an i8 value, complex64
// is an f32 value with one more dimension, of size 2, at the end.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_TENSOR_H
#define OCTAVO_PASSES_ATENTOOCTAVO_TENSOR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace octavo {

using Shape = llvm::SmallVector<int64_t>;

/// Whether `dtype` is one of PyTorch's complex types.
bool isComplex(mlir::Type dtype);
/// Whether `dtype` is one of PyTorch's unsigned integers.
bool isUnsigned(mlir::Type dtype);
/// Whether `dtype` is one of the 8-bit floats.
bool isFloat8(mlir::Type dtype);
/// The element type that stands for `dtype` at the octavo level.
mlir::Type storageOf(mlir::Type dtype);
/// The tensor type that stands for `type` at the octavo level.
mlir::RankedTensorType storageOf(mlir::RankedTensorType type);
/// The type that PyTorch computes in: f32 for narrower floats.
mlir::Type computeOf(mlir::Type dtype);

/// A value and PyTorch's element type of it.
struct Tensor {
  mlir::Value value;
  mlir::Type dtype;

  explicit operator bool() const { return static_cast<bool>(value); }
  /// The shape that PyTorch sees.
  llvm::ArrayRef<int64_t> shape() const;
  int64_t rank() const { return shape().size(); }
  int64_t elements() const;
  /// The same memory of values as real numbers: [..., 2] for a complex tensor.
  Tensor asReal() const;
};

/// A tensor or a number, as an argument of an operator.
struct Operand {
  Tensor tensor;
  mlir::Attribute number;

  Operand() = default;
  Operand(Tensor tensor) : tensor(tensor) {}
  Operand(mlir::Attribute number) : number(number) {}
  explicit operator bool() const { return tensor || number; }
};

/// The number of elements of `shape`.
int64_t countElements(llvm::ArrayRef<int64_t> shape);
/// `dim` counted from the front (a 0-d tensor has one dimension).
int64_t wrapDim(int64_t dim, int64_t rank);
/// PyTorch's result type of an operation on `operands`.
mlir::Type promote(mlir::Builder &builder, llvm::ArrayRef<Operand> operands);
/// The shape that `operands` are broadcast to.
Shape broadcastShape(llvm::ArrayRef<Operand> operands);

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_TENSOR_H
