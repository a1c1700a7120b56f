//===- LowerControlFlow.cpp - Loops and branches --------------------------===//

#include "passes/TileToLane/LaneProgram.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;

static SmallVector<Value> lowerAll(LaneProgram &p, ValueRange values) {
  SmallVector<Value> lowered;
  for (Value value : values)
    llvm::append_range(lowered, p.getValues(value));
  return lowered;
}

static void takeAll(LaneProgram &p, ValueRange values, ValueRange lowered) {
  for (Value value : values)
    p.takeValues(value, lowered);
}

static SmallVector<Type> lowerTypes(LaneProgram &p, TypeRange types) {
  SmallVector<Type> lowered;
  for (Type type : types) {
    if (isa<RankedTensorType>(type))
      lowered.append(p.getNumFragments(type), p.getFragmentType(type));
    else
      lowered.push_back(type);
  }
  return lowered;
}

/// Whether all values of the counter of an index loop fit into 32 bits.
static bool fitsInI32(scf::ForOp op) {
  APInt lower, upper, step;
  if (!op.getInductionVar().getType().isIndex() ||
      !matchPattern(op.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(op.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(op.getStep(), m_ConstantInt(&step)))
    return false;
  // One step more, for what runs ahead.
  return lower.getSExtValue() >= 0 && step.getSExtValue() > 0 &&
         upper.getSExtValue() + 2 * step.getSExtValue() < INT32_MAX;
}

static LogicalResult lowerFor(LaneProgram &p, scf::ForOp op) {
  SmallVector<Value> inits = lowerAll(p, op.getInitArgs());
  auto loop = scf::ForOp::create(p.b, p.loc, p.getScalar(op.getLowerBound()),
                                 p.getScalar(op.getUpperBound()),
                                 p.getScalar(op.getStep()), inits);
  loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  p.scalars.map(op.getInductionVar(), loop.getInductionVar());
  takeAll(p, op.getRegionIterArgs(), loop.getRegionIterArgs());
  {
    OpBuilder::InsertionGuard guard(p.b);
    if (inits.empty())
      p.b.setInsertionPoint(loop.getBody()->getTerminator());
    else
      p.b.setInsertionPointToEnd(loop.getBody());
    p.forgetLds();
    if (failed(p.lowerBlock(*op.getBody())))
      return failure();
    if (!inits.empty())
      scf::YieldOp::create(p.b, p.loc, lowerAll(p, op.getYieldedValues()));
  }
  takeAll(p, op.getResults(), loop.getResults());
  return success();
}

static LogicalResult lowerIf(LaneProgram &p, scf::IfOp op) {
  auto branch =
      scf::IfOp::create(p.b, p.loc, lowerTypes(p, op.getResultTypes()),
                        p.getScalar(op.getCondition()), /*addThenBlock=*/true,
                        /*addElseBlock=*/op.elseBlock() != nullptr);
  auto fill = [&](Block *from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(p.b);
    p.b.setInsertionPointToEnd(to);
    p.forgetLds();
    if (failed(p.lowerBlock(*from)))
      return failure();
    // Bodies of one launch do not share code, whose addresses would then live
    // in scalar registers all together: no two end alike.
    if (op->hasAttr("tile.apart"))
      ROCDL::SchedBarrier::create(p.b, p.loc, p.bodiesEnded++);
    scf::YieldOp::create(p.b, p.loc,
                         lowerAll(p, from->getTerminator()->getOperands()));
    return success();
  };
  if (failed(fill(op.thenBlock(), branch.thenBlock())) ||
      (op.elseBlock() && failed(fill(op.elseBlock(), branch.elseBlock()))))
    return failure();
  takeAll(p, op.getResults(), branch.getResults());
  return success();
}

static LogicalResult lowerWhile(LaneProgram &p, scf::WhileOp op) {
  SmallVector<Value> inits = lowerAll(p, op.getInits());
  auto loop = scf::WhileOp::create(p.b, p.loc,
                                   lowerTypes(p, op.getResultTypes()), inits);
  auto makeBlock = [&](Region &region, ValueRange arguments) {
    SmallVector<Type> types = lowerTypes(p, arguments.getTypes());
    Block *block = p.b.createBlock(&region, {}, types,
                                   SmallVector<Location>(types.size(), p.loc));
    takeAll(p, arguments, block->getArguments());
  };
  OpBuilder::InsertionGuard guard(p.b);
  makeBlock(loop.getBefore(), op.getBeforeArguments());
  p.forgetLds();
  if (failed(p.lowerBlock(*op.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = op.getConditionOp();
  scf::ConditionOp::create(p.b, p.loc, p.getScalar(condition.getCondition()),
                           lowerAll(p, condition.getArgs()));
  makeBlock(loop.getAfter(), op.getAfterArguments());
  p.forgetLds();
  if (failed(p.lowerBlock(*op.getAfterBody())))
    return failure();
  scf::YieldOp::create(p.b, p.loc, lowerAll(p, op.getYieldedValues()));
  takeAll(p, op.getResults(), loop.getResults());
  return success();
}

LogicalResult octavo::lowerControlFlow(LaneProgram &p, Operation *op) {
  auto forget = llvm::make_scope_exit([&] { p.forgetLds(); });
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return lowerFor(p, loop); })
      .Case([&](scf::IfOp branch) { return lowerIf(p, branch); })
      .Case([&](scf::WhileOp loop) { return lowerWhile(p, loop); })
      .Default([&](Operation *) {
        return op->emitOpError("has no lowering to one lane's program");
      });
}
