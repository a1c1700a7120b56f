//===- Octavo.h - The octavo dialect ----------------------------*- C++ -*-===//

#ifndef OCTAVO_DIALECTS_OCTAVO_IR_OCTAVO_H
#define OCTAVO_DIALECTS_OCTAVO_IR_OCTAVO_H

#include "octavo/Target/TargetInfo.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Octavo/IR/OctavoDialect.h.inc"
#include "dialects/Octavo/IR/OctavoEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Octavo/IR/OctavoAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/Octavo/IR/OctavoOps.h.inc"

namespace octavo {

/// The target of the module around `op`; emits an error at `op` and returns
/// null if there is none.
const TargetInfo *getTargetOrError(mlir::Operation *op);

/// The shape of the scales of a tensor of `shape` whose granules lie along
/// `axis` (empty for one scale of any rank). `across` is the other dimension of
/// a block, or -1.
llvm::SmallVector<int64_t> getScaleShape(llvm::ArrayRef<int64_t> shape,
                                         GranuleAttr granule, int64_t axis,
                                         int64_t across);

/// Whether `type` is a scale's type for `granule`, `axis` and `across` as
/// `getScaleShape` has them. Dynamic sizes agree with everything.
bool isScaleShape(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> shape,
                  GranuleAttr granule, int64_t axis, int64_t across);

/// Whether `type` is a tensor with a dimension of size 0.
bool hasNoElements(mlir::Type type);

/// Row-major strides in elements.
llvm::SmallVector<int64_t> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace octavo

#endif // OCTAVO_DIALECTS_OCTAVO_IR_OCTAVO_H
