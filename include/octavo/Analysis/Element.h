//===- Element.h - Which elements an element is made of ---------*- C++ -*-===//
//
// A value of a graph is read as a function from an index to an element. Views
// change the index, `linalg.generic` maps it, a `linalg.reduce` adds
// coordinates. Forming kernels asks this to see what a fusion reads; lowering
// asks it again to write the reads down. Both therefore agree.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_ANALYSIS_ELEMENT_H
#define OCTAVO_ANALYSIS_ELEMENT_H

#include "octavo/Analysis/IndexExpr.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Value.h"

namespace octavo {

using Index = llvm::SmallVector<IndexExpr, 4>;

/// One element of a tensor.
struct Element {
  mlir::Value tensor;
  Index index;
  bool operator<(const Element &other) const {
    return std::make_pair(tensor.getAsOpaquePointer(), index) <
           std::make_pair(other.tensor.getAsOpaquePointer(), other.index);
  }
};

/// `low <= index < high`.
struct Guard {
  IndexExpr index;
  int64_t low, high;
  bool operator<(const Guard &other) const {
    return std::tie(index, low, high) <
           std::tie(other.index, other.low, other.high);
  }
};

/// An element that is read only where all guards hold.
struct GuardedElement {
  Element element;
  llvm::SmallVector<Guard, 2> guards;
};

/// How a view reads: the first source whose guards hold; if none does, `other`
/// (a scalar or an elements attribute of one value).
struct ViewSources {
  llvm::SmallVector<GuardedElement, 2> sources;
  mlir::Attribute other;
};

/// The coordinates of a kernel without matrix products: `shape` holds merged
/// dimensions, those that are reduced and those that are not alternating.
struct Domain {
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<bool> reduced;

  /// Elements that are not reduced, and elements reduced into one.
  int64_t extentX() const;
  int64_t extentR() const;
  /// Neighbours in memory differ in a reduced dimension.
  bool isReducedMinor() const { return !reduced.empty() && reduced.back(); }
  bool operator==(const Domain &other) const {
    return shape == other.shape && reduced == other.reduced;
  }

  /// The domain of a tensor of `shape` of which `dimensions` are reduced.
  static Domain get(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> dimensions);
  static Domain fromAttr(mlir::Attribute attr);
  mlir::Attribute toAttr(mlir::MLIRContext *context) const;
};

/// Coordinates of all kernels. Reduced ones get a number per extent.
enum Coordinate : unsigned {
  coordinateX = 0,
  coordinateBatch = 1,
  coordinateM = 2,
  coordinateN = 3,
  coordinateK = 4,
  firstReduced = 5
};

/// Index arithmetic of one kernel.
class ElementSpace {
public:
  IndexSpace &indices() { return space; }

  /// The coordinate that runs over a reduction of `extent`, made on first use;
  /// reductions of one extent share it. Null if there are too many.
  IndexExpr reducedCoordinate(int64_t extent);
  /// Number of that coordinate, which must exist.
  unsigned reducedNumber(int64_t extent) const { return reduced.at(extent); }

  /// The element of a full tensor (as many elements as `domain`) or a row
  /// tensor (one element per x) that the kernel computes at (x, r); an empty
  /// index if the tensor is neither.
  std::optional<Index> rootIndex(const Domain &domain,
                                 llvm::ArrayRef<int64_t> shape);

  /// True for ops that only rename elements (views, padding, concatenation).
  static bool isView(mlir::Operation *op);
  /// Reads of one element of a view.
  ViewSources viewSources(mlir::Operation *op, llvm::ArrayRef<IndexExpr> index);

  /// Iteration index of a `linalg.generic` from the index of its result.
  Index iterationIndex(mlir::linalg::GenericOp op, unsigned result,
                       llvm::ArrayRef<IndexExpr> index);
  /// Index of an operand at an iteration index.
  Index operandIndex(mlir::AffineMap map, llvm::ArrayRef<IndexExpr> iteration);
  /// Index of the input of a `linalg.reduce` at a result's index; reduced
  /// dimensions follow `reducedCoordinate`.
  Index reducedIndex(mlir::linalg::ReduceOp op,
                     llvm::ArrayRef<IndexExpr> index);
  /// Elements that `op` reduces into one.
  static int64_t reducedExtent(mlir::linalg::ReduceOp op);

  /// An opaque index that `op` reads at `iteration`; the same each time it is
  /// asked for.
  IndexExpr opaqueIndex(mlir::Operation *op, unsigned operand,
                        llvm::ArrayRef<IndexExpr> iteration, int64_t size);

private:
  IndexSpace space;
  std::map<int64_t, unsigned> reduced;
  std::map<std::tuple<mlir::Operation *, unsigned, Index>, uint64_t> opaques;
};

} // namespace octavo

#endif // OCTAVO_ANALYSIS_ELEMENT_H
