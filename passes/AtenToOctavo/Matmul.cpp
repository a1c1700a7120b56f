//===- Matmul.cpp - Products of matrices ----------------------------------===//

#include "passes/AtenToOctavo/Matmul.h"
#include "passes/AtenToOctavo/Call.h"

#include "dialects/Octavo/IR/Octavo.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace octavo;

/// The operand below a transpose of its last two dimensions, if there is one.
static std::pair<Value, bool> lookThrough(Value value) {
  auto transpose = value.getDefiningOp<linalg::TransposeOp>();
  if (!transpose)
    return {value, false};
  ArrayRef<int64_t> order = transpose.getPermutation();
  int64_t rank = order.size();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (order[dim] != dim)
      return {value, false};
  if (rank < 2 || order[rank - 1] != rank - 2)
    return {value, false};
  return {transpose.getInput(), true};
}

Tensor octavo::matmul(Emitter &e, Tensor a, Tensor b, Type dtype,
                      const MatmulScales &scales) {
  Shape shape(a.shape());
  shape.back() = b.shape().back();
  // A sum of no terms.
  if (a.shape().back() == 0)
    return e.full(shape, dtype, 0.0);
  auto [valueA, transposedA] = lookThrough(a.value);
  auto [valueB, transposedB] = lookThrough(b.value);
  MLIRContext *context = e.builder.getContext();
  auto granule = [&](Value scale, GranuleAttr given) {
    return scale && !given ? GranuleAttr::get(context, GranuleKind::tensor)
                           : given;
  };
  auto flag = [&](bool on) { return on ? UnitAttr::get(context) : UnitAttr(); };
  auto stored = [&](Tensor scale, bool transposed) -> Value {
    if (!scale)
      return {};
    return transposed && scale.rank() >= 2 ? e.swapLast(scale).value
                                           : scale.value;
  };
  Value scaleA = stored(scales.a, transposedA && scales.granuleA);
  Value scaleB = stored(scales.b, transposedB && scales.granuleB);
  return {ScaledMatmulOp::create(
              e.builder, e.loc, RankedTensorType::get(shape, storageOf(dtype)),
              valueA, valueB, scaleA, scaleB, scales.bias.value,
              /*groups=*/Value(), flag(transposedA), flag(transposedB),
              granule(scaleA, scales.granuleA),
              granule(scaleB, scales.granuleB),
              /*group_dim=*/GroupDimAttr()),
          dtype};
}

static bool anyComplex(Tensor a, Tensor b) {
  return isComplex(a.dtype) || isComplex(b.dtype);
}

static Results plain(Call &call, StringRef first, StringRef second) {
  Tensor a = call.tensor(first), b = call.tensor(second);
  if (anyComplex(a, b))
    return call.fail("it is not lowered for complex numbers");
  return matmul(call, a, b, call.resultType());
}

/// beta * self + alpha * (a · b), with one rounding at the end.
static Results addProduct(Call &call, StringRef first, StringRef second) {
  Tensor self = call.tensor("self");
  Tensor a = call.tensor(first), b = call.tensor(second);
  if (anyComplex(a, b))
    return call.fail("it is not lowered for complex numbers");
  Type dtype = call.resultType();
  double beta = call.number("beta", 1.0), alpha = call.number("alpha", 1.0);
  ArrayRef<int64_t> shape = call.resultShape();
  bool rowOnly = self.rank() == 1 && self.shape()[0] == shape.back();
  if (rowOnly && beta == 1.0 && alpha == 1.0 && a.shape().back() != 0 &&
      isa<FloatType>(dtype)) {
    MatmulScales extra;
    extra.bias = self;
    return matmul(call, a, b, dtype, extra);
  }
  Type compute = computeOf(dtype);
  Tensor product = matmul(call, a, b, compute);
  // PyTorch does not read `self` if beta is 0.
  SmallVector<Tensor> inputs = {product};
  if (beta != 0.0)
    inputs.push_back(self);
  return call.map(inputs, shape, dtype, [&](Scalars &s, ValueRange v) {
    Value result = v[0];
    if (alpha != 1.0)
      result = s.mul(result, s.constant(compute, alpha));
    if (beta != 0.0) {
      Value added = s.convert(v[1], self.dtype, compute);
      if (beta != 1.0)
        added = s.mul(added, s.constant(compute, beta));
      result = s.add(result, added);
    }
    return s.convert(result, compute, dtype);
  });
}

void octavo::addMatmulRules(Rules &rules) {
  rules.add("aten.mm.default",
            [](Call &call) { return plain(call, "self", "mat2"); });
  rules.add("aten.bmm.default",
            [](Call &call) { return plain(call, "self", "mat2"); });
  rules.add("aten._int_mm.default",
            [](Call &call) { return plain(call, "self", "mat2"); });
  rules.add("aten.addmm.default",
            [](Call &call) { return addProduct(call, "mat1", "mat2"); });
  rules.add("aten.baddbmm.default",
            [](Call &call) { return addProduct(call, "batch1", "batch2"); });
}
