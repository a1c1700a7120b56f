//===- Creation.cpp - Casts, copies, constants and ranges -----------------===//

#include "passes/AtenToOctavo/Complex.h"

using namespace mlir;
using namespace octavo;

/// The same values in another dtype.
static Results castTo(Call &call, Tensor input) {
  Type to = call.resultType();
  if (input.dtype == to)
    return input;
  if (isComplex(input.dtype) && isComplex(to))
    return Tensor{call.convert(input.asReal(), storageOf(to)).value, to};
  if (isComplex(input.dtype) || isComplex(to))
    return call.fail("conversions between complex and real are not lowered");
  return call.convert(input, to);
}

static Results copy(Call &call) {
  Results cast = castTo(call, call.tensor("src"));
  if (!cast.lowered)
    return cast;
  return call.broadcast(cast.tensors[0], call.resultShape());
}

static Results identity(Call &call) { return call.tensor("self"); }

static Results full(Call &call, Attribute number) {
  if (isComplex(call.resultType()))
    return complexConstant(call, number);
  return call.full(call.resultShape(), call.resultType(), number);
}

static Results fullOf(Call &call, double value) {
  if (isComplex(call.resultType()))
    return complexConstant(call, call.builder.getF64FloatAttr(value));
  return call.full(call.resultShape(), call.resultType(), value);
}

/// start + step * i, computed as PyTorch does: integers exactly, floats in f32
/// (f64 for f64).
static Results range(Call &call, Attribute start, Attribute step) {
  Type dtype = call.resultType();
  auto isReal = [](Attribute number) {
    return isa_and_nonnull<FloatAttr>(number);
  };
  bool real = isReal(start) || isReal(step);
  Type compute = isa<FloatType>(dtype) && real ? computeOf(dtype) : call.i64();
  Attribute one = call.builder.getI64IntegerAttr(1);
  Attribute zero = call.builder.getI64IntegerAttr(0);
  return call.map(
      ArrayRef<Tensor>(), call.resultShape(), dtype,
      [&](Scalars &s, ValueRange) {
        Value at = s.convert(s.position(0), s.builder.getI64Type(), compute);
        Value scaled = s.mul(at, s.constant(compute, step ? step : one));
        Value value = s.add(s.constant(compute, start ? start : zero), scaled);
        return s.convert(value, compute, dtype);
      });
}

/// A complex number is two of its parts: the last dimension counts them.
static Results viewParts(Call &call, Tensor self) {
  if (isComplex(self.dtype))
    return call.reshape(self.asReal(), call.resultShape());
  Shape parts(call.resultShape());
  parts.push_back(2);
  return Tensor{call.reshape(self, parts).value, call.resultType()};
}

static Results bitcast(Call &call) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype) != isComplex(call.resultType()) &&
      storageOf(self.dtype) == storageOf(call.resultType()))
    return viewParts(call, self);
  Type from = storageOf(self.dtype), to = storageOf(call.resultType());
  if (isComplex(self.dtype) || isComplex(call.resultType()) ||
      from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth() ||
      from.isInteger(1) != to.isInteger(1))
    return call.fail("only types of one size are reinterpreted");
  if (from == to)
    return Tensor{self.value, call.resultType()};
  return call.map({self}, call.resultShape(), call.resultType(),
                  [&](Scalars &s, ValueRange v) -> Value {
                    return arith::BitcastOp::create(s.builder, s.loc, to, v[0]);
                  });
}

void octavo::addCastRules(Rules &rules) {
  for (StringRef name : {"aten._to_copy.default", "aten.to.dtype"})
    rules.add(name,
              [](Call &call) { return castTo(call, call.tensor("self")); });
  rules.add("prims.convert_element_type.default",
            [](Call &call) { return castTo(call, call.tensor("a")); });
  rules.add("aten.copy.default", copy);
  rules.add("aten.copy_.default", copy);
  rules.add("aten.view.dtype", bitcast);
  for (StringRef name :
       {"aten.clone.default", "aten.alias.default", "aten.detach.default",
        "aten.contiguous.default", "aten.lift_fresh.default",
        "aten.lift_fresh_copy.default", "aten.resolve_conj.default",
        "aten.resolve_neg.default", "aten.lift.default"})
    rules.add(name, identity);
  rules.add("prims.view_of.default",
            [](Call &call) { return Results(call.tensor("a")); });
  rules.add("prims.device_put.default",
            [](Call &call) { return Results(call.tensor("a")); });
}

void octavo::addCreationRules(Rules &rules) {
  auto filled = [](Call &call) {
    return full(call, call.argument("fill_value"));
  };
  for (StringRef name :
       {"aten.full.default", "aten.full_like.default", "aten.new_full.default"})
    rules.add(name, filled);
  rules.add("aten.fill.Scalar",
            [](Call &call) { return full(call, call.argument("value")); });
  rules.add("aten.scalar_tensor.default",
            [](Call &call) { return full(call, call.argument("s")); });
  // What `empty` holds is not said; zeros make it the same in each run.
  for (StringRef name :
       {"aten.zeros.default", "aten.zeros_like.default",
        "aten.new_zeros.default", "aten.empty.memory_format",
        "aten.empty_like.default", "aten.new_empty.default",
        "aten.empty_strided.default", "aten.new_empty_strided.default"})
    rules.add(name, [](Call &call) { return fullOf(call, 0.0); });
  for (StringRef name :
       {"aten.ones.default", "aten.ones_like.default", "aten.new_ones.default"})
    rules.add(name, [](Call &call) { return fullOf(call, 1.0); });
  for (StringRef name : {"aten.arange.default", "aten.arange.start",
                         "aten.arange.start_step", "prims.iota.default"})
    rules.add(name, [](Call &call) {
      return range(call, call.argument("start"), call.argument("step"));
    });
}
