//===- ScalarProgram.cpp - A region of scalar ops, ready to run -----------===//

#include "ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo::reference;

llvm::Error octavo::reference::errorAt(Operation *op,
                                       const llvm::Twine &message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getLoc() << ": '" << op->getName() << "' " << message;
  return llvm::createStringError(text);
}

llvm::Expected<unsigned> ScalarProgram::slotOf(Value value,
                                               ScalarLookup scalars) {
  auto [it, inserted] = slotByValue.try_emplace(value, slots.size());
  if (!inserted)
    return it->second;
  std::optional<Scalar> captured = scalars(value);
  if (!captured)
    return llvm::createStringError("a captured value is not known");
  slots.push_back(*captured);
  return it->second;
}

llvm::Error ScalarProgram::addStep(Operation &op, TensorLookup tensors,
                                   ScalarLookup scalars) {
  Step step{&op, lookupScalarOp(&op), nullptr, {}, 0};
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    slotByValue[constant] = slots.size();
    slots.push_back(constantScalar(constant.getValue()));
    return llvm::Error::success();
  }
  ValueRange operands = op.getOperands();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    step.tensor = tensors(extract.getTensor());
    if (!step.tensor)
      return errorAt(&op, "reads a tensor that is not known");
    operands = extract.getIndices();
  } else if (!step.function && !isa<linalg::IndexOp>(op)) {
    return errorAt(&op, "has no reference meaning in a scalar region");
  }
  for (Value operand : operands) {
    llvm::Expected<unsigned> slot = slotOf(operand, scalars);
    if (!slot)
      return slot.takeError();
    step.operands.push_back(*slot);
  }
  step.result = slots.size();
  slotByValue[op.getResult(0)] = step.result;
  slots.emplace_back();
  steps.push_back(std::move(step));
  return llvm::Error::success();
}

llvm::Expected<ScalarProgram> ScalarProgram::create(Block &block,
                                                    TensorLookup tensors,
                                                    ScalarLookup scalars) {
  ScalarProgram program;
  for (BlockArgument argument : block.getArguments()) {
    program.slotByValue[argument] = program.slots.size();
    program.slots.emplace_back();
  }
  for (Operation &op : block.without_terminator())
    if (llvm::Error error = program.addStep(op, tensors, scalars))
      return std::move(error);
  for (Value value : block.getTerminator()->getOperands()) {
    llvm::Expected<unsigned> slot = program.slotOf(value, scalars);
    if (!slot)
      return slot.takeError();
    program.yields.push_back(*slot);
  }
  return program;
}

llvm::Error ScalarProgram::extract(const Step &step) {
  SmallVector<int64_t> index;
  for (auto [slot, extent] : llvm::zip(step.operands, step.tensor->shape)) {
    int64_t i = slots[slot].i;
    if (i < 0 || i >= extent)
      return errorAt(step.op, "index " + llvm::Twine(i) +
                                  " is outside of a dimension of " +
                                  llvm::Twine(extent));
    index.push_back(i);
  }
  slots[step.result] = step.tensor->get(step.tensor->offset(index));
  return llvm::Error::success();
}

llvm::Error ScalarProgram::run(ArrayRef<Scalar> arguments,
                               ArrayRef<int64_t> index,
                               MutableArrayRef<Scalar> results) {
  llvm::copy(arguments, slots.begin());
  SmallVector<Scalar, 4> operands;
  for (const Step &step : steps) {
    if (step.tensor) {
      if (llvm::Error error = extract(step))
        return error;
    } else if (step.function) {
      operands.clear();
      for (unsigned slot : step.operands)
        operands.push_back(slots[slot]);
      slots[step.result] = step.function(step.op, operands.data());
    } else {
      slots[step.result].i = index[cast<linalg::IndexOp>(step.op).getDim()];
    }
  }
  for (auto [slot, result] : llvm::zip_equal(yields, results))
    result = slots[slot];
  return llvm::Error::success();
}
