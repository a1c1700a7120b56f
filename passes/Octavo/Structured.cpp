//===- Structured.cpp - Short ways to write linalg ops --------------------===//

#include "passes/Octavo/Structured.h"

#include "dialects/Octavo/IR/Octavo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace octavo;

Value Structured::empty(ArrayRef<int64_t> shape, Type element) {
  return tensor::EmptyOp::create(b, loc, shape, element);
}

Value Structured::fill(ArrayRef<int64_t> shape, TypedAttr value) {
  Value scalar = arith::ConstantOp::create(b, loc, value);
  return linalg::FillOp::create(b, loc, scalar, empty(shape, value.getType()))
      .getResult(0);
}

Value Structured::pointwise(ValueRange inputs, ArrayRef<AffineMap> maps,
                            ArrayRef<int64_t> shape, Type element, Body body) {
  Value out = empty(shape, element);
  SmallVector<AffineMap> all(maps);
  all.push_back(b.getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> loops(shape.size(),
                                         utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      b, loc, out.getType(), inputs, out, all, loops,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        linalg::YieldOp::create(inner, at,
                                body(inner, at, arguments.drop_back()));
      });
  op->setAttr(OctavoDialect::getFromAttrName(), b.getStringAttr(from));
  return op.getResult(0);
}

Value Structured::reduce(Value input, ArrayRef<int64_t> dimensions,
                         TypedAttr init, Body combiner) {
  SmallVector<int64_t> kept;
  auto type = cast<RankedTensorType>(input.getType());
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(dimensions, int64_t(d)))
      kept.push_back(size);
  auto op = linalg::ReduceOp::create(
      b, loc, input, fill(kept, init), dimensions,
      [&](OpBuilder &inner, Location at, ValueRange arguments) {
        linalg::YieldOp::create(inner, at, combiner(inner, at, arguments));
      });
  op->setAttr(OctavoDialect::getFromAttrName(), b.getStringAttr(from));
  return op.getResult(0);
}
