//===- Matmul.h - Products of matrices --------------------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_MATMUL_H
#define OCTAVO_PASSES_ATENTOOCTAVO_MATMUL_H

#include "passes/AtenToOctavo/Emitter.h"

#include "dialects/Octavo/IR/Octavo.h"

namespace octavo {

/// Decode scales and bias of a product; all of them may be missing. A scale has
/// the dimensions of its operand as it is multiplied ([M, K] or [K, N]), each
/// divided by the granule; without a granule it has one element.
struct MatmulScales {
  Tensor a, b, bias;
  GranuleAttr granuleA, granuleB;
};

/// octavo.scaled_matmul of `a` [batch..., M, K] and `b` [batch..., K, N]; a
/// transpose before it becomes a flag.
Tensor matmul(Emitter &e, Tensor a, Tensor b, mlir::Type dtype,
              const MatmulScales &scales = {});

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_MATMUL_H
