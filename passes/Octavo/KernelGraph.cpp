//===- KernelGraph.cpp - Which kernel computes which value ----------------===//

#include "passes/Octavo/KernelGraph.h"

#include <functional>

using namespace mlir;
using namespace octavo;

/// More tensors than this in one kernel cost registers and compile time.
static constexpr size_t kMostTensors = 32;
/// Elements that a workgroup may take without making the others wait.
static constexpr int64_t kEasyWork = 32 * 1024;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static int64_t bytesOf(RankedTensorType type, int64_t elements) {
  unsigned bits =
      type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
  return elements * std::max<int64_t>(bits / 8, 1);
}

//===----------------------------------------------------------------------===//
// Trials
//===----------------------------------------------------------------------===//

bool KernelGraph::isLeaf(Value value, std::optional<unsigned> home) const {
  if (isa<BlockArgument>(value))
    return true;
  if (!roots.contains(value))
    return false;
  auto it = homes.find(value);
  return !home || it == homes.end() || it->second != *home;
}

/// Sums what a walk reads; `elements` bounds the reads of one index.
static void finish(Trial &trial, ReadWalk &walk, int64_t elements,
                   ArrayRef<Index> written) {
  // The first root's place is what is asked about.
  trial.possible = walk.problem.empty();
  for (auto &[value, indices] : walk.leaves) {
    trial.leaves.insert(value);
    for (const Index &index : indices)
      if (index != written.front())
        trial.elsewhere.insert(value);
    RankedTensorType type = typeOf(value);
    trial.bytes += int64_t(indices.size()) *
                   bytesOf(type, std::min(type.getNumElements(), elements));
  }
}

Trial KernelGraph::tryLoops(ArrayRef<Value> trialRoots, const Domain &domain,
                            std::optional<unsigned> home) const {
  Trial trial;
  ElementSpace space;
  auto leaf = [&](Value v) {
    return !llvm::is_contained(trialRoots, v) && isLeaf(v, home);
  };
  ReadWalk walk(space, leaf);
  SmallVector<Index> written;
  for (Value root : trialRoots) {
    if (!typeOf(root).hasStaticShape())
      return trial;
    auto index = space.rootIndex(domain, typeOf(root).getShape());
    if (!index)
      return trial;
    written.push_back(*index);
    walk.visit({root, *index});
  }
  finish(trial, walk, domain.extentX() * domain.extentR(), written);
  return trial;
}

Trial KernelGraph::tryMatmul(ScaledMatmulOp op, ArrayRef<Value> trialRoots,
                             std::optional<unsigned> home) const {
  Trial trial;
  ElementSpace space;
  Value product = op.getResult();
  auto leaf = [&](Value v) {
    return v == product ||
           (!llvm::is_contained(trialRoots, v) && isLeaf(v, home));
  };
  ReadWalk walk(space, leaf);
  SmallVector<Index> written;
  for (Value root : trialRoots) {
    auto index = epilogueIndex(space, op, typeOf(root).getShape());
    if (!index)
      return trial;
    written.push_back(*index);
    walk.visit({root, *index});
  }
  // The accumulator is at hand at its own place only.
  Element own = productElement(space, op);
  for (const Index &index : walk.leaves[product])
    if (index != own.index)
      return trial;
  walk.leaves.erase(product);
  for (Element &read : productReads(space, op))
    walk.visit(read);
  finish(trial, walk,
         ShapedType::getNumElements(op.getBatch()) * op.getM() * op.getN(),
         written);
  trial.possible &= walk.reductions.empty();
  return trial;
}

Trial KernelGraph::tryScatter(ScatterReduceOp op) const {
  Trial trial;
  ElementSpace space;
  auto leaf = [&](Value v) { return isLeaf(v, std::nullopt); };
  ReadWalk walk(space, leaf);
  ScatterElements elements = scatterElements(space, op);
  walk.visit(elements.source);
  for (const Element &index : elements.indices)
    walk.visit(index);
  finish(trial, walk, typeOf(op.getSource()).getNumElements(),
         elements.result.index);
  trial.possible &= walk.reductions.empty();
  return trial;
}

Trial KernelGraph::tryKernel(unsigned number, ArrayRef<Value> some) const {
  const FormedKernel &kernel = kernels[number];
  if (kernel.scatter)
    return tryScatter(kernel.scatter);
  return kernel.matmul ? tryMatmul(kernel.matmul, some, number)
                       : tryLoops(some, kernel.domain, number);
}

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

bool KernelGraph::reaches(unsigned from, unsigned to) const {
  llvm::BitVector seen(kernels.size());
  SmallVector<unsigned> todo{from};
  while (!todo.empty()) {
    unsigned at = todo.pop_back_val();
    if (at == to)
      return true;
    if (seen.test(at))
      continue;
    seen.set(at);
    llvm::append_range(todo, kernels[at].reads);
  }
  return false;
}

bool KernelGraph::closesCycle(unsigned kernel, const Trial &trial) const {
  return llvm::any_of(trial.leaves, [&](Value leaf) {
    auto home = homeOf(leaf);
    return home && *home != kernel && reaches(*home, kernel);
  });
}

std::optional<unsigned> KernelGraph::homeOf(Value value) const {
  auto it = homes.find(value);
  if (it == homes.end())
    return std::nullopt;
  return it->second;
}

void KernelGraph::update(unsigned number, const Trial &trial) {
  FormedKernel &kernel = kernels[number];
  kernel.bytes = trial.bytes;
  kernel.reads.clear();
  for (Value leaf : trial.leaves) {
    if (auto home = homeOf(leaf))
      kernel.reads.insert(*home);
    auto &readers = readersOf[leaf];
    if (!llvm::is_contained(readers, number))
      readers.push_back(number);
  }
}

unsigned KernelGraph::addKernel(FormedKernel kernel, const Trial &trial) {
  unsigned number = kernels.size();
  for (Value root : kernel.roots)
    homes[root] = number;
  kernels.push_back(std::move(kernel));
  update(number, trial);
  return number;
}

//===----------------------------------------------------------------------===//
// Homes
//===----------------------------------------------------------------------===//

Domain KernelGraph::ownDomain(Value root) const {
  if (auto reduce = root.getDefiningOp<linalg::ReduceOp>())
    return Domain::get(typeOf(reduce.getInputs()[0]).getShape(),
                       reduce.getDimensions());
  return Domain::get({typeOf(root).getNumElements()}, {});
}

/// Whether a kernel of `domain` has enough workgroups for `root`.
bool KernelGraph::keepsBusy(const Domain &domain, Value root) const {
  int64_t x = domain.extentX(), r = domain.extentR();
  if (r == 1)
    return true;
  int64_t workgroups = domain.isReducedMinor() ? x : llvm::divideCeil(x, 16);
  return workgroups * 2 >= int64_t(target.computeUnits) ||
         typeOf(root).getNumElements() <= kEasyWork * workgroups;
}

Trial KernelGraph::tryJoin(unsigned number, Value root, Domain &domain) {
  const FormedKernel &kernel = kernels[number];
  SmallVector<Value> all(kernel.roots);
  all.push_back(root);
  if (kernel.call || kernel.scatter || all.size() > kMostTensors)
    return {};
  if (kernel.matmul)
    return tryMatmul(kernel.matmul, all, number);
  domain = kernel.domain;
  Trial trial = tryLoops(all, domain, number);
  // A kernel without reduction takes the shape of the first one that joins.
  if (!trial.possible && domain.extentR() == 1) {
    domain = ownDomain(root);
    if (!llvm::all_of(kernel.roots,
                      [&](Value r) { return keepsBusy(domain, r); }))
      return {};
    trial = tryLoops(all, domain, number);
  }
  if (!keepsBusy(domain, root) ||
      trial.leaves.size() + all.size() > kMostTensors)
    trial.possible = false;
  return trial;
}

bool KernelGraph::placeInEpilogue(Value root) {
  auto it = epilogues.find(root);
  if (it == epilogues.end())
    return false;
  auto home = homeOf(it->second.getResult());
  Domain domain;
  if (!home)
    return false;
  Trial trial = tryJoin(*home, root, domain);
  if (!trial.possible || closesCycle(*home, trial))
    return false;
  kernels[*home].roots.push_back(root);
  homes[root] = *home;
  update(*home, trial);
  return true;
}

void KernelGraph::place(Value root) {
  Operation *op = root.getDefiningOp();
  SmallVector<Value> alone{root};
  if (auto matmul = dyn_cast<ScaledMatmulOp>(op)) {
    FormedKernel kernel;
    kernel.matmul = matmul;
    kernel.roots = alone;
    addKernel(kernel, tryMatmul(matmul, alone, std::nullopt));
    return;
  }
  if (auto scatter = dyn_cast<ScatterReduceOp>(op)) {
    FormedKernel kernel;
    kernel.scatter = scatter;
    kernel.roots = alone;
    addKernel(kernel, tryScatter(scatter));
    return;
  }
  bool isKernel = isa<linalg::GenericOp, linalg::ReduceOp, RandomOp,
                      linalg::FillOp, arith::ConstantOp>(op) ||
                  ElementSpace::isView(op);
  if (!isKernel) {
    FormedKernel kernel;
    kernel.call = op;
    kernel.roots = llvm::to_vector_of<Value>(op->getResults());
    Trial trial;
    for (Value operand : op->getOperands())
      trial.leaves.insert(roots.contains(operand) ? operand
                                                  : stripReshapes(operand));
    addKernel(kernel, trial);
    return;
  }
  if (placeInEpilogue(root))
    return;
  Domain own = ownDomain(root);
  Trial single = tryLoops(alone, own, std::nullopt);
  llvm::SetVector<unsigned> candidates;
  for (Value leaf : single.leaves) {
    if (auto home = homeOf(leaf))
      candidates.insert(*home);
    candidates.insert_range(readersOf[leaf]);
  }
  std::optional<unsigned> best;
  Trial bestTrial;
  Domain bestDomain;
  int64_t bestGain = 0;
  for (unsigned number : candidates) {
    Domain domain;
    Trial trial = tryJoin(number, root, domain);
    if (!trial.possible || closesCycle(number, trial))
      continue;
    int64_t gain = kernels[number].bytes + single.bytes - trial.bytes;
    // Too little in common is no reason to wait for one another.
    if (gain * 10 < std::min(kernels[number].bytes, single.bytes) ||
        gain <= bestGain)
      continue;
    best = number;
    bestTrial = trial;
    bestDomain = domain;
    bestGain = gain;
  }
  if (!best) {
    FormedKernel kernel;
    kernel.domain = own;
    kernel.roots = alone;
    addKernel(kernel, single);
    return;
  }
  FormedKernel &kernel = kernels[*best];
  kernel.roots.push_back(root);
  kernel.domain = bestDomain;
  homes[root] = *best;
  update(*best, bestTrial);
}

void KernelGraph::findNeeded() {
  for (Value value : func.getBody().front().getTerminator()->getOperands())
    needed.insert(roots.contains(value) ? value : stripReshapes(value));
  // From the last kernels to the first: only what has a reader reads.
  SmallVector<unsigned> depth = depths();
  SmallVector<unsigned> sorted =
      llvm::to_vector(llvm::seq<unsigned>(0, kernels.size()));
  llvm::stable_sort(
      sorted, [&](unsigned x, unsigned y) { return depth[x] > depth[y]; });
  for (unsigned number : sorted) {
    const FormedKernel &kernel = kernels[number];
    SmallVector<Value> alive;
    for (Value root : kernel.roots)
      if (needed.contains(root))
        alive.push_back(root);
    if (kernel.call) {
      for (Value operand : kernel.call->getOperands())
        needed.insert(roots.contains(operand) ? operand
                                              : stripReshapes(operand));
      continue;
    }
    if (alive.empty())
      continue;
    Trial trial = tryKernel(number, alive);
    for (Value leaf : trial.leaves)
      needed.insert(leaf);
  }
}

void KernelGraph::form() {
  findRoots();
  // In the order of the function: a root's producers are placed before it.
  DenseMap<Operation *, unsigned> position;
  for (auto [i, op] : llvm::enumerate(func.getBody().front()))
    position[&op] = i;
  SmallVector<Value> sorted;
  for (Value root : roots)
    if (root.getDefiningOp())
      sorted.push_back(root);
  llvm::stable_sort(sorted, [&](Value x, Value y) {
    return position[x.getDefiningOp()] < position[y.getDefiningOp()];
  });
  for (Value root : sorted)
    if (!homes.count(root))
      place(root);
  findNeeded();
}

bool KernelGraph::readsOnlyAt(unsigned number, BlockArgument argument,
                              Value root) const {
  const FormedKernel &kernel = kernels[number];
  if (kernel.call)
    return !llvm::is_contained(kernel.call->getOperands(), argument);
  SmallVector<Value> alive;
  for (Value other : kernel.roots)
    if (isNeeded(other))
      alive.push_back(other);
  if (!tryKernel(number, alive).leaves.contains(argument))
    return true;
  if (!llvm::is_contained(alive, root))
    return false;
  // Every root of the kernel must read the argument where `root` is written.
  if (typeOf(root).getShape() != typeOf(argument).getShape())
    return false;
  for (Value other : alive) {
    Trial trial = tryKernel(number, {root, other});
    if (trial.elsewhere.contains(argument))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

SmallVector<unsigned> KernelGraph::depths() const {
  SmallVector<unsigned> depth(kernels.size(), ~0u);
  std::function<unsigned(unsigned)> visit = [&](unsigned k) {
    if (depth[k] != ~0u)
      return depth[k];
    unsigned deepest = 0;
    for (unsigned read : kernels[k].reads)
      if (read != k)
        deepest = std::max(deepest, visit(read) + 1);
    return depth[k] = deepest;
  };
  for (unsigned k = 0; k < kernels.size(); ++k)
    visit(k);
  return depth;
}

SmallVector<unsigned> KernelGraph::order() const {
  SmallVector<unsigned> depth = depths(), result;
  for (unsigned k = 0; k < kernels.size(); ++k)
    if (kernels[k].call || llvm::any_of(kernels[k].roots, [&](Value root) {
          return isNeeded(root);
        }))
      result.push_back(k);
  llvm::stable_sort(
      result, [&](unsigned x, unsigned y) { return depth[x] < depth[y]; });
  return result;
}
