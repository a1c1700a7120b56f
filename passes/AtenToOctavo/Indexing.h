//===- Indexing.h - Reads and writes at places that tensors name -*- C++ -*-==//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_INDEXING_H
#define OCTAVO_PASSES_ATENTOOCTAVO_INDEXING_H

#include "passes/AtenToOctavo/Call.h"

namespace octavo {

/// An index as i64, counted from the end if it is negative.
mlir::Value wrapIndex(Scalars &s, mlir::Value at, int64_t size);

/// The tensors of an argument `indices`: the dimensions that they index, the
/// shape that they are broadcast to, and where it stands in the result.
struct IndexedDims {
  Shape dims;
  llvm::SmallVector<Tensor> indices;
  Shape shape;
  int64_t start = 0;
};

mlir::FailureOr<IndexedDims> indexedDims(Call &call, Tensor self);

/// Reads `index` in loops `start` .. `start + size` of `rank`.
mlir::AffineMap indexMap(Emitter &e, Tensor index, int64_t start, int64_t size,
                         int64_t rank);

/// A tensor of `shape` whose elements lie in `self` at `place`.
Tensor
readAt(Emitter &e, Tensor self, llvm::ArrayRef<int64_t> shape,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(Scalars &)> place);

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_INDEXING_H
