//===- OwnResults.cpp - A value of its own for each result ----------------===//
//
// A result of the function is written once, where the caller wants it: no two
// results may be one value, none may be an argument or a view of one, and what
// an eager call writes or reads is row-major. Such results are copied; the copy
// is a value like others, so it is written by the kernel that computes what it
// copies wherever that is possible.
//
//===----------------------------------------------------------------------===//

#include "passes/Octavo/KernelGraph.h"
#include "passes/Octavo/Structured.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace octavo;

/// Computed by a kernel, whatever it will be.
static bool isOfKernel(Operation *op) {
  return ElementSpace::isView(op) ||
         isa<linalg::GenericOp, linalg::ReduceOp, linalg::FillOp,
             arith::ConstantOp, RandomOp, ScaledMatmulOp>(op);
}

/// Whether strides other than row-major would be seen: by an eager call or by
/// a reshape that is no element's work.
static bool isReadInOrder(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return true;
    return user->getParentOp() && isa<func::FuncOp>(user->getParentOp()) &&
           !user->hasTrait<OpTrait::IsTerminator>() && !isOfKernel(user);
  });
}

static Value copy(OpBuilder &b, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Structured make{b, value.getLoc(), "copy"};
  return make.pointwise(
      value, b.getMultiDimIdentityMap(type.getRank()), type.getShape(),
      type.getElementType(),
      [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}

void octavo::ownResults(func::FuncOp func) {
  Operation *end = func.getBody().front().getTerminator();
  OpBuilder b(end);
  // Values whose memory is a result's, views of them taken off.
  DenseSet<Value> taken;
  for (OpOperand &operand : end->getOpOperands()) {
    Value value = operand.get(), base = stripReshapes(value);
    if (hasNoElements(value.getType()))
      continue;
    bool isRowMajor = isRowMajorResult(func, operand.getOperandNumber());
    Operation *op = (isRowMajor ? base : value).getDefiningOp();
    bool isOwn = op && base.getDefiningOp() && !taken.contains(base);
    if (isOwn && !isRowMajor)
      isOwn = isOfKernel(op) && !isReadInOrder(value);
    // What is written in another order is no base of other results.
    if (isOwn)
      taken.insert(base);
    else
      operand.set(copy(b, value));
  }
}
