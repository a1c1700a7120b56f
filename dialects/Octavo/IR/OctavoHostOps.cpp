//===- OctavoHostOps.cpp - Kernels, launches, eager calls -----------------===//

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace octavo;

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

/// Checks that `strides` holds one array per tensor, one number per dimension.
static LogicalResult verifyStrides(KernelOp op,
                                   std::optional<ArrayAttr> strides,
                                   TypeRange types, StringRef what) {
  if (!strides)
    return success();
  bool fits = strides->size() == types.size();
  for (auto [attr, type] : llvm::zip(*strides, types)) {
    auto array = dyn_cast<DenseI64ArrayAttr>(attr);
    fits &= array && array.size() == cast<RankedTensorType>(type).getRank();
  }
  if (!fits)
    return op.emitOpError("expected an array of strides for each ")
           << what << ", one number per dimension";
  return success();
}

LogicalResult KernelOp::verify() {
  // (C1)
  if (getBodies().empty())
    return emitOpError("expected at least one body");
  SmallVector<Type> arguments, yielded;
  for (Region &body : getBodies()) {
    llvm::append_range(arguments, body.getArgumentTypes());
    auto yield = dyn_cast<YieldOp>(body.front().back());
    if (!yield)
      return emitOpError("expected bodies that end with octavo.yield");
    llvm::append_range(yielded, yield.getValues().getTypes());
  }
  // (C2)
  if (TypeRange(arguments) != getInputs().getTypes())
    return emitOpError("expected block arguments of types (")
           << getInputs().getTypes() << "), got (" << arguments << ")";
  // (C3)
  if (TypeRange(yielded) != getOutputs().getTypes())
    return emitOpError("expected yielded values of types (")
           << getOutputs().getTypes() << "), got (" << yielded << ")";
  // (C4)
  if (failed(verifyStrides(*this, getOperandStrides(), getInputs().getTypes(),
                           "operand")))
    return failure();
  return verifyStrides(*this, getResultStrides(), getOutputs().getTypes(),
                       "result");
}

//===----------------------------------------------------------------------===//
// LaunchOp, CallOp
//===----------------------------------------------------------------------===//

/// Checks that `places`, if there are any, are as many as the results of `op`.
static LogicalResult verifyPlaces(Operation *op,
                                  std::optional<ArrayAttr> places) {
  // (C1)
  if (places && places->size() != op->getNumResults())
    return op->emitOpError("expected one place per result, got ")
           << places->size() << " for " << op->getNumResults();
  return success();
}

LogicalResult LaunchOp::verify() { return verifyPlaces(*this, getPlaces()); }

LogicalResult CallOp::verify() { return verifyPlaces(*this, getPlaces()); }
