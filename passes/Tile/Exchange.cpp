//===- Exchange.cpp - How tiles pass between lanes ------------------------===//

#include "passes/Tile/Exchange.h"

#include "octavo/Layout/BankConflicts.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;

int64_t octavo::getLdsElementBytes(Type tile) {
  Type element = getElementTypeOrSelf(tile);
  if (element.isIndex())
    return 8;
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}

bool octavo::isRegisterConversion(const LinearLayout &from,
                                  const LinearLayout &to) {
  return from.laneBases() == to.laneBases() &&
         from.waveBases() == to.waveBases();
}

LdsMap octavo::getConversionMap(tile::ConvertLayoutOp op,
                                const TargetInfo &target) {
  return makeSwizzledMap(tile::getLayout(op.getSource().getType()).getLayout(),
                         tile::getLayout(op.getType()).getLayout(),
                         getLdsElementBytes(op.getType()), target);
}

SmallVector<unsigned> octavo::getReducedWaveBits(tile::ReduceOp op) {
  const LinearLayout &layout =
      tile::getLayout(op.getSources().front().getType()).getLayout();
  SmallVector<unsigned> bits;
  for (auto [i, basis] : llvm::enumerate(layout.waveBases()))
    if (basis[op.getAxis()] != 0)
      bits.push_back(i);
  return bits;
}

LdsMap octavo::getPartialMap(tile::ReduceOp op) {
  auto type = cast<RankedTensorType>(op.getResultTypes().front());
  return LdsMap(type.getShape(), tile::getLayout(type).getLayout().laneBases());
}

static int64_t getReduceBytes(tile::ReduceOp op) {
  SmallVector<unsigned> bits = getReducedWaveBits(op);
  if (bits.empty())
    return 0;
  int64_t total = 0;
  for (Type type : op.getResultTypes())
    total += getPartialMap(op).size() * getLdsElementBytes(type) << bits.size();
  return total;
}

int64_t octavo::getLdsBytes(Operation *op) {
  return TypeSwitch<Operation *, int64_t>(op)
      .Case([](tile::ConvertLayoutOp convert) -> int64_t {
        auto type = convert.getType();
        if (isRegisterConversion(
                tile::getLayout(convert.getSource().getType()).getLayout(),
                tile::getLayout(type).getLayout()))
          return 0;
        return type.getNumElements() * getLdsElementBytes(type);
      })
      .Case([](tile::ReduceOp reduce) { return getReduceBytes(reduce); })
      .Default([](Operation *) { return 0; });
}

SmallVector<tile::ConvertLayoutOp>
octavo::collectExchange(tile::ConvertLayoutOp first, const TargetInfo &target) {
  SmallVector<tile::ConvertLayoutOp> group{first};
  int64_t total = getLdsBytes(first);
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    auto convert = dyn_cast<tile::ConvertLayoutOp>(op);
    int64_t bytes = convert ? getLdsBytes(convert) : 0;
    if (bytes == 0 || total + bytes > target.ldsBytes)
      continue;
    Operation *source = convert.getSource().getDefiningOp();
    if (source && source->getBlock() == first->getBlock() &&
        first->isBeforeInBlock(source))
      continue;
    // The source must not be another result of this exchange.
    if (llvm::is_contained(group, source))
      continue;
    total += bytes;
    group.push_back(convert);
  }
  return group;
}
