//===- KernelNames.cpp - Names that say what was fused --------------------===//

#include "passes/Octavo/KernelGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace octavo;

/// Words of a name, and letters of all of them.
static constexpr size_t kMostWords = 6;

/// "mul" of "aten.mul.Tensor", "quantize" of "octavo.quantize.default".
static std::string shortName(StringRef name) {
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  StringRef word = parts.size() > 1 ? parts[1] : parts[0];
  std::string result;
  for (char c : word)
    result += llvm::isAlnum(c) || c == '_' ? c : '_';
  StringRef trimmed = StringRef(result).trim('_');
  trimmed.consume_front("foreach_");
  return trimmed.str();
}

/// The name that an op's location carries, if any.
static StringRef nameInLocation(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location inner : fused.getLocations())
      if (StringRef found = nameInLocation(inner); !found.empty())
        return found;
  return {};
}

/// What an op was made from, else what its body does.
static std::string wordFor(Operation *op) {
  if (ElementSpace::isView(op) || isa<linalg::FillOp, tensor::EmptyOp>(op))
    return {};
  if (auto from =
          op->getAttrOfType<StringAttr>(OctavoDialect::getFromAttrName()))
    return shortName(from.getValue());
  // "L.model.layers.0.norm/mul_1": the graph's name of the node.
  StringRef name = nameInLocation(op->getLoc());
  if (auto node = name.rsplit('/').second; !node.empty())
    return shortName(node.rtrim("0123456789").rtrim('_'));
  if (isa<RandomOp>(op))
    return "random";
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return {};
  Operation *last = nullptr;
  for (Operation &inner : structured.getBlock()->without_terminator())
    if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ConstantOp>(inner))
      last = &inner;
  if (!last)
    return isa<linalg::ReduceOp>(op) ? "reduce" : "";
  std::string word = last->getName().stripDialect().str();
  if (isa<arith::ArithDialect>(last->getDialect()) && word.size() > 3 &&
      (word.back() == 'f' || word.back() == 'i'))
    word.pop_back();
  if (isa<linalg::ReduceOp>(op))
    word = word == "add" ? "sum" : word == "maximum" ? "amax" : word;
  return word;
}

std::string octavo::nameKernel(const FormedKernel &kernel,
                               const KernelGraph &graph) {
  llvm::SetVector<Operation *> slice;
  SmallVector<Value> todo;
  auto home = graph.homeOf(kernel.roots.front());
  for (Value root : kernel.roots)
    if (graph.isNeeded(root))
      todo.push_back(root);
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val().getDefiningOp();
    if (!op || !slice.insert(op))
      continue;
    if (op == kernel.matmul)
      continue;
    for (Value operand : op->getOperands()) {
      auto other = graph.homeOf(operand);
      if (!other || other == home)
        todo.push_back(operand);
    }
  }
  SmallVector<Operation *> sorted(slice.takeVector());
  llvm::sort(sorted,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  llvm::SetVector<StringRef> unique;
  std::vector<std::string> words;
  for (Operation *op : sorted) {
    std::string word = op == kernel.matmul ? "matmul" : wordFor(op);
    if (!word.empty() && !llvm::is_contained(words, word))
      words.push_back(word);
  }
  // The last ones say most: what comes out of the kernel.
  if (words.size() > kMostWords)
    words.erase(words.begin() + 1, words.end() - (kMostWords - 1));
  if (words.empty())
    words.push_back("copy");
  return llvm::join(words, "_");
}
