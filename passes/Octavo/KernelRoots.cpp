//===- KernelRoots.cpp - Values that lie in memory if they are read -------===//

#include "passes/Octavo/KernelGraph.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace octavo;

/// Reading more tensors than this for one element is a value worth keeping.
static constexpr unsigned kMostLeaves = 10;
/// Computing more scalar ops than this twice is dearer than a read.
static constexpr int64_t kDearOperations = 40;
/// More scalar ops than this per byte of its inputs, and in all, make a kernel
/// wait for arithmetic rather than for memory.
static constexpr int64_t kOperationsPerByte = 16;
static constexpr int64_t kManyOperations = 1 << 24;
/// A reduction of so few elements to one is cheaper than a launch of its own.
static constexpr int64_t kRepeatedExtent = 4096;

Value octavo::stripReshapes(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool octavo::isRowMajorResult(func::FuncOp func, unsigned i) {
  auto strides = func.getResultAttrOfType<DenseI64ArrayAttr>(
      i, OctavoDialect::getStridesAttrName());
  auto type = cast<RankedTensorType>(func.getResultTypes()[i]);
  return !strides || strides.asArrayRef() ==
                         ArrayRef<int64_t>(getRowMajorStrides(type.getShape()));
}

static bool isConstantLike(Operation *op) {
  return isa_and_nonnull<linalg::FillOp, arith::ConstantOp, tensor::EmptyOp>(
      op);
}

static bool isPointwise(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  return (generic && generic.getNumReductionLoops() == 0) ||
         isa_and_nonnull<RandomOp>(op);
}

/// Ops that read elements of `value`, views followed.
static void readersThroughViews(Value value,
                                llvm::SetVector<Operation *> &out) {
  for (Operation *user : value.getUsers()) {
    Operation *reader = user;
    while (reader->getParentOp() && !isa<func::FuncOp>(reader->getParentOp()))
      reader = reader->getParentOp();
    if (ElementSpace::isView(reader))
      readersThroughViews(reader->getResult(0), out);
    else
      out.insert(reader);
  }
}

Value KernelGraph::mark(Value value) {
  roots.insert(value);
  return value;
}

/// Results of the function and operands of eager calls lie in memory as they
/// are.
void KernelGraph::markResults() {
  Operation *end = func.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    if (!hasNoElements(value.getType()))
      mark(isRowMajorResult(func, i) ? stripReshapes(value) : value);
  }
}

/// An operand that a kernel reads again and again: `mayCompute` lets a cheap
/// chain be computed at each read.
void KernelGraph::markOperand(Value operand, bool mayCompute) {
  Value base = operand;
  while (base.getDefiningOp() && ElementSpace::isView(base.getDefiningOp()) &&
         base.getDefiningOp()->getNumOperands() == 1)
    base = base.getDefiningOp()->getOperand(0);
  if (isLeaf(base, std::nullopt) || isConstantLike(base.getDefiningOp()))
    return;
  ElementSpace space;
  Index index;
  auto type = cast<RankedTensorType>(base.getType());
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    index.push_back(space.indices().coordinate(32 + d, size));
  auto leaf = [&](Value v) { return isLeaf(v, std::nullopt); };
  ReadWalk walk(space, leaf);
  walk.visit({base, index});
  bool cheap = walk.problem.empty() && walk.reductions.empty() &&
               walk.leaves.size() <= 2 && walk.operations <= 8;
  if (!mayCompute || !cheap)
    mark(base);
}

/// Follows the product through its only reader as long as that is pointwise
/// with the same elements: all of it is done before the product is written.
void KernelGraph::followEpilogue(ScaledMatmulOp op) {
  Value last = op.getResult();
  for (;;) {
    llvm::SetVector<Operation *> readers;
    readersThroughViews(last, readers);
    if (readers.size() != 1 || !isPointwise(readers[0]) ||
        readers[0]->getNumResults() != 1)
      break;
    Value next = readers[0]->getResult(0);
    SmallVector<Value> trialRoots{next};
    // Another product in the epilogue must have been written before.
    if (!tryMatmul(op, trialRoots, ~0u).possible)
      break;
    last = next;
    if (roots.contains(last))
      break;
  }
  if (last == op.getResult())
    return;
  mark(last);
  epilogues.try_emplace(last, op);
}

/// Whether a reader computes `value`, of so many ops an element, again for each
/// of its own elements, so often that this is what it waits for.
static bool isRepeatedDearly(RankedTensorType type, int64_t operations,
                             ArrayRef<Operation *> readers) {
  return llvm::any_of(readers, [&](Operation *reader) {
    auto generic = dyn_cast<linalg::GenericOp>(reader);
    if (!generic || !type.hasStaticShape())
      return false;
    int64_t times = 1, bytes = 0;
    for (int64_t range : generic.getStaticLoopRanges())
      times *= range;
    for (Value input : generic.getInputs())
      if (auto tensor = dyn_cast<RankedTensorType>(input.getType()))
        bytes += tensor.getNumElements() *
                 std::max<int64_t>(tensor.getElementTypeBitWidth() / 8, 1);
    int64_t work = times * operations;
    return times > type.getNumElements() && work > kManyOperations &&
           work > bytes * kOperationsPerByte;
  });
}

bool KernelGraph::isWorthKeeping(Value value) {
  ElementSpace space;
  Index index;
  auto type = cast<RankedTensorType>(value.getType());
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    index.push_back(space.indices().coordinate(32 + d, size));
  auto leaf = [&](Value v) { return v != value && isLeaf(v, std::nullopt); };
  ReadWalk walk(space, leaf);
  walk.visit({value, index});
  if (!walk.problem.empty() || walk.leaves.size() > kMostLeaves)
    return true;
  llvm::SetVector<Operation *> readers;
  readersThroughViews(value, readers);
  if (isRepeatedDearly(type, walk.operations, readers.getArrayRef()))
    return true;
  if (readers.size() < 2)
    return false;
  int64_t bytes = 0;
  for (auto &[v, indices] : walk.leaves) {
    auto leafType = cast<RankedTensorType>(v.getType());
    bytes += std::min(leafType.getNumElements(), type.getNumElements()) *
             std::max<int64_t>(leafType.getElementTypeBitWidth() / 8, 1);
  }
  int64_t own = type.getNumElements() *
                std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1);
  return 2 * bytes > 5 * own || walk.operations > kDearOperations;
}

/// A small reduction of what lies in memory to one number is done again by each
/// reader.
bool KernelGraph::isRepeated(linalg::ReduceOp reduce) const {
  auto input = cast<RankedTensorType>(reduce.getInputs()[0].getType());
  auto result = cast<RankedTensorType>(reduce.getInits()[0].getType());
  return reduce.getNumResults() == 1 && result.getNumElements() == 1 &&
         input.getNumElements() <= kRepeatedExtent &&
         isLeaf(stripReshapes(reduce.getInputs()[0]), std::nullopt);
}

/// Products, reductions and what runs eagerly.
void KernelGraph::markAnchors() {
  for (Operation &op : func.getBody().front()) {
    if (isa<ScaledMatmulOp, ScatterReduceOp>(op)) {
      mark(op.getResult(0));
    } else if (auto reduce = dyn_cast<linalg::ReduceOp>(op)) {
      if (!isRepeated(reduce))
        for (Value result : op.getResults())
          mark(result);
    } else if (!isPointwise(&op) && !ElementSpace::isView(&op) &&
               !isConstantLike(&op) && !op.hasTrait<OpTrait::IsTerminator>()) {
      // It reads memory as it is.
      for (Value operand : op.getOperands())
        if (Value base = stripReshapes(operand);
            isa<RankedTensorType>(operand.getType()) &&
            !hasNoElements(operand.getType()))
          if (!isa<BlockArgument>(operand))
            mark(isa<BlockArgument>(base) ? operand : base);
      for (Value result : op.getResults())
        mark(result);
    }
  }
}

void KernelGraph::findRoots() {
  markResults();
  markAnchors();
  for (Operation &op : func.getBody().front()) {
    if (auto matmul = dyn_cast<ScaledMatmulOp>(op)) {
      markOperand(matmul.getA(), true);
      markOperand(matmul.getB(), true);
      for (Value extra : {matmul.getScaleA(), matmul.getScaleB(),
                          matmul.getBias(), matmul.getGroups()})
        if (extra)
          markOperand(extra, true);
      followEpilogue(matmul);
    } else if (auto scatter = dyn_cast<ScatterReduceOp>(op)) {
      markOperand(scatter.getSource(), true);
      for (Value index : scatter.getIndices())
        markOperand(index, true);
    } else if (isPointwise(&op)) {
      for (Value result : op.getResults())
        if (!roots.contains(result) && isWorthKeeping(result))
          mark(result);
    }
  }
}
