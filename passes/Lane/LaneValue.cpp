//===- LaneValue.cpp - Arithmetic on a lane's values, as formulas ---------===//

#include "passes/Lane/LaneValue.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace octavo;

template <typename Op, typename... Args>
static LaneValue create(LaneValue at, Args &&...args) {
  return at.with(
      Op::create(at.getBuilder(), at.getLoc(), std::forward<Args>(args)...));
}

Type LaneValue::getElementType() const {
  return getElementTypeOrSelf(value.getType());
}

Type LaneValue::withElement(Type element) const {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return VectorType::get(vector.getShape(), element);
  return element;
}

static LaneValue splat(LaneValue like, TypedAttr number) {
  if (auto vector = dyn_cast<VectorType>(like.getType()))
    number = DenseElementsAttr::get(vector, Attribute(number));
  return create<arith::ConstantOp>(like, number);
}

LaneValue LaneValue::constant(double number) const {
  return splat(*this, FloatAttr::get(getElementType(), number));
}

LaneValue LaneValue::constantInt(int64_t number) const {
  return splat(*this, IntegerAttr::get(getElementType(), number));
}

static bool isFloat(LaneValue x) { return isa<FloatType>(x.getElementType()); }

LaneValue octavo::operator+(LaneValue a, LaneValue b) {
  return isFloat(a) ? create<arith::AddFOp>(a, a, b)
                    : create<arith::AddIOp>(a, a, b);
}

LaneValue octavo::operator-(LaneValue a, LaneValue b) {
  return isFloat(a) ? create<arith::SubFOp>(a, a, b)
                    : create<arith::SubIOp>(a, a, b);
}

LaneValue octavo::operator*(LaneValue a, LaneValue b) {
  return isFloat(a) ? create<arith::MulFOp>(a, a, b)
                    : create<arith::MulIOp>(a, a, b);
}

LaneValue octavo::operator/(LaneValue a, LaneValue b) {
  return create<arith::DivFOp>(a, a, b);
}

LaneValue octavo::operator-(LaneValue a) { return create<arith::NegFOp>(a, a); }

LaneValue octavo::fma(LaneValue a, LaneValue b, LaneValue c) {
  return create<LLVM::FMAOp>(a, a, b, c);
}

LaneValue octavo::polynomial(LaneValue x, ArrayRef<double> coefficients) {
  LaneValue sum = x.constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

LaneValue octavo::isLess(LaneValue a, LaneValue b) {
  return create<arith::CmpFOp>(a, arith::CmpFPredicate::OLT, a, b);
}

LaneValue octavo::isEqual(LaneValue a, LaneValue b) {
  return create<arith::CmpFOp>(a, arith::CmpFPredicate::OEQ, a, b);
}

LaneValue octavo::isNaN(LaneValue x) {
  return create<arith::CmpFOp>(x, arith::CmpFPredicate::UNO, x, x);
}

LaneValue octavo::select(LaneValue condition, LaneValue then,
                         LaneValue otherwise) {
  return create<arith::SelectOp>(then, condition, then, otherwise);
}

LaneValue octavo::operator&(LaneValue a, LaneValue b) {
  return create<arith::AndIOp>(a, a, b);
}

LaneValue octavo::operator|(LaneValue a, LaneValue b) {
  return create<arith::OrIOp>(a, a, b);
}

LaneValue octavo::operator^(LaneValue a, LaneValue b) {
  return create<arith::XOrIOp>(a, a, b);
}

LaneValue octavo::shiftLeft(LaneValue a, int64_t bits) {
  return create<arith::ShLIOp>(a, a, a.constantInt(bits));
}

LaneValue octavo::shiftRight(LaneValue a, int64_t bits) {
  return create<arith::ShRUIOp>(a, a, a.constantInt(bits));
}

LaneValue octavo::floor(LaneValue x) { return create<LLVM::FFloorOp>(x, x); }

LaneValue octavo::truncate(LaneValue x) { return create<LLVM::FTruncOp>(x, x); }

LaneValue octavo::roundEven(LaneValue x) {
  return create<LLVM::RoundEvenOp>(x, x);
}

LaneValue octavo::absolute(LaneValue x) { return create<LLVM::FAbsOp>(x, x); }

LaneValue octavo::copySign(LaneValue magnitude, LaneValue sign) {
  return create<LLVM::CopySignOp>(magnitude, magnitude, sign);
}

LaneValue octavo::squareRoot(LaneValue x) { return create<LLVM::SqrtOp>(x, x); }

LaneValue octavo::minimumNumber(LaneValue a, LaneValue b) {
  return create<arith::MinNumFOp>(a, a, b);
}

LaneValue octavo::maximumNumber(LaneValue a, LaneValue b) {
  return create<arith::MaxNumFOp>(a, a, b);
}

LaneValue octavo::scaleByPowerOfTwo(LaneValue x, LaneValue exponent) {
  return forEachElement({x, exponent}, [&](ValueRange pair) -> Value {
    return create<LLVM::LoadExpOp>(x, pair[0].getType(), pair[0], pair[1]);
  });
}

std::pair<LaneValue, LaneValue> octavo::splitExponent(LaneValue x) {
  bool isDouble = x.getElementType().isF64();
  Type i32 = x.getBuilder().getI32Type();
  StringAttr name =
      x.getBuilder().getStringAttr(isDouble ? "llvm.amdgcn.frexp.exp.i32.f64"
                                            : "llvm.amdgcn.frexp.exp.i32.f32");
  LaneValue exponent = forEachElement(x, [&](ValueRange element) -> Value {
    return LLVM::CallIntrinsicOp::create(x.getBuilder(), x.getLoc(), i32, name,
                                         element)
        .getResult(0);
  });
  return {callScalarIntrinsic("llvm.amdgcn.frexp.mant", x), exponent};
}

LaneValue octavo::toFloat(LaneValue x, Type element) {
  unsigned from = x.getElementType().getIntOrFloatBitWidth();
  unsigned to = element.getIntOrFloatBitWidth();
  if (from == to)
    return x;
  Type type = x.withElement(element);
  return from < to ? create<arith::ExtFOp>(x, type, Value(x))
                   : create<arith::TruncFOp>(x, type, Value(x));
}

LaneValue octavo::floatToInt32(LaneValue x) {
  Type type = x.withElement(x.getBuilder().getI32Type());
  return create<arith::FPToSIOp>(x, type, x);
}

LaneValue octavo::int32ToFloat(LaneValue x, Type element) {
  return create<arith::SIToFPOp>(x, x.withElement(element), x);
}

LaneValue octavo::bitCast(LaneValue x, Type element) {
  return create<arith::BitcastOp>(x, x.withElement(element), x);
}

LaneValue octavo::forEachElement(ArrayRef<LaneValue> operands,
                                 llvm::function_ref<Value(ValueRange)> body) {
  LaneValue first = operands.front();
  auto vector = dyn_cast<VectorType>(first.getType());
  if (!vector) {
    SmallVector<Value> scalars(operands.begin(), operands.end());
    return first.with(body(scalars));
  }
  SmallVector<Value> results;
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    SmallVector<Value> elements;
    for (LaneValue operand : operands)
      elements.push_back(create<vector::ExtractOp>(operand, Value(operand), i));
    results.push_back(body(elements));
  }
  Type type = first.withElement(results.front().getType());
  return create<vector::FromElementsOp>(first, type, results);
}

LaneValue octavo::callScalarIntrinsic(StringRef name, LaneValue x) {
  StringRef suffix = x.getElementType().isF64() ? ".f64" : ".f32";
  StringAttr full = x.getBuilder().getStringAttr(name + suffix);
  return forEachElement(x, [&](ValueRange element) -> Value {
    return LLVM::CallIntrinsicOp::create(x.getBuilder(), x.getLoc(),
                                         element[0].getType(), full, element)
        .getResult(0);
  });
}

Value octavo::anyOf(LaneValue condition) {
  if (!isa<VectorType>(condition.getType()))
    return condition;
  return create<vector::ReductionOp>(condition, vector::CombiningKind::OR,
                                     Value(condition));
}
