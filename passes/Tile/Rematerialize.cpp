//===- Rematerialize.cpp - A tile in another layout -----------------------===//

#include "passes/Tile/Rematerialize.h"

#include "passes/Tile/LayoutRules.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace octavo;
using tile::LayoutAttr;

/// Repeating more ops than this costs more than an exchange through LDS.
static constexpr int64_t kMaxRepeatedOps = 48;

/// Ops without memory that cost a few instructions per element.
static bool isCheap(Operation *op) {
  if (isa<tile::RangeOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp,
          tile::ReshapeOp, tile::TransOp, arith::ConstantOp>(op))
    return true;
  if (!isElementwise(op) || !isPure(op))
    return false;
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return op->getNumResults() == 1 && element.isIntOrIndex();
}

int64_t Rematerializer::cost(Value tile, LayoutAttr layout, int64_t budget) {
  if (tile::getLayout(tile.getType()) == layout ||
      made.contains({tile, layout}))
    return 0;
  Operation *op = tile.getDefiningOp();
  if (!op || budget <= 0 || !isCheap(op))
    return -1;
  int64_t total = 1;
  SmallVector<LayoutFact> facts = deriveLayouts(op, tile, layout);
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    const auto *fact = llvm::find_if(
        facts, [&](const LayoutFact &fact) { return fact.tile == operand; });
    if (fact == facts.end())
      return -1;
    int64_t more = cost(operand, fact->layout, budget - total);
    if (more < 0)
      return -1;
    total += more;
  }
  return total <= budget ? total : -1;
}

Value Rematerializer::repeat(Value tile, LayoutAttr layout) {
  if (tile::getLayout(tile.getType()) == layout)
    return tile;
  Value &known = made[{tile, layout}];
  if (known)
    return known;
  Operation *op = tile.getDefiningOp();
  IRMapping mapping;
  for (LayoutFact fact : deriveLayouts(op, tile, layout))
    if (llvm::is_contained(op->getOperands(), fact.tile))
      mapping.map(fact.tile, repeat(fact.tile, fact.layout));
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *copy = builder.clone(*op, mapping);
  copy->getResult(0).setType(tile::withLayout(tile.getType(), layout));
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue())
                              .reshape(cast<ShapedType>(constant.getType())));
  // The map may have grown since.
  return made[{tile, layout}] = copy->getResult(0);
}

Value Rematerializer::convert(Value tile, LayoutAttr layout) {
  if (tile::getLayout(tile.getType()) == layout)
    return tile;
  if (Value known = made.lookup({tile, layout}))
    return known;
  if (cost(tile, layout, kMaxRepeatedOps) >= 0)
    return repeat(tile, layout);
  OpBuilder builder(tile.getContext());
  builder.setInsertionPointAfterValue(tile);
  Value converted = tile::ConvertLayoutOp::create(
      builder, tile.getLoc(), tile::withLayout(tile.getType(), layout), tile,
      IntegerAttr());
  return made[{tile, layout}] = converted;
}
