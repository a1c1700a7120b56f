//===- Emitter.cpp - Builds octavo-level values ---------------------------===//

#include "passes/AtenToOctavo/Emitter.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo;

Tensor Emitter::empty(ArrayRef<int64_t> shape, Type dtype) {
  RankedTensorType type = storageOf(RankedTensorType::get(shape, dtype));
  return {tensor::EmptyOp::create(builder, loc, type.getShape(),
                                  type.getElementType()),
          dtype};
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Tensor Emitter::map(ArrayRef<Read> reads, ArrayRef<int64_t> shape, Type dtype,
                    Body body) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Read &read : reads) {
    inputs.push_back(read.tensor.value);
    maps.push_back(read.at);
  }
  Tensor out = empty(shape, dtype);
  int64_t rank = cast<RankedTensorType>(out.value.getType()).getRank();
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, out.value.getType(), inputs, out.value, maps, loops,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        Scalars scalars{inner, at, isUnsigned(dtype)};
        Value result = body(scalars, arguments.drop_back());
        linalg::YieldOp::create(inner, at, result);
      });
  return {generic.getResult(0), dtype};
}

AffineMap Emitter::broadcastMap(Tensor input, int64_t rank) {
  ArrayRef<int64_t> sizes =
      cast<RankedTensorType>(input.value.getType()).getShape();
  SmallVector<AffineExpr> at;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    int64_t loop = rank - static_cast<int64_t>(sizes.size()) + dim;
    at.push_back(size == 1 ? builder.getAffineConstantExpr(0)
                           : builder.getAffineDimExpr(loop));
  }
  return AffineMap::get(rank, 0, at, builder.getContext());
}

Tensor Emitter::map(ArrayRef<Tensor> inputs, ArrayRef<int64_t> shape,
                    Type dtype, Body body) {
  int64_t rank = shape.size() + isComplex(dtype);
  SmallVector<Read> reads;
  for (Tensor input : inputs)
    reads.push_back({input, broadcastMap(input, rank)});
  return map(reads, shape, dtype, body);
}

/// A read element as a number of the compute type of `common`.
static Value toCommon(Scalars &s, Value element, Tensor tensor, Type common,
                      bool exact) {
  Type compute = computeOf(common);
  bool rounds = exact || tensor.rank() != 0 || !isa<FloatType>(tensor.dtype);
  if (!rounds)
    return s.convert(element, tensor.dtype, compute);
  return s.convert(s.convert(element, tensor.dtype, common), common, compute);
}

Tensor Emitter::pointwise(ArrayRef<Operand> operands, ArrayRef<int64_t> shape,
                          Type common, Type dtype, Body body, bool exact) {
  SmallVector<Tensor> inputs;
  for (const Operand &operand : operands)
    if (operand.tensor)
      inputs.push_back(operand.tensor);
  Type compute = computeOf(common);
  return map(inputs, shape, dtype, [&](Scalars &s, ValueRange elements) {
    SmallVector<Value> values;
    s.isUnsigned = isUnsigned(common);
    unsigned next = 0;
    for (const Operand &operand : operands) {
      if (operand.tensor) {
        values.push_back(
            toCommon(s, elements[next++], operand.tensor, common, exact));
        continue;
      }
      Value number = s.constant(exact ? storageOf(common) : storageOf(compute),
                                operand.number);
      values.push_back(s.convert(number, exact ? common : compute, compute));
    }
    Value result = body(s, values);
    // Comparisons give i1 whatever they compared.
    Type from =
        result.getType() == storageOf(compute) ? compute : result.getType();
    return s.convert(result, from, dtype);
  });
}

Tensor Emitter::convert(Tensor input, Type dtype) {
  if (input.dtype == dtype)
    return input;
  return map({input}, input.shape(), dtype,
             [&](Scalars &s, ValueRange elements) {
               return s.convert(elements[0], input.dtype, dtype);
             });
}

Tensor Emitter::broadcast(Tensor input, ArrayRef<int64_t> shape) {
  if (input.shape() == shape)
    return input;
  if (isComplex(input.dtype)) {
    Shape all(shape);
    all.push_back(2);
    return {broadcast(input.asReal(), all).value, input.dtype};
  }
  return map({input}, shape, input.dtype,
             [](Scalars &, ValueRange elements) { return elements[0]; });
}

Tensor Emitter::full(ArrayRef<int64_t> shape, Type dtype, double value) {
  return full(shape, dtype, builder.getF64FloatAttr(value));
}

Tensor Emitter::full(ArrayRef<int64_t> shape, Type dtype, Attribute number) {
  Tensor out = empty(shape, dtype);
  Scalars scalars{builder, loc};
  Value element = scalars.constant(storageOf(dtype), number);
  auto fill = linalg::FillOp::create(builder, loc, element, out.value);
  return {fill.getResult(0), dtype};
}

Tensor Emitter::materialise(Operand operand, Type dtype) {
  return operand.tensor ? operand.tensor : full({}, dtype, operand.number);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Tensor Emitter::reduce(Tensor input, ArrayRef<int64_t> dims, double init,
                       Body combine) {
  if (dims.empty())
    return input;
  Shape kept;
  for (auto [dim, size] : llvm::enumerate(input.shape()))
    if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
      kept.push_back(size);
  Tensor start = full(kept, input.dtype, init);
  auto op = linalg::ReduceOp::create(
      builder, loc, input.value, start.value, dims,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        Scalars scalars{inner, at, isUnsigned(input.dtype)};
        // The combiner's order: what is so far, then the element.
        Value result = combine(scalars, {arguments[1], arguments[0]});
        linalg::YieldOp::create(inner, at, result);
      });
  return {op.getResult(0), input.dtype};
}

Tensor Emitter::keepDims(Tensor reduced, ArrayRef<int64_t> dims) {
  Shape shape(reduced.shape());
  for (int64_t dim : dims)
    shape.insert(shape.begin() + dim, 1);
  return reshape(reduced, shape);
}

Tensor Emitter::sum(Tensor input, ArrayRef<int64_t> dims, bool keep) {
  Tensor result = reduce(input, dims, 0.0, [](Scalars &s, ValueRange v) {
    return s.add(v[0], v[1]);
  });
  return keep ? keepDims(result, dims) : result;
}

/// Where a maximum (minimum) starts: the least (largest) value of the type.
static double endOf(Type dtype, bool least) {
  if (auto floating = dyn_cast<FloatType>(dtype)) {
    const llvm::fltSemantics &format = floating.getFloatSemantics();
    if (APFloat::semanticsHasInf(format))
      return least ? -INFINITY : INFINITY;
    return APFloat::getLargest(format, least).convertToDouble();
  }
  unsigned width = dtype.getIntOrFloatBitWidth();
  if (dtype.isInteger(1))
    return least ? 0.0 : 1.0;
  if (isUnsigned(dtype))
    return least ? 0.0 : std::ldexp(1.0, width) - 1.0;
  return least ? -std::ldexp(1.0, width - 1) : std::ldexp(1.0, width - 1) - 1.0;
}

Tensor Emitter::max(Tensor input, ArrayRef<int64_t> dims, bool keep) {
  Tensor result =
      reduce(input, dims, endOf(input.dtype, /*least=*/true),
             [](Scalars &s, ValueRange v) { return s.max(v[0], v[1]); });
  return keep ? keepDims(result, dims) : result;
}

Tensor Emitter::min(Tensor input, ArrayRef<int64_t> dims, bool keep) {
  Tensor result =
      reduce(input, dims, endOf(input.dtype, /*least=*/false),
             [](Scalars &s, ValueRange v) { return s.min(v[0], v[1]); });
  return keep ? keepDims(result, dims) : result;
}
