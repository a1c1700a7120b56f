//===- Argument.cpp - Places of extrema, running sums ---------------------===//

#include "passes/AtenToOctavo/Call.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo;

/// Whether (b, ib) comes before (a, ia): better, or as good and earlier. A NaN
/// is better than any number.
static Value precedes(Scalars &s, bool largest, Value a, Value ia, Value b,
                      Value ib) {
  auto both = [&](Value x, Value y) -> Value {
    return arith::AndIOp::create(s.builder, s.loc, x, y);
  };
  auto either = [&](Value x, Value y) -> Value {
    return arith::OrIOp::create(s.builder, s.loc, x, y);
  };
  Value better = s.compare(largest ? Compare::gt : Compare::lt, b, a);
  Value equal = s.compare(Compare::eq, b, a);
  if (isa<FloatType>(a.getType())) {
    Value nanA = s.isNaN(a), nanB = s.isNaN(b);
    better = either(better, both(nanB, s.logicalNot(nanA)));
    equal = either(equal, both(nanA, nanB));
  }
  return either(better, both(equal, s.compare(Compare::lt, ib, ia)));
}

/// Extremum along `dim` and its place, both without that dimension.
static std::pair<Tensor, Tensor> findExtremum(Call &call, Tensor self,
                                              int64_t dim, bool largest) {
  Type i64 = call.i64();
  Tensor places =
      call.map(ArrayRef<Tensor>(), self.shape(), i64,
               [&](Scalars &s, ValueRange) { return s.position(dim); });
  Shape kept(self.shape());
  kept.erase(kept.begin() + dim);
  // A start that loses against every element, an equal one included.
  Type element = storageOf(self.dtype);
  double worst = largest ? -INFINITY : INFINITY;
  if (!isa<FloatType>(element)) {
    unsigned width = element.getIntOrFloatBitWidth();
    bool plain = isUnsigned(self.dtype) || width == 1;
    double low = plain ? 0.0 : -std::ldexp(1.0, width - 1);
    double high = std::ldexp(1.0, plain ? width : width - 1) - 1.0;
    worst = largest ? low : high;
  }
  Tensor start = call.full(kept, self.dtype, worst);
  Tensor first = call.full(kept, i64, 0x1p63);
  auto op = linalg::ReduceOp::create(
      call.builder, call.loc, ValueRange{self.value, places.value},
      ValueRange{start.value, first.value}, ArrayRef<int64_t>{dim},
      [&](OpBuilder &inner, Location at, ValueRange v) {
        Scalars s{inner, at, isUnsigned(self.dtype)};
        Value take = precedes(s, largest, v[2], v[3], v[0], v[1]);
        linalg::YieldOp::create(
            inner, at,
            ValueRange{s.select(take, v[0], v[2]), s.select(take, v[1], v[3])});
      });
  return {{op.getResult(0), self.dtype}, {op.getResult(1), i64}};
}

/// 8-bit floats are compared as f32.
static Tensor comparable(Call &call, Tensor self) {
  return isFloat8(self.dtype) ? call.convert(self, call.f32()) : self;
}

static Results argument(Call &call, bool largest) {
  Tensor self = comparable(call, call.tensor("self"));
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  Tensor input = self;
  int64_t dim = 0;
  if (!call.has("dim") || self.rank() == 0)
    input = call.reshape(self, {self.elements()});
  else
    dim = wrapDim(call.integer("dim"), self.rank());
  Tensor place = findExtremum(call, input, dim, largest).second;
  return call.reshape(place, call.resultShape());
}

/// max.dim and min.dim: values and places.
static Results extremumAlong(Call &call, bool largest) {
  Tensor self = comparable(call, call.tensor("self"));
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  Tensor input = self.rank() == 0 ? call.reshape(self, {1}) : self;
  int64_t dim = wrapDim(call.integer("dim"), self.rank());
  auto [value, place] = findExtremum(call, input, dim, largest);
  value = call.convert(value, call.resultType(0));
  return {call.reshape(value, call.resultShape(0)),
          call.reshape(place, call.resultShape(1))};
}

/// result[i] combines elements 0 to i: each result looks at all of them, which
/// costs the square of the length and is the same in any order.
static Results running(Call &call, bool product) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  Type dtype = call.resultType(), wide = computeOf(dtype);
  if (self.rank() == 0)
    return call.convert(self, dtype);
  int64_t dim = wrapDim(call.integer("dim"), self.rank()), rank = self.rank();
  Shape loops(self.shape());
  loops.push_back(self.shape()[dim]);
  SmallVector<AffineExpr> at;
  for (int64_t i = 0; i < rank; ++i)
    at.push_back(call.builder.getAffineDimExpr(i == dim ? rank : i));
  AffineMap along = AffineMap::get(rank + 1, 0, at, call.builder.getContext());
  double neutral = product ? 1.0 : 0.0;
  Tensor parts =
      call.map({Read{self, along}}, loops, wide, [&](Scalars &s, ValueRange v) {
        Value before =
            arith::CmpIOp::create(s.builder, s.loc, arith::CmpIPredicate::sle,
                                  s.index(rank), s.index(dim));
        return s.select(before, s.convert(v[0], self.dtype, wide),
                        s.constant(storageOf(wide), neutral));
      });
  Tensor total =
      call.reduce(parts, {rank}, neutral, [&](Scalars &s, ValueRange v) {
        return product ? s.mul(v[0], v[1]) : s.add(v[0], v[1]);
      });
  return call.convert(total, dtype);
}

void octavo::addArgumentRules(Rules &rules) {
  rules.add("aten.argmax.default",
            [](Call &call) { return argument(call, true); });
  rules.add("aten.argmin.default",
            [](Call &call) { return argument(call, false); });
  rules.add("aten.max.dim",
            [](Call &call) { return extremumAlong(call, true); });
  rules.add("aten.min.dim",
            [](Call &call) { return extremumAlong(call, false); });
  rules.add("aten.cumsum.default",
            [](Call &call) { return running(call, false); });
  rules.add("aten.cumprod.default",
            [](Call &call) { return running(call, true); });
}
