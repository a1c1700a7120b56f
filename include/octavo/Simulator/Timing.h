//===- Timing.h - Predicted time of a launch --------------------*- C++ -*-===//
//
// A launch is executed as usual; some of its workgroups are traced, and a cycle
// model of a compute unit replays the traces. The result is a prediction at the
// peak engine clock from a cold cache, never a measurement. Every constant of
// the model has a source: lib/Simulator/Timing/Constants.def.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_TIMING_H
#define OCTAVO_SIMULATOR_TIMING_H

#include "octavo/Simulator/Device.h"

namespace octavo::sim {

/// The shortest time that one resource alone allows for the whole launch.
struct Roof {
  std::string resource; // "matrix", "vector", "lds", "l1", "l2", "mall", "hbm"
  double microseconds;
};

/// What one instruction cost the waves that were replayed.
struct InstructionCost {
  /// Index in Program::instructions(), and byte offset in the image.
  uint32_t instruction, address;
  uint64_t issues;
  /// By cause, in the order of LaunchPrediction::stallCycles.
  std::vector<double> stallCycles;
  /// Cycles of waiting, for all causes.
  double waited() const;
};

/// One execution of an instruction by a wave of the compute unit that was
/// replayed: it waited from `turn` to `issue` for `cause` (an index into
/// LaunchPrediction::stallCycles).
struct TimelineEvent {
  uint32_t simd, wave, workgroup, instruction;
  uint64_t turn, issue, end;
  uint32_t cause;
};

struct LaunchPrediction {
  /// Predicted time of the launch, its overhead included.
  double microseconds = 0;
  double cycles = 0, clockMHz = 0;
  /// The resource with the highest roof if that explains at least 70 % of the
  /// cycles; else "latency". "launch" if the overhead is most of the time.
  std::string bound;
  std::vector<Roof> roofs;
  /// Cycles that waves waited for their next issue, by cause, summed over the
  /// waves that were replayed; `issueCycles` is their time of issuing.
  std::vector<std::pair<std::string, double>> stallCycles;
  double issueCycles = 0;
  /// Executed instructions in order of their addresses.
  std::vector<InstructionCost> instructions;
  /// The first executions, if PredictOptions asks for them.
  std::vector<TimelineEvent> timeline;
  /// Of the whole launch: floating-point operations of matrix instructions, and
  /// lane operations of vector instructions.
  double matrixOperations = 0, vectorOperations = 0;
  /// LDS cycles beyond those without bank conflicts, as a share of LDS cycles.
  double ldsConflictShare = 0;
  /// Bytes of the whole launch below each cache.
  double l2Bytes = 0, mallBytes = 0, hbmReadBytes = 0, hbmWriteBytes = 0;
  uint32_t residentWorkgroups = 0, wavesPerSimd = 0;
  /// What keeps more workgroups from being resident, as `octavo-sim info` says.
  std::string occupancyLimit;
  uint64_t workgroups = 0, tracedWorkgroups = 0, replayedWorkgroups = 0;
  /// "done", "left out" (no address, branch or mask depends on it), or why it
  /// could not be left out.
  std::string matrixArithmetic = "done";
};

struct TimedLaunch {
  LaunchReport report;
  LaunchPrediction prediction;
};

struct PredictOptions {
  /// Events of LaunchPrediction::timeline that are kept.
  size_t timelineEvents = 0;
};

/// Runs the launch like `launch` and predicts its time. `config.observer` must
/// be null. Errors: those of `launch`, and a chip without a timing model.
llvm::Expected<TimedLaunch> predictLaunch(const CodeObject &object,
                                          const KernelDescriptor &kernel,
                                          const LaunchConfig &config,
                                          const PredictOptions &options = {});

/// Predicts the time of a launch and runs no more of it than that needs: the
/// sampled workgroups, without the matrix arithmetic on which only data depends
/// (findMatrixUse). Their stores happen, with values that mean nothing. For
/// choosing among kernels; grids whose workgroups wait for each other cannot be
/// predicted so. The report counts what ran.
llvm::Expected<TimedLaunch> predictOnly(const CodeObject &object,
                                        const KernelDescriptor &kernel,
                                        const LaunchConfig &config,
                                        const PredictOptions &options = {});

/// Launches with equal keys are predicted alike, so a prediction may be kept:
/// the code, kernel, grid, workgroup, LDS and the arguments that are not
/// pointers. (What the data decides, say where a loop ends, is not in it.)
std::string getPredictionKey(const CodeObject &object,
                             const KernelDescriptor &kernel,
                             const LaunchConfig &config);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_TIMING_H
