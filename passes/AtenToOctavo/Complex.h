//===- Complex.h - Operators that also take complex numbers -----*- C++ -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_COMPLEX_H
#define OCTAVO_PASSES_ATENTOOCTAVO_COMPLEX_H

#include "passes/AtenToOctavo/Call.h"

namespace octavo {

/// self * other or self / other with a complex result.
Results complexProduct(Call &call, bool divide);
/// a + alpha * b or a - alpha * b with a complex result.
Results complexSum(Call &call, Operand a, Operand b, mlir::Attribute alpha,
                   bool subtract);
/// The result filled with one real or complex number.
Results complexConstant(Call &call, mlir::Attribute number);
/// abs of a complex tensor.
Results complexSize(Call &call);

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_COMPLEX_H
