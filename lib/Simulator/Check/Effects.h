//===- Effects.h - What an instruction reads, writes and waits --*- C++ -*-===//
//
// Registers have one number space: vector registers as in Machine.h (0..511),
// then scalar registers, then SCC.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_CHECK_EFFECTS_H
#define OCTAVO_LIB_SIMULATOR_CHECK_EFFECTS_H

#include "lib/Simulator/Program.h"

#include "llvm/ADT/SmallVector.h"

namespace octavo::sim::check {

constexpr uint16_t kFirstScalar = 512;
constexpr uint16_t kScc = kFirstScalar + 128;

/// Consecutive registers.
struct Span {
  uint16_t first = 0, count = 0;

  bool overlaps(const Span &other) const {
    return first < other.first + other.count && other.first < first + count;
  }
  bool isVector() const { return first < kFirstScalar; }
  bool operator==(const Span &other) const = default;
};

/// "v[4:7]", "a0", "s12", "vcc", ...
std::string describe(const Span &span);

/// Which counters an instruction raises, and in which order it ends among its
/// like. Flat instructions raise vmcnt and lgkmcnt and end in no order.
enum class Memory : uint8_t { None, Vector, Lds, Scalar, Flat };

struct Effects {
  llvm::SmallVector<Span, 5> reads;
  llvm::SmallVector<Span, 2> writes;
  Memory memory = Memory::None;
  /// The result comes later: `writes` is ready after a wait.
  bool isDelayed = false;
  bool isVector = false, isMatrix = false, isScalar = false, isVmem = false;
  bool isTranscendental = false, isDot = false, isDpp = false;
  bool isDouble = false, isXdl = false;
  bool isLaneAccess = false, isReadLane = false, isPermlane = false;
  bool isDivFmas = false, isFmaDouble = false, isLdsDma = false;
  bool isSetReg = false, isGetReg = false, readsM0 = false;
  /// Writes a part of a register through the forwarding path.
  bool writesPart = false;
  bool isWait = false;
  /// s_waitcnt: what may still be under way.
  uint8_t vmcnt = 63, lgkmcnt = 15;
  /// Wait states that it lasts: s_nop N is N + 1.
  uint8_t states = 1;
  /// Matrix instructions: passes of 4 cycles, the accumulator that is read.
  uint8_t passes = 0;
  Span accumulator;
  /// Lane select of v_readlane and v_writelane, data of a wide store.
  Span laneSelect, wideData;
  int hardwareRegister = -1;
};

Effects makeEffects(const Program &program, const Inst &inst);

} // namespace octavo::sim::check

#endif // OCTAVO_LIB_SIMULATOR_CHECK_EFFECTS_H
