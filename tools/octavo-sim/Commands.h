//===- Commands.h - The subcommands of octavo-sim ---------------*- C++ -*-===//

#ifndef OCTAVO_TOOLS_OCTAVO_SIM_COMMANDS_H
#define OCTAVO_TOOLS_OCTAVO_SIM_COMMANDS_H

#include "octavo/Simulator/Device.h"
#include <optional>

namespace octavo::sim {

/// What the process returns.
enum ExitCode {
  kSuccess = 0,
  /// The object holds unknown instructions, or the kernel failed.
  kFailure = 1,
  /// The command line or a file is wrong.
  kBadInput = 2,
  /// check found something.
  kFindings = 3,
};

/// Prints `error` as octavo-sim's and returns `code`.
int fail(ExitCode code, llvm::Error error);

/// A code object for `path`; null with the error printed and `code` set.
std::shared_ptr<CodeObject> openObject(llvm::StringRef path, int &code);

/// What `run`, `check` and `profile` need.
struct RunOptions {
  std::string object, kernel;
  std::array<uint32_t, 3> grid, block;
  uint32_t dynamicLdsBytes = 0;
  bool cooperative = false;
  std::vector<std::string> arguments;
  /// Index of an argument and the file that it goes to.
  std::vector<std::pair<unsigned, std::string>> saves;
  /// File for a report as JSON; empty for none.
  std::string json;
  /// profile: runs the workgroups that the prediction needs and no others.
  bool sampled = false;
  /// check: leaves out what costs much.
  bool fast = false;
  /// profile: files for trace events and for a picture; empty for none.
  std::string trace, plot;
};

int runKernel(const RunOptions &options);
int checkKernel(const RunOptions &options);
int profileKernel(const RunOptions &options);
int showInfo(llvm::StringRef path, uint32_t workgroupLanes);
/// Prints the mnemonics that the simulator executes.
int showInstructions();
int disassemble(llvm::StringRef path, llvm::StringRef kernel);
/// Prints what to export so that a HIP program runs here. `executable` is this
/// command's own path.
int showEnvironment(llvm::StringRef executable, llvm::StringRef target);

} // namespace octavo::sim

#endif // OCTAVO_TOOLS_OCTAVO_SIM_COMMANDS_H
