//===- Run.h - Running waves and workgroups ---------------------*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_RUN_H
#define OCTAVO_SIMULATOR_RUN_H

#include "Fault.h"
#include "Observer.h"
#include "octavo/Simulator/Device.h"
#include <memory>
#include <random>

namespace octavo::sim {

/// Runs a wave until it stops or has executed `budget` instructions.
void runWave(Wave &wave, uint64_t budget);

/// What all workgroups of a launch share.
struct LaunchState {
  const CodeObject &object;
  const KernelDescriptor &kernel;
  const LaunchConfig &config;
  const Options &options;
  /// The kernarg segment with hidden arguments, the dispatch packet and the
  /// queue as far as a kernel may read them.
  std::vector<uint8_t> kernarg, packet, queue;
  uint32_t groups[3];
  uint32_t ldsBytes;
  const Inst *entry;
};

/// The memory of one resident workgroup, reused for the next.
class ResidentWorkgroup {
public:
  enum class Outcome { Done, Waiting, Failed };

  ResidentWorkgroup(const LaunchState &launch, uint64_t *counts);
  ~ResidentWorkgroup();

  /// Prepares workgroup number `linear`.
  void start(uint64_t linear);
  /// Runs until it ends, fails, or all its waves wait for something outside.
  Outcome run();
  /// Ends it: its waves wait for what nobody will do.
  void endDeadlock();
  /// Valid after a failure: "message at instruction".
  std::string error() const;
  void addCounters(LaunchCounters &counters) const;
  uint64_t linear() const { return number; }

private:
  void startWave(unsigned index);
  void setScalars(Wave &wave);
  void setLaneIds(Wave &wave, unsigned index);
  bool releaseBarrier();
  std::vector<unsigned> order();

  const LaunchState &launch;
  uint64_t *counts;
  uint64_t number = 0;
  Workgroup group;
  Observer *observer = nullptr;
  std::vector<Wave *> waves;
  std::unique_ptr<uint8_t[]> lds;
  std::vector<uint8_t> scratch;
  uint32_t scratchBytes = 0;
  uint32_t lanes = 0;
  std::mt19937_64 random;
};

/// Runs all workgroups; called once per launch.
llvm::Expected<LaunchReport> runWorkgroups(const LaunchState &launch);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_RUN_H
