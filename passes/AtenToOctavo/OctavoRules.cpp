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

/// The granule of a block [across, along]; E8M0 scales have none across.
static GranuleAttr blockGranule(MLIRContext *context, ArrayRef<int64_t> block,
                                bool isE8M0) {
  return GranuleAttr::get(context,
                          isE8M0 ? GranuleKind::mx : GranuleKind::block,
                          block.front(), block.back());
}

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
  auto granule =
      GranuleAttr::get(context, row ? GranuleKind::row : GranuleKind::tensor);
  if (call.has("block"))
    granule = blockGranule(context, call.integers("block"),
                           isa<Float8E8M0FNUType>(call.resultType(1)));
  auto op = QuantizeOp::create(call.builder, call.loc, type(0), type(1),
                               x.value, /*seed=*/Value(), granule, axis, *rule,
                               largest, APFloat(1e-12));
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
  MLIRContext *context = call.builder.getContext();
  int64_t rank = a.rank();
  auto granuleOf = [&](Tensor scale, StringRef block, Tensor operand,
                       int64_t kAxis) -> FailureOr<GranuleAttr> {
    if (scale && call.has(block))
      return blockGranule(context, call.integers(block),
                          isa<Float8E8M0FNUType>(scale.dtype));
    if (!scale || scale.elements() == 1)
      return GranuleAttr();
    Shape expected(operand.shape());
    expected[kAxis] = 1;
    if (ArrayRef<int64_t>(scale.shape()) != ArrayRef<int64_t>(expected))
      return failure();
    return GranuleAttr::get(context, GranuleKind::row);
  };
  auto granuleA = granuleOf(scales.a, "block_a", a, rank - 1);
  auto granuleB = granuleOf(scales.b, "block_b", b, rank - 2);
  if (failed(granuleA) || failed(granuleB))
    return call.fail("only scales per tensor, per row or per block are "
                     "lowered");
  scales.granuleA = *granuleA;
  scales.granuleB = *granuleB;
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
