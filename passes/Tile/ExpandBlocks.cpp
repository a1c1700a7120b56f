//===- ExpandBlocks.cpp - Block accesses become gathers and scatters ------===//
//
// The start of a block is the same for all lanes: it becomes the access's base,
// so that the lanes' own offsets do not change in a loop. A bound is checked
// only where it is not implied: by the loop that counts the start, or by the
// end of the buffer for the outermost dimension.
//
//===----------------------------------------------------------------------===//

#include "octavo/Analysis/AxisInfo.h"
#include "passes/Tile/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace octavo {
#define GEN_PASS_DEF_EXPANDBLOCKS
#include "passes/Tile/Passes.h.inc"
} // namespace octavo

using namespace mlir;
using namespace octavo;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// Whether start … start + count is always inside of 0 … size.
static bool isAlwaysInside(Value start, int64_t count, int64_t size) {
  while (auto cast = start.getDefiningOp<arith::IndexCastOp>())
    start = cast.getIn();
  if (std::optional<int64_t> first = getConstant(start))
    return *first >= 0 && *first + count <= size;
  auto argument = dyn_cast<BlockArgument>(start);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument != loop.getInductionVar())
    return false;
  auto lower = getConstant(loop.getLowerBound());
  auto upper = getConstant(loop.getUpperBound());
  auto step = getConstant(loop.getStep());
  if (!lower || !upper || !step || *lower < 0 || *step <= 0)
    return false;
  int64_t trips = std::max<int64_t>(0, (*upper - *lower + *step - 1) / *step);
  return *lower + (trips - 1) * *step + count <= size;
}

namespace {
/// Element offsets of a block and whether each lies inside of the view.
struct Block {
  Value offsets, mask, base;
};

/// Emits the index arithmetic of one block.
class BlockBuilder {
public:
  BlockBuilder(OpBuilder &builder, AxisInfoAnalysis &axes, Location loc,
               tile::ViewType view, ArrayRef<int64_t> shape)
      : b(builder), axes(axes), loc(loc), view(view), shape(shape),
        isWide(*view.getExtent() >= int64_t(1) << 31) {
    integer = isWide ? b.getI64Type() : b.getI32Type();
  }

  Block build(ValueRange starts) {
    Block block;
    block.offsets = constant(RankedTensorType::get(shape, integer), 0);
    for (unsigned d = 0; d < shape.size(); ++d) {
      Value start = toInteger(starts[d]);
      Value line = makeLine(d);
      // A negative base would wrap around in the unsigned address of the
      // buffer.
      bool isBase = !isWide && axes.get(starts[d]).nonNegative;
      if (!isBase)
        line = addStart(line, start);
      addTo(block.offsets, stretch(scale(line, view.getStrides()[d])));
      if (isBase)
        addTo(block.base, scale(start, view.getStrides()[d]));
      if (!isImplied(starts[d], d, isBase))
        addMask(block, isBase ? addStart(line, start) : line, d);
    }
    return block;
  }

private:
  bool isImplied(Value start, unsigned d, bool isNonNegative) {
    if (isAlwaysInside(start, shape[d], view.getShape()[d]))
      return true;
    // Behind the last row lies the end of the buffer.
    return isNonNegative && view.getStrides()[d] > 0 &&
           view.getStrides()[d] * view.getShape()[d] >= *view.getExtent() &&
           isOutermost(d);
  }

  /// No other dimension reaches as far as one step along `d`.
  bool isOutermost(unsigned d) {
    for (unsigned e = 0; e < shape.size(); ++e)
      if (e != d && (view.getStrides()[e] < 0 ||
                     view.getStrides()[e] * view.getShape()[e] >
                         view.getStrides()[d] * view.getShape()[d]))
        return false;
    return true;
  }

  void addMask(Block &block, Value index, unsigned d) {
    Value inside = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ult, index,
        constant(cast<RankedTensorType>(index.getType()), view.getShape()[d]));
    Value mask = stretch(inside);
    block.mask = block.mask
                     ? Value(arith::AndIOp::create(b, loc, block.mask, mask))
                     : mask;
  }

  void addTo(Value &sum, Value value) {
    sum = sum ? Value(arith::AddIOp::create(b, loc, sum, value)) : value;
  }

  Value constant(RankedTensorType type, int64_t value) {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getIntegerAttr(integer, value)));
  }

  Value scale(Value value, int64_t factor) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    Value size = type ? constant(type, factor)
                      : Value(arith::ConstantOp::create(
                            b, loc, b.getIntegerAttr(integer, factor)));
    return arith::MulIOp::create(b, loc, value, size);
  }

  Value toInteger(Value start) {
    if (start.getType().isIndex())
      return arith::IndexCastOp::create(b, loc, integer, start);
    unsigned from = start.getType().getIntOrFloatBitWidth();
    unsigned to = integer.getIntOrFloatBitWidth();
    if (from < to)
      return arith::ExtSIOp::create(b, loc, integer, start);
    if (from > to)
      return arith::TruncIOp::create(b, loc, integer, start);
    return start;
  }

  Value addStart(Value line, Value start) {
    Value first = tile::SplatOp::create(
        b, loc, cast<RankedTensorType>(line.getType()), start);
    return arith::AddIOp::create(b, loc, first, line);
  }

  /// 0, 1, 2 … along dimension `d`, size 1 along the others.
  Value makeLine(unsigned d) {
    SmallVector<int64_t> sizes{shape[d]};
    Value line = tile::RangeOp::create(
        b, loc, RankedTensorType::get(sizes, integer), 0, shape[d]);
    for (unsigned axis = 0; axis < shape.size(); ++axis) {
      if (axis == d)
        continue;
      sizes.insert(sizes.begin() + axis, 1);
      line = tile::ExpandDimsOp::create(
          b, loc, RankedTensorType::get(sizes, integer), line, axis);
    }
    return line;
  }

  Value stretch(Value value) {
    auto from = cast<RankedTensorType>(value.getType());
    if (from.getShape() == shape)
      return value;
    return tile::BroadcastOp::create(
        b, loc, RankedTensorType::get(shape, from.getElementType()), value);
  }

  OpBuilder &b;
  AxisInfoAnalysis &axes;
  Location loc;
  tile::ViewType view;
  ArrayRef<int64_t> shape;
  bool isWide;
  Type integer;
};

struct ExpandBlocks final
    : public octavo::impl::ExpandBlocksBase<ExpandBlocks> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    AxisInfoAnalysis axes;
    getOperation().walk([&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (auto load = dyn_cast<tile::LoadOp>(op)) {
        Block block =
            BlockBuilder(rewriter, axes, load.getLoc(),
                         load.getView().getType(), load.getType().getShape())
                .build(load.getOffsets());
        rewriter.replaceOpWithNewOp<tile::GatherOp>(
            load, load.getType(), load.getView(), block.offsets, block.mask,
            Value(), block.base);
      } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
        Block block = BlockBuilder(rewriter, axes, store.getLoc(),
                                   store.getView().getType(),
                                   store.getValue().getType().getShape())
                          .build(store.getOffsets());
        rewriter.replaceOpWithNewOp<tile::ScatterOp>(
            store, store.getValue(), store.getView(), block.offsets, block.mask,
            block.base);
      }
    });
  }
};
} // namespace
