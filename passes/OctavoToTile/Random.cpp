//===- Random.cpp - Counter-based random numbers on tiles -----------------===//
//
// Philox4x32-10 (Salmon et al., SC 2011) as `octavo.random` defines it. All
// four words of a counter come out of the same rounds, so a lane computes the
// rounds of its own element's counter and selects its word.
//
//===----------------------------------------------------------------------===//

#include "passes/OctavoToTile/Evaluator.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <numbers>

using namespace mlir;
using namespace octavo;

namespace {
/// Tile arithmetic on one shape, short to write.
struct Words {
  OpBuilder &b;
  Location loc;
  SmallVector<int64_t> shape;

  Value constant(uint32_t value) {
    auto type = RankedTensorType::get(shape, b.getI32Type());
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, int32_t(value)));
  }
  Value real(float value) {
    auto type = RankedTensorType::get(shape, b.getF32Type());
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, value));
  }
  Value exclusiveOr(Value x, Value y) {
    return arith::XOrIOp::create(b, loc, x, y);
  }
  Value add(Value x, uint32_t y) {
    return arith::AddIOp::create(b, loc, x, constant(y));
  }
  Value low(Value wide) {
    auto type = RankedTensorType::get(shape, b.getI32Type());
    return arith::TruncIOp::create(b, loc, type, wide);
  }
  Value high(Value wide) {
    auto type = cast<RankedTensorType>(wide.getType());
    Value by = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, int64_t(32)));
    return low(arith::ShRUIOp::create(b, loc, wide, by));
  }
  Value widen(Value word) {
    auto type = RankedTensorType::get(shape, b.getI64Type());
    return arith::ExtUIOp::create(b, loc, type, word);
  }
  /// The 64-bit product.
  Value product(Value x, uint32_t by) {
    return arith::MulIOp::create(b, loc, widen(x), widen(constant(by)));
  }
  /// A number in [0, 1) made of the upper 24 bits.
  Value uniform(Value word) {
    Value bits = arith::ShRUIOp::create(b, loc, word, constant(8));
    auto type = RankedTensorType::get(shape, b.getF32Type());
    Value number = arith::UIToFPOp::create(b, loc, type, bits);
    return arith::MulFOp::create(b, loc, number, real(0x1p-24f));
  }
  Value isEqual(Value x, uint32_t y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x,
                                 constant(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  std::array<Value, 4> philox(Value seed, Value counter);
  Value normal(const std::array<Value, 4> &words, Value which);
};
} // namespace

std::array<Value, 4> Words::philox(Value seed, Value counter) {
  Value zero = constant(0);
  std::array<Value, 4> c{low(counter), high(counter), zero, zero};
  Value key0 = low(seed), key1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    Value p0 = product(c[0], 0xD2511F53u), p1 = product(c[2], 0xCD9E8D57u);
    c = {exclusiveOr(exclusiveOr(high(p1), c[1]), key0), low(p1),
         exclusiveOr(exclusiveOr(high(p0), c[3]), key1), low(p0)};
    key0 = add(key0, 0x9E3779B9u);
    key1 = add(key1, 0xBB67AE85u);
  }
  return c;
}

Value Words::normal(const std::array<Value, 4> &words, Value which) {
  Value upper = arith::AndIOp::create(b, loc, which, constant(2));
  Value first = isEqual(upper, 0);
  Value u = arith::AddFOp::create(
      b, loc, uniform(select(first, words[0], words[2])), real(0x1p-24f));
  Value v = uniform(select(first, words[1], words[3]));
  Value logarithm = math::LogOp::create(b, loc, u);
  Value radius = math::SqrtOp::create(
      b, loc, arith::MulFOp::create(b, loc, real(-2), logarithm));
  Value angle =
      arith::MulFOp::create(b, loc, v, real(float(2 * std::numbers::pi)));
  Value odd = arith::AndIOp::create(b, loc, which, constant(1));
  Value wave = select(isEqual(odd, 0), math::CosOp::create(b, loc, angle),
                      math::SinOp::create(b, loc, angle));
  return arith::MulFOp::create(b, loc, radius, wave);
}

Value Evaluator::emitRandom(RandomOp op, const Element &element) {
  IndexSpace &indices = space.indices();
  RankedTensorType type = op.getResult().getType();
  IndexExpr linear =
      indices.linearize(element.index, getRowMajorStrides(type.getShape()));
  auto scalar = [&](Value tensor) {
    unsigned dims = cast<RankedTensorType>(tensor.getType()).getRank();
    return evaluate({tensor, Index(dims, indices.constant(0))});
  };
  Value seed = scalar(op.getSeed()), offset = scalar(op.getOffset());
  Value block = indexTile(indices.div(linear, 4), true);
  Value which = indexTile(indices.mod(linear, 4), false);
  if (failed())
    return {};
  Words words{b, loc, shapeOf(linear->coordinates)};
  Value counter = arith::AddIOp::create(b, loc, broadcast(offset, words.shape),
                                        broadcast(block, words.shape));
  which = broadcast(which, words.shape);
  auto four = words.philox(broadcast(seed, words.shape), counter);
  Value result;
  if (op.getKind() == RandomKind::normal) {
    result = words.normal(four, which);
  } else {
    result = four[3];
    for (unsigned i : {2u, 1u, 0u})
      result = words.select(words.isEqual(which, i), four[i], result);
    if (op.getKind() == RandomKind::uniform)
      result = words.uniform(result);
  }
  Type wanted = type.getElementType();
  if (wanted.isF16() || wanted.isBF16())
    result = arith::TruncFOp::create(
        b, loc, RankedTensorType::get(words.shape, wanted), result);
  return result;
}
