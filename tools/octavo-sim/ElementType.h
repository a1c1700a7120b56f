//===- ElementType.h - Number formats of the command line -------*- C++ -*-===//

#ifndef OCTAVO_TOOLS_OCTAVO_SIM_ELEMENTTYPE_H
#define OCTAVO_TOOLS_OCTAVO_SIM_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace octavo::sim {

/// A type as MLIR spells it: i32, f16, bf16, f8E4M3FN ...
struct ElementType {
  llvm::StringLiteral name;
  unsigned bytes;
  enum Kind { Signed, Unsigned, Float } kind;
  /// How numpy's files name it; formats that numpy lacks are stored as their
  /// bits.
  llvm::StringLiteral npy;
};

/// The type called `name`, or null.
const ElementType *lookupElementType(llvm::StringRef name);

/// Names of all types, for messages.
std::string listElementTypes();

/// Writes `value` in the format of `type`, rounded to nearest even; what is too
/// large becomes the largest finite number.
void storeReal(const ElementType &type, double value, uint8_t *to);

/// Reads a number of the command line; false if `text` is none of that type.
bool storeText(const ElementType &type, llvm::StringRef text, uint8_t *to);

} // namespace octavo::sim

#endif // OCTAVO_TOOLS_OCTAVO_SIM_ELEMENTTYPE_H
