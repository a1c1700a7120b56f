//===- Scalars.cpp - Builds the body of an elementwise op -----------------===//

#include "passes/AtenToOctavo/Scalars.h"
#include "passes/AtenToOctavo/Tensor.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo;

/// The bits of `value` as a number of `type`, rounded to nearest even.
static APFloat roundTo(FloatType type, double value) {
  APFloat number(value);
  bool lost = false;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return number;
}

Value Scalars::constant(Type type, double value) {
  if (auto floating = dyn_cast<FloatType>(type))
    return arith::ConstantFloatOp::create(builder, loc, floating,
                                          roundTo(floating, value));
  if (type.isInteger(1))
    return integer(type, value != 0);
  // The largest i64 is no double: what is above becomes it.
  return integer(type,
                 value >= 0x1p63 ? INT64_MAX : static_cast<int64_t>(value));
}

Value Scalars::constant(Type type, Attribute number) {
  if (auto flag = dyn_cast<BoolAttr>(number))
    return constant(type, flag.getValue() ? 1.0 : 0.0);
  if (auto whole = dyn_cast<IntegerAttr>(number)) {
    int64_t value = whole.getValue().getSExtValue();
    if (isa<FloatType>(type))
      return constant(type, static_cast<double>(value));
    return integer(type, type.isInteger(1) ? value != 0 : value);
  }
  return constant(type, cast<FloatAttr>(number).getValueAsDouble());
}

Value Scalars::integer(Type type, int64_t value) {
  if (type.isIndex())
    return arith::ConstantIndexOp::create(builder, loc, value);
  APInt bits(64, value, /*isSigned=*/true);
  return arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(type,
                             bits.sextOrTrunc(type.getIntOrFloatBitWidth())));
}

Value Scalars::add(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::AddFOp::create(builder, loc, a, b);
  if (a.getType().isInteger(1))
    return arith::OrIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

Value Scalars::sub(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::SubFOp::create(builder, loc, a, b);
  return arith::SubIOp::create(builder, loc, a, b);
}

Value Scalars::mul(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::MulFOp::create(builder, loc, a, b);
  if (a.getType().isInteger(1))
    return arith::AndIOp::create(builder, loc, a, b);
  return arith::MulIOp::create(builder, loc, a, b);
}

Value Scalars::div(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::DivFOp::create(builder, loc, a, b);
  if (isUnsigned)
    return arith::DivUIOp::create(builder, loc, a, b);
  return arith::DivSIOp::create(builder, loc, a, b);
}

Value Scalars::rem(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::RemFOp::create(builder, loc, a, b);
  if (isUnsigned)
    return arith::RemUIOp::create(builder, loc, a, b);
  return arith::RemSIOp::create(builder, loc, a, b);
}

Value Scalars::neg(Value a) {
  if (isa<FloatType>(a.getType()))
    return arith::NegFOp::create(builder, loc, a);
  return sub(integer(a.getType(), 0), a);
}

Value Scalars::max(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::MaximumFOp::create(builder, loc, a, b);
  if (isUnsigned || a.getType().isInteger(1))
    return arith::MaxUIOp::create(builder, loc, a, b);
  return arith::MaxSIOp::create(builder, loc, a, b);
}

Value Scalars::min(Value a, Value b) {
  if (isa<FloatType>(a.getType()))
    return arith::MinimumFOp::create(builder, loc, a, b);
  if (isUnsigned || a.getType().isInteger(1))
    return arith::MinUIOp::create(builder, loc, a, b);
  return arith::MinSIOp::create(builder, loc, a, b);
}

Value Scalars::compare(Compare kind, Value a, Value b) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  constexpr F floats[] = {F::OEQ, F::UNE, F::OLT, F::OLE, F::OGT, F::OGE};
  constexpr I signeds[] = {I::eq, I::ne, I::slt, I::sle, I::sgt, I::sge};
  constexpr I unsigneds[] = {I::eq, I::ne, I::ult, I::ule, I::ugt, I::uge};
  int at = static_cast<int>(kind);
  if (isa<FloatType>(a.getType()))
    return arith::CmpFOp::create(builder, loc, floats[at], a, b);
  bool plain = isUnsigned || a.getType().isInteger(1);
  return arith::CmpIOp::create(builder, loc,
                               plain ? unsigneds[at] : signeds[at], a, b);
}

Value Scalars::select(Value c, Value a, Value b) {
  return arith::SelectOp::create(builder, loc, c, a, b);
}

Value Scalars::isNaN(Value a) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, a);
}

Value Scalars::logicalNot(Value a) {
  return arith::XOrIOp::create(builder, loc, a, integer(a.getType(), 1));
}

Value Scalars::toBool(Value a) {
  if (a.getType().isInteger(1))
    return a;
  return compare(Compare::ne, a, constant(a.getType(), 0.0));
}

/// Float to float; what is out of range of an 8-bit type follows PyTorch:
/// f8E4M3FN saturates, the others round to infinity or NaN.
static Value convertFloat(Scalars &s, Value a, FloatType to) {
  auto from = cast<FloatType>(a.getType());
  if (from == to)
    return a;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(s.builder, s.loc, to, a);
  if (from.getWidth() == to.getWidth() || from.getWidth() <= 8) {
    Type wide = Float32Type::get(to.getContext());
    a = arith::ExtFOp::create(s.builder, s.loc, wide, a);
  }
  if (isa<Float8E4M3FNType>(to)) {
    Type type = a.getType();
    a = s.min(s.max(a, s.constant(type, -448.0)), s.constant(type, 448.0));
  }
  return arith::TruncFOp::create(s.builder, s.loc, to, a);
}

/// Float to integer, towards zero.
static Value convertToInteger(Scalars &s, Value a, Type to) {
  if (isFloat8(a.getType()))
    a = arith::ExtFOp::create(s.builder, s.loc, s.builder.getF32Type(), a);
  unsigned width = to.getIntOrFloatBitWidth();
  // Through a wide integer, so that what does not fit wraps as in PyTorch.
  Type wide = s.builder.getIntegerType(std::max(width, 32u));
  Value whole = arith::FPToSIOp::create(s.builder, s.loc, wide, a);
  if (width == 64 && isUnsigned(to))
    whole = arith::FPToUIOp::create(s.builder, s.loc, wide, a);
  if (width < 32)
    whole = arith::TruncIOp::create(s.builder, s.loc, storageOf(to), whole);
  return whole;
}

Value Scalars::convert(Value a, Type from, Type to) {
  if (from == to)
    return a;
  if (to.isInteger(1))
    return toBool(isFloat8(from) ? convert(a, from, builder.getF32Type()) : a);
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return convertFloat(*this, a, cast<FloatType>(to));
  if (isa<FloatType>(from))
    return convertToInteger(*this, a, to);
  bool plain = octavo::isUnsigned(from) || from.isInteger(1);
  if (isa<FloatType>(to)) {
    Type wide = isFloat8(to) ? builder.getF32Type() : to;
    Value whole = plain ? Value(arith::UIToFPOp::create(builder, loc, wide, a))
                        : Value(arith::SIToFPOp::create(builder, loc, wide, a));
    return convert(whole, wide, to);
  }
  unsigned wa = from.getIntOrFloatBitWidth(), wb = to.getIntOrFloatBitWidth();
  if (wa == wb)
    return a;
  if (wa > wb)
    return arith::TruncIOp::create(builder, loc, storageOf(to), a);
  if (plain)
    return arith::ExtUIOp::create(builder, loc, storageOf(to), a);
  return arith::ExtSIOp::create(builder, loc, storageOf(to), a);
}

Value Scalars::index(int64_t dim) {
  return linalg::IndexOp::create(builder, loc, dim);
}

Value Scalars::position(int64_t dim) {
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    index(dim));
}

Value Scalars::toIndex(Value a) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), a);
}

Value Scalars::extract(Value tensor, ValueRange at) {
  return tensor::ExtractOp::create(builder, loc, tensor, at);
}
