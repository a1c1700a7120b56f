//===- Scatter.cpp - Elements around a scatter ----------------------------===//

#include "octavo/Analysis/Scatter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace octavo;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

ScatterSizes ScatterSizes::of(ScatterReduceOp op) {
  ScatterSizes sizes{1, 1, typeOf(op.getIndices()[0]).getNumElements(), {}};
  for (auto [d, size] : llvm::enumerate(typeOf(op.getResult()).getShape())) {
    bool isIndexed = llvm::is_contained(op.getDims(), int64_t(d));
    (isIndexed ? sizes.rows : sizes.columns) *= size;
    if (isIndexed)
      sizes.indexed.push_back(size);
  }
  return sizes;
}

ScatterElements octavo::scatterElements(ElementSpace &space,
                                        ScatterReduceOp op) {
  ScatterSizes sizes = ScatterSizes::of(op);
  IndexSpace &i = space.indices();
  SmallVector<int64_t> rest;
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  for (auto [d, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(op.getDims(), int64_t(d)))
      rest.push_back(size);
  auto columns = i.delinearize(i.coordinate(coordinateX, sizes.columns), rest);
  auto rows =
      i.delinearize(i.coordinate(coordinateM, sizes.rows), sizes.indexed);
  Index token(i.delinearize(i.coordinate(coordinateK, sizes.tokens),
                            typeOf(op.getIndices()[0]).getShape()));
  ScatterElements elements;
  elements.result.tensor = op.getResult();
  size_t row = 0, column = 0;
  for (int64_t d = 0; d < int64_t(shape.size()); ++d)
    elements.result.index.push_back(
        llvm::is_contained(op.getDims(), d) ? rows[row++] : columns[column++]);
  for (Value index : op.getIndices())
    elements.indices.push_back({index, token});
  llvm::append_range(token, columns);
  elements.source = {op.getSource(), token};
  return elements;
}

Value octavo::getScatterCombination(OpBuilder &b, Location loc,
                                    ScatterKind kind, Value x, Value y) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(x.getType()));
  switch (kind) {
  case ScatterKind::mul:
    return isFloat ? Value(arith::MulFOp::create(b, loc, x, y))
                   : Value(arith::MulIOp::create(b, loc, x, y));
  case ScatterKind::max:
    return isFloat ? Value(arith::MaximumFOp::create(b, loc, x, y))
                   : Value(arith::MaxSIOp::create(b, loc, x, y));
  case ScatterKind::min:
    return isFloat ? Value(arith::MinimumFOp::create(b, loc, x, y))
                   : Value(arith::MinSIOp::create(b, loc, x, y));
  default:
    return isFloat ? Value(arith::AddFOp::create(b, loc, x, y))
                   : Value(arith::AddIOp::create(b, loc, x, y));
  }
}
