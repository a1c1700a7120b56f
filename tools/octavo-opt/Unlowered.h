//===- Unlowered.h - What the compiler cannot lower yet ---------*- C++ -*-===//

#ifndef OCTAVO_TOOLS_OCTAVOOPT_UNLOWERED_H
#define OCTAVO_TOOLS_OCTAVOOPT_UNLOWERED_H

#include <string>
#include <vector>

namespace octavo {

/// Ops of our dialects, and forms of ops, that the compiler's phases refuse.
/// Found by running the phases over a small program for each; an op that no
/// program has is listed too, with the words "no program tries it".
std::vector<std::string> findUnlowered();

} // namespace octavo

#endif // OCTAVO_TOOLS_OCTAVOOPT_UNLOWERED_H
