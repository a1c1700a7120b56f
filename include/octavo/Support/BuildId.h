//===- BuildId.h - Which bits of code are running ---------------*- C++ -*-===//

#ifndef OCTAVO_SUPPORT_BUILDID_H
#define OCTAVO_SUPPORT_BUILDID_H

#include <string>

namespace octavo {

/// Identifies the build of the binary that holds Octavo and of the LLVM library
/// that it runs on: two builds that might compile differently have different
/// ids.
const std::string &getBuildId();

} // namespace octavo

#endif // OCTAVO_SUPPORT_BUILDID_H
