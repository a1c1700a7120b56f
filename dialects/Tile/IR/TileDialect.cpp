//===- TileDialect.cpp - Registration of the tile dialect -----------------===//

#include "dialects/Tile/IR/Tile.h"

using namespace mlir;
using namespace octavo::tile;

#include "dialects/Tile/IR/TileDialect.cpp.inc"

#include "dialects/Tile/IR/TileEnums.cpp.inc"

namespace {
/// Layouts are printed once, at the head of the module.
struct TileAsmInterface final : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attr))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileDialect::initialize() {
  addInterfaces<TileAsmInterface>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Tile/IR/TileOps.cpp.inc"
      >();
}
