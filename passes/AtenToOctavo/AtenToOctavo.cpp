//===- AtenToOctavo.cpp - Write PyTorch's operators as values -------------===//
//
// Walks each function once, in order, and keeps for each old value the tensor
// that stands for it. What an overload means is in the rules of the families.
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Passes.h"

#include "passes/AtenToOctavo/Call.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace octavo {
#define GEN_PASS_DEF_ATENTOOCTAVO
#include "passes/AtenToOctavo/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

std::vector<std::string> octavo::getLoweredAtenOps() {
  return allRules().names();
}

/// "aten.mul.Tensor" as "mul".
static StringRef shortName(StringRef overload) {
  return overload.split('.').second.split('.').first;
}

namespace {
/// Marks what a call became, for the names of kernels.
struct NameOps final : public OpBuilder::Listener {
  StringAttr name;

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (!isa_and_nonnull<func::FuncOp>(op->getParentOp()))
      return;
    StringRef dialect = op->getName().getDialectNamespace();
    if ((dialect == "linalg" || dialect == "octavo"))
      op->setDiscardableAttr(OctavoDialect::getFromAttrName(), name);
  }
};

/// State of one function.
struct Lowering {
  func::FuncOp function;
  Call::Values values;
  SmallVector<Operation *> replaced;

  void run();
  void convertArguments();
  void convertCall(aten::CallOp op);
  void keep(aten::CallOp op, StringRef reason);
  void convertReturn(func::ReturnOp op);
};
} // namespace

static Type storageType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? storageOf(tensor) : type;
}

static Tensor tensorOf(Value value, Type old) {
  auto type = dyn_cast<RankedTensorType>(old);
  return {value, type ? type.getElementType() : old};
}

/// Strides of a complex tensor, in elements of its parts.
static DenseI64ArrayAttr stridesOfParts(DenseI64ArrayAttr strides) {
  Shape parts;
  for (int64_t stride : strides.asArrayRef())
    parts.push_back(2 * stride);
  parts.push_back(1);
  return DenseI64ArrayAttr::get(strides.getContext(), parts);
}

void Lowering::convertArguments() {
  StringRef name = OctavoDialect::getStridesAttrName();
  for (BlockArgument argument : function.getArguments()) {
    Type old = argument.getType();
    argument.setType(storageType(old));
    values[argument] = tensorOf(argument, old);
    unsigned at = argument.getArgNumber();
    auto strides = function.getArgAttrOfType<DenseI64ArrayAttr>(at, name);
    if (strides && isComplex(values[argument].dtype))
      function.setArgAttr(at, name, stridesOfParts(strides));
  }
}

/// Whether nothing has to be computed: no result has an element.
static bool isEmpty(aten::CallOp op) {
  return op.getNumResults() != 0 &&
         llvm::all_of(op.getResultTypes(), [](Type type) {
           auto tensor = dyn_cast<RankedTensorType>(type);
           return tensor && tensor.hasStaticShape() &&
                  tensor.getNumElements() == 0;
         });
}

static bool isStatic(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

/// Why no rule is tried, or an empty string.
static std::string refuse(aten::CallOp op) {
  if (!llvm::all_of(op->getOperandTypes(), isStatic) ||
      !llvm::all_of(op.getResultTypes(), isStatic))
    return "a shape is known only when it runs, or a value is no tensor";
  return {};
}

/// Runs the rule of `op`; an empty reason means that `results` are its values.
static std::string applyRule(Call &call, aten::CallOp op, Results &results) {
  if (isEmpty(op)) {
    results = SmallVector<Tensor, 2>();
    for (size_t i = 0; i < call.resultCount(); ++i)
      results.tensors.push_back(
          call.full(call.resultShape(i), call.resultType(i), 0.0));
    return {};
  }
  const Rules::Rule *rule = allRules().find(op.getOverload());
  if (!rule)
    return "Octavo has no lowering of " + op.getOverload().str();
  results = (*rule)(call);
  if (!results.lowered)
    return call.reason().empty() ? "its arguments are not supported"
                                 : call.reason().str();
  if (results.tensors.size() != op.getNumResults())
    return "its lowering gives another number of results";
  for (auto [tensor, old] : llvm::zip(results.tensors, op.getResults()))
    if (tensor.value.getType() != storageType(old.getType())) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "its lowering gives " << tensor.value.getType() << " for "
          << old.getType();
      return text;
    }
  return {};
}

void Lowering::convertCall(aten::CallOp op) {
  OpBuilder builder(op);
  NameOps listener;
  listener.name = builder.getStringAttr(shortName(op.getOverload()));
  builder.setListener(&listener);
  std::string reason = refuse(op);
  if (reason.empty()) {
    Call call(builder, op, values);
    Results results = failure();
    reason = applyRule(call, op, results);
    if (reason.empty()) {
      for (auto [old, tensor] : llvm::zip(op.getResults(), results.tensors))
        values[old] = {tensor.value,
                       cast<RankedTensorType>(old.getType()).getElementType()};
      replaced.push_back(op);
      return;
    }
  }
  keep(op, reason);
}

/// The call stays, on octavo-level types; the old types stand beside it.
void Lowering::keep(aten::CallOp op, StringRef reason) {
  Builder builder(op.getContext());
  op->setAttr("octavo.reason", builder.getStringAttr(reason));
  SmallVector<Attribute> types;
  bool differs = false;
  auto note = [&](Type old, Type stored) {
    types.push_back(TypeAttr::get(old));
    differs |= old != stored;
  };
  for (OpOperand &operand : op->getOpOperands()) {
    Tensor now = values.lookup(operand.get());
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    Type old = type ? Type(RankedTensorType::get(now.shape(), now.dtype))
                    : operand.get().getType();
    note(old, now.value.getType());
    operand.set(now.value);
  }
  for (OpResult result : op->getResults()) {
    Type old = result.getType();
    note(old, storageType(old));
    result.setType(storageType(old));
    values[result] = tensorOf(result, old);
  }
  if (differs)
    op->setAttr("octavo.types", builder.getArrayAttr(types));
  remark::missed(
      op.getLoc(),
      remark::RemarkOpts::name("eager-call").category("aten-to-octavo"))
      << (op.getOverload() + ": " + reason).str();
}

void Lowering::convertReturn(func::ReturnOp op) {
  StringRef name = OctavoDialect::getStridesAttrName();
  for (OpOperand &operand : op->getOpOperands()) {
    Tensor tensor = values.lookup(operand.get());
    operand.set(tensor.value);
    unsigned at = operand.getOperandNumber();
    auto strides = function.getResultAttrOfType<DenseI64ArrayAttr>(at, name);
    if (strides && isComplex(tensor.dtype))
      function.setResultAttr(at, name, stridesOfParts(strides));
  }
  function.setFunctionType(
      FunctionType::get(op.getContext(), function.getBody().getArgumentTypes(),
                        op->getOperandTypes()));
}

void Lowering::run() {
  convertArguments();
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (auto call = dyn_cast<aten::CallOp>(op))
      convertCall(call);
    else if (auto end = dyn_cast<func::ReturnOp>(op))
      convertReturn(end);
    else
      for (Value result : op.getResults())
        values[result] = tensorOf(result, result.getType());
  }
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  // Views that a rule looked through, and what only they read.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {
struct AtenToOctavo final
    : public octavo::impl::AtenToOctavoBase<AtenToOctavo> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!llvm::hasSingleElement(function.getBody())) {
        function.emitOpError("expected a body of one block");
        return signalPassFailure();
      }
      Lowering lowering;
      lowering.function = function;
      lowering.run();
    }
  }
};
} // namespace
