//===- Interpreter.cpp - What a module computes, on the host --------------===//

#include "octavo/Reference/Interpreter.h"
#include "OctavoOps.h"
#include "ScalarProgram.h"
#include "TensorOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// The values of one function while it runs.
class Frame {
public:
  Error execute(Block &block);
  std::vector<HostTensor> take(ValueRange values);
  void bind(Value value, HostTensor tensor) {
    tensors[value] = std::move(tensor);
  }

private:
  Error executeOp(Operation &op);
  Error executeLinalg(linalg::LinalgOp op);
  Error executeConstant(arith::ConstantOp op);
  void executeElementwise(Operation &op, ScalarFunction function,
                          ArrayRef<const HostTensor *> operands);
  Expected<ScalarProgram> makeBody(Block &block);
  const HostTensor *lookup(Value value) const;
  std::optional<Scalar> lookupScalar(Value value) const;

  llvm::DenseMap<Value, HostTensor> tensors;
  llvm::DenseMap<Value, Scalar> scalars;
};

const HostTensor *Frame::lookup(Value value) const {
  auto it = tensors.find(value);
  return it == tensors.end() ? nullptr : &it->second;
}

std::optional<Scalar> Frame::lookupScalar(Value value) const {
  auto it = scalars.find(value);
  return it == scalars.end() ? std::nullopt : std::optional(it->second);
}

Expected<ScalarProgram> Frame::makeBody(Block &block) {
  return ScalarProgram::create(
      block, [&](Value v) { return lookup(v); },
      [&](Value v) { return lookupScalar(v); });
}

Error Frame::executeConstant(arith::ConstantOp op) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense) {
    scalars[op] = constantScalar(op.getValue());
    return Error::success();
  }
  HostTensor tensor(dense.getType().getShape(), dense.getElementType());
  int64_t i = 0;
  if (isa<ComplexType>(dense.getElementType()))
    return errorAt(op, "of complex type has no reference meaning");
  for (Attribute element : dense.getValues<Attribute>())
    tensor.set(i++, constantScalar(element));
  bind(op, std::move(tensor));
  return Error::success();
}

/// A scalar op applied to tensors; a scalar operand (the condition of a select)
/// counts for all elements.
void Frame::executeElementwise(Operation &op, ScalarFunction function,
                               ArrayRef<const HostTensor *> operands) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  HostTensor result(type.getShape(), type.getElementType());
  SmallVector<Scalar> values(operands.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    for (auto [k, operand] : llvm::enumerate(operands))
      values[k] = operand ? operand->get(i) : scalars.lookup(op.getOperand(k));
    result.set(i, function(&op, values.data()));
  }
  bind(op.getResult(0), std::move(result));
}

Error Frame::executeLinalg(linalg::LinalgOp op) {
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
      arguments[inputs.size() - 1] = scalars.lookup(value);
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

Error Frame::executeOp(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return executeConstant(constant);
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return executeLinalg(structured);
  SmallVector<const HostTensor *> operands;
  for (Value value : op.getOperands())
    operands.push_back(lookup(value));
  if (std::optional<HostTensor> moved = moveElements(&op, operands)) {
    bind(op.getResult(0), std::move(*moved));
    return Error::success();
  }
  Expected<std::optional<std::vector<HostTensor>>> results =
      executeOctavo(&op, operands);
  if (!results)
    return results.takeError();
  if (*results) {
    for (auto [value, tensor] : llvm::zip(op.getResults(), **results))
      bind(value, std::move(tensor));
    return Error::success();
  }
  ScalarFunction function = lookupScalarOp(&op);
  if (function && isa<RankedTensorType>(op.getResult(0).getType())) {
    executeElementwise(op, function, operands);
    return Error::success();
  }
  if (function) {
    SmallVector<Scalar> values;
    for (Value value : op.getOperands())
      values.push_back(scalars.lookup(value));
    scalars[op.getResult(0)] = function(&op, values.data());
    return Error::success();
  }
  return errorAt(&op, "has no reference meaning");
}

Error Frame::execute(Block &block) {
  for (Operation &op : block.without_terminator())
    if (Error error = executeOp(op))
      return error;
  return Error::success();
}

std::vector<HostTensor> Frame::take(ValueRange values) {
  std::vector<HostTensor> results;
  for (Value value : values)
    results.push_back(*lookup(value));
  return results;
}

} // namespace

Expected<std::vector<HostTensor>>
octavo::reference::run(func::FuncOp function, std::vector<HostTensor> inputs) {
  Block &body = function.getBody().front();
  if (inputs.size() != body.getNumArguments())
    return llvm::createStringError(
        "expected %u inputs for @%s, got %zu", body.getNumArguments(),
        function.getSymName().str().c_str(), inputs.size());
  Frame frame;
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
  return frame.take(body.getTerminator()->getOperands());
}
