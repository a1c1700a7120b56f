//===- ScalarProgram.h - A region of scalar ops, ready to run ---*- C++ -*-===//

#ifndef OCTAVO_LIB_REFERENCE_SCALARPROGRAM_H
#define OCTAVO_LIB_REFERENCE_SCALARPROGRAM_H

#include "ScalarOps.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace octavo::reference {

/// The body of a structured op with values resolved to slots. Values from
/// outside (captured scalars and tensors) are looked up once, when it is made.
class ScalarProgram {
public:
  using TensorLookup = llvm::function_ref<const HostTensor *(mlir::Value)>;
  using ScalarLookup = llvm::function_ref<std::optional<Scalar>(mlir::Value)>;

  static llvm::Expected<ScalarProgram>
  create(mlir::Block &block, TensorLookup tensors, ScalarLookup scalars);

  /// Computes the terminator's operands for `arguments` at iteration `index`
  /// (which `linalg.index` reads).
  llvm::Error run(llvm::ArrayRef<Scalar> arguments,
                  llvm::ArrayRef<int64_t> index,
                  llvm::MutableArrayRef<Scalar> results);

private:
  struct Step {
    mlir::Operation *op;
    ScalarFunction function; // null: linalg.index or tensor.extract
    const HostTensor *tensor;
    llvm::SmallVector<unsigned, 4> operands;
    unsigned result;
  };

  llvm::Error addStep(mlir::Operation &op, TensorLookup tensors,
                      ScalarLookup scalars);
  llvm::Expected<unsigned> slotOf(mlir::Value value, ScalarLookup scalars);
  llvm::Error extract(const Step &step);

  std::vector<Step> steps;
  std::vector<Scalar> slots;
  llvm::SmallVector<unsigned> yields;
  llvm::DenseMap<mlir::Value, unsigned> slotByValue;
};

/// An error that names the op and where it stands.
llvm::Error errorAt(mlir::Operation *op, const llvm::Twine &message);

} // namespace octavo::reference

#endif // OCTAVO_LIB_REFERENCE_SCALARPROGRAM_H
