//===- CostModel.h - Sizes of tiles -----------------------------*- C++ -*-===//
//
// Every choice of a tile's size and a workgroup's waves is made here, from the
// sizes of the kernel and the table of the target, so that the same graph
// always gives the same kernels.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_PASSES_OCTAVOTOTILE_COSTMODEL_H
#define OCTAVO_PASSES_OCTAVOTOTILE_COSTMODEL_H

#include "octavo/Analysis/Element.h"
#include "octavo/Target/TargetInfo.h"

namespace octavo {

/// How a kernel without matrix products is cut.
struct LoopPlan {
  int64_t blockX;
  int64_t waves;
  /// Elements of the largest tile.
  int64_t budget;

  /// Elements of a reduction of `extent` at each x that are taken at once.
  int64_t blockR(int64_t extent) const;
  /// The same for a reduction that all x share.
  int64_t sharedBlockR(const TargetInfo &target, int64_t extent) const;
};

/// Chooses the cut of a kernel with `domain` whose widest reduction
/// at each x has `extentR` elements (1: none). `share` of the compute units are
/// the kernel's: what else is in the launch keeps the others busy.
LoopPlan planLoops(const TargetInfo &target, const Domain &domain,
                   int64_t extentR, double share);

/// How a scatter is cut: `rows` places that indices can name, `columns` of what
/// each index takes along.
struct ScatterPlan {
  int64_t rows, columns;
  int64_t waves;
};

/// Chooses the cut of a scatter of `tokens` rows of `columns` elements to
/// `rows` places.
ScatterPlan planScatter(const TargetInfo &target, int64_t rows, int64_t columns,
                        int64_t tokens);

/// How a matrix product is cut.
struct MatmulPlan {
  int64_t blockM, blockN, blockK;
  int64_t waves;
  /// Workgroups that share one tile of the result, each with a part of K.
  int64_t splitK;
  /// 8-bit floats that the target does not multiply are multiplied as bf16,
  /// which holds them exactly.
  bool widensFloat8 = false;
};

/// Chooses the cut of `batch` products of m x n x k whose operands' elements
/// have `bits` (the narrower one).
MatmulPlan planMatmul(const TargetInfo &target, llvm::ArrayRef<int64_t> bmnk,
                      unsigned bits);

/// Sizes of products and bits of the elements of operands and result.
struct ProductSizes {
  int64_t batch, m, n, k;
  unsigned bitsA = 8, bitsB = 8, bitsResult = 16;
  /// K of a part is a multiple of this.
  int64_t leastPart = 1;
};

/// In how many parts of K, each of equal size, a product is computed; 1 is in
/// one. More parts occupy more compute units, but their results are written and
/// read again.
int64_t planParts(const TargetInfo &target, const ProductSizes &sizes);

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVOTOTILE_COSTMODEL_H
