//===- Complex.h - Operators that also take complex numbers -----*- C++ -*-===//

#ifndef OCTAVO_PASSES_ATENTOOCTAVO_COMPLEX_H
#define OCTAVO_PASSES_ATENTOOCTAVO_COMPLEX_H

#include "passes/AtenToOctavo/Call.h"

namespace octavo {

/// self * other or self / other with a complex result.
Results complexProduct(Call &call, bool divide);
/// abs of a complex tensor.
Results complexSize(Call &call);

} // namespace octavo

#endif // OCTAVO_PASSES_ATENTOOCTAVO_COMPLEX_H
