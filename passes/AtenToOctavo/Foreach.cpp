//===- Foreach.cpp - Operators on lists of tensors ------------------------===//
//
// Each tensor of the list by itself, with the meaning of the operator on one
// tensor; fusion puts them into one launch.
//
//===----------------------------------------------------------------------===//

#include "passes/AtenToOctavo/Arithmetic.h"
#include "passes/AtenToOctavo/Call.h"
#include "passes/AtenToOctavo/Reduction.h"

using namespace mlir;
using namespace octavo;

/// Argument `name` for tensor number `i`: an element of a list, or the one
/// number or tensor that is for all.
static Operand pick(Call &call, ArrayRef<StringRef> names, size_t i) {
  for (StringRef name : names) {
    if (!call.has(name))
      continue;
    if (isa<ArrayAttr>(call.argument(name)))
      return call.operands(name)[i];
    Operand one = call.operand(name);
    // One number per tensor, as a tensor on the device.
    if (one.tensor && one.tensor.rank() == 1)
      one.tensor = call.reshape(
          call.slice(one.tensor, 0, static_cast<int64_t>(i), 1), {});
    return one;
  }
  return {};
}

static bool anyComplex(Call &call) {
  for (size_t i = 0; i < call.resultCount(); ++i)
    if (isComplex(call.resultType(i)))
      return true;
  return false;
}

/// Calls `one` with each tensor's number.
static Results each(Call &call, llvm::function_ref<Tensor(size_t)> one) {
  if (anyComplex(call))
    return call.fail("it is not lowered for complex numbers");
  SmallVector<Tensor, 2> results;
  for (size_t i = 0; i < call.resultCount(); ++i)
    results.push_back(one(i));
  return results;
}

static Results unary(Call &call, UnaryFunction function) {
  return each(call, [&](size_t i) {
    return applyUnary(call, function, pick(call, {"self"}, i),
                      call.resultShape(i), call.resultType(i));
  });
}

static constexpr StringLiteral second[] = {"other",  "scalar",  "scalars",
                                           "weight", "weights", "exponent"};

static Operand pickSecond(Call &call, size_t i) {
  return pick(call,
              SmallVector<StringRef>(std::begin(second), std::end(second)), i);
}

static Results binary(Call &call, BinaryFunction function) {
  return each(call, [&](size_t i) {
    return applyBinary(call, function, pick(call, {"self"}, i),
                       pickSecond(call, i), call.resultShape(i),
                       call.resultType(i));
  });
}

static Results scaledAdd(Call &call, bool subtract) {
  return each(call, [&](size_t i) {
    return applyScaledAdd(call, subtract, pick(call, {"self"}, i),
                          pickSecond(call, i), call.argument("alpha"),
                          call.resultShape(i), call.resultType(i));
  });
}

static Results raise(Call &call) {
  return each(call, [&](size_t i) {
    return applyPower(call, pick(call, {"self"}, i), pickSecond(call, i),
                      call.resultShape(i), call.resultType(i));
  });
}

static Results addProduct(Call &call, bool divide) {
  return each(call, [&](size_t i) {
    Operand value = pick(call, {"value", "scalars"}, i);
    if (!value)
      value = Operand(call.builder.getI64IntegerAttr(1));
    return applyAddProduct(call, divide, pick(call, {"self"}, i),
                           pick(call, {"tensor1"}, i),
                           pick(call, {"tensor2"}, i), value,
                           call.resultShape(i), call.resultType(i));
  });
}

static Results lerp(Call &call) {
  return each(call, [&](size_t i) {
    return applyLerp(call, pick(call, {"self"}, i), pick(call, {"tensors1"}, i),
                     pick(call, {"weight", "weights"}, i), call.resultShape(i),
                     call.resultType(i));
  });
}

static Shape allDims(Tensor tensor) {
  return llvm::to_vector(llvm::seq<int64_t>(0, tensor.rank()));
}

static Results norm(Call &call) {
  double order = call.number("ord", 2.0);
  return each(call, [&](size_t i) {
    Tensor self = pick(call, {"self"}, i).tensor;
    return vectorNorm(call, self, order, allDims(self), call.resultType(i));
  });
}

static Results largest(Call &call) {
  return each(call, [&](size_t i) {
    Tensor self = pick(call, {"self"}, i).tensor;
    return call.max(self, allDims(self));
  });
}

static Results copy(Call &call) {
  return each(call, [&](size_t i) {
    Tensor source = pick(call, {"src", "self"}, i).tensor;
    return call.broadcast(call.convert(source, call.resultType(i)),
                          call.resultShape(i));
  });
}

static Results zero(Call &call) {
  return each(call, [&](size_t i) {
    return call.full(call.resultShape(i), call.resultType(i), 0.0);
  });
}

void octavo::addForeachRules(Rules &rules) {
  for (const NamedUnary &entry : unaryFunctions()) {
    UnaryFunction function = entry.function;
    rules.add(("aten._foreach_" + entry.name + ".default").str(),
              [function](Call &call) { return unary(call, function); });
  }
  const StringRef overloads[] = {"Scalar", "List", "ScalarList", "Tensor",
                                 "ScalarAndTensor"};
  for (StringRef overload : overloads) {
    for (StringRef name :
         {"mul", "div", "maximum", "minimum", "clamp_min", "clamp_max"}) {
      BinaryFunction function = findBinary(name);
      rules.add(("aten._foreach_" + name + "." + overload).str(),
                [function](Call &call) { return binary(call, function); });
    }
    rules.add(("aten._foreach_add." + overload).str(),
              [](Call &call) { return scaledAdd(call, /*subtract=*/false); });
    rules.add(("aten._foreach_sub." + overload).str(),
              [](Call &call) { return scaledAdd(call, /*subtract=*/true); });
    rules.add(("aten._foreach_pow." + overload).str(), raise);
    rules.add(("aten._foreach_lerp." + overload).str(), lerp);
    rules.add(("aten._foreach_addcmul." + overload).str(),
              [](Call &call) { return addProduct(call, /*divide=*/false); });
    rules.add(("aten._foreach_addcdiv." + overload).str(),
              [](Call &call) { return addProduct(call, /*divide=*/true); });
  }
  rules.add("aten._foreach_norm.Scalar", norm);
  rules.add("aten._foreach_max.default", largest);
  for (StringRef name :
       {"aten._foreach_copy.default", "aten._foreach_clone.default"})
    rules.add(name, copy);
  rules.add("aten._foreach_zero.default", zero);
}
