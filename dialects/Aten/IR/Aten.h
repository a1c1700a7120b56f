//===- Aten.h - The aten dialect --------------------------------*- C++ -*-===//

#ifndef OCTAVO_DIALECTS_ATEN_IR_ATEN_H
#define OCTAVO_DIALECTS_ATEN_IR_ATEN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

#include "dialects/Aten/IR/AtenDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Aten/IR/AtenAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Aten/IR/AtenTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/Aten/IR/AtenOps.h.inc"

#endif // OCTAVO_DIALECTS_ATEN_IR_ATEN_H
