//===- OctavoDialect.cpp - Registration of the octavo dialect -------------===//

#include "dialects/Octavo/IR/Octavo.h"

using namespace mlir;
using namespace octavo;

#include "dialects/Octavo/IR/OctavoDialect.cpp.inc"

void OctavoDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Octavo/IR/OctavoOps.cpp.inc"
      >();
}

const TargetInfo *octavo::getTargetOrError(Operation *op) {
  for (Operation *at = op; at; at = at->getParentOp())
    if (auto target =
            at->getAttrOfType<TargetAttr>(OctavoDialect::getTargetAttrName()))
      return &target.getInfo();
  op->emitError("expected a module with the attribute '")
      << OctavoDialect::getTargetAttrName() << "'";
  return nullptr;
}
