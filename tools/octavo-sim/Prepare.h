//===- Prepare.h - A launch from the command line ---------------*- C++ -*-===//

#ifndef OCTAVO_TOOLS_OCTAVO_SIM_PREPARE_H
#define OCTAVO_TOOLS_OCTAVO_SIM_PREPARE_H

#include "Argument.h"
#include "Commands.h"

#include "llvm/Support/JSON.h"

namespace octavo::sim {

/// What a launch needs, alive for as long as it runs.
struct Prepared {
  std::shared_ptr<CodeObject> object;
  const KernelDescriptor *kernel = nullptr;
  std::vector<Argument> arguments;
  std::vector<uint8_t> kernarg;
  LaunchConfig config;
};

/// Loads and checks what the options say. Returns an exit code; what is wrong
/// has been printed if it is not kSuccess.
int prepare(const RunOptions &options, Prepared &prepared);

/// Writes the arguments that --save names.
int saveArguments(const RunOptions &options, const Prepared &prepared);

/// Prints what was executed.
void showCounters(const LaunchReport &report);

/// Writes "kernel", "host_us", "processor_us", "counters", "instructions" and
/// "matrix_models".
void writeReport(llvm::json::OStream &json, llvm::StringRef kernel,
                 const LaunchReport &report);

/// Opens `path` and lets `write` fill the top object. Returns an exit code.
int writeJsonFile(llvm::StringRef path,
                  llvm::function_ref<void(llvm::json::OStream &)> write);

} // namespace octavo::sim

#endif // OCTAVO_TOOLS_OCTAVO_SIM_PREPARE_H
