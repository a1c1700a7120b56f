//===- TileReduceOps.td - Reductions and scans -------------*- tablegen -*-===//
// Included by TileOps.td.

def Tile_ReduceOp : Tile_Op<"reduce", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Combine all elements along a dimension";
  let description = [{
    The region combines two elements of every operand (all first elements, then
    all second ones) into one. It must be associative and commutative: the order
    is fixed by the layout, not by the index. `lds_offset` is put there by
    `tile-place-lds`.

    Constraints:
    - (C1) operands agree in shape; `axis` is one of their dimensions.
    - (C2) there is one result per operand, with the dimension dropped.
    - (C3) the region takes two scalars per operand and yields one.

    Example:

    ```mlir
    %s = tile.reduce %x {axis = 1 : i32} : tensor<128x64xf32> -> tensor<128xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, I32Attr:$axis,
                       OptionalAttr<I64Attr>:$lds_offset);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sources attr-dict `:` type($sources) `->` type($results) $combiner
  }];
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "Combine all elements up to each one along a dimension";
  let description = [{
    `result[i]` combines elements 0 … i, or i … n-1 with `reverse`. The region is
    as in `tile.reduce`; it must be associative, and it is always given the
    element that comes first in the direction of the scan first.

    Constraints:
    - (C1) operands agree in shape; `axis` is one of their dimensions.
    - (C2) results have the types of the operands.
    - (C3) the region takes two scalars per operand and yields one.
  }];
  let arguments = (ins Variadic<Tile_Tensor>:$sources, I32Attr:$axis,
                       UnitAttr:$reverse, OptionalAttr<I64Attr>:$lds_offset);
  let results = (outs Variadic<Tile_Tensor>:$results);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $sources attr-dict `:` type($sources) `->` type($results) $combiner
  }];
  let hasVerifier = 1;
}
