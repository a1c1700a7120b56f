//===- OctavoMatmulOps.td - Products of matrices -----------*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOMATMULOPS_TD
#define OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOMATMULOPS_TD

include "dialects/Octavo/IR/OctavoAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// ScaledMatmulOp
//===----------------------------------------------------------------------===//

def Octavo_ScaledMatmulOp : Octavo_Op<"scaled_matmul", [Pure, AttrSizedOperandSegments]> {
  let summary = "Product of two matrices, each with decode scales";
  let description = [{
    `result = cast(sum_k (scale_a a)[m, k] (scale_b b)[k, n] + bias[n])`,
    accumulated in f32 (i32 for integers, f64 for f64).

    a is `[batch..., M, K]`, b is `[batch..., K, N]`; `transposed` before an
    operand says that its last two dimensions are stored the other way round.
    A scale has the dimensions of its operand *as it is stored*, each divided
    (rounding up) by the granule's size; `granule_a` and `granule_b` are `tensor`
    if they are not given.

    Groups make it the product of a mixture of experts. `groups` holds the end
    of each group, ascending. Along m: rows of group g are multiplied by `b[g]`
    (b has a leading dimension of groups), rows past the last end are zero. Along
    k: result g (it has a leading dimension of groups) sums over the k of group g.

    Constraints:
    - (C1) operands have at least two dimensions.
    - (C2) a and b agree in K.
    - (C3) a and b have equal batch dimensions (without groups).
    - (C4) `result` is `[batch..., M, N]`, with groups along k `[G, M, N]`.
    - (C5) a granule is given only with its scale.
    - (C6) each scale has the shape that its granule gives.
    - (C7) an `mx` scale, and no other, is `f8E8M0FNU`.
    - (C8) `bias` has N elements.
    - (C9) with groups a has two dimensions, and b three (along m) or two (along k).
    - (C10) operands are both floats or both integers, and so is the result.

    Example:

    ```mlir
    %y = octavo.scaled_matmul %x scaled %xs, transposed %w scaled %ws bias %b
         {granule_a = #octavo.granule<row>, granule_b = #octavo.granule<row>}
       : tensor<8x64xf8E4M3FN>, tensor<8x1xf32>, tensor<32x64xf8E4M3FN>, tensor<32x1xf32>, tensor<32xbf16>
       -> tensor<8x32xbf16>
    ```
  }];
  let arguments = (ins
    RankedTensorOf<[AnyFloat, AnyInteger]>:$a,
    RankedTensorOf<[AnyFloat, AnyInteger]>:$b,
    Optional<RankedTensorOf<[F32, F8E8M0FNU]>>:$scale_a,
    Optional<RankedTensorOf<[F32, F8E8M0FNU]>>:$scale_b,
    Optional<RankedTensorOf<[AnyFloat, AnyInteger]>>:$bias,
    Optional<RankedTensorOf<[I32, I64]>>:$groups,
    UnitAttr:$transposed_a,
    UnitAttr:$transposed_b,
    OptionalAttr<Octavo_GranuleAttr>:$granule_a,
    OptionalAttr<Octavo_GranuleAttr>:$granule_b,
    OptionalAttr<Octavo_GroupDimAttr>:$group_dim
  );
  let results = (outs RankedTensorOf<[AnyFloat, AnyInteger]>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Sizes of the product (dynamic ones are ShapedType::kDynamic).
    int64_t getM();
    int64_t getN();
    int64_t getK();
    /// Batch dimensions of `a`.
    ::llvm::ArrayRef<int64_t> getBatch();
  }];
}

//===----------------------------------------------------------------------===//
// AttentionOp
//===----------------------------------------------------------------------===//

def Octavo_AttentionOp : Octavo_Op<"attention",
    [RecursivelySpeculatable, RecursiveMemoryEffects, AttrSizedOperandSegments, IsolatedFromAbove, NoTerminator]> {
  let summary = "Softmax of masked scores times values";
  let description = [{
    With `s[i, j] = score(scale · q[i] · k[j], b, h, i, j)`, -inf where `mask(b, h, i, j)`
    is false: `result[i] = sum_j softmax_j(s)[i, j] v[j]`, `lse[i] = log sum_j exp s[i, j]`.
    A row with no true mask gives zeros and -inf. Several query heads share a
    key-value head (head h reads h div (Hq / Hkv)).

    The score region takes (f32, index, index, index, index) and yields f32, the
    mask region takes the four indices and yields i1; either may be empty.

    Constraints:
    - (C1) `query` is `[B, Hq, Sq, D]`, `key` `[B, Hkv, Sk, D]`, `value` `[B, Hkv, Sk, E]`.
    - (C2) Hq is a multiple of Hkv.
    - (C3) `result` is `[B, Hq, Sq, E]` and `lse` is f32 `[B, Hq, Sq]`.
    - (C4) the score region has the arguments and the result above.
    - (C5) so has the mask region.
    - (C6) each decode scale has one element.

    Example:

    ```mlir
    %o, %l = octavo.attention %q, %k, %v {scale = 0.125 : f32}
      : tensor<2x4x16x64xbf16>, tensor<2x2x16x64xbf16>, tensor<2x2x16x64xbf16>
      -> tensor<2x4x16x64xbf16>, tensor<2x4x16xf32>
      score {} mask {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %c = arith.cmpi sle, %j, %i : index
        octavo.yield %c : i1
      }
    ```
  }];
  let arguments = (ins
    RankedTensorOf<[AnyFloat]>:$query,
    RankedTensorOf<[AnyFloat]>:$key,
    RankedTensorOf<[AnyFloat]>:$value,
    Optional<RankedTensorOf<[F32]>>:$scale_query,
    Optional<RankedTensorOf<[F32]>>:$scale_key,
    Optional<RankedTensorOf<[F32]>>:$scale_value,
    F32Attr:$scale
  );
  let results = (outs RankedTensorOf<[AnyFloat]>:$result, RankedTensorOf<[F32]>:$lse);
  let regions = (region AnyRegion:$score, AnyRegion:$mask);
  let assemblyFormat = [{
    $query `,` $key `,` $value
    (`scales` $scale_query^ `,` $scale_key `,` $scale_value `:` type($scale_query) `,` type($scale_key) `,` type($scale_value))?
    attr-dict `:` type($query) `,` type($key) `,` type($value) `->` type($result) `,` type($lse)
    `score` $score `mask` $mask
  }];
  let hasVerifier = 1;
}

#endif // OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOMATMULOPS_TD
