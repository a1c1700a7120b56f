//===- Structured.h - Short ways to write linalg ops ------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_OCTAVO_STRUCTURED_H
#define OCTAVO_PASSES_OCTAVO_STRUCTURED_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

namespace octavo {

/// Builds structured ops at one place; `from` names them for their kernels.
struct Structured {
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                              mlir::ValueRange)>;

  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::StringRef from;

  mlir::Value empty(llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// A tensor of one constant.
  mlir::Value fill(llvm::ArrayRef<int64_t> shape, mlir::TypedAttr value);
  /// `body` of the inputs' elements for each element of `shape`.
  mlir::Value pointwise(mlir::ValueRange inputs,
                        llvm::ArrayRef<mlir::AffineMap> maps,
                        llvm::ArrayRef<int64_t> shape, mlir::Type element,
                        Body body);
  /// `input` without `dimensions`, combined from `init`.
  mlir::Value reduce(mlir::Value input, llvm::ArrayRef<int64_t> dimensions,
                     mlir::TypedAttr init, Body combiner);
};

} // namespace octavo

#endif // OCTAVO_PASSES_OCTAVO_STRUCTURED_H
