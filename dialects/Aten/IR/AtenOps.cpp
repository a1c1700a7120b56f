//===- AtenOps.cpp - Verifiers of the aten dialect ------------------------===//

#include "dialects/Aten/IR/Aten.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace octavo::aten;

#define GET_OP_CLASSES
#include "dialects/Aten/IR/AtenOps.cpp.inc"

//===----------------------------------------------------------------------===//
// CallOp
//===----------------------------------------------------------------------===//

LogicalResult CallOp::verify() {
  // (C1)
  auto [space, name] = getOverload().split('.');
  if (space.empty() || name.empty())
    return emitOpError("expected a namespace and a name, got '")
           << getOverload() << "'";
  // (C2)
  llvm::BitVector named(getNumOperands());
  int64_t outside = -1;
  getArgs().walk([&](OperandAttr operand) {
    if (operand.getIndex() < 0 || operand.getIndex() >= getNumOperands())
      outside = operand.getIndex();
    else
      named.set(operand.getIndex());
  });
  if (outside != -1)
    return emitOpError("expected an operand number below ")
           << getNumOperands() << ", got " << outside;
  // (C3)
  if (!named.all())
    return emitOpError("expected operand ")
           << named.find_first_unset() << " to be named by an argument";
  return success();
}
