//===- Tile.h - The tile dialect --------------------------------*- C++ -*-===//

#ifndef OCTAVO_DIALECTS_TILE_IR_TILE_H
#define OCTAVO_DIALECTS_TILE_IR_TILE_H

#include "octavo/Layout/LinearLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Tile/IR/TileDialect.h.inc"

#include "dialects/Tile/IR/TileEnums.h.inc"

namespace octavo {
/// Lets a layout be a parameter of an attribute.
llvm::hash_code hash_value(const LinearLayout &layout);
} // namespace octavo

#define GET_ATTRDEF_CLASSES
#include "dialects/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Tile/IR/TileTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Tile/IR/TileOps.h.inc"

namespace octavo::tile {
/// The layout on a tensor type, or null.
LayoutAttr getLayout(mlir::Type type);
/// `type` with another layout (null removes it).
mlir::RankedTensorType withLayout(mlir::Type type, LayoutAttr layout);
} // namespace octavo::tile

#endif // OCTAVO_DIALECTS_TILE_IR_TILE_H
