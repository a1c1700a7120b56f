//===- ShapeOps.cpp - Views that keep every element -----------------------===//

#include "passes/AtenToOctavo/Call.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace octavo;

static Tensor source(Call &call) {
  return call.has("self") ? call.tensor("self") : call.tensor("a");
}

/// view, reshape, squeeze, unsqueeze, flatten: the result's shape says it all.
static Results reshape(Call &call) {
  Tensor self = source(call);
  if (self.elements() != countElements(call.resultShape()))
    return call.fail("the view has another number of elements");
  return call.reshape(self, call.resultShape());
}

static Results permute(Call &call, StringRef name) {
  Tensor self = source(call);
  Shape order = call.integers(name);
  for (int64_t &dim : order)
    dim = wrapDim(dim, self.rank());
  Shape sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, self.rank())))
    return call.fail("expected a permutation of the dimensions");
  return call.transpose(self, order);
}

static Results transpose(Call &call) {
  Tensor self = source(call);
  if (self.rank() < 2)
    return self;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, self.rank()));
  std::swap(order[wrapDim(call.integer("dim0"), self.rank())],
            order[wrapDim(call.integer("dim1"), self.rank())]);
  return call.transpose(self, order);
}

/// t, and its alias numpy_T: all dimensions the other way round.
static Results reverse(Call &call) {
  Tensor self = source(call);
  auto order =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, self.rank())));
  return call.transpose(self, order);
}

static Results expand(Call &call) {
  return call.broadcast(source(call), call.resultShape());
}

/// prims.broadcast_in_dim: operand dimension i is result dimension dims[i].
static Results broadcastInDim(Call &call) {
  Tensor self = source(call);
  Shape dims = call.integers("broadcast_dimensions");
  Shape shape(call.resultShape().size(), 1);
  for (auto [size, dim] : llvm::zip(self.shape(), dims))
    shape[dim] = size;
  return call.broadcast(call.reshape(self, shape), call.resultShape());
}

/// Each dimension of the result is (copies, size), with copies outermost.
static Results repeat(Call &call) {
  Tensor self = source(call);
  Shape copies = call.integers("repeats");
  Shape sizes(copies.size() - self.rank(), 1);
  llvm::append_range(sizes, self.shape());
  Shape apart, wide;
  for (auto [count, size] : llvm::zip(copies, sizes)) {
    apart.append({1, size});
    wide.append({count, size});
  }
  Tensor spread = call.broadcast(call.reshape(self, apart), wide);
  return call.reshape(spread, call.resultShape());
}

static Results concat(Call &call) {
  SmallVector<Tensor> parts;
  int64_t rank = call.resultShape().size();
  for (Tensor part : call.tensors("tensors")) {
    // An empty 1-d tensor joins anything: what torch.cat always accepted.
    bool legacy = part.rank() == 1 && part.elements() == 0 && rank != 1;
    if (legacy || part.elements() == 0)
      continue;
    if (part.dtype != call.resultType() && isComplex(call.resultType()))
      return call.fail("complex and real operands are mixed");
    parts.push_back(call.convert(part, call.resultType()));
  }
  return call.concat(parts, wrapDim(call.integer("dim"), rank));
}

static Results stack(Call &call) {
  SmallVector<Tensor> parts;
  int64_t dim = wrapDim(call.integer("dim"), call.resultShape().size());
  for (Tensor part : call.tensors("tensors")) {
    if (part.dtype != call.resultType() && isComplex(call.resultType()))
      return call.fail("complex and real operands are mixed");
    parts.push_back(call.unsqueeze(call.convert(part, call.resultType()), dim));
  }
  return call.concat(parts, dim);
}

void octavo::addShapeRules(Rules &rules) {
  for (StringRef name :
       {"aten.view.default", "aten._unsafe_view.default",
        "aten.reshape.default", "aten._reshape_alias.default",
        "aten.unsqueeze.default", "aten.squeeze.default", "aten.squeeze.dim",
        "aten.squeeze.dims", "aten.flatten.using_ints", "aten.unflatten.int",
        "aten.view_as.default", "prims.squeeze.default",
        "prims.reshape.default", "prims.collapse_view.default",
        "prims.split_dim.default"})
    rules.add(name, reshape);
  rules.add("aten.permute.default",
            [](Call &call) { return permute(call, "dims"); });
  rules.add("prims.transpose.default",
            [](Call &call) { return permute(call, "permutation"); });
  rules.add("aten.transpose.int", transpose);
  rules.add("aten.t.default", reverse);
  rules.add("aten.numpy_T.default", reverse);
  rules.add("aten.expand.default", expand);
  rules.add("aten.expand_as.default", expand);
  rules.add("prims.broadcast_in_dim.default", broadcastInDim);
  rules.add("aten.repeat.default", repeat);
  rules.add("aten.cat.default", concat);
  rules.add("aten.stack.default", stack);
}
