//===- Version.cpp - Which build of Octavo this is ------------------------===//

#include "octavo/Support/Version.h"

llvm::StringRef octavo::getVersion() { return OCTAVO_VERSION; }
