//===- MemoryLayout.cpp - Layouts that suit an access to memory -----------===//

#include "passes/Tile/MemoryLayout.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo;

/// A lane moves at most this many bytes with one instruction.
static constexpr int64_t kMaxAccessBytes = 16;

std::optional<MemoryAccess> octavo::getMemoryAccess(Operation *op) {
  using Result = std::optional<MemoryAccess>;
  return TypeSwitch<Operation *, Result>(op)
      .Case<tile::GatherOp, tile::ScatterOp, tile::AtomicRmwOp>(
          [](auto access) -> Result {
            return MemoryAccess{access.getOffsets(), access.getMask(),
                                access.getView().getType()};
          })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

/// Consecutive elements along `dim` of which all or none are accessed.
static int64_t getRun(const MemoryAccess &access, unsigned dim,
                      AxisInfoAnalysis &axes) {
  int64_t run = axes.get(access.offsets).contiguity[dim];
  if (access.mask)
    run = std::min(run, axes.get(access.mask).constancy[dim]);
  return run;
}

/// The dimension along which the first register bit moves, if any.
static std::optional<unsigned> getFastDim(const LinearLayout &layout) {
  if (layout.registerBases().empty())
    return std::nullopt;
  const TileIndex &basis = layout.registerBases().front();
  for (auto [d, step] : llvm::enumerate(basis))
    if (step == 1)
      return d;
  return std::nullopt;
}

int64_t octavo::getAccessWidth(const MemoryAccess &access,
                               const LinearLayout &layout,
                               AxisInfoAnalysis &axes) {
  std::optional<unsigned> dim = getFastDim(layout);
  if (!dim)
    return 1;
  int64_t limit = kMaxAccessBytes / access.view.getElementBytes();
  return std::min({layout.contiguous(*dim), getRun(access, *dim, axes), limit});
}

int64_t octavo::getSegmentBytes(const MemoryAccess &access,
                                const LinearLayout &layout,
                                AxisInfoAnalysis &axes) {
  int64_t run = getAccessWidth(access, layout, axes);
  const AxisInfo info = axes.get(access.offsets);
  // Lanes and registers that continue where the first ones end, in any order.
  bool grown = true;
  while (grown) {
    grown = false;
    for (const TileBases *bases :
         {&layout.laneBases(), &layout.registerBases()})
      for (const TileIndex &basis : *bases)
        for (auto [d, step] : llvm::enumerate(basis))
          if (step == run && run < info.contiguity[d]) {
            run *= 2;
            grown = true;
          }
  }
  return run * access.view.getElementBytes();
}

LinearLayout octavo::chooseMemoryLayout(const MemoryAccess &access,
                                        int64_t lanes, int64_t waves,
                                        AxisInfoAnalysis &axes) {
  auto type = cast<RankedTensorType>(access.offsets.getType());
  AxisInfo info = axes.get(access.offsets);
  // The dimension with the longest runs first, else the last one.
  SmallVector<unsigned> order(
      llvm::reverse(llvm::seq<unsigned>(0, type.getRank())));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return info.contiguity[a] > info.contiguity[b];
  });
  int64_t vector = 1;
  if (!order.empty()) {
    int64_t perLane =
        std::max<int64_t>(1, type.getNumElements() / (lanes * waves));
    vector =
        std::min({getRun(access, order.front(), axes),
                  kMaxAccessBytes / access.view.getElementBytes(),
                  static_cast<int64_t>(llvm::bit_floor<uint64_t>(perLane))});
  }
  // Waves are spread over the slow dimensions, so that reductions along the
  // fast one stay inside a wave.
  SmallVector<unsigned> waveOrder(llvm::reverse(order));
  return LinearLayout::blocked(type.getShape(), vector, lanes, waves, order,
                               waveOrder);
}
