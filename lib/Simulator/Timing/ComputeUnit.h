//===- ComputeUnit.h - The cycle model of one compute unit ------*- C++ -*-===//
//
// Waves issue in order. Every cycle belongs to one SIMD; in its turn a SIMD
// issues at most one instruction of each category, from different waves, by
// priority and then age. When an instruction issues, everything that it will
// cause is computed at once (when its results are there, when units are free),
// so that the model needs no events beside issues.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_COMPUTEUNIT_H
#define OCTAVO_LIB_SIMULATOR_TIMING_COMPUTEUNIT_H

#include "lib/Simulator/Timing/MemoryModel.h"

#include "llvm/ADT/DenseMap.h"
#include <array>
#include <deque>
#include <memory>

namespace octavo::sim {

/// Why a wave did not issue.
enum class StallCause : uint8_t {
  VectorMemory,     // s_waitcnt vmcnt
  Lgkm,             // s_waitcnt lgkmcnt: LDS and scalar memory
  Barrier,          // other waves of the workgroup
  MatrixResult,     // the result of a matrix instruction
  VectorResult,     // the result of a vector instruction
  ScalarResult,     // the result of a scalar instruction
  MatrixUnit,       // the matrix unit of its SIMD is busy
  VectorUnit,       // the vector unit of its SIMD is busy
  LdsUnit,          // LDS has too much waiting
  MemoryUnit,       // the address unit has too much waiting
  IssueSlot,        // another wave, or the turn of another SIMD
  InstructionFetch, // branches
  Nop,              // s_nop and s_sleep
};
inline constexpr unsigned stallCauses = 13;

llvm::StringRef getStallName(StallCause cause);

/// What the executions of one instruction cost.
struct InstCost {
  uint64_t issues = 0;
  std::array<uint64_t, stallCauses> stalls{};
};

/// One execution, for a picture of the waves.
struct IssueEvent {
  uint32_t simd, wave, workgroup, inst;
  /// When its turn came, when it issued, and when the next one's turn comes.
  uint64_t turn, issue, end;
  StallCause cause;
};

struct ComputeUnitConfig {
  const TimingConstants &constants;
  uint32_t simds;
  /// Workgroups that fit at the same time.
  uint32_t residentWorkgroups;
  /// Executions that are kept as events.
  size_t keptEvents = 0;
};

struct ComputeUnitResult {
  uint64_t cycles = 0;
  /// When each workgroup ended, in order of their ends.
  std::vector<uint64_t> ends;
  std::array<uint64_t, stallCauses> stalls{};
  /// Cycles for which the units were busy; per SIMD units are summed.
  uint64_t matrixBusy = 0, vectorBusy = 0, ldsBusy = 0, ldsConflicts = 0;
  uint64_t issued = 0;
  /// Floating-point operations of matrix instructions, and lanes of others.
  double matrixOperations = 0, vectorOperations = 0;
  /// Per instruction of the program.
  std::vector<InstCost> costs;
  std::vector<IssueEvent> events;
};

class ComputeUnit {
public:
  ComputeUnit(const ComputeUnitConfig &config, MemoryModel &memory,
              llvm::ArrayRef<TraceInst> program);
  ~ComputeUnit();

  /// Runs the workgroups in this order.
  ComputeUnitResult run(llvm::ArrayRef<const WorkgroupTrace *> workgroups);

private:
  struct Wave;
  struct Resident;
  /// When a wave can issue its next instruction, and what holds it until then.
  struct Readiness {
    uint64_t cycle;
    StallCause cause;
  };

  void start(const WorkgroupTrace &trace, uint64_t cycle);
  Readiness findDependency(const Wave &wave) const;
  Readiness findIssue(const Wave &wave) const;
  void issue(Wave &wave, uint64_t cycle, StallCause cause);
  void issueInternal(Wave &wave, const TraceInst &inst, uint64_t cycle);
  void issueMatrix(Wave &wave, const TraceInst &inst, uint64_t cycle);
  void issueLds(Wave &wave, const TraceInst &inst, const TraceAccess &access,
                uint64_t cycle);
  void issueMemory(Wave &wave, const TraceInst &inst, const TraceStep &step,
                   uint64_t cycle);
  void write(Wave &wave, const TraceInst &inst, uint64_t cycle,
             StallCause cause);
  void account(const Wave &wave, const TraceInst &inst, uint64_t cycle,
               StallCause cause);
  void endWave(Wave &wave);
  void releaseBarrier(Resident &group, uint64_t cycle);
  uint64_t align(uint64_t cycle, uint32_t simd) const;

  ComputeUnitConfig config;
  MemoryModel &memory;
  llvm::ArrayRef<TraceInst> program;
  std::vector<std::unique_ptr<Resident>> residents;
  std::vector<Wave *> live;
  /// Per SIMD: the next cycle at which a category may issue, and at which the
  /// matrix pipes are free.
  std::vector<std::array<uint64_t, issueUnits>> slotFree;
  std::vector<uint64_t> matrixFree;
  std::vector<uint32_t> wavesOnSimd;
  uint64_t ldsFree = 0, started = 0;
  llvm::DenseMap<const WorkgroupTrace *, uint64_t> runs;
  ComputeUnitResult result;
};

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_COMPUTEUNIT_H
