//===- IndexExpr.h - Index arithmetic that simplifies itself ----*- C++ -*-===//
//
// The index of an element, as a formula of the coordinates of a kernel. Views
// (collapse, expand, slice, transpose) map formulas to formulas; because every
// formula is in one normal form and stored once, "reads the same element" is
// "is the same pointer", and a view that undoes another leaves nothing behind.
//
// Normal form: constant + sum of coefficient * atom, atoms in order of their
// number, no coefficient 0. An atom is a coordinate (with a known extent), an
// opaque number (an index read from memory), or `e div c` or `e mod c` with a
// positive constant c. Division rounds down; all values fit in 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_ANALYSIS_INDEXEXPR_H
#define OCTAVO_ANALYSIS_INDEXEXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>

namespace octavo {

struct IndexAtom;

/// One formula. Made by an IndexSpace, compared by address.
struct IndexExprNode {
  int64_t constant;
  /// (atom, coefficient), ascending by the atom's number.
  llvm::SmallVector<std::pair<const IndexAtom *, int64_t>, 3> terms;
  /// Smallest and largest value.
  int64_t low, high;
  /// Bit i: coordinate i occurs; the top bit: something opaque occurs.
  uint64_t coordinates;

  bool isConstant() const { return terms.empty(); }
};
using IndexExpr = const IndexExprNode *;

/// What cannot be taken apart further.
struct IndexAtom {
  enum Kind { Coordinate, Opaque, Div, Mod };
  Kind kind;
  unsigned number;
  /// Coordinate or opaque: who it is.
  uint64_t id;
  /// Div and mod: operand and divisor.
  IndexExpr operand;
  int64_t divisor;
  int64_t low, high;
  uint64_t coordinates;
};

/// Owns formulas and keeps each one once.
class IndexSpace {
public:
  IndexSpace() = default;
  IndexSpace(const IndexSpace &) = delete;
  IndexSpace &operator=(const IndexSpace &) = delete;

  /// Bit of `coordinates` for what depends on an opaque number.
  static constexpr uint64_t opaqueBit = uint64_t(1) << 63;

  IndexExpr constant(int64_t value);
  /// Coordinate `id` (below 63) from 0 to `extent` - 1.
  IndexExpr coordinate(unsigned id, int64_t extent);
  /// An opaque number that the caller knows by `id`; it depends on
  /// `coordinates`.
  IndexExpr opaque(uint64_t id, int64_t low, int64_t high,
                   uint64_t coordinates);

  IndexExpr add(IndexExpr a, IndexExpr b);
  IndexExpr sub(IndexExpr a, IndexExpr b) { return add(a, mul(b, -1)); }
  IndexExpr mul(IndexExpr a, int64_t by);
  /// Rounds down; `by` is positive.
  IndexExpr div(IndexExpr a, int64_t by);
  /// From 0 to `by` - 1; `by` is positive.
  IndexExpr mod(IndexExpr a, int64_t by);

  /// Sum of index times stride.
  IndexExpr linearize(llvm::ArrayRef<IndexExpr> index,
                      llvm::ArrayRef<int64_t> strides);
  /// The row-major index of element `linear` of `shape`.
  llvm::SmallVector<IndexExpr> delinearize(IndexExpr linear,
                                           llvm::ArrayRef<int64_t> shape);

  /// For remarks and tests: `12 * x0 + (x1 div 4)`.
  static std::string toString(IndexExpr expr);

private:
  using Terms = llvm::SmallVector<std::pair<const IndexAtom *, int64_t>, 3>;
  IndexExpr make(int64_t constant, Terms terms);
  IndexExpr joinDivMod(Terms &terms);
  IndexExpr fromAtom(const IndexAtom *atom) { return make(0, {{atom, 1}}); }
  const IndexAtom *atom(IndexAtom wanted);
  /// Splits `a` into what `by` divides and the rest.
  std::pair<IndexExpr, IndexExpr> split(IndexExpr a, int64_t by);
  /// Largest divisor of `by` whose remainder of `a` stays below it, with
  /// nothing carried; 1 if there is none.
  int64_t separable(IndexExpr a, int64_t by);

  std::deque<IndexAtom> atoms;
  std::deque<IndexExprNode> nodes;
  std::map<std::tuple<int, uint64_t, IndexExpr, int64_t>, const IndexAtom *>
      atomOf;
  std::map<std::pair<int64_t, std::vector<std::pair<unsigned, int64_t>>>,
           IndexExpr>
      nodeOf;
};

} // namespace octavo

#endif // OCTAVO_ANALYSIS_INDEXEXPR_H
