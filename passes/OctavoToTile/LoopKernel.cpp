//===- LoopKernel.cpp - Kernels without matrix products -------------------===//
//
// One workgroup owns a block of x. Reductions go in rounds, each needing the
// results of the one before: where the whole extent fits into a tile a round is
// straight-line code, else one loop over blocks that carries all partial tiles
// of the round. Results are written in the first loop in which they are known.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/LoopKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace octavo;

namespace {
/// A result of the kernel and when it can be written.
struct Root {
  Element element;
  unsigned number;
  unsigned round;
  /// Extent of the loop it is written in; 1: outside of loops.
  int64_t extent;
};

/// Emits one body.
class LoopEmitter {
public:
  LoopEmitter(OpBuilder &b, KernelBody &body, const LoopShape &shape)
      : b(b), body(body), shape(shape),
        evaluator(b, space, shape.blockOf.empty() ? 1 : 2, body.memory) {}

  LogicalResult run(Value workgroup);

private:
  LogicalResult schedule();
  void bindX(Value workgroup);
  LogicalResult emitRound(unsigned round, int64_t extent);
  LogicalResult emitLoop(int64_t extent, ArrayRef<ReductionRead *> reductions,
                         ArrayRef<Root *> written);
  LogicalResult write(const Root &root) {
    return success(evaluator.store(root.element, body.results[root.number]));
  }
  int64_t blockR(int64_t extent) const { return shape.blockOf.at(extent); }
  int axisOfR() const { return shape.domain.isReducedMinor() ? 1 : 0; }

  OpBuilder &b;
  KernelBody &body;
  const LoopShape &shape;
  ElementSpace space;
  Evaluator evaluator;
  std::vector<ReductionRead> reductions;
  std::vector<Root> roots;
  unsigned lastRound = 0;
};
} // namespace

/// The index at which a kernel computes each yielded value, or an error.
static LogicalResult indexRoots(ElementSpace &space, const Domain &domain,
                                Operation *yield, std::vector<Root> &roots) {
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    auto type = cast<RankedTensorType>(value.getType());
    std::optional<Index> index = space.rootIndex(domain, type.getShape());
    if (!index)
      return yield->emitOpError("result ")
             << i << " of type " << type << " does not fit a kernel of "
             << domain.extentX() << " rows of " << domain.extentR();
    roots.push_back({{value, *index}, unsigned(i), 0, 1});
  }
  return success();
}

/// Follows all results of `body` to its arguments.
static LogicalResult scheduleBody(ElementSpace &space, const Domain &domain,
                                  Block *block, std::vector<Root> &roots,
                                  std::vector<ReductionRead> &reductions) {
  Operation *yield = block->getTerminator();
  if (failed(indexRoots(space, domain, yield, roots)))
    return failure();
  auto isLeaf = [&](Value v) { return isa<BlockArgument>(v); };
  ReadWalk walk(space, isLeaf);
  for (Root &root : roots) {
    root.round = walk.visit(root.element);
    if (!walk.problem.empty())
      return yield->emitOpError("result ")
             << root.number << " cannot be computed in this kernel: it "
             << walk.problem;
    int64_t extentR = domain.extentR();
    uint64_t coordinates = Evaluator::coordinatesOf(root.element.index);
    if (extentR != 1 && coordinates >> space.reducedNumber(extentR) & 1)
      root.extent = extentR;
  }
  reductions = std::move(walk.reductions);
  return success();
}

LogicalResult LoopEmitter::schedule() {
  if (failed(scheduleBody(space, shape.domain, body.block, roots, reductions)))
    return failure();
  for (ReductionRead &read : reductions)
    lastRound = std::max(lastRound, read.round);
  return success();
}

void LoopEmitter::bindX(Value workgroup) {
  int64_t extentX = shape.domain.extentX(), blockX = shape.plan.blockX;
  Value base;
  if (blockX < extentX) {
    Value size = arith::ConstantOp::create(b, workgroup.getLoc(),
                                           b.getI32IntegerAttr(blockX));
    base = blockX == 1
               ? workgroup
               : arith::MulIOp::create(b, workgroup.getLoc(), workgroup, size);
  }
  int axis = shape.blockOf.empty() ? 0 : 1 - axisOfR();
  evaluator.bind(coordinateX, {axis, blockX, extentX, base});
}

LogicalResult LoopEmitter::emitLoop(int64_t extent,
                                    ArrayRef<ReductionRead *> carried,
                                    ArrayRef<Root *> written) {
  Location loc = body.block->getTerminator()->getLoc();
  unsigned number = space.reducedNumber(extent);
  int64_t block = blockR(extent);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  };
  SmallVector<Value> starts;
  SmallVector<int64_t> tile(2, 1);
  tile[axisOfR()] = block;
  for (ReductionRead *read : carried) {
    uint64_t x = Evaluator::coordinatesOf(read->index) & 1;
    SmallVector<int64_t> sizes = tile;
    if (x)
      sizes[1 - axisOfR()] = shape.plan.blockX;
    llvm::append_range(starts, evaluator.neutralTiles(read->op, sizes));
  }
  if (evaluator.failed())
    return failure();
  auto loop = scf::ForOp::create(b, loc, constant(0), constant(extent),
                                 constant(block), starts);
  b.setInsertionPointToStart(loop.getBody());
  evaluator.enter(loop);
  evaluator.bind(number, {axisOfR(), block, extent, loop.getInductionVar()});
  SmallVector<Value> next;
  size_t at = 0;
  for (ReductionRead *read : carried) {
    SmallVector<Value> inputs =
        evaluator.reductionInputs(read->op, read->index);
    if (evaluator.failed())
      return failure();
    ValueRange old = loop.getRegionIterArgs().slice(at, inputs.size());
    llvm::append_range(next, evaluator.combine(read->op, inputs, old));
    at += inputs.size();
  }
  for (Root *root : written)
    if (failed(write(*root)))
      return failure();
  if (!next.empty())
    scf::YieldOp::create(b, loc, next);
  b.setInsertionPointAfter(loop);
  std::vector<std::pair<Element, Value>> finished;
  at = 0;
  for (ReductionRead *read : carried) {
    size_t count = read->op->getNumResults();
    SmallVector<Value> results =
        evaluator.finishReduction(read->op, loop.getResults().slice(at, count));
    if (evaluator.failed())
      return failure();
    for (auto [result, value] : llvm::zip(read->op->getResults(), results))
      finished.emplace_back(Element{result, read->index}, value);
    at += count;
  }
  evaluator.leave();
  for (auto &[element, value] : finished)
    evaluator.define(element, value);
  return success();
}

LogicalResult LoopEmitter::emitRound(unsigned round, int64_t extent) {
  SmallVector<ReductionRead *> carried;
  SmallVector<Root *> written;
  for (ReductionRead &read : reductions)
    if (read.round == round && read.extent == extent)
      carried.push_back(&read);
  // A result is written in the first loop over its extent that follows the
  // rounds it needs; the round after the last one takes what is left.
  for (Root &root : roots) {
    if (root.extent != extent || root.round >= round)
      continue;
    if (carried.empty() && round <= lastRound)
      continue;
    written.push_back(&root);
  }
  if (carried.empty() && written.empty())
    return success();
  if (failed(emitLoop(extent, carried, written)))
    return failure();
  for (Root *root : written)
    root->extent = 0;
  return success();
}

LogicalResult LoopEmitter::run(Value workgroup) {
  if (failed(schedule()))
    return failure();
  bindX(workgroup);
  SmallVector<int64_t> looped;
  auto bindExtent = [&](int64_t extent) {
    if (extent == 1)
      return;
    if (extent > blockR(extent)) {
      if (!llvm::is_contained(looped, extent))
        looped.push_back(extent);
      return;
    }
    evaluator.bind(space.reducedNumber(extent),
                   {axisOfR(), blockR(extent), extent, Value()});
  };
  for (ReductionRead &read : reductions)
    bindExtent(read.extent);
  for (Root &root : roots)
    bindExtent(root.extent);
  for (unsigned round = 1; round <= lastRound + 1; ++round)
    for (int64_t extent : looped)
      if (failed(emitRound(round, extent)))
        return failure();
  for (Root &root : roots)
    if (root.extent != 0 && failed(write(root)))
      return failure();
  return success();
}

LogicalResult octavo::emitLoops(OpBuilder &builder, KernelBody &body,
                                const LoopShape &shape, Value workgroup) {
  return LoopEmitter(builder, body, shape).run(workgroup);
}

/// Without a domain: that of the first reduction, else all elements of the
/// largest result.
static Domain deriveDomain(Block *block) {
  for (Operation &op : *block)
    if (auto reduce = dyn_cast<linalg::ReduceOp>(op))
      return Domain::get(
          cast<RankedTensorType>(reduce.getInputs()[0].getType()).getShape(),
          reduce.getDimensions());
  Domain domain;
  int64_t largest = 0;
  for (Type type : block->getTerminator()->getOperandTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getNumElements() > largest)
      domain = Domain::get({tensor.getNumElements()}, {});
    largest = std::max(largest, tensor.getNumElements());
  }
  return domain;
}

Domain octavo::findDomain(Block *block, Attribute domain) {
  return domain ? Domain::fromAttr(domain) : deriveDomain(block);
}

std::optional<LoopShape> octavo::shapeLoops(Block *block, const Domain &domain,
                                            double share,
                                            const TargetInfo &target) {
  LoopShape shape{domain, {}, {}, 0};
  ElementSpace space;
  std::vector<Root> roots;
  std::vector<ReductionRead> reductions;
  if (failed(scheduleBody(space, shape.domain, block, roots, reductions)))
    return std::nullopt;
  // Extents of reductions at each x, and of those that all x share.
  std::set<int64_t> perRow, shared;
  if (int64_t extentR = shape.domain.extentR(); extentR != 1)
    perRow.insert(extentR);
  for (ReductionRead &read : reductions)
    if (read.extent != 1)
      (Evaluator::coordinatesOf(read.index) & 1 ? perRow : shared)
          .insert(read.extent);
  shape.plan = planLoops(target, shape.domain,
                         perRow.empty() ? 1 : *perRow.rbegin(), share);
  for (int64_t extent : shared)
    shape.blockOf[extent] = shape.plan.sharedBlockR(target, extent);
  for (int64_t extent : perRow)
    shape.blockOf[extent] = shape.plan.blockR(extent);
  shape.workgroups = std::max<int64_t>(
      1, llvm::divideCeil(shape.domain.extentX(), shape.plan.blockX));
  return shape;
}
