//===- LayoutRules.cpp - What one layout says about another ---------------===//

#include "passes/Tile/LayoutRules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;
using tile::LayoutAttr;

using Facts = SmallVector<LayoutFact>;

LayoutAttr octavo::makeLayoutAttr(MLIRContext *context,
                                  const LinearLayout &layout,
                                  int64_t fragment) {
  return LayoutAttr::get(context, layout,
                         std::min(fragment, layout.linearRegisters()));
}

/// `layout` after a change of its linear part.
static LayoutAttr derived(LayoutAttr from, const LinearLayout &layout) {
  return makeLayoutAttr(from.getContext(), layout, from.getFragment());
}

bool octavo::isElementwise(Operation *op) {
  return op->getNumResults() > 0 && op->getNumRegions() == 0 &&
         (OpTrait::hasElementwiseMappableTraits(op) ||
          isa<arith::ArithDialect, math::MathDialect>(op->getDialect()));
}

/// All tiles among `values` have one layout.
static Facts sameLayout(ArrayRef<Value> values, LayoutAttr layout) {
  Facts facts;
  for (Value value : values)
    if (value && isa<RankedTensorType>(value.getType()))
      facts.push_back({value, layout});
  return facts;
}

static Facts allTiles(Operation *op, LayoutAttr layout) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  return sameLayout(values, layout);
}

static SmallVector<unsigned> stretchedDims(tile::BroadcastOp op) {
  SmallVector<unsigned> dims;
  ArrayRef<int64_t> from = op.getSource().getType().getShape();
  ArrayRef<int64_t> to = op.getType().getShape();
  for (unsigned d = 0; d < from.size(); ++d)
    if (from[d] != to[d])
      dims.push_back(d);
  return dims;
}

static SmallVector<unsigned> invert(ArrayRef<int32_t> order) {
  SmallVector<unsigned> inverse(order.size());
  for (auto [i, d] : llvm::enumerate(order))
    inverse[d] = i;
  return inverse;
}

LayoutAttr octavo::appendPair(LayoutAttr layout) {
  LinearLayout wide = layout.getLayout().insertDim(layout.getLayout().rank());
  TileIndex pair(wide.rank(), 0);
  pair.back() = 1;
  TileBases registers{pair};
  llvm::append_range(registers, wide.registerBases());
  return makeLayoutAttr(layout.getContext(),
                        LinearLayout(registers, wide.laneBases(),
                                     wide.waveBases(), wide.repetitions()),
                        layout.getFragment());
}

static LayoutAttr dropLast(LayoutAttr layout) {
  const LinearLayout &linear = layout.getLayout();
  return derived(layout, linear.dropDim(linear.rank() - 1));
}

/// Ops that change the shape.
static Facts deriveShape(Operation *op, Value tile, LayoutAttr layout) {
  const LinearLayout &linear = layout.getLayout();
  bool forward = op->getNumOperands() > 0 && tile == op->getOperand(0);
  return TypeSwitch<Operation *, Facts>(op)
      .Case([&](tile::ExpandDimsOp expand) -> Facts {
        if (forward)
          return {{expand.getResult(),
                   derived(layout, linear.insertDim(expand.getAxis()))}};
        return {{expand.getSource(),
                 derived(layout, linear.dropDim(expand.getAxis()))}};
      })
      .Case([&](tile::BroadcastOp broadcast) -> Facts {
        if (forward)
          return {};
        return {{broadcast.getSource(),
                 derived(layout, linear.shrinkDims(stretchedDims(broadcast)))}};
      })
      .Case([&](tile::TransOp trans) -> Facts {
        if (forward) {
          SmallVector<unsigned> order(trans.getOrder().begin(),
                                      trans.getOrder().end());
          return {{trans.getResult(), derived(layout, linear.permute(order))}};
        }
        return {{trans.getSource(),
                 derived(layout, linear.permute(invert(trans.getOrder())))}};
      })
      .Case([&](tile::ReshapeOp reshape) -> Facts {
        Value other = forward ? reshape.getResult() : reshape.getSource();
        auto to = cast<RankedTensorType>(other.getType()).getShape();
        std::optional<LinearLayout> moved = linear.reshape(to);
        if (!moved)
          return {};
        return {{other, derived(layout, *moved)}};
      })
      .Case([&](tile::JoinOp join) -> Facts {
        if (tile != join.getResult())
          return {{join.getLhs(), layout},
                  {join.getRhs(), layout},
                  {join.getResult(), appendPair(layout)}};
        LayoutAttr part = dropLast(layout);
        return {{join.getLhs(), part}, {join.getRhs(), part}};
      })
      .Case([&](tile::SplitOp split) -> Facts {
        LayoutAttr part = forward ? dropLast(layout) : layout;
        Facts facts{{split.getLhs(), part}, {split.getRhs(), part}};
        if (!forward)
          facts.push_back({split.getSource(), appendPair(layout)});
        return facts;
      })
      .Default([](Operation *) { return Facts(); });
}

static Facts deriveReduce(tile::ReduceOp reduce, Value tile,
                          LayoutAttr layout) {
  if (!llvm::is_contained(reduce.getSources(), tile))
    return sameLayout(SmallVector<Value>(reduce.getResults()), layout);
  Facts facts = sameLayout(SmallVector<Value>(reduce.getSources()), layout);
  LayoutAttr result =
      derived(layout, layout.getLayout().dropDim(reduce.getAxis()));
  for (Value value : reduce.getResults())
    facts.push_back({value, result});
  return facts;
}

/// The values that a loop or a branch passes on as `tile`, at one position of
/// its lists.
static SmallVector<Value> controlFlowTies(Operation *op, Value tile) {
  SmallVector<Value> ties;
  auto tieAt = [&](ArrayRef<ValueRange> lists) {
    for (ValueRange list : lists)
      for (auto [i, value] : llvm::enumerate(list))
        if (value == tile)
          for (ValueRange other : lists)
            ties.push_back(other[i]);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    tieAt({loop.getInitArgs(), loop.getRegionIterArgs(),
           loop.getYieldedValues(), loop.getResults()});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.elseBlock())
      tieAt({branch.thenYield().getResults(), branch.elseYield().getResults(),
             branch.getResults()});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    tieAt(
        {loop.getInits(), loop.getBeforeArguments(), loop.getYieldedValues()});
    tieAt({loop.getConditionOp().getArgs(), loop.getAfterArguments(),
           loop.getResults()});
  }
  return ties;
}

Facts octavo::deriveLayouts(Operation *op, Value tile, LayoutAttr layout) {
  // A terminator passes values to its parent's results.
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    op = op->getParentOp();
  return TypeSwitch<Operation *, Facts>(op)
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp>(
          [&](auto) { return sameLayout(controlFlowTies(op, tile), layout); })
      .Case([&](tile::ReduceOp reduce) {
        return deriveReduce(reduce, tile, layout);
      })
      .Case<tile::DotOp, tile::DotScaledOp>([&](auto dot) {
        if (tile == dot.getAcc() || tile == dot.getResult())
          return sameLayout({dot.getAcc(), dot.getResult()}, layout);
        return Facts();
      })
      .Case<tile::GatherOp, tile::ScatterOp, tile::AtomicRmwOp, tile::ScanOp>(
          [&](auto) { return allTiles(op, layout); })
      .Default([&](Operation *) {
        return isElementwise(op) ? allTiles(op, layout)
                                 : deriveShape(op, tile, layout);
      });
}
