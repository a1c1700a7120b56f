//===- LaneLowerCasts.cpp - Casts of small floats to instructions ---------===//
//
// Native 8-bit floats are converted two at a time into the bytes of a register;
// other 8-bit formats by an exact sequence of integer operations. Where the
// target has no bf16 conversion, two bf16 are rounded and packed with integers.
//
//===----------------------------------------------------------------------===//

#include "dialects/Octavo/IR/Octavo.h"
#include "passes/Lane/LaneValue.h"
#include "passes/Lane/Passes.h"

#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

namespace octavo {
#define GEN_PASS_DEF_LANELOWERCASTS
#include "passes/Lane/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

namespace {
/// How an 8-bit float is laid out: 1 sign bit, then exponent, then mantissa.
struct SmallFloat {
  int mantissaBits, bias;
  /// Codes (without sign) from this one on are infinity or NaN; 0x80 where the
  /// only NaN is the code of -0.
  uint32_t firstSpecial;
  bool hasInfinity;
  bool isFNUZ() const { return firstSpecial == 0x80; }
};
} // namespace

static SmallFloat describe(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return {3, 7, 0x7f, false};
  if (isa<Float8E5M2Type>(type))
    return {2, 15, 0x7c, true};
  if (isa<Float8E4M3FNUZType>(type))
    return {3, 8, 0x80, false};
  if (isa<Float8E5M2FNUZType>(type))
    return {2, 16, 0x80, false};
  if (isa<Float8E4M3Type>(type))
    return {3, 7, 0x78, true};
  if (isa<Float8E3M4Type>(type))
    return {4, 3, 0x70, true};
  return {3, 11, 0x80, false}; // f8E4M3B11FNUZ
}

static bool isNative(Type type, const TargetInfo &target) {
  return target.float8 == Float8Encoding::OCP
             ? isa<Float8E4M3FNType, Float8E5M2Type>(type)
             : isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(type);
}

static bool isE5M2(Type type) {
  return isa<Float8E5M2Type, Float8E5M2FNUZType>(type);
}

static int64_t getCount(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static SmallVector<Value> getElements(LaneValue x) {
  if (!isa<VectorType>(x.getType()))
    return {x};
  SmallVector<Value> elements;
  for (int64_t i = 0; i < getCount(x.getType()); ++i)
    elements.push_back(
        vector::ExtractOp::create(x.getBuilder(), x.getLoc(), x, i));
  return elements;
}

static LaneValue join(LaneValue like, ArrayRef<Value> elements) {
  auto type = VectorType::get(elements.size(), elements.front().getType());
  return like.with(vector::FromElementsOp::create(
      like.getBuilder(), like.getLoc(), type, elements));
}

/// The first `count` of the elements that registers of i32 hold, as `type`.
static LaneValue fromRegisters(LaneValue words, Type element, Type type) {
  OpBuilder &builder = words.getBuilder();
  int64_t perWord = 32 / element.getIntOrFloatBitWidth();
  int64_t held = getCount(words.getType()) * perWord;
  LaneValue all = words.with(vector::BitCastOp::create(
      builder, words.getLoc(), VectorType::get(held, element), words));
  if (!isa<VectorType>(type))
    return words.with(
        vector::ExtractOp::create(builder, words.getLoc(), all, int64_t(0)));
  int64_t count = getCount(type);
  if (count == held)
    return all;
  return words.with(
      vector::ShuffleOp::create(builder, words.getLoc(), all, all,
                                llvm::to_vector(llvm::seq<int64_t>(0, count))));
}

/// The elements of x, 8 bits each, in registers of i32; the last is filled up.
static LaneValue toRegisters(LaneValue x) {
  OpBuilder &builder = x.getBuilder();
  SmallVector<Value> elements = getElements(x);
  int64_t words = llvm::divideCeil(elements.size(), 4);
  if (int64_t(elements.size()) != words * 4) {
    Value filler = x.constant(0.0);
    if (isa<VectorType>(filler.getType()))
      filler =
          vector::ExtractOp::create(builder, x.getLoc(), filler, int64_t(0));
    elements.resize(words * 4, filler);
    x = join(x, elements);
  }
  return x.with(vector::BitCastOp::create(
      builder, x.getLoc(), VectorType::get(words, builder.getI32Type()), x));
}

//===----------------------------------------------------------------------===//
// Native 8-bit floats
//===----------------------------------------------------------------------===//

static LaneValue truncateNative(LaneValue x, Type element, Type type) {
  OpBuilder &builder = x.getBuilder();
  Location loc = x.getLoc();
  Type i32 = builder.getI32Type();
  SmallVector<Value> in = getElements(x), words;
  for (size_t i = 0; i < in.size(); i += 4) {
    Value word = ub::PoisonOp::create(builder, loc, i32);
    for (size_t pair = i; pair < std::min(i + 4, in.size()); pair += 2) {
      Value a = in[pair], b = pair + 1 < in.size() ? in[pair + 1] : a;
      bool high = pair != i;
      word = isE5M2(element) ? ROCDL::CvtPkBf8F32Op::create(builder, loc, i32,
                                                            a, b, word, high)
                                   .getResult()
                             : ROCDL::CvtPkFp8F32Op::create(builder, loc, i32,
                                                            a, b, word, high)
                                   .getResult();
    }
    words.push_back(word);
  }
  return fromRegisters(join(x, words), element, type);
}

static LaneValue extendNative(LaneValue x) {
  OpBuilder &builder = x.getBuilder();
  Location loc = x.getLoc();
  bool isWide = isE5M2(x.getElementType());
  auto pairType = VectorType::get(2, builder.getF32Type());
  SmallVector<Value> results;
  int64_t count = getCount(x.getType());
  for (auto [i, word] : llvm::enumerate(getElements(toRegisters(x))))
    for (int64_t half = 0; half < 2 && int64_t(i) * 4 + half * 2 < count;
         ++half) {
      Value pair = isWide ? ROCDL::CvtPkF32Bf8Op::create(builder, loc, pairType,
                                                         word, half == 1)
                                .getResult()
                          : ROCDL::CvtPkF32Fp8Op::create(builder, loc, pairType,
                                                         word, half == 1)
                                .getResult();
      for (int64_t j = 0; j < 2; ++j)
        results.push_back(vector::ExtractOp::create(builder, loc, pair, j));
    }
  if (!isa<VectorType>(x.getType()))
    return x.with(results.front());
  results.resize(count);
  return join(x, results);
}

//===----------------------------------------------------------------------===//
// Other 8-bit floats
//===----------------------------------------------------------------------===//

static LaneValue compare(arith::CmpIPredicate predicate, LaneValue a,
                         int64_t b) {
  return a.with(arith::CmpIOp::create(a.getBuilder(), a.getLoc(), predicate, a,
                                      a.constantInt(b)));
}

/// The low 8 bits of i32 codes as the 8-bit float.
static LaneValue packCodes(LaneValue codes, Type element) {
  OpBuilder &builder = codes.getBuilder();
  Type i8 = builder.getI8Type();
  LaneValue bytes = codes.with(arith::TruncIOp::create(
      builder, codes.getLoc(), codes.withElement(i8), codes));
  return bitCast(bytes, element);
}

static LaneValue unpackCodes(LaneValue x) {
  OpBuilder &builder = x.getBuilder();
  LaneValue bytes = bitCast(x, builder.getI8Type());
  return x.with(arith::ExtUIOp::create(
      builder, x.getLoc(), x.withElement(builder.getI32Type()), bytes));
}

static LaneValue truncateByBits(LaneValue x, Type element) {
  SmallFloat format = describe(element);
  Type i32 = x.getBuilder().getI32Type();
  int drop = 23 - format.mantissaBits;
  LaneValue magnitude = absolute(x);
  LaneValue bits = bitCast(magnitude, i32);
  // Normal results: round at the last mantissa bit kept, ties to even.
  LaneValue odd = shiftRight(bits, drop) & bits.constantInt(1);
  LaneValue rounded = bits + odd + bits.constantInt((1 << (drop - 1)) - 1);
  LaneValue normal =
      shiftRight(rounded, drop) -
      bits.constantInt((127 - format.bias) << format.mantissaBits);
  // Subnormal results: adding 2^k leaves the code in the low bits, rounded.
  int exponent = 1 - format.bias + drop;
  LaneValue magic = x.constant(std::ldexp(1.0, exponent));
  LaneValue small = bitCast(magnitude + magic, i32) - bitCast(magic, i32);
  LaneValue isSmall = compare(arith::CmpIPredicate::ult, bits,
                              int64_t(128 - format.bias) << 23);
  LaneValue code = select(isSmall, small, normal);
  // Beyond the largest number: infinity, or NaN where the format has none.
  LaneValue isBeyond =
      compare(arith::CmpIPredicate::uge, code, format.firstSpecial);
  // NaN's bits overflow the subtraction above only upwards.
  LaneValue sign = shiftRight(bitCast(x, i32), 24) & bits.constantInt(0x80);
  if (format.isFNUZ()) {
    LaneValue isZero = compare(arith::CmpIPredicate::eq, code, 0);
    code = select(isZero, code, code | sign);
    return packCodes(select(isBeyond | isNaN(x), code.constantInt(0x80), code),
                     element);
  }
  int64_t nan = format.hasInfinity ? format.firstSpecial | 2 : 0x7f;
  code = select(isBeyond, code.constantInt(format.firstSpecial), code);
  code = select(isNaN(x), code.constantInt(nan), code);
  return packCodes(code | sign, element);
}

static LaneValue extendByBits(LaneValue x) {
  SmallFloat format = describe(x.getElementType());
  Type f32 = x.getBuilder().getF32Type();
  LaneValue code = unpackCodes(x);
  LaneValue magnitude = code & code.constantInt(0x7f);
  // The bits in f32's place, times 2^(127 - bias): right for subnormals too.
  LaneValue value =
      bitCast(shiftLeft(magnitude, 23 - format.mantissaBits), f32);
  value = value * std::ldexp(1.0, 127 - format.bias);
  LaneValue bits = bitCast(value, code.getElementType());
  LaneValue sign = shiftLeft(code & code.constantInt(0x80), 24);
  if (format.isFNUZ()) {
    bits = bits | sign;
    LaneValue nan = bits.constantInt(0x7fc00000);
    bits = select(compare(arith::CmpIPredicate::eq, code, 0x80), nan, bits);
    return bitCast(bits, f32);
  }
  // Infinity and NaN keep their mantissa under f32's highest exponent.
  LaneValue special = bits | bits.constantInt(0x7f800000);
  if (!format.hasInfinity)
    special = bits.constantInt(0x7fc00000);
  bits =
      select(compare(arith::CmpIPredicate::uge, magnitude, format.firstSpecial),
             special, bits);
  return bitCast(bits | sign, f32);
}

/// Powers of two: the exponent of f32, rounded to the nearest with ties up but
/// for subnormals, as PyTorch casts; infinity and NaN become 255.
static LaneValue truncateE8M0(LaneValue x, Type element) {
  LaneValue bits = bitCast(x, x.getBuilder().getI32Type());
  LaneValue exponent = shiftRight(bits, 23) & bits.constantInt(0xff);
  LaneValue mantissa = bits & bits.constantInt(0x7fffff);
  LaneValue isNormal = compare(arith::CmpIPredicate::ne, exponent, 0);
  LaneValue roundsUp =
      compare(arith::CmpIPredicate::ugt, mantissa, 0x400000) |
      (compare(arith::CmpIPredicate::eq, mantissa, 0x400000) & isNormal);
  LaneValue isFinite = compare(arith::CmpIPredicate::ne, exponent, 0xff);
  LaneValue next = exponent + exponent.constantInt(1);
  return packCodes(select(roundsUp & isFinite, next, exponent), element);
}

static LaneValue extendE8M0(LaneValue x) {
  LaneValue code = unpackCodes(x);
  LaneValue bits = shiftLeft(code, 23);
  bits = select(compare(arith::CmpIPredicate::eq, code, 0),
                bits.constantInt(0x400000), bits);
  bits = select(compare(arith::CmpIPredicate::eq, code, 0xff),
                bits.constantInt(0x7fc00000), bits);
  return bitCast(bits, x.getBuilder().getF32Type());
}

//===----------------------------------------------------------------------===//
// bf16 without an instruction
//===----------------------------------------------------------------------===//

static LaneValue roundToBF16(LaneValue x) {
  LaneValue bits = bitCast(x, x.getBuilder().getI32Type());
  LaneValue odd = shiftRight(bits, 16) & bits.constantInt(1);
  LaneValue rounded = bits + odd + bits.constantInt(0x7fff);
  return select(isNaN(x), bits.constantInt(0x7fc00000), rounded);
}

/// The high halves of i32 registers as bf16.
static LaneValue packBF16(LaneValue rounded, Type type) {
  OpBuilder &builder = rounded.getBuilder();
  LaneValue x = rounded;
  SmallVector<Value> in = getElements(rounded), words;
  for (size_t i = 0; i < in.size(); i += 2) {
    LaneValue low = shiftRight(x.with(in[i]), 16);
    if (i + 1 < in.size()) {
      LaneValue high = x.with(in[i + 1]);
      low = (high & high.constantInt(int32_t(0xffff0000))) | low;
    }
    words.push_back(low);
  }
  return fromRegisters(join(x, words), builder.getBF16Type(), type);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static Type getFlat(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() == 1)
    return type;
  return VectorType::get(vector.getNumElements(), vector.getElementType());
}

static LaneValue reshape(LaneValue x, Type type) {
  if (x.getType() == type)
    return x;
  return x.with(
      vector::ShapeCastOp::create(x.getBuilder(), x.getLoc(), type, x));
}

static bool isSmallFloat(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

static void lowerTruncation(arith::TruncFOp op, const TargetInfo &target) {
  OpBuilder builder(op);
  Type type = getFlat(op.getType()), element = getElementTypeOrSelf(type);
  LaneValue x(builder, op.getLoc(), op.getIn());
  // PyTorch rounds f64 to f32 first.
  x = toFloat(reshape(x, getFlat(x.getType())), builder.getF32Type());
  LaneValue result = x;
  if (element.isBF16())
    result = target.hasPackedBF16Convert ? toFloat(x, element)
                                         : packBF16(roundToBF16(x), type);
  else if (isa<Float8E8M0FNUType>(element))
    result = truncateE8M0(x, element);
  else if (isNative(element, target))
    result = truncateNative(x, element, type);
  else
    result = truncateByBits(x, element);
  op.replaceAllUsesWith(Value(reshape(result, op.getType())));
  op.erase();
}

static void lowerExtension(arith::ExtFOp op, const TargetInfo &target) {
  OpBuilder builder(op);
  LaneValue x(builder, op.getLoc(), op.getIn());
  x = reshape(x, getFlat(x.getType()));
  Type element = x.getElementType();
  LaneValue result = isa<Float8E8M0FNUType>(element) ? extendE8M0(x)
                     : isNative(element, target)     ? extendNative(x)
                                                     : extendByBits(x);
  Type wanted = getElementTypeOrSelf(op.getType());
  // Every 8-bit float is a bf16: there is nothing to round.
  if (wanted.isBF16() && !target.hasPackedBF16Convert)
    result =
        packBF16(bitCast(result, builder.getI32Type()), getFlat(op.getType()));
  else
    result = toFloat(result, wanted);
  op.replaceAllUsesWith(Value(reshape(result, op.getType())));
  op.erase();
}

/// Casts that LLVM makes good code of, or that are not of this pass.
static bool needsLowering(Operation *op, const TargetInfo &target) {
  if (auto extension = dyn_cast<arith::ExtFOp>(op))
    return isSmallFloat(getElementTypeOrSelf(extension.getIn()));
  auto truncation = dyn_cast<arith::TruncFOp>(op);
  if (!truncation)
    return false;
  Type to = getElementTypeOrSelf(truncation.getType());
  Type from = getElementTypeOrSelf(truncation.getIn());
  if (to.isBF16())
    return !target.hasPackedBF16Convert || from.isF64();
  return isSmallFloat(to);
}

namespace {
struct LaneLowerCasts final
    : public octavo::impl::LaneLowerCastsBase<LaneLowerCasts> {
  void runOnOperation() override {
    const TargetInfo *target = getTargetOrError(getOperation());
    if (!target)
      return signalPassFailure();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (needsLowering(op, *target))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (auto truncation = dyn_cast<arith::TruncFOp>(op))
        lowerTruncation(truncation, *target);
      else
        lowerExtension(cast<arith::ExtFOp>(op), *target);
    }
  }
};
} // namespace
