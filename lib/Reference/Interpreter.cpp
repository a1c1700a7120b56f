//===- Interpreter.cpp - What a module computes, on the host --------------===//

#include "octavo/Reference/Interpreter.h"
#include "Frame.h"
#include "OctavoOps.h"
#include "TensorOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo::reference;
using llvm::Error;
using llvm::Expected;

namespace {

int64_t evaluate(AffineExpr expression, ArrayRef<int64_t> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expression);
  int64_t a = evaluate(binary.getLHS(), dims);
  int64_t b = evaluate(binary.getRHS(), dims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return ((a % b) + b) % b;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(a, b);
  default:
    return llvm::divideCeilSigned(a, b);
  }
}

int64_t offsetAt(const HostTensor &tensor, AffineMap map,
                 ArrayRef<int64_t> index) {
  int64_t linear = 0;
  for (auto [expression, extent] : llvm::zip(map.getResults(), tensor.shape))
    linear = linear * extent + evaluate(expression, index);
  return linear;
}

/// A function of values on tensors.
class TensorFrame : public Frame {
protected:
  Expected<bool> executeLevelOp(Operation &op) override;

private:
  Error executeLinalg(linalg::LinalgOp op);
};

Error TensorFrame::executeLinalg(linalg::LinalgOp op) {
  if (op.hasDynamicShape())
    return errorAt(op, "of dynamic shape has no reference meaning");
  Expected<ScalarProgram> body = makeBody(*op.getBlock());
  if (!body)
    return body.takeError();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<const HostTensor *> inputs;
  SmallVector<HostTensor> outputs;
  SmallVector<Scalar> arguments(maps.size());
  unsigned numInputs = op.getNumDpsInputs();
  for (Value value : op.getDpsInputs()) {
    const HostTensor *tensor = lookup(value);
    inputs.push_back(tensor);
    if (!tensor)
      arguments[inputs.size() - 1] = lookupScalar(value).value_or(Scalar());
  }
  for (Value value : op.getDpsInits())
    outputs.push_back(*lookup(value));
  SmallVector<Scalar> results(outputs.size());
  Error failure = Error::success();
  forEachIndex(op.getStaticLoopRanges(), [&](ArrayRef<int64_t> index) {
    if (failure)
      return;
    for (unsigned i = 0; i < numInputs; ++i)
      if (inputs[i])
        arguments[i] = inputs[i]->get(offsetAt(*inputs[i], maps[i], index));
    SmallVector<int64_t> places;
    for (auto [i, output] : llvm::enumerate(outputs)) {
      places.push_back(offsetAt(output, maps[numInputs + i], index));
      arguments[numInputs + i] = output.get(places.back());
    }
    if (Error error = body->run(arguments, index, results)) {
      failure = std::move(error);
      return;
    }
    for (auto [i, output] : llvm::enumerate(outputs))
      output.set(places[i], results[i]);
  });
  if (failure)
    return failure;
  for (auto [value, output] : llvm::zip(op->getResults(), outputs))
    bind(value, std::move(output));
  return Error::success();
}

Expected<bool> TensorFrame::executeLevelOp(Operation &op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (Error error = executeLinalg(structured))
      return std::move(error);
    return true;
  }
  SmallVector<const HostTensor *> operands = tensorOperands(op);
  if (std::optional<HostTensor> moved = moveElements(&op, operands)) {
    bind(op.getResult(0), std::move(*moved));
    return true;
  }
  Expected<std::optional<std::vector<HostTensor>>> results =
      executeOctavo(&op, operands);
  if (!results)
    return results.takeError();
  if (!*results)
    return false;
  for (auto [value, tensor] : llvm::zip(op.getResults(), **results))
    bind(value, std::move(tensor));
  return true;
}

} // namespace

Expected<std::vector<HostTensor>>
octavo::reference::run(func::FuncOp function, std::vector<HostTensor> inputs) {
  Block &body = function.getBody().front();
  if (inputs.size() != body.getNumArguments())
    return llvm::createStringError(
        "expected %u inputs for @%s, got %zu", body.getNumArguments(),
        function.getSymName().str().c_str(), inputs.size());
  TensorFrame frame;
  for (auto [argument, tensor] : llvm::zip(body.getArguments(), inputs)) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getShape() != ArrayRef<int64_t>(tensor.shape) ||
        type.getElementType() != tensor.elementType)
      return llvm::createStringError(
          "input %u does not have the type of its argument",
          argument.getArgNumber());
    frame.bind(argument, std::move(tensor));
  }
  if (Error error = frame.execute(body))
    return std::move(error);
  std::vector<HostTensor> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(*frame.lookup(value));
  return results;
}
