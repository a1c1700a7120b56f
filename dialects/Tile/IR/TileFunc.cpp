//===- TileFunc.cpp - tile.func and its coordinates -----------------------===//

#include "dialects/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace octavo::tile;

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto build = [](Builder &builder, ArrayRef<Type> arguments,
                  ArrayRef<Type> results, function_interface_impl::VariadicFlag,
                  std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), build,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

int64_t FuncOp::getWaves() {
  auto waves = (*this)->getAttrOfType<IntegerAttr>(getWavesAttrName());
  return waves ? waves.getInt() : 4;
}

LogicalResult FuncOp::verify() {
  // (C1)
  if (!getResultTypes().empty())
    return emitOpError("expected no results, got ") << getResultTypes().size();
  // (C2)
  for (auto [i, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<ViewType, FloatType>(type) && !type.isSignlessInteger())
      return emitOpError("expected argument ")
             << i << " to be a view, a signless integer or a float, got "
             << type;
  // (C3)
  if (Attribute attr = (*this)->getAttr(getWavesAttrName())) {
    auto waves = dyn_cast<IntegerAttr>(attr);
    if (!waves || waves.getInt() < 1 || waves.getInt() > 16 ||
        !llvm::isPowerOf2_64(waves.getInt()))
      return emitOpError("expected tile.waves to be 1, 2, 4, 8 or 16, got ")
             << attr;
  }
  // (C4)
  if (Attribute attr = (*this)->getAttr(getGridAttrName())) {
    auto grid = dyn_cast<ArrayAttr>(attr);
    bool good =
        grid && grid.size() == 3 && llvm::all_of(grid, [](Attribute size) {
          auto n = dyn_cast<IntegerAttr>(size);
          return n && n.getInt() > 0;
        });
    if (!good)
      return emitOpError(
                 "expected tile.grid to be three positive integers, got ")
             << attr;
  }
  return success();
}

LogicalResult WorkgroupIdOp::verify() {
  // (C1)
  if (getDimension() > 2)
    return emitOpError("expected dimension 0, 1 or 2, got ") << getDimension();
  return success();
}
