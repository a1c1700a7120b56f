//===- BlockRead.cpp - Reads that are blocks of a strided view ------------===//

#include "passes/OctavoToTile/BlockRead.h"

using namespace mlir;
using namespace octavo;

std::optional<SmallVector<BlockDim>>
octavo::findBlock(IndexExpr offset, ArrayRef<unsigned> axes) {
  uint64_t moving = 0, seen = 0;
  for (unsigned axis : axes)
    moving |= uint64_t(1) << axis;
  SmallVector<BlockDim> dims;
  for (auto &[atom, stride] : offset->terms) {
    if (stride <= 0 || atom->low < 0)
      return std::nullopt;
    if (atom->coordinates & moving) {
      if (atom->kind != IndexAtom::Coordinate || (seen & atom->coordinates))
        return std::nullopt;
      seen |= atom->coordinates;
    }
    if (atom->coordinates & IndexSpace::opaqueBit)
      return std::nullopt;
    dims.push_back({atom, 0, atom->high + 1, stride});
  }
  if (seen != moving || offset->constant < 0)
    return std::nullopt;
  llvm::sort(dims, [](const BlockDim &x, const BlockDim &y) {
    return x.stride > y.stride;
  });
  int64_t rest = offset->constant;
  for (BlockDim &dim : dims) {
    dim.start = rest / dim.stride;
    dim.size += dim.start;
    rest -= dim.start * dim.stride;
  }
  if (rest != 0)
    return std::nullopt;
  return dims;
}

tile::ViewType octavo::viewOf(ArrayRef<BlockDim> dims, Type element) {
  SmallVector<int64_t> sizes, strides;
  for (const BlockDim &dim : dims) {
    sizes.push_back(dim.size);
    strides.push_back(dim.stride);
  }
  return tile::ViewType::get(sizes, element, strides);
}
