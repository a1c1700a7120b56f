//===- Scalars.h - Builds the body of an elementwise op ---------*- C++ -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_SCALARS_H
#define OCTAVO_PASSES_ATENTOOCTAVO_SCALARS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace octavo {

/// Comparisons as PyTorch names them (NaN compares unequal to all).
enum class Compare { eq, ne, lt, le, gt, ge };

/// Arithmetic on scalars that picks the op by the type: floats, signless
/// integers read as signed or (`isUnsigned`) unsigned, i1 as bool.
struct Scalars {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool isUnsigned = false;

  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constant(mlir::Type type, mlir::Attribute number);
  mlir::Value integer(mlir::Type type, int64_t value);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  /// Floats divide; integers truncate towards zero.
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value rem(mlir::Value a, mlir::Value b);
  mlir::Value neg(mlir::Value a);
  /// NaN wins.
  mlir::Value max(mlir::Value a, mlir::Value b);
  mlir::Value min(mlir::Value a, mlir::Value b);
  mlir::Value compare(Compare kind, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value c, mlir::Value a, mlir::Value b);
  mlir::Value isNaN(mlir::Value a);
  mlir::Value logicalNot(mlir::Value a);
  mlir::Value toBool(mlir::Value a);

  /// PyTorch's conversion between dtypes (which may be unsigned).
  mlir::Value convert(mlir::Value a, mlir::Type from, mlir::Type to);

  /// Position in the given loop, as i64 or index.
  mlir::Value position(int64_t dim);
  mlir::Value index(int64_t dim);
  mlir::Value toIndex(mlir::Value a);
  mlir::Value extract(mlir::Value tensor, mlir::ValueRange at);

  /// A math op with one operand.
  template <typename Op> mlir::Value unary(mlir::Value a) {
    return Op::create(builder, loc, a);
  }
};

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_SCALARS_H
