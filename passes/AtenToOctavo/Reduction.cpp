//===- Reduction.cpp - Sums, extrema and other reductions -----------------===//

#include "passes/AtenToOctavo/Reduction.h"
#include "passes/AtenToOctavo/Call.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace octavo;

Shape octavo::reducedDims(Call &call, StringRef name, int64_t rank) {
  Shape dims = call.integers(name);
  if (dims.empty())
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  if (rank == 0)
    return {};
  for (int64_t &dim : dims)
    dim = wrapDim(dim, rank);
  llvm::sort(dims);
  dims.erase(llvm::unique(dims), dims.end());
  return dims;
}

/// Drops or keeps the reduced dimensions as the call says.
static Tensor finish(Call &call, Tensor reduced, ArrayRef<int64_t> dims) {
  return call.flag("keepdim") ? call.keepDims(reduced, dims) : reduced;
}

static int64_t countReduced(Tensor input, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= input.shape()[dim];
  return count;
}

/// The input in the type that a sum into `dtype` is accumulated in.
static Tensor toAccumulate(Call &call, Tensor input, Type dtype) {
  return call.convert(input, computeOf(dtype));
}

static Results sum(Call &call, bool mean) {
  Tensor self = call.tensor("self");
  Type dtype = call.resultType(), part = storageOf(dtype);
  Shape dims = reducedDims(call, "dim", self.rank());
  auto count = static_cast<double>(countReduced(self, dims));
  if (isComplex(self.dtype) != isComplex(dtype))
    return call.fail("complex and real types are mixed");
  // The parts of complex numbers are summed by themselves.
  Tensor input = isComplex(self.dtype) ? self.asReal() : self;
  Type wide = computeOf(isComplex(dtype) ? part : dtype);
  Tensor total = call.sum(call.convert(input, wide), dims);
  if (mean)
    total = call.map({total}, total.shape(), total.dtype,
                     [&](Scalars &s, ValueRange v) {
                       return s.div(v[0], s.constant(v[0].getType(), count));
                     });
  total = call.convert(total, isComplex(dtype) ? part : dtype);
  return finish(call, {total.value, dtype}, dims);
}

static Results prod(Call &call) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  Shape dims = reducedDims(call, "dim", self.rank());
  Type dtype = call.resultType();
  Tensor total =
      call.reduce(toAccumulate(call, self, dtype), dims, 1.0,
                  [](Scalars &s, ValueRange v) { return s.mul(v[0], v[1]); });
  return finish(call, call.convert(total, dtype), dims);
}

static Results extremum(Call &call, bool largest) {
  Tensor self = call.tensor("self");
  Shape dims = reducedDims(call, "dim", self.rank());
  if (isFloat8(self.dtype) || isComplex(self.dtype))
    return call.fail("it is not lowered for this type");
  return finish(call, largest ? call.max(self, dims) : call.min(self, dims),
                dims);
}

/// any and all: of the truth of each element.
static Results truth(Call &call, bool all) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  Shape dims = reducedDims(call, "dim", self.rank());
  Tensor result =
      call.reduce(call.convert(self, call.boolean()), dims, all ? 1.0 : 0.0,
                  [&](Scalars &s, ValueRange v) {
                    return all ? s.mul(v[0], v[1]) : s.add(v[0], v[1]);
                  });
  return finish(call, call.convert(result, call.resultType()), dims);
}

static Results countNonzero(Call &call) {
  Tensor self = call.tensor("self");
  Shape dims = reducedDims(call, "dim", self.rank());
  Tensor ones = call.convert(call.convert(self, call.boolean()), call.i64());
  return call.sum(ones, dims);
}

Tensor octavo::vectorNorm(Emitter &e, Tensor input, double order,
                          ArrayRef<int64_t> dims, Type dtype) {
  Type compute = computeOf(dtype);
  Tensor wide = e.convert(input, compute);
  Tensor size = e.map({wide}, wide.shape(), compute,
                      [](Scalars &s, ValueRange v) -> Value {
                        return s.unary<math::AbsFOp>(v[0]);
                      });
  if (std::isinf(order))
    return e.convert(order > 0 ? e.max(size, dims) : e.min(size, dims), dtype);
  Tensor powers = e.map(
      {order == 2 ? wide : size}, wide.shape(), compute,
      [&](Scalars &s, ValueRange v) -> Value {
        Type type = v[0].getType();
        if (order == 0)
          return s.convert(s.compare(Compare::ne, v[0], s.constant(type, 0.0)),
                           s.builder.getI1Type(), type);
        if (order == 1)
          return v[0];
        if (order == 2)
          return s.mul(v[0], v[0]);
        return math::PowFOp::create(s.builder, s.loc, v[0],
                                    s.constant(type, order));
      });
  Tensor total = e.sum(powers, dims);
  if (order == 0 || order == 1)
    return e.convert(total, dtype);
  Tensor root = e.map(
      {total}, total.shape(), compute, [&](Scalars &s, ValueRange v) -> Value {
        if (order == 2)
          return s.unary<math::SqrtOp>(v[0]);
        return math::PowFOp::create(s.builder, s.loc, v[0],
                                    s.constant(v[0].getType(), 1.0 / order));
      });
  return e.convert(root, dtype);
}

static Results norm(Call &call, StringRef order) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  Shape dims = reducedDims(call, "dim", self.rank());
  return finish(
      call,
      vectorNorm(call, self, call.number(order, 2.0), dims, call.resultType()),
      dims);
}

Moments octavo::moments(Emitter &e, Tensor input, ArrayRef<int64_t> dims,
                        double correction) {
  auto count = static_cast<double>(countReduced(input, dims));
  Tensor total = e.sum(input, dims, /*keep=*/true);
  auto over = [&](Tensor value, double divisor) {
    return e.map({value}, value.shape(), value.dtype,
                 [&](Scalars &s, ValueRange v) {
                   return s.div(v[0], s.constant(v[0].getType(), divisor));
                 });
  };
  Tensor mean = over(total, count);
  Tensor squares = e.map({input, mean}, input.shape(), input.dtype,
                         [](Scalars &s, ValueRange v) {
                           Value apart = s.sub(v[0], v[1]);
                           return s.mul(apart, apart);
                         });
  Tensor spread = e.sum(squares, dims, /*keep=*/true);
  return {mean, over(spread, std::max(count - correction, 0.0))};
}

/// var, std, var_mean and std_mean.
static Results variance(Call &call, bool root, bool withMean) {
  Tensor self = call.tensor("self");
  if (isComplex(self.dtype))
    return call.fail("it is not lowered for complex numbers");
  Shape dims = reducedDims(call, "dim", self.rank());
  Type dtype = call.resultType();
  Tensor wide = call.convert(self, computeOf(dtype));
  Moments found = moments(call, wide, dims, call.number("correction", 1.0));
  Tensor spread = found.variance;
  if (root)
    spread = call.map({spread}, spread.shape(), spread.dtype,
                      [](Scalars &s, ValueRange v) -> Value {
                        return s.unary<math::SqrtOp>(v[0]);
                      });
  auto shaped = [&](Tensor value) {
    return call.reshape(call.convert(value, dtype), call.resultShape());
  };
  if (!withMean)
    return shaped(spread);
  return {shaped(spread), shaped(found.mean)};
}

static Results logSumExp(Call &call) {
  Tensor self = call.tensor("self");
  Shape dims = reducedDims(call, "dim", self.rank());
  Type dtype = call.resultType();
  Tensor wide = call.convert(self, computeOf(dtype));
  Tensor top = call.max(wide, dims, /*keep=*/true);
  // An infinite maximum would give inf - inf.
  top = call.map({top}, top.shape(), top.dtype, [](Scalars &s, ValueRange v) {
    Type type = v[0].getType();
    Value infinite = s.compare(Compare::eq, s.unary<math::AbsFOp>(v[0]),
                               s.constant(type, INFINITY));
    return s.select(infinite, s.constant(type, 0.0), v[0]);
  });
  Tensor powers = call.map({wide, top}, wide.shape(), wide.dtype,
                           [](Scalars &s, ValueRange v) -> Value {
                             return s.unary<math::ExpOp>(s.sub(v[0], v[1]));
                           });
  Tensor total = call.sum(powers, dims, /*keep=*/true);
  Tensor result = call.map({total, top}, total.shape(), total.dtype,
                           [](Scalars &s, ValueRange v) -> Value {
                             return s.add(s.unary<math::LogOp>(v[0]), v[1]);
                           });
  return call.reshape(call.convert(result, dtype), call.resultShape());
}

void octavo::addReductionRules(Rules &rules) {
  for (StringRef overload : {"default", "dim_IntList"})
    rules.add(("aten.sum." + overload).str(),
              [](Call &call) { return sum(call, /*mean=*/false); });
  for (StringRef overload : {"default", "dim"})
    rules.add(("aten.mean." + overload).str(),
              [](Call &call) { return sum(call, /*mean=*/true); });
  for (StringRef overload : {"default", "dim_int"})
    rules.add(("aten.prod." + overload).str(), prod);
  for (StringRef name : {"aten.amax.default", "aten.max.default"})
    rules.add(name, [](Call &call) { return extremum(call, true); });
  for (StringRef name : {"aten.amin.default", "aten.min.default"})
    rules.add(name, [](Call &call) { return extremum(call, false); });
  for (StringRef overload : {"default", "dim", "dims"}) {
    rules.add(("aten.any." + overload).str(),
              [](Call &call) { return truth(call, /*all=*/false); });
    rules.add(("aten.all." + overload).str(),
              [](Call &call) { return truth(call, /*all=*/true); });
  }
  for (StringRef overload : {"default", "dim_IntList"})
    rules.add(("aten.count_nonzero." + overload).str(), countNonzero);
  rules.add("aten.linalg_vector_norm.default",
            [](Call &call) { return norm(call, "ord"); });
  for (StringRef overload :
       {"Scalar", "ScalarOpt_dim", "ScalarOpt_dim_dtype", "ScalarOpt_dtype"})
    rules.add(("aten.norm." + overload).str(),
              [](Call &call) { return norm(call, "p"); });
  rules.add("aten.var.correction",
            [](Call &call) { return variance(call, false, false); });
  rules.add("aten.std.correction",
            [](Call &call) { return variance(call, true, false); });
  rules.add("aten.var_mean.correction",
            [](Call &call) { return variance(call, false, true); });
  rules.add("aten.std_mean.correction",
            [](Call &call) { return variance(call, true, true); });
  rules.add("aten.logsumexp.default", logSumExp);
}
