//===- Exchange.h - How tiles pass between lanes ----------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_TILE_EXCHANGE_H
#define OCTAVO_PASSES_TILE_EXCHANGE_H

#include "dialects/Tile/IR/Tile.h"
#include "octavo/Layout/LdsMap.h"
#include "octavo/Target/TargetInfo.h"

namespace octavo {

/// Bytes of an element in LDS; i1 takes a whole byte.
int64_t getLdsElementBytes(mlir::Type tile);

/// True if both layouts give every lane the same elements, so that a conversion
/// is a change of registers.
bool isRegisterConversion(const LinearLayout &from, const LinearLayout &to);

/// The map of a conversion through LDS.
LdsMap getConversionMap(tile::ConvertLayoutOp op, const TargetInfo &target);

/// Wave bits along which `op` combines, as a list of bit numbers.
llvm::SmallVector<unsigned> getReducedWaveBits(tile::ReduceOp op);
/// The map of one operand's partial results of one wave.
LdsMap getPartialMap(tile::ReduceOp op);

/// `first` and the conversions behind it in its block that can be done together
/// with it: their sources are there, and all fit into LDS.
llvm::SmallVector<tile::ConvertLayoutOp>
collectExchange(tile::ConvertLayoutOp first, const TargetInfo &target);

/// LDS bytes that `op` needs while it runs.
int64_t getLdsBytes(mlir::Operation *op);

} // namespace octavo

#endif // OCTAVO_PASSES_TILE_EXCHANGE_H
