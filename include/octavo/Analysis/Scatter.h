//===- Scatter.h - Elements around a scatter --------------------*- C++ -*-===//

#ifndef OCTAVO_ANALYSIS_SCATTER_H
#define OCTAVO_ANALYSIS_SCATTER_H

#include "dialects/Octavo/IR/Octavo.h"
#include "octavo/Analysis/Element.h"

#include "mlir/IR/Builders.h"

namespace octavo {

/// A scatter as a matrix: tokens (index tuples) name rows, columns are the
/// dimensions that are not indexed.
struct ScatterSizes {
  int64_t rows, columns, tokens;
  /// Sizes of the indexed dimensions.
  llvm::SmallVector<int64_t> indexed;

  static ScatterSizes of(ScatterReduceOp op);
};

/// What a scatter reads and writes: `coordinateM` is the row, `coordinateX` the
/// column, `coordinateK` the token.
struct ScatterElements {
  Element source, result;
  llvm::SmallVector<Element> indices;
};
ScatterElements scatterElements(ElementSpace &space, ScatterReduceOp op);

/// `kind(x, y)` of scalars or tiles; `kind` is not `set`.
mlir::Value getScatterCombination(mlir::OpBuilder &b, mlir::Location loc,
                                  ScatterKind kind, mlir::Value x,
                                  mlir::Value y);

} // namespace octavo

#endif // OCTAVO_ANALYSIS_SCATTER_H
