//===- Reduction.h - Reductions that several families use -------*- C++ -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_REDUCTION_H
#define OCTAVO_PASSES_ATENTOOCTAVO_REDUCTION_H

#include "passes/AtenToOctavo/Call.h"

namespace octavo {

/// The argument's dimensions, sorted and not negative; none given means all.
Shape reducedDims(Call &call, llvm::StringRef name, int64_t rank);

/// The norm of the given order (2, 1, 0, infinite or any other) in `dtype`.
Tensor vectorNorm(Emitter &e, Tensor input, double order,
                  llvm::ArrayRef<int64_t> dims, mlir::Type dtype);

/// Mean and variance over `dims`, which stay as dimensions of size 1.
struct Moments {
  Tensor mean;
  Tensor variance;
};

/// In two passes; the variance is divided by the count less `correction`.
Moments moments(Emitter &e, Tensor input, llvm::ArrayRef<int64_t> dims,
                double correction);

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_REDUCTION_H
