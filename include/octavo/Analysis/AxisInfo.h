//===- AxisInfo.h - How integers vary along a tile --------------*- C++ -*-===//
//
// What is known of an integer tile along each dimension, so that neighbouring
// accesses can become one wide access. All numbers are powers of two and speak
// of groups that start at multiples of their size:
//
//   contiguity    in every group of so many elements the values count up by one
//   divisibility  divides the first value of every such group
//   constancy     in every group of so many elements the values are equal
//
// A scalar is a tile of rank 0: only `divisor` and `constant` say something.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_ANALYSIS_AXISINFO_H
#define OCTAVO_ANALYSIS_AXISINFO_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace octavo {

/// Facts about one integer value.
struct AxisInfo {
  llvm::SmallVector<int64_t, 4> contiguity, divisibility, constancy;
  /// Divides every value.
  int64_t divisor = 1;
  /// The one value of all elements, if it is known.
  std::optional<int64_t> constant;
  /// No value is negative.
  bool nonNegative = false;

  unsigned rank() const { return contiguity.size(); }
  /// Divides the first value of every group of `size` elements along `dim`.
  int64_t divisibilityOf(unsigned dim, int64_t size) const;
  bool operator==(const AxisInfo &other) const;
};

/// Computes facts on demand and remembers them; create it anew after the IR has
/// changed.
class AxisInfoAnalysis {
public:
  /// Facts about `value`; nothing is assumed of values that are no integers.
  AxisInfo get(mlir::Value value);

private:
  AxisInfo compute(mlir::Value value);
  AxisInfo computeArgument(mlir::BlockArgument argument);
  AxisInfo computeLoopValue(mlir::BlockArgument argument, mlir::Value init,
                            mlir::Value yielded);
  llvm::DenseMap<mlir::Value, AxisInfo> known;
  int depth = 0;
};

} // namespace octavo

#endif // OCTAVO_ANALYSIS_AXISINFO_H
