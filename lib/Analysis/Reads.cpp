//===- Reads.cpp - Follow elements to what they are made of ---------------===//

#include "dialects/Octavo/IR/Octavo.h"
#include "octavo/Analysis/Element.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;

//===----------------------------------------------------------------------===//
// Indices computed in bodies
//===----------------------------------------------------------------------===//

/// Value of a binary index op, where the normal form can say it.
static std::optional<IndexExpr> binary(IndexSpace &space, Operation *op,
                                       IndexExpr a, IndexExpr b) {
  if (isa<arith::AddIOp>(op))
    return space.add(a, b);
  if (isa<arith::SubIOp>(op))
    return space.sub(a, b);
  if (isa<arith::MulIOp>(op) && (a->isConstant() || b->isConstant()))
    return b->isConstant() ? space.mul(a, b->constant)
                           : space.mul(b, a->constant);
  bool divides = b->isConstant() && b->constant > 0;
  if (divides && (a->low >= 0 || isa<arith::FloorDivSIOp>(op))) {
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(op))
      return space.div(a, b->constant);
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      return space.mod(a, b->constant);
  }
  return std::nullopt;
}

std::optional<IndexExpr>
ElementSpace::bodyIndex(Value value, ArrayRef<IndexExpr> iteration) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return iteration[index.getDim()];
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto attr = dyn_cast<IntegerAttr>(constant.getValue()))
      return space.constant(attr.getInt());
    return std::nullopt;
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp>(op))
    return bodyIndex(op->getOperand(0), iteration);
  if (op->getNumOperands() != 2 || op->getNumResults() != 1)
    return std::nullopt;
  auto a = bodyIndex(op->getOperand(0), iteration);
  auto b = a ? bodyIndex(op->getOperand(1), iteration) : std::nullopt;
  return b ? binary(space, op, *a, *b) : std::nullopt;
}

Index ElementSpace::extractIndex(tensor::ExtractOp op,
                                 ArrayRef<IndexExpr> iteration) {
  Index index;
  auto shape = cast<RankedTensorType>(op.getTensor().getType()).getShape();
  for (auto [d, value] : llvm::enumerate(op.getIndices())) {
    auto known = bodyIndex(value, iteration);
    index.push_back(known ? *known : opaqueIndex(op, d, iteration, shape[d]));
  }
  return index;
}

//===----------------------------------------------------------------------===//
// One step
//===----------------------------------------------------------------------===//

bool ElementSpace::forEachBodyRead(linalg::GenericOp op, unsigned result,
                                   ArrayRef<IndexExpr> index,
                                   function_ref<void(Element)> read) {
  Index iteration = iterationIndex(op, result, index);
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  SmallVector<Value> todo{yield.getOperand(result)};
  llvm::DenseSet<Value> seen;
  while (!todo.empty()) {
    Value value = todo.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != op.getBody())
        continue;
      OpOperand &operand = op->getOpOperand(argument.getArgNumber());
      read({operand.get(),
            operandIndex(op.getMatchingIndexingMap(&operand), iteration)});
      continue;
    }
    Operation *def = value.getDefiningOp();
    if (def->getBlock() != op.getBody())
      continue;
    if (auto extract = dyn_cast<tensor::ExtractOp>(def))
      read({extract.getTensor(), extractIndex(extract, iteration)});
    llvm::append_range(todo, def->getOperands());
  }
  return true;
}

bool ElementSpace::forEachRead(const Element &element,
                               function_ref<void(Element)> read) {
  Operation *op = element.tensor.getDefiningOp();
  if (!op)
    return false;
  if (isView(op)) {
    for (GuardedElement &part : viewSources(op, element.index).sources)
      read(part.element);
    return true;
  }
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](linalg::GenericOp generic) {
        return generic.getNumReductionLoops() == 0 &&
               forEachBodyRead(generic,
                               cast<OpResult>(element.tensor).getResultNumber(),
                               element.index, read);
      })
      .Case([&](linalg::ReduceOp reduce) {
        Index index = reducedIndex(reduce, element.index);
        for (Value input : reduce.getInputs())
          read({input, index});
        return true;
      })
      .Case([&](RandomOp random) {
        for (Value one : {random.getSeed(), random.getOffset()})
          read({one, Index(cast<RankedTensorType>(one.getType()).getRank(),
                           space.constant(0))});
        return true;
      })
      .Case<linalg::FillOp, arith::ConstantOp, tensor::EmptyOp,
            tensor::SplatOp>([](auto) { return true; })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// All steps
//===----------------------------------------------------------------------===//

unsigned ReadWalk::visit(const Element &element) {
  auto it = rounds.find(element);
  if (it != rounds.end())
    return it->second;
  unsigned round = visitNode(element);
  rounds[element] = round;
  return round;
}

unsigned ReadWalk::visitNode(const Element &element) {
  if (isLeaf(element.tensor)) {
    leaves[element.tensor].insert(element.index);
    return 0;
  }
  unsigned round = 0;
  bool known = space.forEachRead(
      element, [&](Element e) { round = std::max(round, visit(e)); });
  Operation *op = element.tensor.getDefiningOp();
  if (!known && problem.empty())
    problem = op ? "reads the result of " + op->getName().getStringRef().str()
                 : "reads a value from outside";
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op))
    operations += generic.getBody()->getOperations().size() - 1;
  auto reduce = dyn_cast_or_null<linalg::ReduceOp>(op);
  if (!reduce)
    return round;
  uint64_t coordinates = 0;
  for (IndexExpr e : element.index)
    coordinates |= e->coordinates;
  coordinates &= ~IndexSpace::opaqueBit;
  if (coordinates >> firstReduced && problem.empty())
    problem = "needs a reduction for each element of another reduction";
  Index index = element.index;
  // All results of one reduction are computed together.
  for (ReductionRead &done : reductions)
    if (done.op == reduce && done.index == index)
      return done.round;
  reductions.push_back(
      {reduce, index, ElementSpace::reducedExtent(reduce), round + 1});
  return round + 1;
}
