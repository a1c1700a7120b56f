//===- Interpreter.h - What a module computes, on the host ------*- C++ -*-===//
//
// The oracle of the compiler's tests: it executes functions of upstream tensor
// ops and of Octavo's dialects element by element, with no thought of speed,
// and shares no code with the passes that it judges.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_REFERENCE_INTERPRETER_H
#define OCTAVO_REFERENCE_INTERPRETER_H

#include "octavo/Reference/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/Error.h"

namespace octavo::reference {

/// Runs `function` on `inputs` (one tensor per argument, of the argument's
/// shape and element type). An op without a meaning here is an error that names
/// it and its location.
llvm::Expected<std::vector<HostTensor>> run(mlir::func::FuncOp function,
                                            std::vector<HostTensor> inputs);

} // namespace octavo::reference

#endif // OCTAVO_REFERENCE_INTERPRETER_H
