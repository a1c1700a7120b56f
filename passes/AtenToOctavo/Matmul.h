//===- Matmul.h - Products of matrices --------------------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_MATMUL_H
#define OCTAVO_PASSES_ATENTOOCTAVO_MATMUL_H

#include "passes/AtenToOctavo/Emitter.h"

namespace octavo {

/// Decode scales and bias of a product; all of them may be missing. With
/// `rowA` (`rowB`) the scale is [M, 1] ([1, N]), else it has one element.
struct MatmulScales {
  Tensor a, b, bias;
  bool rowA = false, rowB = false;
};

/// octavo.scaled_matmul of `a` [batch..., M, K] and `b` [batch..., K, N]; a
/// transpose before it becomes a flag.
Tensor matmul(Emitter &e, Tensor a, Tensor b, mlir::Type dtype,
              const MatmulScales &scales = {});

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_MATMUL_H
