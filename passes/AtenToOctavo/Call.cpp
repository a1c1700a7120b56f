//===- Call.cpp - One aten.call while it is lowered -----------------------===//

#include "passes/AtenToOctavo/Call.h"

using namespace mlir;
using namespace octavo;

Attribute Call::argument(StringRef name) const {
  Attribute found = aten::CallOp(op).getArgs().get(name);
  return found && !isa<aten::NoneAttr>(found) ? found : Attribute();
}

bool Call::has(StringRef name) const {
  return static_cast<bool>(argument(name));
}

Operand Call::toOperand(Attribute attribute) const {
  if (!attribute || isa<aten::NoneAttr>(attribute))
    return {};
  if (auto reference = dyn_cast<aten::OperandAttr>(attribute))
    return values.lookup(aten::CallOp(op).getOperands()[reference.getIndex()]);
  return attribute;
}

Operand Call::operand(StringRef name) const {
  return toOperand(argument(name));
}

Tensor Call::tensor(StringRef name) const { return operand(name).tensor; }

SmallVector<Operand> Call::operands(StringRef name) const {
  SmallVector<Operand> found;
  if (auto list = dyn_cast_or_null<ArrayAttr>(argument(name)))
    for (Attribute item : list)
      found.push_back(toOperand(item));
  return found;
}

SmallVector<Tensor> Call::tensors(StringRef name) const {
  SmallVector<Tensor> found;
  for (Operand &operand : operands(name))
    found.push_back(operand.tensor);
  return found;
}

int64_t Call::integer(StringRef name, int64_t otherwise) const {
  Attribute found = argument(name);
  if (auto integer = dyn_cast_or_null<IntegerAttr>(found))
    return isa<BoolAttr>(found) ? cast<BoolAttr>(found).getValue()
                                : integer.getInt();
  return otherwise;
}

Shape Call::integers(StringRef name) const {
  Shape found;
  if (auto list = dyn_cast_or_null<ArrayAttr>(argument(name))) {
    for (Attribute item : list)
      if (auto integer = dyn_cast<IntegerAttr>(item))
        found.push_back(integer.getInt());
  } else if (has(name)) {
    found.push_back(integer(name));
  }
  return found;
}

double Call::number(StringRef name, double otherwise) const {
  Attribute found = argument(name);
  if (auto number = dyn_cast_or_null<FloatAttr>(found))
    return number.getValueAsDouble();
  return found ? static_cast<double>(integer(name)) : otherwise;
}

bool Call::flag(StringRef name) const { return integer(name) != 0; }

StringRef Call::text(StringRef name) const {
  auto text = dyn_cast_or_null<StringAttr>(argument(name));
  return text ? text.getValue() : StringRef();
}

Type Call::dtype(StringRef name) const {
  auto type = dyn_cast_or_null<TypeAttr>(argument(name));
  return type ? type.getValue() : Type();
}

Type Call::resultType(size_t index) const {
  return cast<RankedTensorType>(aten::CallOp(op).getResult(index).getType())
      .getElementType();
}

ArrayRef<int64_t> Call::resultShape(size_t index) const {
  return cast<RankedTensorType>(aten::CallOp(op).getResult(index).getType())
      .getShape();
}

LogicalResult Call::fail(const Twine &reason) {
  why = reason.str();
  return failure();
}

void Rules::add(StringRef overload, Rule rule) {
  rules[overload] = std::move(rule);
}

const Rules::Rule *Rules::find(StringRef overload) const {
  auto found = rules.find(overload);
  return found == rules.end() ? nullptr : &found->second;
}

std::vector<std::string> Rules::names() const {
  std::vector<std::string> names;
  for (const auto &entry : rules)
    names.push_back(entry.getKey().str());
  llvm::sort(names);
  return names;
}

const Rules &octavo::allRules() {
  static const Rules rules = [] {
    Rules all;
    for (auto add : {addUnaryRules,    addBinaryRules,       addCompareRules,
                     addSelectRules,   addGradientRules,     addCastRules,
                     addCreationRules, addComplexRules,      addReductionRules,
                     addArgumentRules, addSoftmaxRules,      addNormRules,
                     addShapeRules,    addSliceRules,        addStridedRules,
                     addMatmulRules,   addScaledMatmulRules, addAttentionRules,
                     addGatherRules,   addScatterRules,      addLossRules,
                     addForeachRules,  addOctavoRules})
      add(all);
    return all;
  }();
  return rules;
}
