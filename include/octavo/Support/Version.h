//===- Version.h - Which build of Octavo this is ----------------*- C++ -*-===//

#ifndef OCTAVO_SUPPORT_VERSION_H
#define OCTAVO_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace octavo {

/// The release, for example "0.1.0".
llvm::StringRef getVersion();

} // namespace octavo

#endif // OCTAVO_SUPPORT_VERSION_H
