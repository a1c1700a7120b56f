//===- TileAttrs.td - Attributes of the tile dialect -------*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_TILE_IR_TILEATTRS_TD
#define OCTAVO_DIALECTS_TILE_IR_TILEATTRS_TD

include "dialects/Tile/IR/TileDialect.td"
include "mlir/IR/TensorEncoding.td"

def Tile_AtomicKind : I32EnumAttr<"AtomicKind", "what an atomic does", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">,
    I32EnumAttrCase<"UMax", 3, "umax">,
    I32EnumAttrCase<"UMin", 4, "umin">,
    I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">,
    I32EnumAttrCase<"Xor", 7, "xor">,
    I32EnumAttrCase<"Xchg", 8, "xchg">]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::octavo::tile";
}

def Tile_AtomicKindAttr : EnumAttr<Tile_Dialect, Tile_AtomicKind, "atomic">;

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Which register of which lane of which wave holds an element";
  let description = [{
    The encoding of every tensor type after `tile-assign-layouts`: a linear
    layout (`octavo/Layout/LinearLayout.h`). Each list gives the step along
    every dimension of the bits of the register, lane and wave number. `repeat`
    (default 1 everywhere) gives whole repetitions per dimension. `fragment` is
    how many registers the lane program keeps in one vector.

    Constraints:
    - (C1) the bases have one step per dimension of the tensor.
    - (C2) they reach every element, and registers hold no duplicates.

    Example: 4 neighbours per lane, 16 lanes a row, 4 rows a wave, 2 waves.

    ```mlir
    tensor<8x64xf32, #tile.layout<register = [[0, 1], [0, 2]],
      lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0]],
      wave = [[4, 0]], fragment = 4>>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::octavo::LinearLayout", "the map", "const ::octavo::LinearLayout &">:$layout,
    "int64_t":$fragment);
  let hasCustomAssemblyFormat = 1;
}

#endif // OCTAVO_DIALECTS_TILE_IR_TILEATTRS_TD
