//===- TileFuncOps.td - Kernels and their coordinates ------*- tablegen -*-===//
// Included by TileOps.td.

def Tile_FuncOp : Tile_Op<"func", [
    AffineScope, AutomaticAllocationScope, IsolatedFromAbove,
    FunctionOpInterface]> {
  let summary = "What one workgroup does";
  let description = [{
    A kernel. Arguments are views and scalars, in the order of the launch.
    `tile.waves` (a power of two) is the number of waves of the workgroup;
    `tile.grid` is the launch's number of workgroups in three dimensions, if it
    is known.

    Constraints:
    - (C1) there are no results.
    - (C2) an argument is a view, a signless integer or a float.
    - (C3) `tile.waves`, if present, is a power of two from 1 to 16.
    - (C4) `tile.grid`, if present, is three positive integers.

    Example:

    ```mlir
    tile.func @f(%a: !tile.view<64xf32>, %n: i32)
        attributes {tile.waves = 4 : i32, tile.grid = [1, 1, 1]} {
      tile.return
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region MinSizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    static ::llvm::StringRef getWavesAttrName() { return "tile.waves"; }
    static ::llvm::StringRef getGridAttrName() { return "tile.grid"; }
    /// Waves of the workgroup; 4 where the attribute is absent.
    int64_t getWaves();
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [
    HasParent<"FuncOp">, Pure, ReturnLike, Terminator]> {
  let summary = "End of a kernel";
  let assemblyFormat = "attr-dict";
}

def Tile_YieldOp : Tile_Op<"yield", [
    ParentOneOf<["ReduceOp", "ScanOp"]>, Pure, ReturnLike, Terminator]> {
  let summary = "Results of a combiner region";
  let arguments = (ins Variadic<Tile_Scalar>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Tile_WorkgroupIdOp : Tile_Op<"workgroup_id", [Pure]> {
  let summary = "Index of the workgroup in the grid";
  let description = [{
    Constraints:
    - (C1) the dimension is 0, 1 or 2.

    Example: `%i = tile.workgroup_id 0 : i32`
  }];
  let arguments = (ins I32Attr:$dimension);
  let results = (outs I32:$result);
  let assemblyFormat = "$dimension attr-dict `:` type($result)";
  let hasVerifier = 1;
}
