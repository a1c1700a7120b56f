//===- Check.h - Launches that report what is wrong -------------*- C++ -*-===//
//
// Runs a kernel and reports what hardware would not report: results read before
// they are there, missing wait states, accesses outside of memory, races,
// values that were never written.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_CHECK_H
#define OCTAVO_SIMULATOR_CHECK_H

#include "octavo/Simulator/Device.h"

namespace octavo::sim {

enum class CheckLevel { Off, Fast, Full };

/// OCTAVO_SIM_CHECK: off (default), fast or full; an error for anything else.
llvm::Expected<CheckLevel> getCheckLevel();

/// Memory that a kernel may use, or that was freed.
struct MemoryExtent {
  uint64_t base = 0, bytes = 0;
  bool isFreed = false;
};

/// Fills memory with what full checks take for never written.
void fillUninitialized(void *memory, size_t bytes);

enum class CheckKind {
  Unwaited,      // a register is used before its load has ended
  Hazard,        // too few wait states
  OutOfBounds,   // outside of all known memory, or of the workgroup's LDS
  UseAfterFree,  // inside memory that was freed
  Race,          // two waves, no order between them
  Uninitialized, // a value that nobody wrote decides or is stored
  Barrier,       // waves meet at different barriers, or one of them has ended
  Deadlock,      // all waves wait
  Misaligned,
  PartialExec, // lanes are off where hardware needs all of them
  Limit,       // registers that the wave does not have
};

/// "hazard", "out of bounds", ...
llvm::StringRef getCheckName(CheckKind kind);

/// One violation. The same instruction is reported once per kind and launch.
struct CheckReport {
  CheckKind kind;
  std::string kernel;
  /// Of the instruction in the code object, its text, and "file.c:12" if the
  /// object has line tables.
  uint64_t address = 0;
  std::string instruction, source;
  std::array<uint32_t, 3> workgroup = {0, 0, 0};
  uint32_t wave = 0;
  /// The first lane that is concerned; -1 if the whole wave is.
  int lane = -1;
  std::string message;

  /// All of it in one line.
  std::string text() const;
};

/// Like `launch`, with checks. `memory` is what the kernel may use besides its
/// arguments and code; null to allow any address. Findings are appended in the
/// order in which they occurred, also when the launch fails; an access outside
/// of memory ends the launch.
llvm::Expected<LaunchReport>
launchChecked(const CodeObject &object, const KernelDescriptor &kernel,
              const LaunchConfig &config, CheckLevel level,
              std::optional<llvm::ArrayRef<MemoryExtent>> memory,
              std::vector<CheckReport> &findings);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_CHECK_H
