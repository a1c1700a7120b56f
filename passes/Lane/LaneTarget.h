//===- LaneTarget.h - The target of a lane's program ------------*- C++ -*-===//

#ifndef OCTAVO_PASSES_LANE_LANETARGET_H
#define OCTAVO_PASSES_LANE_LANETARGET_H

#include "octavo/Target/TargetInfo.h"

#include "mlir/IR/Operation.h"

namespace octavo {

/// The row of the target that the module around `op` names in `octavo.target`;
/// an error at `op` and null where there is none.
const TargetInfo *findTarget(mlir::Operation *op);

} // namespace octavo

#endif // OCTAVO_PASSES_LANE_LANETARGET_H
