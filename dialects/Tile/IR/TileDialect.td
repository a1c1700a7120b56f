//===- TileDialect.td - The tile dialect -------------------*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_TILE_IR_TILEDIALECT_TD
#define OCTAVO_DIALECTS_TILE_IR_TILEDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "One workgroup's program on whole tiles";
  let description = [{
    A `tile` op works on statically shaped tensors that one workgroup holds. It
    says what is computed. Before `tile-assign-layouts` it never says which lane
    computes it; after it every tensor type carries a `#tile.layout` that says
    exactly that.

    Elementwise work is `arith` and `math` on tensors, control flow is `scf`.
    Memory is a `!tile.view` and element offsets; effects keep program order.

    Made by `passes/OctavoToTile` and by the language; eaten by
    `passes/TileToLane`.
  }];
  let cppNamespace = "::octavo::tile";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class Tile_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

#endif // OCTAVO_DIALECTS_TILE_IR_TILEDIALECT_TD
