//===- TileInterpreter.h - What a kernel does, on the host ------*- C++ -*-===//

#ifndef OCTAVO_REFERENCE_TILEINTERPRETER_H
#define OCTAVO_REFERENCE_TILEINTERPRETER_H

#include "octavo/Reference/HostTensor.h"

#include "dialects/Tile/IR/Tile.h"
#include "llvm/Support/Error.h"
#include <array>

namespace octavo::reference {

/// One argument of a launch: a view's memory (a tensor of one dimension that
/// starts at the view's base) or a scalar.
struct TileArgument {
  HostTensor memory;
  Scalar scalar;
};

/// Runs every workgroup of `grid` of the kernel, one after the other, on
/// `arguments`, whose memory it changes. An op without a meaning here, or an
/// access outside of an argument's memory, is an error with its location.
llvm::Error runTile(tile::FuncOp kernel, std::array<int64_t, 3> grid,
                    llvm::MutableArrayRef<TileArgument> arguments);

} // namespace octavo::reference

#endif // OCTAVO_REFERENCE_TILEINTERPRETER_H
