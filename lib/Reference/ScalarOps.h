//===- ScalarOps.h - The meaning of scalar ops ------------------*- C++ -*-===//

#ifndef OCTAVO_LIB_REFERENCE_SCALAROPS_H
#define OCTAVO_LIB_REFERENCE_SCALAROPS_H

#include "octavo/Reference/HostTensor.h"

#include "mlir/IR/Operation.h"

namespace octavo::reference {

/// Computes the one result of a scalar op from its operands.
using ScalarFunction = Scalar (*)(mlir::Operation *op, const Scalar *operands);

/// Returns the meaning of an `arith`, `math` or `complex` op, or null.
ScalarFunction lookupScalarOp(mlir::Operation *op);

/// The value of a constant of integer, index, float or complex type.
Scalar constantScalar(mlir::Attribute attribute);

/// Wraps `value` to the width of an integer type, sign-extended unless the
/// type is unsigned; booleans are 0 or 1.
int64_t wrapToType(int64_t value, mlir::Type type);

} // namespace octavo::reference

#endif // OCTAVO_LIB_REFERENCE_SCALAROPS_H
