//===- OctavoOps.td - Operations of the octavo dialect -----*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOOPS_TD
#define OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOOPS_TD

include "dialects/Octavo/IR/OctavoAttrs.td"
include "dialects/Octavo/IR/OctavoDialect.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

include "dialects/Octavo/IR/OctavoMatmulOps.td"
include "dialects/Octavo/IR/OctavoHostOps.td"

def Octavo_AnyFloat8 : AnyTypeOf<[F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ]>;
def Octavo_QuantizedType : AnyTypeOf<[Octavo_AnyFloat8, F6E2M3FN, F6E3M2FN, F4E2M1FN, I8]>;
def Octavo_RealType : AnyTypeOf<[BF16, F16, F32, F64]>;
def Octavo_ScaleType : AnyTypeOf<[F32, F8E8M0FNU]>;

//===----------------------------------------------------------------------===//
// QuantizeOp
//===----------------------------------------------------------------------===//

def Octavo_QuantizeOp : Octavo_Op<"quantize", [Pure]> {
  let summary = "Scale each granule into the range of a small format and round";
  let description = [{
    With `amax = max |input|` over the granule (NaN is kept),
    `encode = rule(fmax / max(amax, amax_floor))`, correctly rounded in f32:

    `quantized = cast(clamp(f32(input) * encode, -fmax, fmax))`,
    `scale = 1 / encode`, the *decode* scale.

    `fmax` is `largest`, or the largest finite value of the format. (OCP numbers
    on FNUZ matrix cores are `f8E4M3FNUZ` with `largest = 224` and `f8E5M2FNUZ`
    with 28672: half the value, twice the scale, the same rounding.) Rules: `exact` keeps the
    quotient, `pow2` clears its mantissa, `e8m0_*` give a power of two in
    `f8E8M0FNU`. Without saturation what is out of range rounds as the format
    says (to NaN or infinity). `row`, `block` and `mx` lie along `axis`.

    Constraints:
    - (C1) `input` and `quantized` have the same shape.
    - (C2) `axis` is a dimension of `input`; it is there for each granule but
      `tensor`.
    - (C3) `scale` has the dimensions of `input`, each divided (rounding up) by
      the granule's size; for `tensor` it has one element and any rank.
    - (C4) `scale` is `f8E8M0FNU` exactly if the rule is one of `e8m0_*`.
    - (C5) `block` needs two dimensions; the other one is the last or, if `axis`
      is the last, the one before it.
    - (C6) `seed` is there exactly if rounding is stochastic.
    - (C7) `largest` is positive, not above the format's largest finite value,
      and only with `exact` and `pow2`.

    Example:

    ```mlir
    %q, %s = octavo.quantize %x granule<row> axis 1 rule pow2
           : tensor<8x64xbf16> -> tensor<8x64xf8E4M3FN>, tensor<8x1xf32>
    ```
  }];
  let arguments = (ins
    RankedTensorOf<[Octavo_RealType]>:$input,
    Optional<RankedTensorOf<[I64]>>:$seed,
    Octavo_GranuleAttr:$granule,
    OptionalAttr<I64Attr>:$axis,
    Octavo_ScaleRuleAttr:$rule,
    OptionalAttr<F64Attr>:$largest,
    DefaultValuedAttr<F64Attr, "1e-12">:$amax_floor,
    DefaultValuedAttr<Octavo_RoundingAttr, "::octavo::Rounding::nearest_even">:$rounding,
    DefaultValuedAttr<BoolAttr, "true">:$saturate
  );
  let results = (outs
    RankedTensorOf<[Octavo_QuantizedType]>:$quantized,
    RankedTensorOf<[Octavo_ScaleType]>:$scale
  );
  let assemblyFormat = [{
    $input `granule` `` $granule (`axis` $axis^)? `rule` $rule (`seed` $seed^ `:` type($seed))? attr-dict
    `:` type($input) `->` type($quantized) `,` type($scale)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// DequantizeOp
//===----------------------------------------------------------------------===//

def Octavo_DequantizeOp : Octavo_Op<"dequantize", [Pure]> {
  let summary = "Multiply each granule by its decode scale";
  let description = [{
    `result = cast(f32(input) * f32(scale))`, the inverse of `octavo.quantize`.

    Constraints:
    - (C1) `input` and `result` have the same shape.
    - (C2) `axis` is a dimension of `input`; it is there for each granule but
      `tensor`.
    - (C3) `scale` has the shape that the granule gives (see `octavo.quantize`).
    - (C4) `block` needs two dimensions.

    Example:

    ```mlir
    %x = octavo.dequantize %q scaled %s granule<row> axis 1
       : tensor<8x64xf8E4M3FN>, tensor<8x1xf32> -> tensor<8x64xbf16>
    ```
  }];
  let arguments = (ins
    RankedTensorOf<[Octavo_QuantizedType]>:$input,
    RankedTensorOf<[Octavo_ScaleType]>:$scale,
    Octavo_GranuleAttr:$granule,
    OptionalAttr<I64Attr>:$axis
  );
  let results = (outs RankedTensorOf<[Octavo_RealType]>:$result);
  let assemblyFormat = [{
    $input `scaled` $scale `granule` `` $granule (`axis` $axis^)? attr-dict
    `:` type($input) `,` type($scale) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// RandomOp
//===----------------------------------------------------------------------===//

def Octavo_RandomOp : Octavo_Op<"random", [Pure]> {
  let summary = "Counter-based random numbers";
  let description = [{
    Element i (row-major) is word `i mod 4` of Philox4x32-10 with key `seed` and
    counter `offset + i div 4`, so it depends on (seed, offset, i) alone.
    `bits` gives the 32 bits, `uniform` a number in [0, 1) made of the upper 24
    bits, `normal` the Box-Muller transform of a pair of words: with
    `u = uniform(word 2j) + 2^-24` and `v = uniform(word 2j + 1)` elements 2j and
    2j + 1 are `sqrt(-2 ln u)` times the cosine and the sine of `2 pi v`.

    Constraints:
    - (C1) `seed` and `offset` have one element.
    - (C2) `bits` gives i32, the others a float.

    Example:

    ```mlir
    %r = octavo.random uniform %seed, %offset : tensor<i64>, tensor<i64> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins
    Octavo_RandomKindAttr:$kind,
    RankedTensorOf<[I64]>:$seed,
    RankedTensorOf<[I64]>:$offset
  );
  let results = (outs RankedTensorOf<[I32, F32, F16, BF16]>:$result);
  let assemblyFormat = [{
    $kind $seed `,` $offset attr-dict `:` type($seed) `,` type($offset) `->` type($result)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// ScatterReduceOp
//===----------------------------------------------------------------------===//

def Octavo_ScatterReduceOp : Octavo_Op<"scatter_reduce", [Pure]> {
  let summary = "Combine elements of a source into places that indices name";
  let description = [{
    `result = init`; then for each index tuple i in row-major order and each r:
    `result[at(i), r] = kind(result[at(i), r], source[i, r])`, where `at(i)` sets
    dimension `dims[j]` to `indices[j][i]` and r runs over the dimensions that
    are not in `dims`, in order. The order makes `set` (the last wins) and
    sums of floats deterministic. Negative indices count from the end.

    Constraints:
    - (C1) there are as many indices as `dims`, all of one shape; at least one.
    - (C2) `dims` are increasing dimensions of `init`.
    - (C3) `source` has the shape of the indices followed by the dimensions of
      `init` that are not in `dims`, and its element type.
    - (C4) `result` has the type of `init`.

    Example:

    ```mlir
    %g = octavo.scatter_reduce add %grad into %zero at %ids dims [0]
       : tensor<32x64xf32>, tensor<256x64xf32>, (tensor<32xi64>) -> tensor<256x64xf32>
    ```
  }];
  let arguments = (ins
    Octavo_ScatterKindAttr:$kind,
    AnyRankedTensor:$source,
    AnyRankedTensor:$init,
    Variadic<RankedTensorOf<[I32, I64]>>:$indices,
    DenseI64ArrayAttr:$dims
  );
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $kind $source `into` $init `at` $indices `dims` $dims attr-dict
    `:` type($source) `,` type($init) `,` `(` type($indices) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // OCTAVO_DIALECTS_OCTAVO_IR_OCTAVOOPS_TD
