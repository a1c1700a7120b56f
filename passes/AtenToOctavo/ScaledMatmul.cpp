//===- ScaledMatmul.cpp - PyTorch's products with scales ------------------===//
//
// `_scaled_mm` tells its scalings apart by the scales' shapes, `_scaled_mm_v2`
// (`F.scaled_mm`) by numbers. Scales of blocks lie row-major as they are; those
// that kernels of other libraries want padded may be padded.
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Matmul.h"

using namespace mlir;
using namespace octavo;

namespace {
/// torch.nn.functional.ScalingType.
enum class Scaling : int64_t {
  TensorWise = 0,
  RowWise = 1,
  BlockWise1x16 = 2,
  BlockWise1x32 = 3,
  BlockWise1x128 = 4,
  BlockWise128x128 = 5
};

/// One operand's scale before it is understood.
struct GivenScale {
  Tensor scale;
  /// Rows of the operand (M, or N of B) and its elements along K.
  int64_t rows, k;
  bool isB;
};

/// The scale as `MatmulScales` wants it.
struct ReadScale {
  Tensor scale;
  GranuleAttr granule;
};
} // namespace

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "(";
  for (auto [i, size] : llvm::enumerate(shape))
    text += (i ? ", " : "") + std::to_string(size);
  return text + ")";
}

/// A scale [rows, K] (each divided by its granule) in the operand's order.
static Tensor inOrder(Call &call, Tensor scale, bool isB) {
  return isB ? call.swapLast(scale) : scale;
}

/// The first `count` of `size` along `dim`.
static Tensor firstOf(Call &call, Tensor x, int64_t dim, int64_t count) {
  return x.shape()[dim] == count ? x : call.slice(x, dim, 0, count);
}

/// E8M0 scales, one per 32 of K: [rows, K/32], as they are or padded (rows to
/// 128 or 32, columns to 4 or 8), of any rank.
static FailureOr<ReadScale> readE8M0(Call &call, const GivenScale &given) {
  int64_t columns = llvm::divideCeil(given.k, 32);
  MLIRContext *context = call.builder.getContext();
  auto granule = GranuleAttr::get(context, GranuleKind::mx, 1, 32);
  for (auto [byRows, byColumns] : {std::pair(1, 1), std::pair(128, 4),
                                   std::pair(32, 1), std::pair(32, 8)}) {
    int64_t wide = llvm::alignTo(columns, byColumns);
    int64_t high = llvm::alignTo(given.rows, byRows);
    if (given.scale.elements() != high * wide)
      continue;
    Tensor scale = call.reshape(given.scale, {high, wide});
    scale = firstOf(call, scale, 0, given.rows);
    scale = firstOf(call, scale, 1, columns);
    return ReadScale{inOrder(call, scale, given.isB), granule};
  }
  call.fail("expected " + Twine(given.rows * columns) + " scales of shape " +
            shapeText({given.rows, columns}) + ", got shape " +
            shapeText(given.scale.shape()));
  return failure();
}

/// f32 scales, one per `across` rows and 128 of K. B's are [K/128, N/across]
/// or, with one per row, [N, K/128].
static FailureOr<ReadScale> readBlocks(Call &call, const GivenScale &given,
                                       int64_t across) {
  int64_t rows = llvm::divideCeil(given.rows, across);
  int64_t columns = llvm::divideCeil(given.k, 128);
  MLIRContext *context = call.builder.getContext();
  auto granule = GranuleAttr::get(context, GranuleKind::block, across, 128);
  Tensor scale = given.scale;
  auto fits = [&](ArrayRef<int64_t> shape) {
    return scale.rank() == 2 && scale.shape()[0] == shape[0] &&
           scale.shape()[1] == shape[1];
  };
  // Columns may be padded to 4.
  for (int64_t wide : {columns, int64_t(llvm::alignTo(columns, 4))}) {
    if ((!given.isB || across == 1) && fits({rows, wide}))
      return ReadScale{
          inOrder(call, firstOf(call, scale, 1, columns), given.isB), granule};
    if (given.isB && fits({wide, rows}))
      return ReadScale{firstOf(call, scale, 0, columns), granule};
  }
  SmallVector<int64_t> expected{rows, columns};
  if (given.isB)
    std::swap(expected[0], expected[1]);
  call.fail("expected scales of shape " + shapeText(expected) + ", got " +
            shapeText(scale.shape()));
  return failure();
}

/// f32 scales, one per row.
static FailureOr<ReadScale> readRows(Call &call, const GivenScale &given) {
  if (given.scale.elements() != given.rows) {
    call.fail("expected " + Twine(given.rows) + " scales, one per row, got " +
              Twine(given.scale.elements()));
    return failure();
  }
  Shape shape{given.rows, 1};
  if (given.isB)
    std::swap(shape[0], shape[1]);
  return ReadScale{
      call.reshape(given.scale, shape),
      GranuleAttr::get(call.builder.getContext(), GranuleKind::row)};
}

static FailureOr<ReadScale> readScale(Call &call, const GivenScale &given,
                                      int64_t scaling) {
  bool isE8M0 = isa<Float8E8M0FNUType>(given.scale.dtype);
  if (!isE8M0 && given.scale.dtype != call.f32()) {
    call.fail("only scales of float32 and float8_e8m0fnu are lowered");
    return failure();
  }
  if (isE8M0 != (scaling == int64_t(Scaling::BlockWise1x32))) {
    call.fail("expected float8_e8m0fnu scales exactly for blocks of 32");
    return failure();
  }
  switch (static_cast<Scaling>(scaling)) {
  case Scaling::TensorWise:
    if (given.scale.elements() == 1)
      return ReadScale{given.scale, GranuleAttr()};
    call.fail("expected one scale, got " + Twine(given.scale.elements()));
    return failure();
  case Scaling::RowWise:
    return readRows(call, given);
  case Scaling::BlockWise1x32:
    return readE8M0(call, given);
  case Scaling::BlockWise1x128:
    return readBlocks(call, given, 1);
  case Scaling::BlockWise128x128:
    return readBlocks(call, given, 128);
  default:
    call.fail("scaling type " + Twine(scaling) + " is not lowered");
    return failure();
  }
}

/// What `_scaled_mm` takes a scale for, by its shape.
static Scaling guessScaling(const GivenScale &given, const GivenScale &other) {
  if (isa<Float8E8M0FNUType>(given.scale.dtype))
    return Scaling::BlockWise1x32;
  if (given.scale.elements() == 1 && other.scale.elements() == 1)
    return Scaling::TensorWise;
  int64_t blocks = llvm::divideCeil(given.k, 128);
  auto isRows = [](const GivenScale &side) {
    return side.scale.rank() < 2 ||
           (side.scale.shape()[side.isB ? 0 : 1] == 1 &&
            side.scale.elements() == side.rows);
  };
  if (isRows(given) && isRows(other))
    return Scaling::RowWise;
  bool perRow = given.scale.rank() == 2 &&
                given.scale.shape()[given.isB ? 1 : 0] == given.rows &&
                given.scale.shape()[given.isB ? 0 : 1] == blocks;
  return perRow ? Scaling::BlockWise1x128 : Scaling::BlockWise128x128;
}

/// The product, rounded as PyTorch rounds to an 8-bit float.
static Results multiply(Call &call, Tensor a, Tensor b,
                        const MatmulScales &scales, Tensor scaleOfResult) {
  Type dtype = call.resultType();
  if (!isFloat8(dtype)) {
    if (scaleOfResult)
      return call.fail("a scale of the result is for 8-bit floats");
    return matmul(call, a, b, dtype, scales);
  }
  Tensor wide = matmul(call, a, b, call.f32(), scales);
  SmallVector<Tensor> inputs{wide};
  if (scaleOfResult)
    inputs.push_back(call.reshape(scaleOfResult, {}));
  return call.map(inputs, call.resultShape(), dtype,
                  [&](Scalars &s, ValueRange v) {
                    Value value = scaleOfResult ? s.mul(v[0], v[1]) : v[0];
                    return s.convert(value, call.f32(), dtype);
                  });
}

static Results scaledMatmul(Call &call) {
  Tensor a = call.tensor("self"), b = call.tensor("mat2");
  int64_t k = a.shape()[1];
  GivenScale givenA{call.tensor("scale_a"), a.shape()[0], k, false};
  GivenScale givenB{call.tensor("scale_b"), b.shape()[1], k, true};
  auto readA = readScale(call, givenA, int64_t(guessScaling(givenA, givenB)));
  auto readB = readScale(call, givenB, int64_t(guessScaling(givenB, givenA)));
  if (failed(readA) || failed(readB))
    return failure();
  return multiply(call, a, b,
                  {readA->scale, readB->scale, call.tensor("bias"),
                   readA->granule, readB->granule},
                  call.tensor("scale_result"));
}

/// One scale and how it scales, of the lists that `_scaled_mm_v2` takes.
static FailureOr<ReadScale> readListed(Call &call, bool isB, Tensor operand) {
  auto named = [&](StringRef name) {
    return (name + (isB ? "_b" : "_a")).str();
  };
  SmallVector<Tensor> scales = call.tensors(named("scale"));
  Shape recipes = call.integers(named("recipe"));
  for (int64_t swizzle : call.integers(named("swizzle")))
    if (swizzle != 0) {
      call.fail("swizzled scales are not lowered");
      return failure();
    }
  if (scales.size() != 1 || recipes.size() != 1) {
    call.fail("scales of two levels are not lowered");
    return failure();
  }
  ArrayRef<int64_t> shape = operand.shape();
  GivenScale given{scales[0], shape[isB ? 1 : 0], shape[isB ? 0 : 1], isB};
  return readScale(call, given, recipes[0]);
}

static Results scaledMatmulV2(Call &call) {
  Tensor a = call.tensor("self"), b = call.tensor("mat2");
  auto readA = readListed(call, false, a), readB = readListed(call, true, b);
  if (failed(readA) || failed(readB))
    return failure();
  return multiply(call, a, b,
                  {readA->scale, readB->scale, call.tensor("bias"),
                   readA->granule, readB->granule},
                  Tensor());
}

void octavo::addScaledMatmulRules(Rules &rules) {
  rules.add("aten._scaled_mm.default", scaledMatmul);
  rules.add("aten._scaled_mm_v2.default", scaledMatmulV2);
}
