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
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <set>

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

  /// An index computed in the body of `op` at `iteration`, if it is made of
  /// constants and iteration numbers alone.
  std::optional<IndexExpr> bodyIndex(mlir::Value value,
                                     llvm::ArrayRef<IndexExpr> iteration);
  /// Index of a `tensor.extract` in a body; what is read from memory is opaque.
  Index extractIndex(mlir::tensor::ExtractOp op,
                     llvm::ArrayRef<IndexExpr> iteration);

  /// Calls `read` for each element of which `element` is made: operands of
  /// views, bodies and reductions. False if the op cannot be read so.
  bool forEachRead(const Element &element,
                   llvm::function_ref<void(Element)> read);

private:
  bool forEachBodyRead(mlir::linalg::GenericOp op, unsigned result,
                       llvm::ArrayRef<IndexExpr> index,
                       llvm::function_ref<void(Element)> read);

  IndexSpace space;
  std::map<int64_t, unsigned> reduced;
  std::map<std::tuple<mlir::Operation *, unsigned, Index>, uint64_t> opaques;
};

/// One reduction that a kernel does at its x.
struct ReductionRead {
  mlir::linalg::ReduceOp op;
  Index index;
  int64_t extent;
  /// It needs the results of earlier rounds; the first round is 1.
  unsigned round;
};

/// Everything that computing some elements in one kernel reads.
class ReadWalk {
public:
  ReadWalk(ElementSpace &space, llvm::function_ref<bool(mlir::Value)> isLeaf)
      : space(space), isLeaf(isLeaf) {}

  /// Follows `element` to the leaves; returns the round after which it can be
  /// computed (0: needs no reduction).
  unsigned visit(const Element &element);

  /// In an order in which each comes after those that it needs.
  std::vector<ReductionRead> reductions;
  /// Leaves, in order of first visit, with the indices at which they are read.
  llvm::MapVector<mlir::Value, std::set<Index>> leaves;
  /// Scalar ops computed once per element, and how many of them are dear.
  int64_t operations = 0;
  /// Why one kernel cannot do it; empty if it can.
  std::string problem;

private:
  unsigned visitNode(const Element &element);

  ElementSpace &space;
  llvm::function_ref<bool(mlir::Value)> isLeaf;
  std::map<Element, unsigned> rounds;
};

} // namespace octavo

#endif // OCTAVO_ANALYSIS_ELEMENT_H
