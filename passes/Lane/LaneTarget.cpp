//===- LaneTarget.cpp - The target of a lane's program --------------------===//

#include "passes/Lane/LaneTarget.h"

using namespace mlir;

const octavo::TargetInfo *octavo::findTarget(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp()) {
    auto name = scope->getAttrOfType<StringAttr>("octavo.target");
    if (!name)
      continue;
    if (const TargetInfo *row = lookupTarget(name.getValue()))
      return row;
    op->emitError() << "unknown target '" << name.getValue() << "'";
    return nullptr;
  }
  op->emitError() << "expected a module with an 'octavo.target' attribute";
  return nullptr;
}
