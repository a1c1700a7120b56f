//===- TileShapeOps.td - Making and reshaping tiles --------*- tablegen -*-===//
// Included by TileOps.td.

def Tile_RangeOp : Tile_Op<"range", [Pure]> {
  let summary = "The integers from `start` to before `end`";
  let description = [{
    `result[i] = start + i`

    Constraints:
    - (C1) the result has `end - start` elements, at least one.

    Example: `%r = tile.range 0 to 128 : tensor<128xi32>`
  }];
  let arguments = (ins I64Attr:$start, I64Attr:$end);
  let results = (outs 1DTensorOf<[I32, I64]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "A tile whose elements all are one scalar";
  let description = [{
    Constraints:
    - (C1) the scalar has the element type of the result.

    Example: `%x = tile.splat %s : f32 -> tensor<128x64xf32>`
  }];
  let arguments = (ins Tile_Scalar:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ToScalarOp : Tile_Op<"to_scalar", [Pure]> {
  let summary = "The one element of a tile of rank 0";
  let description = [{
    The scalar is the same in all lanes, so it may steer control flow.

    Constraints:
    - (C1) the source has rank 0 and the element type of the result.

    Example: `%s = tile.to_scalar %x : tensor<f32> -> f32`
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure]> {
  let summary = "Insert a dimension of size 1 before dimension `axis`";
  let description = [{
    Constraints:
    - (C1) `axis` is from 0 to the rank of the source.
    - (C2) the result is the source with the dimension inserted.

    Example:

    ```mlir
    %y = tile.expand_dims %x {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Stretch dimensions of size 1";
  let description = [{
    Constraints:
    - (C1) ranks and element types agree.
    - (C2) a size of the source is that of the result or 1.

    Example: `%y = tile.broadcast %x : tensor<128x1xf32> -> tensor<128x64xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure]> {
  let summary = "The same elements in row-major order with another shape";
  let description = [{
    Constraints:
    - (C1) source and result have equally many elements of one type.

    Example: `%y = tile.reshape %x : tensor<128x64xf32> -> tensor<8192xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_TransOp : Tile_Op<"trans", [Pure]> {
  let summary = "Permute dimensions";
  let description = [{
    Dimension i of the result is dimension `order[i]` of the source.

    Constraints:
    - (C1) `order` is a permutation of the dimensions.
    - (C2) the result is the source permuted.

    Example:

    ```mlir
    %y = tile.trans %x {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Two tiles side by side in a new last dimension of size 2";
  let description = [{
    `result[…, 0] = lhs[…]`, `result[…, 1] = rhs[…]`

    Constraints:
    - (C1) the result has the operands' shape with a 2 appended.

    Example: `%y = tile.join %a, %b : tensor<64xf32> -> tensor<64x2xf32>`
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "The inverse of `tile.join`";
  let description = [{
    Constraints:
    - (C1) the source has the results' shape with a 2 appended.

    Example: `%a, %b = tile.split %y : tensor<64x2xf32> -> tensor<64xf32>`
  }];
  let arguments = (ins Tile_Tensor:$source);
  let results = (outs Tile_Tensor:$lhs, Tile_Tensor:$rhs);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($lhs)";
  let hasVerifier = 1;
}

def Tile_CatOp : Tile_Op<"cat", [Pure]> {
  let summary = "Concatenate two tiles along a dimension";
  let description = [{
    Constraints:
    - (C1) `axis` is a dimension of the operands.
    - (C2) the result's size along it is the sum, all others agree.

    Example:

    ```mlir
    %y = tile.cat %a, %b {axis = 0 : i32} : tensor<64xf32>, tensor<64xf32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_Tensor:$lhs, Tile_Tensor:$rhs, I32Attr:$axis);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "The same tile in another layout";
  let description = [{
    `lds_offset`, put there by `tile-place-lds`, is the first LDS byte that the
    conversion may use where it crosses lanes.

    Constraints:
    - (C1) source and result agree in shape and element type, and both carry a
      layout.

    Example: `%y = tile.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>`
  }];
  let arguments = (ins Tile_Tensor:$source, OptionalAttr<I64Attr>:$lds_offset);
  let results = (outs Tile_Tensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}
