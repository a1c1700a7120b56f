//===- TileMemoryOps.td - Reading and writing views --------*- tablegen -*-===//
// Included by TileOps.td.

def Tile_GatherOp : Tile_Op<"gather", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead]>]> {
  let summary = "Read elements at offsets from a view's base";
  let description = [{
    `result[i] = mask[i] ? memory[base + offsets[i]] : other[i]`. Offsets count
    elements. Without a mask every element is read; without `other` a masked one
    is 0. An offset behind the end of a view of known extent reads 0. `base`, one
    number that is not negative, is added to all offsets.

    Constraints:
    - (C1) offsets, mask, other and result have one shape.
    - (C2) other and result have the element type of the view.

    Example:

    ```mlir
    %x = tile.gather %v[%off] mask %m other %o
       : !tile.view<64xf32>, tensor<64xi32> -> tensor<64xf32>
    ```
  }];
  let arguments = (ins
    Tile_View:$view,
    Tile_OffsetTensor:$offsets,
    Optional<Tile_MaskTensor>:$mask,
    Optional<Tile_Tensor>:$other,
    Optional<I32>:$base
  );
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $view `[` $offsets (`+` $base^)? `]` (`mask` $mask^)? (`other` $other^)? attr-dict
    `:` qualified(type($view)) `,` type($offsets) `->` type($result)
    custom<MaskType>(ref($mask), type($mask), ref(type($offsets)))
    custom<OtherType>(ref($other), type($other), ref(type($result)))
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$view,
                                 "::mlir::Value":$offsets, "::mlir::Value":$mask,
                                 "::mlir::Value":$other), [{
    build($_builder, $_state, result, view, offsets, mask, other,
          ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Tile_ScatterOp : Tile_Op<"scatter", [
    AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "Write elements at offsets from a view's base";
  let description = [{
    `memory[base + offsets[i]] = value[i]` where the mask is true. If two offsets
    are equal, one of the values remains. An offset behind the end of a view of
    known extent writes nothing. `base` is as in `tile.gather`.

    Constraints:
    - (C1) value, offsets and mask have one shape.
    - (C2) the value has the element type of the view.

    Example:

    ```mlir
    tile.scatter %x, %v[%off] mask %m : tensor<64xf32>, !tile.view<64xf32>, tensor<64xi32>
    ```
  }];
  let arguments = (ins
    Tile_Tensor:$value,
    Tile_View:$view,
    Tile_OffsetTensor:$offsets,
    Optional<Tile_MaskTensor>:$mask,
    Optional<I32>:$base
  );
  let assemblyFormat = [{
    $value `,` $view `[` $offsets (`+` $base^)? `]` (`mask` $mask^)? attr-dict
    `:` type($value) `,` qualified(type($view)) `,` type($offsets)
    custom<MaskType>(ref($mask), type($mask), ref(type($offsets)))
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$value, "::mlir::Value":$view,
                                 "::mlir::Value":$offsets, "::mlir::Value":$mask), [{
    build($_builder, $_state, value, view, offsets, mask, ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Read a block of a view";
  let description = [{
    `result[i, j] = view[offset_0 + i, offset_1 + j]`; elements outside the view
    are 0.

    Constraints:
    - (C1) view, offsets and result have one rank.
    - (C2) the result has the element type of the view.
    - (C3) sizes and strides of the view are known.

    Example:

    ```mlir
    %x = tile.load %v[%i, %j] : !tile.view<1024x512xf32>, i32, i32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_View:$view, Variadic<Tile_Offset>:$offsets);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $view `[` $offsets `]` attr-dict `:` qualified(type($view))
    (`,` type($offsets)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write a block of a view";
  let description = [{
    `view[offset_0 + i, offset_1 + j] = value[i, j]`; elements outside the view
    are not written.

    Constraints:
    - (C1) view, offsets and value have one rank.
    - (C2) the value has the element type of the view.
    - (C3) sizes and strides of the view are known.
  }];
  let arguments = (ins Tile_Tensor:$value, Tile_View:$view,
                       Variadic<Tile_Offset>:$offsets);
  let assemblyFormat = [{
    $value `,` $view `[` $offsets `]` attr-dict `:` type($value) `,`
    qualified(type($view)) (`,` type($offsets)^)?
  }];
  let hasVerifier = 1;
}

def Tile_AtomicRmwOp : Tile_Op<"atomic_rmw", [
    AllTypesMatch<["value", "result"]>, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Read, modify and write elements at offsets";
  let description = [{
    Atomic over the device, relaxed. The result is the old value (0 where masked).
    `max` and `min` compare signed integers or floats, `umax` and `umin` unsigned
    integers.

    Constraints:
    - (C1) value, offsets, mask and result have one shape.
    - (C2) value and result have the element type of the view.
    - (C3) `and`, `or`, `xor`, `umax` and `umin` need integers.

    Example:

    ```mlir
    %old = tile.atomic_rmw add %x, %v[%off] mask %m
         : tensor<64xf32>, !tile.view<64xf32>, tensor<64xi32>
    ```
  }];
  let arguments = (ins
    Tile_AtomicKindAttr:$kind,
    Tile_Tensor:$value,
    Tile_View:$view,
    Tile_OffsetTensor:$offsets,
    Optional<Tile_MaskTensor>:$mask
  );
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $kind $value `,` $view `[` $offsets `]` (`mask` $mask^)? attr-dict
    `:` type($value) `,` qualified(type($view)) `,` type($offsets)
    custom<MaskType>(ref($mask), type($mask), ref(type($offsets)))
  }];
  let hasVerifier = 1;
}
