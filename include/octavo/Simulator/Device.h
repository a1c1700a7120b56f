//===- Device.h - Launching kernels on the simulated GPU --------*- C++ -*-===//
//
// One call runs one kernel to its end. Device memory is host memory: pointers
// in the kernel arguments are used as they are. A fault is an error that names
// the kernel and the instruction.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_DEVICE_H
#define OCTAVO_SIMULATOR_DEVICE_H

#include "octavo/Simulator/CodeObject.h"
#include <map>

namespace octavo::sim {

class Observer;

/// Settings of the simulator, read once from the environment.
struct Options {
  /// OCTAVO_SIM_ORDER: permutes the order of workgroups and of waves; 0 keeps
  /// the hardware's usual order.
  uint64_t order = 0;
  /// OCTAVO_SIM_THREADS: host threads for workgroups; 0 means all cores.
  unsigned threads = 0;
  /// OCTAVO_SIM_DETERMINISTIC: kernels with atomics on memory run on one host
  /// thread, so that their order is fixed by `order` alone.
  bool deterministic = true;
  /// OCTAVO_SIM_LIMIT: instructions that one wave may execute before the launch
  /// is reported as a hang; 0 means no limit.
  uint64_t instructionLimit = uint64_t(1) << 32;
};

/// The options of this process.
const Options &getOptions();

struct LaunchConfig {
  /// Work items per dimension in the grid, and in a workgroup. The grid need
  /// not be a multiple of the workgroup.
  std::array<uint32_t, 3> gridItems = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint32_t dynamicLdsBytes = 0;
  /// The explicit arguments at their offsets; may be shorter than the kernarg
  /// segment. Hidden arguments are filled in by the launch.
  llvm::ArrayRef<uint8_t> kernarg;
  bool cooperative = false;
  /// Sees the instructions of the workgroups that it selects, if not null.
  Observer *observer = nullptr;
  /// Runs these workgroups (linear numbers, ascending) and no others: for
  /// predictions whose results nobody wants.
  std::optional<llvm::ArrayRef<uint64_t>> only;
  /// Leaves the results of matrix instructions as they were before; only for
  /// workgroups with an observer.
  bool skipMatrix = false;

  /// Sets the grid as whole workgroups. Call after `block` is set.
  void setGrid(uint32_t x, uint32_t y, uint32_t z) {
    gridItems = {x * block[0], y * block[1], z * block[2]};
  }
};

/// What was executed. Only executed instructions count; s_nop and s_waitcnt are
/// not executed without an observer and then not counted.
struct LaunchCounters {
  uint64_t workgroups = 0, waves = 0, waveInstructions = 0;
  /// By class of instruction.
  uint64_t scalar = 0, scalarMemory = 0, vector = 0, matrix = 0, lds = 0,
           vectorMemory = 0, branch = 0, other = 0;
  /// Bytes moved by active lanes.
  uint64_t bytesLoaded = 0, bytesStored = 0, ldsBytesRead = 0,
           ldsBytesWritten = 0;
  /// Executed wave instructions by base mnemonic.
  std::map<std::string, uint64_t> mnemonics;
};

struct LaunchReport {
  LaunchCounters counters;
  /// Numeric models of the matrix instructions that were executed.
  std::vector<std::string> matrixModels;
  double hostSeconds = 0;
  /// Processor time of the whole process meanwhile, over all its threads.
  double processorSeconds = 0;
};

/// Runs `kernel` of `object` on all workgroups of the grid. Errors: a launch
/// that the hardware refuses, a memory fault, a hang, barriers that not all
/// waves reach; each names the kernel and, if there is one, the instruction.
llvm::Expected<LaunchReport> launch(const CodeObject &object,
                                    const KernelDescriptor &kernel,
                                    const LaunchConfig &config);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_DEVICE_H
