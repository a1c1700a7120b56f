//===- Select.cpp - where, clamp, lerp and other ternary operators --------===//

#include "passes/AtenToOctavo/Arithmetic.h"
#include "passes/AtenToOctavo/Call.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

Tensor octavo::applyAddProduct(Emitter &e, bool divide, Operand self, Operand a,
                               Operand b, Operand value,
                               ArrayRef<int64_t> shape, Type dtype) {
  return e.pointwise(
      {self, a, b, value}, shape, dtype, dtype, [&](Scalars &s, ValueRange v) {
        // PyTorch multiplies by the factor first, then by the second tensor.
        Value scaled = s.mul(v[3], v[1]);
        Value product = divide ? s.div(scaled, v[2]) : s.mul(scaled, v[2]);
        return s.add(v[0], product);
      });
}

Tensor octavo::applyLerp(Emitter &e, Operand start, Operand end, Operand weight,
                         ArrayRef<int64_t> shape, Type dtype) {
  return e.pointwise(
      {start, end, weight}, shape, dtype, dtype, [](Scalars &s, ValueRange v) {
        Type type = v[0].getType();
        Value apart = s.sub(v[1], v[0]);
        Value one = s.constant(type, 1.0);
        Value near = s.add(v[0], s.mul(v[2], apart));
        Value far = s.sub(v[1], s.mul(apart, s.sub(one, v[2])));
        Value small = s.compare(Compare::lt, s.unary<math::AbsFOp>(v[2]),
                                s.constant(type, 0.5));
        return s.select(small, near, far);
      });
}

/// `condition ? a : b`; parts of complex numbers are chosen together.
static Tensor choose(Call &call, Tensor condition, Operand a, Operand b) {
  Type dtype = storageOf(call.resultType());
  Shape shape(call.resultShape());
  bool parts = isComplex(call.resultType());
  if (parts) {
    shape.push_back(2);
    condition = call.unsqueeze(condition, condition.rank());
    a = a.tensor ? Operand(a.tensor.asReal()) : a;
    b = b.tensor ? Operand(b.tensor.asReal()) : b;
  }
  SmallVector<Tensor> inputs = {condition};
  for (const Operand &operand : {a, b})
    if (operand.tensor)
      inputs.push_back(operand.tensor);
  Tensor result = call.map(inputs, shape, parts ? dtype : call.resultType(),
                           [&](Scalars &s, ValueRange v) {
                             unsigned next = 1;
                             auto read = [&](const Operand &operand) -> Value {
                               if (!operand.tensor)
                                 return s.constant(dtype, operand.number);
                               return s.convert(v[next++], operand.tensor.dtype,
                                                call.resultType());
                             };
                             if (parts)
                               return s.select(s.toBool(v[0]), v[1], v[2]);
                             Value yes = read(a), no = read(b);
                             return s.select(s.toBool(v[0]), yes, no);
                           });
  return {result.value, call.resultType()};
}

static Results where(Call &call) {
  Operand a = call.operand("self"), b = call.operand("other");
  bool parts = isComplex(call.resultType());
  if (parts && (!a.tensor || !b.tensor || a.tensor.dtype != b.tensor.dtype))
    return call.fail("complex and real operands are mixed");
  return choose(call, call.tensor("condition"), a, b);
}

static Results maskedFill(Call &call) {
  if (isComplex(call.resultType()))
    return call.fail("it is not lowered for complex numbers");
  return choose(call, call.tensor("mask"), call.operand("value"),
                call.operand("self"));
}

static Results clamp(Call &call) {
  SmallVector<Operand> operands = {call.operand("self")};
  bool low = call.has("min"), high = call.has("max");
  if (low)
    operands.push_back(call.operand("min"));
  if (high)
    operands.push_back(call.operand("max"));
  return call.pointwise(operands, call.resultShape(), call.resultType(),
                        call.resultType(), [&](Scalars &s, ValueRange v) {
                          Value result = low ? s.max(v[0], v[1]) : v[0];
                          return high ? s.min(result, v[1 + low]) : result;
                        });
}

static Results addProduct(Call &call, bool divide) {
  Operand value = call.has("value")
                      ? call.operand("value")
                      : Operand(call.builder.getI64IntegerAttr(1));
  return applyAddProduct(call, divide, call.operand("self"),
                         call.operand("tensor1"), call.operand("tensor2"),
                         value, call.resultShape(), call.resultType());
}

static Results lerp(Call &call) {
  return applyLerp(call, call.operand("self"), call.operand("end"),
                   call.operand("weight"), call.resultShape(),
                   call.resultType());
}

/// One rounding: a * b + c.
static Results fusedMultiplyAdd(Call &call) {
  return call.pointwise(
      {call.operand("a"), call.operand("b"), call.operand("c")},
      call.resultShape(), call.resultType(), call.resultType(),
      [](Scalars &s, ValueRange v) -> Value {
        return math::FmaOp::create(s.builder, s.loc, v[0], v[1], v[2]);
      });
}

void octavo::addSelectRules(Rules &rules) {
  for (StringRef overload : {"self", "ScalarSelf", "ScalarOther", "Scalar"})
    rules.add(("aten.where." + overload).str(), where);
  for (StringRef overload : {"Scalar", "Tensor"})
    rules.add(("aten.masked_fill." + overload).str(), maskedFill);
  for (StringRef overload : {"default", "Tensor"})
    rules.add(("aten.clamp." + overload).str(), clamp);
  rules.add("aten.addcmul.default",
            [](Call &call) { return addProduct(call, /*divide=*/false); });
  rules.add("aten.addcdiv.default",
            [](Call &call) { return addProduct(call, /*divide=*/true); });
  for (StringRef overload : {"Scalar", "Tensor"})
    rules.add(("aten.lerp." + overload).str(), lerp);
  rules.add("prims.fma.default", fusedMultiplyAdd);
}
