//===- OctavoRules.cpp - The recipe's own operators -----------------------===//
//
// What python/octavo/frontend puts into the graph, one to one.
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Matmul.h"

#include "dialects/Octavo/IR/Octavo.h"

using namespace mlir;
using namespace octavo;

static Results quantize(Call &call) {
  Tensor x = call.tensor("x");
  MLIRContext *context = call.builder.getContext();
  std::optional<ScaleRule> rule = symbolizeScaleRule(call.text("rule"));
  if (!rule)
    return call.fail("unknown rule of a scale: " + call.text("rule"));
  bool row = call.has("axis");
  auto axis = row ? call.builder.getI64IntegerAttr(
                        wrapDim(call.integer("axis"), x.rank()))
                  : IntegerAttr();
  auto largest = call.has("largest")
                     ? call.builder.getF64FloatAttr(call.number("largest"))
                     : FloatAttr();
  auto type = [&](size_t i) {
    return storageOf(
        RankedTensorType::get(call.resultShape(i), call.resultType(i)));
  };
  auto op = QuantizeOp::create(
      call.builder, call.loc, type(0), type(1), x.value, /*seed=*/Value(),
      GranuleAttr::get(context, row ? GranuleKind::row : GranuleKind::tensor),
      axis, *rule, largest, APFloat(1e-12));
  return {Tensor{op.getQuantized(), call.resultType(0)},
          Tensor{op.getScale(), call.resultType(1)}};
}

/// A scale stands as its operand is stored, which `matmul` turns round.
static Tensor scaleOf(Call &call, StringRef name, bool transposed) {
  Tensor scale = call.tensor(name);
  return scale && transposed && scale.rank() >= 2 ? call.swapLast(scale)
                                                  : scale;
}

static Results scaledMatmul(Call &call) {
  Tensor a = call.tensor("a"), b = call.tensor("b");
  bool transposeA = call.flag("transpose_a");
  bool transposeB = call.flag("transpose_b");
  MatmulScales scales;
  scales.a = scaleOf(call, "scale_a", transposeA);
  scales.b = scaleOf(call, "scale_b", transposeB);
  scales.bias = call.tensor("bias");
  if (transposeA)
    a = call.swapLast(a);
  if (transposeB)
    b = call.swapLast(b);
  int64_t rank = a.rank();
  scales.rowA = scales.a && scales.a.elements() != 1;
  scales.rowB = scales.b && scales.b.elements() != 1;
  if (scales.rowA &&
      (scales.a.rank() != rank || scales.a.shape()[rank - 1] != 1 ||
       scales.a.shape()[rank - 2] != a.shape()[rank - 2]))
    return call.fail("only scales per tensor or per row are lowered");
  if (scales.rowB &&
      (scales.b.rank() != rank || scales.b.shape()[rank - 2] != 1 ||
       scales.b.shape()[rank - 1] != b.shape()[rank - 1]))
    return call.fail("only scales per tensor or per row are lowered");
  return matmul(call, a, b, call.resultType(), scales);
}

static Results randomNumbers(Call &call) {
  std::optional<RandomKind> kind = symbolizeRandomKind(call.text("kind"));
  if (!kind)
    return call.fail("unknown kind of random numbers: " + call.text("kind"));
  Type dtype = call.resultType();
  Type drawn = isa<FloatType>(dtype) && dtype.getIntOrFloatBitWidth() <= 32
                   ? dtype
                   : call.f32();
  auto op = RandomOp::create(
      call.builder, call.loc, RankedTensorType::get(call.resultShape(), drawn),
      *kind, call.tensor("seed").value, call.tensor("offset").value);
  return call.convert({op.getResult(), drawn}, dtype);
}

void octavo::addOctavoRules(Rules &rules) {
  rules.add("octavo.quantize.default", quantize);
  rules.add("octavo.scaled_matmul.default", scaledMatmul);
  rules.add("octavo.random.default", randomNumbers);
}
