//===- Frame.cpp - The values of one function while it runs ---------------===//

#include "Frame.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace octavo::reference;
using llvm::Error;
using llvm::Expected;

const HostTensor *Frame::lookup(Value value) const {
  auto it = tensors.find(value);
  return it == tensors.end() ? nullptr : &it->second;
}

std::optional<Scalar> Frame::lookupScalar(Value value) const {
  auto it = scalars.find(value);
  return it == scalars.end() ? std::nullopt : std::optional(it->second);
}

SmallVector<const HostTensor *> Frame::tensorOperands(Operation &op) {
  SmallVector<const HostTensor *> operands;
  for (Value value : op.getOperands())
    operands.push_back(lookup(value));
  return operands;
}

Expected<ScalarProgram> Frame::makeBody(Block &block) {
  return ScalarProgram::create(
      block, [&](Value v) { return lookup(v); },
      [&](Value v) { return lookupScalar(v); });
}

Error Frame::executeConstant(Operation &op, Attribute value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense) {
    bindScalar(op.getResult(0), constantScalar(value));
    return Error::success();
  }
  HostTensor tensor(dense.getType().getShape(), dense.getElementType());
  int64_t i = 0;
  if (isa<ComplexType>(dense.getElementType()))
    return errorAt(&op, "of complex type has no reference meaning");
  for (Attribute element : dense.getValues<Attribute>())
    tensor.set(i++, constantScalar(element));
  bind(op.getResult(0), std::move(tensor));
  return Error::success();
}

/// A scalar op applied to tensors; a scalar operand (the condition of a select)
/// counts for all elements.
void Frame::executeElementwise(Operation &op, ScalarFunction function) {
  SmallVector<const HostTensor *> operands = tensorOperands(op);
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

void Frame::copyValues(ValueRange from, ValueRange to) {
  SmallVector<std::optional<HostTensor>> moved;
  SmallVector<Scalar> single;
  for (Value value : from) {
    const HostTensor *tensor = lookup(value);
    moved.push_back(tensor ? std::optional(*tensor) : std::nullopt);
    single.push_back(scalars.lookup(value));
  }
  for (auto [value, tensor, scalar] : llvm::zip_equal(to, moved, single)) {
    if (tensor)
      bind(value, std::move(*tensor));
    else
      bindScalar(value, scalar);
  }
}

Error Frame::executeFor(Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  int64_t low = scalars.lookup(loop.getLowerBound()).i;
  int64_t high = scalars.lookup(loop.getUpperBound()).i;
  int64_t step = scalars.lookup(loop.getStep()).i;
  if (step <= 0)
    return errorAt(&op, "expected a positive step");
  copyValues(loop.getInitArgs(), loop.getRegionIterArgs());
  for (int64_t i = low; i < high; i += step) {
    bindScalar(loop.getInductionVar(), {.i = i});
    if (Error error = execute(*loop.getBody()))
      return error;
    copyValues(loop.getYieldedValues(), loop.getRegionIterArgs());
  }
  copyValues(loop.getRegionIterArgs(), loop.getResults());
  return Error::success();
}

Error Frame::executeIf(Operation &op) {
  auto branch = cast<scf::IfOp>(op);
  bool taken = scalars.lookup(branch.getCondition()).i & 1;
  Region &region = taken ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return Error::success();
  if (Error error = execute(region.front()))
    return error;
  copyValues(region.front().getTerminator()->getOperands(),
             branch.getResults());
  return Error::success();
}

Error Frame::executeWhile(Operation &op) {
  auto loop = cast<scf::WhileOp>(op);
  copyValues(loop.getInits(), loop.getBeforeArguments());
  while (true) {
    if (Error error = execute(*loop.getBeforeBody()))
      return error;
    scf::ConditionOp condition = loop.getConditionOp();
    if (!(scalars.lookup(condition.getCondition()).i & 1)) {
      copyValues(condition.getArgs(), loop.getResults());
      return Error::success();
    }
    copyValues(condition.getArgs(), loop.getAfterArguments());
    if (Error error = execute(*loop.getAfterBody()))
      return error;
    copyValues(loop.getYieldOp()->getOperands(), loop.getBeforeArguments());
  }
}

Error Frame::executeOp(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return executeConstant(op, constant.getValue());
  if (isa<scf::ForOp>(op))
    return executeFor(op);
  if (isa<scf::IfOp>(op))
    return executeIf(op);
  if (isa<scf::WhileOp>(op))
    return executeWhile(op);
  Expected<bool> done = executeLevelOp(op);
  if (!done)
    return done.takeError();
  if (*done)
    return Error::success();
  ScalarFunction function = lookupScalarOp(&op);
  if (!function)
    return errorAt(&op, "has no reference meaning");
  if (isa<RankedTensorType>(op.getResult(0).getType())) {
    executeElementwise(op, function);
    return Error::success();
  }
  SmallVector<Scalar> values;
  for (Value value : op.getOperands())
    values.push_back(scalars.lookup(value));
  bindScalar(op.getResult(0), function(&op, values.data()));
  return Error::success();
}

Error Frame::execute(Block &block) {
  for (Operation &op : block.without_terminator())
    if (Error error = executeOp(op))
      return error;
  return Error::success();
}
