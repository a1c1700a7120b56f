//===- TileOps.td - Operations of the tile dialect ---------*- tablegen -*-===//

#ifndef OCTAVO_DIALECTS_TILE_IR_TILEOPS_TD
#define OCTAVO_DIALECTS_TILE_IR_TILEOPS_TD

include "dialects/Tile/IR/TileAttrs.td"
include "dialects/Tile/IR/TileDialect.td"
include "dialects/Tile/IR/TileTypes.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def Tile_Tensor : StaticShapeTensorOf<[AnyFloat, AnySignlessInteger, Index]>;
def Tile_OffsetTensor : StaticShapeTensorOf<[I32, I64]>;
def Tile_MaskTensor : StaticShapeTensorOf<[I1]>;
def Tile_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger, Index]>;
def Tile_Offset : AnyTypeOf<[Index, I32, I64]>;

include "dialects/Tile/IR/TileFuncOps.td"
include "dialects/Tile/IR/TileMatrixOps.td"
include "dialects/Tile/IR/TileMemoryOps.td"
include "dialects/Tile/IR/TileReduceOps.td"
include "dialects/Tile/IR/TileShapeOps.td"

#endif // OCTAVO_DIALECTS_TILE_IR_TILEOPS_TD
