//===- TileMatrixOps.td - Matrix products ------------------*- tablegen -*-===//
// Included by TileOps.td.

def Tile_MatrixElement : AnyTypeOf<[
    F8E4M3FN, F8E5M2, F8E4M3FNUZ, F8E5M2FNUZ, BF16, F16, F32, F64, I8,
    AnyTypeOf<[F6E2M3FN, F6E3M2FN, F4E2M1FN]>]>;

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a·b";
  let description = [{
    `result[m, n] = acc[m, n] + sum_k a[m, k] · b[k, n]`. With `transpose_a` the
    first operand is stored as `a[k, m]`, with `transpose_b` the second as
    `b[n, k]`. Products are exact, sums are f32 (i32 for i8, f64 for f64) in an
    order that the layout decides.

    Constraints:
    - (C1) operands and accumulator have rank 2.
    - (C2) M, N and K agree.
    - (C3) elements are multiplied in one type, or two 8-bit float formats of one
      family (OCP or FNUZ).
    - (C4) the accumulator is f32, i32 for i8, f64 for f64.

    Example: c = a · transpose(b)

    ```mlir
    %d = tile.dot %a, %b, %c {transpose_b}
       : tensor<64x32xf8E4M3FN>, tensor<64x32xf8E5M2>, tensor<64x64xf32>
    ```
  }];
  let arguments = (ins
    StaticShapeTensorOf<[Tile_MatrixElement]>:$a,
    StaticShapeTensorOf<[Tile_MatrixElement]>:$b,
    StaticShapeTensorOf<[F32, F64, I32]>:$acc,
    UnitAttr:$transpose_a,
    UnitAttr:$transpose_b
  );
  let results = (outs StaticShapeTensorOf<[F32, F64, I32]>:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$a, "::mlir::Value":$b,
                                 "::mlir::Value":$acc,
                                 CArg<"bool", "false">:$transposeA,
                                 CArg<"bool", "false">:$transposeB)>];
  let extraClassDeclaration = [{
    int64_t getM(); int64_t getN(); int64_t getK();
  }];
  let hasVerifier = 1;
  let extraClassDefinition = [{
    int64_t $cppClass::getM() {
      return getA().getType().getShape()[getTransposeA() ? 1 : 0];
    }
    int64_t $cppClass::getN() {
      return getB().getType().getShape()[getTransposeB() ? 0 : 1];
    }
    int64_t $cppClass::getK() {
      return getA().getType().getShape()[getTransposeA() ? 0 : 1];
    }
  }];
}

def Tile_DotScaledOp : Tile_Op<"dot_scaled", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + (a·scale_a)·(b·scale_b) with one E8M0 scale per 32 of K";
  let description = [{
    `scale_a[m, k / 32]` and `scale_b[n, k / 32]` are E8M0 exponents (i8 bits or
    f8E8M0FNU). Transposition is as in `tile.dot`.

    Constraints:
    - (C1) operands and accumulator have rank 2, M, N and K agree.
    - (C2) K is a multiple of 32 and a scale has one row per M (N) and K/32
      columns.
  }];
  let arguments = (ins
    StaticShapeTensorOf<[Tile_MatrixElement]>:$a,
    StaticShapeTensorOf<[I8, F8E8M0FNU]>:$scale_a,
    StaticShapeTensorOf<[Tile_MatrixElement]>:$b,
    StaticShapeTensorOf<[I8, F8E8M0FNU]>:$scale_b,
    StaticShapeTensorOf<[F32]>:$acc,
    UnitAttr:$transpose_a,
    UnitAttr:$transpose_b
  );
  let results = (outs StaticShapeTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $a `scaled` $scale_a `,` $b `scaled` $scale_b `,` $acc attr-dict
    `:` type($a) `,` type($scale_a) `,` type($b) `,` type($scale_b) `,` type($acc)
  }];
  let hasVerifier = 1;
}
