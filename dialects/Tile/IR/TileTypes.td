//===- TileTypes.td - Types of the tile dialect ------------*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_TILE_IR_TILETYPES_TD
#define OCTAVO_DIALECTS_TILE_IR_TILETYPES_TD

include "dialects/Tile/IR/TileDialect.td"

def Tile_View : Tile_Type<"View", "view"> {
  let summary = "Memory that a kernel reads or writes";
  let description = [{
    A base address, sizes, strides and an element type. Strides are in elements
    and may be any integers, 0 included; without `strides` the view is
    contiguous and row-major. A size or stride of `?` is not known to the
    compiler: only offsets (`tile.gather`, `tile.scatter`, `tile.atomic_rmw`)
    can address such a view.

    Constraints:
    - (C1) there is one stride per dimension.
    - (C2) sizes are not negative.
    - (C3) elements are integers or floats of 1, 8, 16, 32 or 64 bits.

    Example: `!tile.view<1024x128xf32, strides = [1, 1024]>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    ArrayRefParameter<"int64_t">:$strides
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins
      "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType,
      "::llvm::ArrayRef<int64_t>":$strides), [{
      return $_get(elementType.getContext(), shape, elementType, strides);
    }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// True if every size and stride is known.
    bool isStatic() const;
    /// Elements from the base to the end of the last one, if known.
    std::optional<int64_t> getExtent() const;
    /// Bytes of an element in memory; i1 takes a whole byte.
    int64_t getElementBytes() const;
  }];
}

#endif // OCTAVO_DIALECTS_TILE_IR_TILETYPES_TD
