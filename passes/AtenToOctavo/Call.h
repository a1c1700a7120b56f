//===- Call.h - One aten.call while it is lowered ---------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_CALL_H
#define OCTAVO_PASSES_ATENTOOCTAVO_CALL_H

#include "dialects/Aten/IR/Aten.h"
#include "passes/AtenToOctavo/Emitter.h"

#include "llvm/ADT/StringMap.h"
#include <functional>

namespace octavo {

/// What a rule gives back: the results, or nothing after `Call::fail`.
struct Results {
  bool lowered = false;
  llvm::SmallVector<Tensor, 2> tensors;

  Results(mlir::LogicalResult) {}
  Results(Tensor tensor) : lowered(true), tensors({tensor}) {}
  Results(llvm::SmallVector<Tensor, 2> tensors)
      : lowered(true), tensors(std::move(tensors)) {}
  Results(std::initializer_list<Tensor> tensors)
      : lowered(true), tensors(tensors) {}
};

/// The arguments of one call by name, and an emitter at its place.
class Call : public Emitter {
public:
  using Values = llvm::DenseMap<mlir::Value, Tensor>;

  Call(mlir::OpBuilder &builder, aten::CallOp op, const Values &values)
      : Emitter(builder, op.getLoc()), op(op), values(values) {}

  /// Whether the argument is there and not None.
  bool has(llvm::StringRef name) const;
  mlir::Attribute argument(llvm::StringRef name) const;
  /// The tensor, or an empty one for None.
  Tensor tensor(llvm::StringRef name) const;
  /// The tensor or number, or an empty operand for None.
  Operand operand(llvm::StringRef name) const;
  /// A list of tensors, numbers or None.
  llvm::SmallVector<Operand> operands(llvm::StringRef name) const;
  llvm::SmallVector<Tensor> tensors(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t otherwise = 0) const;
  /// A list of integers; one integer is a list of one.
  Shape integers(llvm::StringRef name) const;
  double number(llvm::StringRef name, double otherwise = 0) const;
  bool flag(llvm::StringRef name) const;
  llvm::StringRef text(llvm::StringRef name) const;
  /// The dtype, or null for None.
  mlir::Type dtype(llvm::StringRef name) const;

  size_t resultCount() const { return aten::CallOp(op)->getNumResults(); }
  mlir::Type resultType(size_t index = 0) const;
  llvm::ArrayRef<int64_t> resultShape(size_t index = 0) const;
  llvm::StringRef overload() const { return aten::CallOp(op).getOverload(); }

  /// Notes why this call cannot be lowered.
  mlir::LogicalResult fail(const llvm::Twine &why);
  llvm::StringRef reason() const { return why; }

private:
  Operand toOperand(mlir::Attribute attribute) const;

  aten::CallOp op;
  const Values &values;
  std::string why;
};

/// How each overload is lowered.
class Rules {
public:
  using Rule = std::function<Results(Call &)>;

  void add(llvm::StringRef overload, Rule rule);
  const Rule *find(llvm::StringRef overload) const;
  std::vector<std::string> names() const;

private:
  llvm::StringMap<Rule> rules;
};

/// All rules of all families.
const Rules &allRules();

void addUnaryRules(Rules &rules);
void addBinaryRules(Rules &rules);
void addCompareRules(Rules &rules);
void addSelectRules(Rules &rules);
void addGradientRules(Rules &rules);
void addCastRules(Rules &rules);
void addCreationRules(Rules &rules);
void addComplexRules(Rules &rules);
void addReductionRules(Rules &rules);
void addArgumentRules(Rules &rules);
void addSoftmaxRules(Rules &rules);
void addNormRules(Rules &rules);
void addShapeRules(Rules &rules);
void addSliceRules(Rules &rules);
void addMatmulRules(Rules &rules);
void addScaledMatmulRules(Rules &rules);
void addAttentionRules(Rules &rules);
void addGatherRules(Rules &rules);
void addScatterRules(Rules &rules);
void addScatterDimRules(Rules &rules);
void addLossRules(Rules &rules);
void addForeachRules(Rules &rules);
void addStridedRules(Rules &rules);
void addOctavoRules(Rules &rules);

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_CALL_H
