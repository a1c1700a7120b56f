//===- Frame.h - The values of one function while it runs -------*- C++ -*-===//

#ifndef OCTAVO_LIB_REFERENCE_FRAME_H
#define OCTAVO_LIB_REFERENCE_FRAME_H

#include "ScalarProgram.h"

#include "llvm/ADT/DenseMap.h"

namespace octavo::reference {

/// Tensors and scalars by SSA value, and what every level has in common:
/// constants, scalar ops on scalars and on tensors, structured control flow.
class Frame {
public:
  virtual ~Frame() = default;

  llvm::Error execute(mlir::Block &block);
  void bind(mlir::Value value, HostTensor tensor) {
    tensors[value] = std::move(tensor);
  }
  void bindScalar(mlir::Value value, Scalar scalar) { scalars[value] = scalar; }
  const HostTensor *lookup(mlir::Value value) const;
  std::optional<Scalar> lookupScalar(mlir::Value value) const;

protected:
  /// Executes an op that only this level knows; false if it does not.
  virtual llvm::Expected<bool> executeLevelOp(mlir::Operation &op) = 0;

  /// Tensors among the operands; null for scalars.
  llvm::SmallVector<const HostTensor *> tensorOperands(mlir::Operation &op);
  llvm::Expected<ScalarProgram> makeBody(mlir::Block &block);

private:
  llvm::Error executeOp(mlir::Operation &op);
  llvm::Error executeConstant(mlir::Operation &op, mlir::Attribute value);
  void executeElementwise(mlir::Operation &op, ScalarFunction function);
  llvm::Error executeFor(mlir::Operation &op);
  llvm::Error executeIf(mlir::Operation &op);
  llvm::Error executeWhile(mlir::Operation &op);
  /// Gives `to` the values of `from`, all at once.
  void copyValues(mlir::ValueRange from, mlir::ValueRange to);

  llvm::DenseMap<mlir::Value, HostTensor> tensors;
  llvm::DenseMap<mlir::Value, Scalar> scalars;
};

} // namespace octavo::reference

#endif // OCTAVO_LIB_REFERENCE_FRAME_H
