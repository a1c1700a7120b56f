//===- TraceRecorder.h - Tracing sampled workgroups -------------*- C++ -*-===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_TRACERECORDER_H
#define OCTAVO_LIB_SIMULATOR_TIMING_TRACERECORDER_H

#include "lib/Simulator/Observer.h"
#include "lib/Simulator/Timing/Prediction.h"

#include <map>

namespace octavo::sim {

/// Writes the trace of one workgroup.
class WorkgroupRecorder : public Observer {
public:
  /// `stepLimit` steps of each wave are kept.
  WorkgroupRecorder(llvm::StringRef arch, const TimingConstants &constants,
                    llvm::ArrayRef<TraceInst> program, uint64_t stepLimit);

  void beginWorkgroup(const Workgroup &group,
                      llvm::ArrayRef<Wave *> waves) override;
  void instruction(Wave &wave, const Inst &inst) override;
  void memory(Wave &wave, const Inst &inst, llvm::ArrayRef<uint64_t> addresses,
              uint64_t lanes, uint32_t bytes) override;

  WorkgroupTrace trace;

private:
  TraceAccess &getAccess(TraceStep &step);
  void addLines(TraceAccess &access, llvm::ArrayRef<uint64_t> addresses,
                uint64_t lanes, uint32_t bytes);

  llvm::StringRef arch;
  const TimingConstants &constants;
  llvm::ArrayRef<TraceInst> program;
  uint64_t stepLimit;
  /// Per wave: the current instruction is kept.
  std::vector<bool> keeps;
};

/// Gives each workgroup of a plan a recorder of its own.
class SampleRecorder : public Observer {
public:
  SampleRecorder(llvm::StringRef arch, const TimingConstants &constants,
                 llvm::ArrayRef<TraceInst> program, const SamplePlan &plan,
                 uint64_t waves);

  Observer *select(uint64_t workgroup) override;
  bool allowsThreads() const override { return true; }

  /// The traces, after the launch.
  std::vector<SampledGroup> samples() const;

private:
  struct Sample {
    WorkgroupRecorder recorder;
    bool onXcd = false, inGrid = false, xcdEdge = false, gridEdge = false;
  };
  std::map<uint64_t, Sample> groups;
};

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_TRACERECORDER_H
