//===- AtenDialect.cpp - Registration of the aten dialect -----------------===//

#include "dialects/Aten/IR/Aten.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace octavo::aten;

#include "dialects/Aten/IR/AtenDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Aten/IR/AtenAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Aten/IR/AtenTypes.cpp.inc"

void AtenDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Aten/IR/AtenAttrs.cpp.inc"
      >();
}

void AtenDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Aten/IR/AtenTypes.cpp.inc"
      >();
}

void AtenDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Aten/IR/AtenOps.cpp.inc"
      >();
}
