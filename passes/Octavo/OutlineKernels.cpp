//===- OutlineKernels.cpp - Write formed kernels down ---------------------===//

#include "passes/Octavo/KernelGraph.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace octavo;

namespace {
/// Kernels that share a launch.
using Launch = SmallVector<unsigned>;

/// Rewrites one function.
class Outliner {
public:
  Outliner(func::FuncOp func, const KernelGraph &graph)
      : func(func), graph(graph), b(func.getContext()),
        end(func.getBody().front().getTerminator()) {}

  LogicalResult run();

private:
  std::vector<Launch> launches() const;
  void emitCall(const FormedKernel &kernel);
  void emitLaunch(const Launch &launch);
  void fillBody(unsigned number, Region &region, SmallVectorImpl<Value> &inputs,
                SmallVectorImpl<Value> &outputs);
  /// The value after rewriting: of a root, an argument or a reshape of one.
  Value rewritten(Value value);
  ArrayAttr stridesOf(ArrayRef<Value> values);
  bool mayWriteOver(Value root, BlockArgument argument, size_t launch,
                    ArrayRef<Launch> all) const;
  void findLate(ArrayRef<Launch> all);
  void copyLate();

  func::FuncOp func;
  const KernelGraph &graph;
  OpBuilder b;
  Operation *end;
  IRMapping mapping;
  /// Results of the function that wait for the end to be written, by number.
  SmallVector<unsigned> late;
  /// Their copies.
  DenseMap<unsigned, Value> copies;
};
} // namespace

/// Bodies that one launch may hold.
static constexpr size_t kMostBodies = 48;

/// Kernels of one depth do not need each other: those of one kind share a
/// launch.
std::vector<Launch> Outliner::launches() const {
  std::vector<Launch> result;
  SmallVector<unsigned> depths = graph.depths();
  std::map<std::pair<unsigned, bool>, size_t> open;
  for (unsigned number : graph.order()) {
    const FormedKernel &kernel = graph.getKernels()[number];
    auto key = std::make_pair(depths[number], bool(kernel.matmul));
    auto it = open.find(key);
    if (kernel.call || kernel.scatter) {
      result.push_back({number});
    } else if (it != open.end() && result[it->second].size() < kMostBodies) {
      result[it->second].push_back(number);
    } else {
      open[key] = result.size();
      result.push_back({number});
    }
  }
  return result;
}

Value Outliner::rewritten(Value value) {
  if (Value found = mapping.lookupOrNull(value))
    return found;
  if (isa<BlockArgument>(value))
    return value;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    mapping.map(operand, rewritten(operand));
  b.clone(*op, mapping);
  return mapping.lookup(value);
}

/// Strides in memory of arguments (and of results of the function), or null if
/// all are row-major.
ArrayAttr Outliner::stridesOf(ArrayRef<Value> values) {
  SmallVector<Attribute> all;
  bool plain = true;
  for (Value value : values) {
    auto shape = cast<RankedTensorType>(value.getType()).getShape();
    SmallVector<int64_t> strides = getRowMajorStrides(shape);
    DenseI64ArrayAttr given;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      given = func.getArgAttrOfType<DenseI64ArrayAttr>(
          argument.getArgNumber(), OctavoDialect::getStridesAttrName());
    } else {
      for (auto [i, result] : llvm::enumerate(end->getOperands()))
        if (result == value && !llvm::is_contained(late, unsigned(i)))
          given = func.getResultAttrOfType<DenseI64ArrayAttr>(
              i, OctavoDialect::getStridesAttrName());
    }
    if (given)
      strides = llvm::to_vector(given.asArrayRef());
    plain &= strides == getRowMajorStrides(shape);
    all.push_back(b.getDenseI64ArrayAttr(strides));
  }
  return plain ? ArrayAttr() : b.getArrayAttr(all);
}

void Outliner::fillBody(unsigned number, Region &region,
                        SmallVectorImpl<Value> &inputs,
                        SmallVectorImpl<Value> &outputs) {
  const FormedKernel &kernel = graph.getKernels()[number];
  Block *body = new Block;
  region.push_back(body);
  SmallVector<Value> roots, todo;
  for (Value root : kernel.roots)
    if (graph.isNeeded(root))
      roots.push_back(root);
  todo = roots;
  llvm::SetVector<Operation *> slice;
  llvm::SetVector<Value> leaves;
  while (!todo.empty()) {
    Value value = todo.pop_back_val();
    Operation *op = value.getDefiningOp();
    auto home = graph.homeOf(value);
    if (!op || (home && *home != number)) {
      leaves.insert(value);
      continue;
    }
    if (!slice.insert(op))
      continue;
    llvm::append_range(todo, op->getOperands());
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentRegion() == &func.getBody())
          todo.push_back(operand);
    });
  }
  IRMapping inside;
  for (Value leaf : leaves) {
    inside.map(leaf, body->addArgument(leaf.getType(), leaf.getLoc()));
    inputs.push_back(leaf);
  }
  SmallVector<Operation *> sorted(slice.takeVector());
  llvm::sort(sorted,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(body);
  for (Operation *op : sorted)
    b.clone(*op, inside);
  SmallVector<Value> yielded;
  for (Value root : roots) {
    yielded.push_back(inside.lookup(root));
    outputs.push_back(root);
  }
  YieldOp::create(b, roots.front().getLoc(), yielded);
}

void Outliner::emitLaunch(const Launch &launch) {
  SmallVector<Value> inputs, outputs;
  SmallVector<std::unique_ptr<Region>> regions;
  SmallVector<Attribute> domains;
  SmallVector<Location> locations;
  for (unsigned number : launch) {
    const FormedKernel &kernel = graph.getKernels()[number];
    regions.push_back(std::make_unique<Region>());
    fillBody(number, *regions.back(), inputs, outputs);
    domains.push_back(kernel.matmul || kernel.scatter
                          ? Attribute(b.getUnitAttr())
                          : kernel.domain.toAttr(b.getContext()));
  }
  // The results first, for whoever shows one place only; then all that is
  // fused.
  for (Value output : outputs)
    locations.push_back(output.getLoc());
  for (const std::unique_ptr<Region> &region : regions)
    for (Operation &op : region->front())
      locations.push_back(op.getLoc());
  std::string name = nameKernel(graph.getKernels()[launch.front()], graph);
  if (launch.size() > 1)
    name += "_x" + std::to_string(launch.size());
  SmallVector<Value> operands;
  for (Value input : inputs)
    operands.push_back(rewritten(input));
  OperationState state(FusedLoc::get(b.getContext(), locations),
                       KernelOp::getOperationName());
  state.addAttribute("kernel_name", b.getStringAttr(name));
  if (ArrayAttr strides = stridesOf(inputs))
    state.addAttribute("operand_strides", strides);
  if (ArrayAttr strides = stridesOf(outputs))
    state.addAttribute("result_strides", strides);
  state.addAttribute("octavo.domains", b.getArrayAttr(domains));
  state.addOperands(operands);
  state.addTypes(ValueRange(outputs).getTypes());
  state.addRegions(regions);
  Operation *op = b.create(state);
  for (auto [output, result] : llvm::zip(outputs, op->getResults()))
    mapping.map(output, result);
}

void Outliner::emitCall(const FormedKernel &kernel) {
  SmallVector<Value> operands;
  for (Value operand : kernel.call->getOperands())
    operands.push_back(rewritten(operand));
  auto overload = kernel.call->getAttrOfType<StringAttr>("overload");
  auto reason = kernel.call->getAttrOfType<StringAttr>("octavo.reason");
  auto call = CallOp::create(
      b, kernel.call->getLoc(), kernel.call->getResultTypes(),
      overload ? overload
               : b.getStringAttr(kernel.call->getName().getStringRef()),
      operands, reason ? reason : b.getStringAttr("no kernel computes it"),
      kernel.call->getAttrOfType<DictionaryAttr>("args"), ArrayAttr());
  for (auto [old, result] :
       llvm::zip(kernel.call->getResults(), call->getResults()))
    mapping.map(old, result);
}

/// Whether `root`, computed by launch number `launch`, may be written where
/// `argument` lies: nobody else reads the argument then or later, and its own
/// kernel reads no other element than the one that it writes.
bool Outliner::mayWriteOver(Value root, BlockArgument argument, size_t launch,
                            ArrayRef<Launch> all) const {
  for (size_t i = launch; i < all.size(); ++i)
    for (unsigned number : all[i])
      if (!graph.readsOnlyAt(number, argument, root))
        return false;
  return true;
}

/// Results that may not be written over an argument yet.
void Outliner::findLate(ArrayRef<Launch> all) {
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    auto writes = func.getResultAttrOfType<IntegerAttr>(
        i, OctavoDialect::getWritesAttrName());
    if (!writes || hasNoElements(value.getType()))
      continue;
    Value root = graph.homeOf(value) ? value : stripReshapes(value);
    size_t launch = 0;
    for (auto [at, numbers] : llvm::enumerate(all))
      if (llvm::is_contained(numbers, *graph.homeOf(root)))
        launch = at;
    if (!mayWriteOver(root, func.getArgument(writes.getInt()), launch, all))
      late.push_back(i);
  }
}

/// Late results go through the workspace, row-major: one launch at the end
/// copies them.
void Outliner::copyLate() {
  if (late.empty())
    return;
  SmallVector<Value> inputs, results;
  SmallVector<std::unique_ptr<Region>> regions;
  SmallVector<Attribute> domains;
  for (unsigned i : late) {
    Value value = end->getOperand(i);
    inputs.push_back(rewritten(value));
    results.push_back(value);
    auto type = cast<RankedTensorType>(value.getType());
    Block *body = new Block;
    Value copied = body->addArgument(type, value.getLoc());
    regions.push_back(std::make_unique<Region>());
    regions.back()->push_back(body);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(body);
    YieldOp::create(b, value.getLoc(), copied);
    domains.push_back(
        Domain::get({type.getNumElements()}, {}).toAttr(b.getContext()));
  }
  // From here on they lie where they are wanted.
  SmallVector<unsigned> copied = std::exchange(late, {});
  OperationState state(func.getLoc(), KernelOp::getOperationName());
  state.addAttribute("kernel_name", b.getStringAttr("copy"));
  if (ArrayAttr strides = stridesOf(results))
    state.addAttribute("result_strides", strides);
  state.addAttribute("octavo.domains", b.getArrayAttr(domains));
  state.addOperands(inputs);
  state.addTypes(ValueRange(inputs).getTypes());
  state.addRegions(regions);
  Operation *op = b.create(state);
  for (auto [i, result] : llvm::zip(copied, op->getResults()))
    copies[i] = result;
}

LogicalResult Outliner::run() {
  b.setInsertionPoint(end);
  std::vector<Launch> all = launches();
  findLate(all);
  for (const Launch &launch : all) {
    const FormedKernel &first = graph.getKernels()[launch.front()];
    if (first.call)
      emitCall(first);
    else
      emitLaunch(launch);
  }
  copyLate();
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    results.push_back(copies.count(i) ? copies[i] : rewritten(value));
  end->setOperands(results);
  // Everything else has no reader any more.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (!isa<KernelOp, CallOp>(op) && !op.hasTrait<OpTrait::IsTerminator>() &&
        op.use_empty())
      op.erase();
  return success();
}

LogicalResult octavo::outlineKernels(func::FuncOp func,
                                     const KernelGraph &graph) {
  return Outliner(func, graph).run();
}
