//===- ExpandBlocks.cpp - Block accesses become gathers and scatters ------===//

#include "passes/Tile/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace octavo {
#define GEN_PASS_DEF_EXPANDBLOCKS
#include "passes/Tile/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

namespace {
/// Element offsets of a block and whether each lies inside of the view.
struct Block {
  Value offsets, mask;
};

/// Emits the index arithmetic of one block.
class BlockBuilder {
public:
  BlockBuilder(OpBuilder &builder, Location loc, tile::ViewType view,
               ArrayRef<int64_t> shape)
      : b(builder), loc(loc), view(view), shape(shape) {
    // 32 bits are enough unless an offset may not fit in them.
    bool wide = *view.getExtent() >= (int64_t(1) << 31);
    integer = wide ? b.getI64Type() : b.getI32Type();
  }

  Block build(ValueRange starts) {
    Block block;
    auto tileType = RankedTensorType::get(shape, integer);
    block.offsets = constant(tileType, 0);
    for (unsigned d = 0; d < shape.size(); ++d) {
      Value index = makeIndex(starts[d], d);
      Value inside = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ult, index,
          constant(cast<RankedTensorType>(index.getType()),
                   view.getShape()[d]));
      Value scaled = arith::MulIOp::create(
          b, loc, index,
          constant(cast<RankedTensorType>(index.getType()),
                   view.getStrides()[d]));
      block.offsets =
          arith::AddIOp::create(b, loc, block.offsets, stretch(scaled));
      Value mask = stretch(inside);
      block.mask = block.mask
                       ? Value(arith::AndIOp::create(b, loc, block.mask, mask))
                       : mask;
    }
    return block;
  }

private:
  Value constant(RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getIntegerAttr(integer, value)));
  }

  /// start + 0, 1, 2 … along dimension `d`, size 1 along the others.
  Value makeIndex(Value start, unsigned d) {
    auto line = RankedTensorType::get({shape[d]}, integer);
    Value index = tile::RangeOp::create(b, loc, line, 0, shape[d]);
    if (start.getType().isIndex())
      start = arith::IndexCastOp::create(b, loc, integer, start);
    else if (start.getType().getIntOrFloatBitWidth() <
             integer.getIntOrFloatBitWidth())
      start = arith::ExtSIOp::create(b, loc, integer, start);
    else if (start.getType() != integer)
      start = arith::TruncIOp::create(b, loc, integer, start);
    Value first = tile::SplatOp::create(b, loc, line, start);
    index = arith::AddIOp::create(b, loc, first, index);
    SmallVector<int64_t> sizes{shape[d]};
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      if (axis == d)
        continue;
      sizes.insert(sizes.begin() + axis, 1);
      index = tile::ExpandDimsOp::create(
          b, loc, RankedTensorType::get(sizes, integer), index, axis);
    }
    return index;
  }

  Value stretch(Value value) {
    auto from = cast<RankedTensorType>(value.getType());
    if (from.getShape() == shape)
      return value;
    return tile::BroadcastOp::create(
        b, loc, RankedTensorType::get(shape, from.getElementType()), value);
  }

  OpBuilder &b;
  Location loc;
  tile::ViewType view;
  ArrayRef<int64_t> shape;
  Type integer;
};

struct ExpandBlocks final
    : public octavo::impl::ExpandBlocksBase<ExpandBlocks> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (auto load = dyn_cast<tile::LoadOp>(op)) {
        Block block =
            BlockBuilder(rewriter, load.getLoc(), load.getView().getType(),
                         load.getType().getShape())
                .build(load.getOffsets());
        rewriter.replaceOpWithNewOp<tile::GatherOp>(
            load, load.getType(), load.getView(), block.offsets, block.mask,
            Value());
      } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
        Block block =
            BlockBuilder(rewriter, store.getLoc(), store.getView().getType(),
                         store.getValue().getType().getShape())
                .build(store.getOffsets());
        rewriter.replaceOpWithNewOp<tile::ScatterOp>(store, store.getValue(),
                                                     store.getView(),
                                                     block.offsets, block.mask);
      }
    });
  }
};
} // namespace
