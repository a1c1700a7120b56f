//===- Complex.cpp - Complex numbers as pairs -----------------------------===//
//
// A complex tensor is its real and imaginary parts along one more dimension.
// A result is one elementwise map over that dimension: the parts of the
// operands are slices of it, and the loop's place says which part is wanted.
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Complex.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

/// The real (0) or imaginary (1) part, with a last dimension of 1.
static Tensor part(Call &call, Tensor tensor, int64_t which) {
  Tensor parts = tensor.asReal();
  return call.slice(parts, parts.rank() - 1, which, 1);
}

/// A complex result from a body that is told which part to give.
static Tensor fromParts(Call &call, ArrayRef<Tensor> inputs,
                        llvm::function_ref<Value(Scalars &, ValueRange)> real,
                        llvm::function_ref<Value(Scalars &, ValueRange)> imag) {
  Type dtype = call.resultType();
  Shape shape(call.resultShape());
  int64_t last = shape.size();
  shape.push_back(2);
  Tensor result =
      call.map(inputs, shape, storageOf(dtype), [&](Scalars &s, ValueRange v) {
        Value isReal = s.compare(Compare::eq, s.position(last),
                                 s.integer(s.builder.getI64Type(), 0));
        return s.select(isReal, real(s, v), imag(s, v));
      });
  return {result.value, dtype};
}

/// Both parts of an operand; a real one has no second.
struct Parts {
  Tensor real, imag;
};

static Parts partsOf(Call &call, Operand operand) {
  Type element = storageOf(call.resultType());
  if (auto pair = dyn_cast_or_null<DictionaryAttr>(operand.number))
    return {call.full({1}, element, pair.get("real")),
            call.full({1}, element, pair.get("imag"))};
  if (operand.number)
    return {call.full({1}, element, operand.number), {}};
  Tensor tensor = operand.tensor;
  if (isComplex(tensor.dtype))
    return {call.convert(part(call, tensor, 0), element),
            call.convert(part(call, tensor, 1), element)};
  Tensor real = call.convert(tensor, element);
  return {call.unsqueeze(real, real.rank()), {}};
}

static Results mul(Call &call, Operand a, Operand b) {
  Parts x = partsOf(call, a), y = partsOf(call, b);
  if (!x.imag)
    std::swap(x, y);
  if (!y.imag)
    return fromParts(
        call, {x.real, x.imag, y.real},
        [](Scalars &s, ValueRange v) { return s.mul(v[0], v[2]); },
        [](Scalars &s, ValueRange v) { return s.mul(v[1], v[2]); });
  return fromParts(
      call, {x.real, x.imag, y.real, y.imag},
      [](Scalars &s, ValueRange v) {
        return s.sub(s.mul(v[0], v[2]), s.mul(v[1], v[3]));
      },
      [](Scalars &s, ValueRange v) {
        return s.add(s.mul(v[0], v[3]), s.mul(v[1], v[2]));
      });
}

/// a / b = a * conj(b) / |b|^2.
static Results div(Call &call, Operand a, Operand b) {
  Parts x = partsOf(call, a), y = partsOf(call, b);
  if (!x.imag)
    x.imag = call.full(x.real.shape(), x.real.dtype, 0.0);
  if (!y.imag)
    return fromParts(
        call, {x.real, x.imag, y.real},
        [](Scalars &s, ValueRange v) { return s.div(v[0], v[2]); },
        [](Scalars &s, ValueRange v) { return s.div(v[1], v[2]); });
  auto size = [](Scalars &s, ValueRange v) {
    return s.add(s.mul(v[2], v[2]), s.mul(v[3], v[3]));
  };
  return fromParts(
      call, {x.real, x.imag, y.real, y.imag},
      [&](Scalars &s, ValueRange v) {
        Value top = s.add(s.mul(v[0], v[2]), s.mul(v[1], v[3]));
        return s.div(top, size(s, v));
      },
      [&](Scalars &s, ValueRange v) {
        Value top = s.sub(s.mul(v[1], v[2]), s.mul(v[0], v[3]));
        return s.div(top, size(s, v));
      });
}

Results octavo::complexProduct(Call &call, bool divide) {
  Operand a = call.operand("self"), b = call.operand("other");
  return divide ? div(call, a, b) : mul(call, a, b);
}

Results octavo::complexSum(Call &call, Operand a, Operand b, Attribute alpha,
                           bool subtract) {
  if (isa_and_nonnull<DictionaryAttr>(alpha))
    return call.fail("a complex factor is not lowered");
  Parts x = partsOf(call, a), y = partsOf(call, b);
  Type element = storageOf(call.resultType());
  SmallVector<Tensor> inputs = {x.real, y.real};
  // Where the imaginary parts stand among the inputs; 0 is none.
  size_t imagX = 0, imagY = 0;
  if (x.imag) {
    imagX = inputs.size();
    inputs.push_back(x.imag);
  }
  if (y.imag) {
    imagY = inputs.size();
    inputs.push_back(y.imag);
  }
  auto join = [&](Scalars &s, Value left, Value right) {
    if (alpha)
      right = s.mul(right, s.constant(element, alpha));
    return subtract ? s.sub(left, right) : s.add(left, right);
  };
  return fromParts(
      call, inputs,
      [&](Scalars &s, ValueRange v) { return join(s, v[0], v[1]); },
      [&](Scalars &s, ValueRange v) -> Value {
        if (!imagY)
          return v[imagX];
        Value zero = s.constant(element, 0.0);
        return join(s, imagX ? v[imagX] : zero, v[imagY]);
      });
}

Results octavo::complexConstant(Call &call, Attribute number) {
  Parts parts = partsOf(call, number);
  if (!parts.imag)
    parts.imag = call.full({1}, parts.real.dtype, 0.0);
  return fromParts(
      call, {parts.real, parts.imag},
      [](Scalars &s, ValueRange v) { return v[0]; },
      [](Scalars &s, ValueRange v) { return v[1]; });
}

static Results conjugate(Call &call) {
  Tensor self = call.tensor("self");
  if (!isComplex(self.dtype))
    return self;
  Tensor real = part(call, self, 0), imag = part(call, self, 1);
  return fromParts(
      call, {real, imag}, [](Scalars &s, ValueRange v) { return v[0]; },
      [](Scalars &s, ValueRange v) { return s.neg(v[1]); });
}

static Results negate(Call &call) {
  Tensor self = call.tensor("self");
  Tensor parts = self.asReal();
  Tensor result =
      call.map({parts}, parts.shape(), parts.dtype,
               [](Scalars &s, ValueRange v) { return s.neg(v[0]); });
  return Tensor{result.value, self.dtype};
}

static Results makeComplex(Call &call) {
  Tensor real = call.tensor("real"), imag = call.tensor("imag");
  return fromParts(
      call,
      {call.unsqueeze(real, real.rank()), call.unsqueeze(imag, imag.rank())},
      [](Scalars &s, ValueRange v) { return v[0]; },
      [](Scalars &s, ValueRange v) { return v[1]; });
}

static Results polar(Call &call) {
  Tensor size = call.tensor("abs"), angle = call.tensor("angle");
  return fromParts(
      call,
      {call.unsqueeze(size, size.rank()), call.unsqueeze(angle, angle.rank())},
      [](Scalars &s, ValueRange v) {
        return s.mul(v[0], s.unary<math::CosOp>(v[1]));
      },
      [](Scalars &s, ValueRange v) {
        return s.mul(v[0], s.unary<math::SinOp>(v[1]));
      });
}

static Results component(Call &call, int64_t which) {
  Tensor self = call.tensor("self");
  if (!isComplex(self.dtype))
    return self;
  return call.reshape(part(call, self, which), call.resultShape());
}

Results octavo::complexSize(Call &call) {
  Tensor self = call.tensor("self");
  Tensor real = part(call, self, 0), imag = part(call, self, 1);
  Tensor size = call.map({real, imag}, real.shape(), real.dtype,
                         [](Scalars &s, ValueRange v) -> Value {
                           return s.unary<math::SqrtOp>(
                               s.add(s.mul(v[0], v[0]), s.mul(v[1], v[1])));
                         });
  return call.reshape(size, call.resultShape());
}

void octavo::addComplexRules(Rules &rules) {
  // The same values: only the name of the last dimension changes.
  rules.add("aten.view_as_real.default",
            [](Call &call) { return Results(call.tensor("self").asReal()); });
  rules.add("aten.view_as_complex.default", [](Call &call) {
    return Results(Tensor{call.tensor("self").value, call.resultType()});
  });
  for (StringRef name : {"aten._conj.default", "aten._conj_physical.default",
                         "aten.conj_physical.default"})
    rules.add(name, conjugate);
  rules.add("aten._neg_view.default", negate);
  rules.add("aten.complex.default", makeComplex);
  rules.add("aten.polar.default", polar);
  rules.add("aten.real.default", [](Call &call) { return component(call, 0); });
  rules.add("aten.imag.default", [](Call &call) { return component(call, 1); });
}
