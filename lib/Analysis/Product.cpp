//===- Product.cpp - Elements around a matrix product ---------------------===//

#include "octavo/Analysis/Product.h"

using namespace mlir;
using namespace octavo;

/// Number of products: all batch dimensions together.
static int64_t batchOf(ScaledMatmulOp op) {
  return ShapedType::getNumElements(op.getBatch());
}

std::optional<Index> octavo::epilogueIndex(ElementSpace &space,
                                           ScaledMatmulOp op,
                                           ArrayRef<int64_t> shape) {
  int64_t batch = batchOf(op), m = op.getM(), n = op.getN();
  if (ShapedType::getNumElements(shape) != batch * m * n)
    return std::nullopt;
  IndexSpace &i = space.indices();
  IndexExpr linear =
      i.add(i.mul(i.add(i.mul(i.coordinate(coordinateBatch, batch), m),
                        i.coordinate(coordinateM, m)),
                  n),
            i.coordinate(coordinateN, n));
  return Index(i.delinearize(linear, shape));
}

Element octavo::productElement(ElementSpace &space, ScaledMatmulOp op) {
  Value result = op.getResult();
  return {result,
          *epilogueIndex(space, op, op.getResult().getType().getShape())};
}

SmallVector<Element> octavo::productReads(ElementSpace &space,
                                          ScaledMatmulOp op) {
  IndexSpace &i = space.indices();
  IndexExpr batch = i.coordinate(coordinateBatch, batchOf(op));
  IndexExpr m = i.coordinate(coordinateM, op.getM()),
            n = i.coordinate(coordinateN, op.getN()),
            k = i.coordinate(coordinateK, op.getK());
  SmallVector<Element> reads;
  auto add = [&](Value value, IndexExpr row, IndexExpr column) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    // A scale of one element may have any rank.
    Index index;
    if (shape.size() >= 2)
      index = Index(i.delinearize(batch, shape.drop_back(2)));
    for (IndexExpr e : {row, column})
      if (index.size() < shape.size())
        index.push_back(e);
    for (auto [at, size] : llvm::zip(index, shape))
      if (size == 1)
        at = i.constant(0);
    reads.push_back({value, index});
  };
  bool ta = op.getTransposedA(), tb = op.getTransposedB();
  add(op.getA(), ta ? k : m, ta ? m : k);
  add(op.getB(), tb ? n : k, tb ? k : n);
  auto addScale = [&](Value scale, std::optional<GranuleAttr> granule,
                      IndexExpr other, bool rowsFirst) {
    IndexExpr along = k;
    if (granule && granule->getAlong())
      along = i.div(along, granule->getAlong());
    if (granule && granule->getKind() == GranuleKind::block)
      other = i.div(other, granule->getAcross());
    add(scale, rowsFirst ? other : along, rowsFirst ? along : other);
  };
  if (op.getScaleA())
    addScale(op.getScaleA(), op.getGranuleA(), m, !ta);
  if (op.getScaleB())
    addScale(op.getScaleB(), op.getGranuleB(), n, tb);
  if (op.getBias())
    reads.push_back({op.getBias(), Index{n}});
  return reads;
}
