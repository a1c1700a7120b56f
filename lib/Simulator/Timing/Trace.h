//===- Trace.h - What the cycle model replays -------------------*- C++ -*-===//
//
// A trace is what the waves of one workgroup executed. It knows registers,
// units and memory lines, but neither values nor the machine that ran them, so
// that tests can write one by hand.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_TRACE_H
#define OCTAVO_LIB_SIMULATOR_TIMING_TRACE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <vector>

namespace octavo::sim {

/// Instruction categories of which a SIMD issues one each in its turn.
enum class IssueUnit : uint8_t {
  Vector,
  Matrix, // issues through the vector port
  Scalar,
  ScalarMemory,
  Lds,
  VectorMemory,
  Branch,
  Internal, // s_waitcnt, s_nop, ...: in the instruction buffer
};
inline constexpr unsigned issueUnits = 8;

enum class InternalAction : uint8_t {
  None,
  Nop,
  Wait,
  Barrier,
  SetPriority,
  Sleep,
  End
};

/// Registers in one numbering: 0-511 vector and accumulation registers, 512 and
/// up scalar ones, then SCC.
inline constexpr uint16_t firstScalarRegister = 512;
inline constexpr uint16_t sccRegister = 512 + 128;
inline constexpr uint16_t registerCount = sccRegister + 1;

struct RegisterSpan {
  uint16_t first, count;
};

/// One instruction of the program as the model sees it.
struct TraceInst {
  IssueUnit unit = IssueUnit::Internal;
  InternalAction action = InternalAction::None;
  /// s_nop, s_setprio, s_sleep: the operand.
  uint16_t value = 0;
  /// s_waitcnt: operations that may stay outstanding.
  uint16_t waitVector = 63, waitLgkm = 15;
  /// Cycles for which the unit of its SIMD is busy, and until others may read
  /// what it writes.
  uint16_t busyCycles = 4, latency = 4;
  /// Matrix instructions: passes of 4 cycles; reads[accumulator] is SrcC.
  uint16_t passes = 0;
  /// Matrix instructions: multiplications and additions.
  double operations = 0;
  int8_t accumulator = -1;
  bool isStore = false, isAtomic = false, returns = false, toLds = false;
  llvm::SmallVector<RegisterSpan, 2> writes;
  llvm::SmallVector<RegisterSpan, 5> reads;
};

/// Where a line is found at its first use by a compute unit.
enum class MemoryLevel : uint8_t { L1, L2, Mall, Hbm };

/// What one execution of a memory instruction touches.
struct TraceAccess {
  /// Distinct lines in the pool of the trace.
  uint32_t firstLine = 0, lineCount = 0;
  /// 64-byte sectors that are moved, which is what L1 spends cycles on.
  uint32_t sectors = 0;
  /// Bytes that lanes read or write.
  uint32_t bytes = 0;
  /// LDS cycles, and what they would be without bank conflicts.
  uint32_t ldsCycles = 0, ldsIdealCycles = 0;
};

inline constexpr uint32_t noAccess = ~0u;

struct TraceStep {
  /// Index into the instructions of the program, and into the accesses.
  uint32_t inst, access = noAccess;
};

struct WaveTrace {
  std::vector<TraceStep> steps;
  /// Instructions executed, of which `steps` may hold only the first.
  uint64_t executed = 0;
};

struct WorkgroupTrace {
  uint64_t linear = 0;
  std::vector<WaveTrace> waves;
  std::vector<TraceAccess> accesses;
  /// Line numbers (address / line size).
  std::vector<uint64_t> lines;

  uint64_t countExecuted() const {
    uint64_t sum = 0;
    for (const WaveTrace &wave : waves)
      sum += wave.executed;
    return sum;
  }
  uint64_t countSteps() const {
    uint64_t sum = 0;
    for (const WaveTrace &wave : waves)
      sum += wave.steps.size();
    return sum;
  }
};

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_TRACE_H
