//===- Emitter.h - Builds octavo-level values -------------------*- C++ -*-===//
//
// What every family of operators is written with: elementwise maps, reductions
// and views, in the forms of docs/design/levels.md, section 2.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_EMITTER_H
#define OCTAVO_PASSES_ATENTOOCTAVO_EMITTER_H

#include "passes/AtenToOctavo/Scalars.h"
#include "passes/AtenToOctavo/Tensor.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace octavo {

/// A value read by an elementwise map, and where: one expression per dimension
/// of the value (dimensions of the result, or the constant 0).
struct Read {
  Tensor tensor;
  mlir::AffineMap at;
};

class Emitter {
public:
  using Body = llvm::function_ref<mlir::Value(Scalars &, mlir::ValueRange)>;

  Emitter(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }
  mlir::Type boolean() { return builder.getI1Type(); }

  //===--- Elementwise -----------------------------------------------------===

  /// One linalg.generic over `shape`; the body gets and gives stored elements.
  Tensor map(llvm::ArrayRef<Read> reads, llvm::ArrayRef<int64_t> shape,
             mlir::Type dtype, Body body);
  /// The same with PyTorch's broadcasting.
  Tensor map(llvm::ArrayRef<Tensor> inputs, llvm::ArrayRef<int64_t> shape,
             mlir::Type dtype, Body body);
  /// Operands become `common` (a real type), the body computes in the compute
  /// type of it, the result is rounded to `dtype`. With `exact` numbers and 0-d
  /// tensors are rounded to `common` first; else they keep the compute type's
  /// precision.
  Tensor pointwise(llvm::ArrayRef<Operand> operands,
                   llvm::ArrayRef<int64_t> shape, mlir::Type common,
                   mlir::Type dtype, Body body, bool exact = false);
  Tensor convert(Tensor input, mlir::Type dtype);
  /// `input` stretched to `shape` by PyTorch's rules.
  Tensor broadcast(Tensor input, llvm::ArrayRef<int64_t> shape);
  Tensor full(llvm::ArrayRef<int64_t> shape, mlir::Type dtype, double value);
  Tensor full(llvm::ArrayRef<int64_t> shape, mlir::Type dtype,
              mlir::Attribute number);
  /// The operand as a tensor (a number is 0-d).
  Tensor materialise(Operand operand, mlir::Type dtype);
  /// Reads of one value at the same place as PyTorch's broadcasting does.
  mlir::AffineMap broadcastMap(Tensor input, int64_t rank);

  //===--- Reductions ------------------------------------------------------===

  /// linalg.reduce; `dims` are sorted and not negative; they are dropped.
  Tensor reduce(Tensor input, llvm::ArrayRef<int64_t> dims, double init,
                Body combine);
  Tensor sum(Tensor input, llvm::ArrayRef<int64_t> dims, bool keep = false);
  Tensor max(Tensor input, llvm::ArrayRef<int64_t> dims, bool keep = false);
  Tensor min(Tensor input, llvm::ArrayRef<int64_t> dims, bool keep = false);
  /// Puts dimensions of size 1 back where `dims` were reduced.
  Tensor keepDims(Tensor reduced, llvm::ArrayRef<int64_t> dims);

  //===--- Views -----------------------------------------------------------===

  Tensor reshape(Tensor input, llvm::ArrayRef<int64_t> shape);
  Tensor transpose(Tensor input, llvm::ArrayRef<int64_t> permutation);
  Tensor swapLast(Tensor input);
  Tensor slice(Tensor input, llvm::ArrayRef<int64_t> offsets,
               llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> steps);
  /// One dimension from `start`, `size` elements, every `step`.
  Tensor slice(Tensor input, int64_t dim, int64_t start, int64_t size,
               int64_t step = 1);
  /// `input` with `source` at the slice's place.
  Tensor insert(Tensor input, Tensor source, int64_t dim, int64_t start,
                int64_t step = 1);
  Tensor concat(llvm::ArrayRef<Tensor> inputs, int64_t dim);
  Tensor unsqueeze(Tensor input, int64_t dim);

private:
  Tensor empty(llvm::ArrayRef<int64_t> shape, mlir::Type dtype);
  Tensor reshapeReal(Tensor input, llvm::ArrayRef<int64_t> shape);
};

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_EMITTER_H
