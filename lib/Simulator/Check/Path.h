//===- Path.h - Waits and wait states along executed paths ------*- C++ -*-===//
//
// Whether a register is still to be loaded, and whether enough wait states have
// passed, depends on the path of instructions alone and not on data. So the
// state of a wave is a node of an automaton: it is computed for the first wave
// that runs a stretch of instructions in it, and looked up after that.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_CHECK_PATH_H
#define OCTAVO_LIB_SIMULATOR_CHECK_PATH_H

#include "lib/Simulator/Check/Hazards.h"

#include "llvm/ADT/DenseMap.h"
#include <map>

namespace octavo::sim::check {

/// Registers that a memory instruction has yet to write.
struct Pending {
  Span span;
  Memory memory;
  /// Later instructions of the same kind, which end later; Flat: bit 0 set
  /// after vmcnt(0), bit 1 after lgkmcnt(0).
  uint8_t later = 0;
  uint32_t producer = 0;

  bool operator==(const Pending &other) const = default;
};

struct PathState {
  llvm::SmallVector<Pending, 8> pending;
  llvm::SmallVector<Recent, 16> recent;

  bool operator==(const PathState &other) const = default;
};

enum class PathProblem : uint8_t { Unwaited, Overwritten, Hazard, Limit };

struct PathFinding {
  PathProblem problem;
  uint32_t ordinal;
  Span span;
  uint32_t producer;
  /// Hazards: the rule and wait states.
  const char *rule = nullptr;
  unsigned needed = 0, present = 0;
};

/// Registers that a wave has.
struct RegisterLimits {
  unsigned vector = 256, accumulation = 256;
};

class PathAutomaton {
public:
  PathAutomaton(const Program &program, RegisterLimits limits);

  /// The state of a wave that begins.
  uint32_t initial() const { return 0; }
  /// The state after the instructions `first` to `last` (ordinals, in the
  /// order of addresses) in `state`. New findings are appended.
  uint32_t follow(uint32_t state, uint32_t first, uint32_t last,
                  llvm::SmallVectorImpl<PathFinding> &findings);
  llvm::ArrayRef<Effects> effects() const { return effectList; }

private:
  void step(PathState &state, uint32_t ordinal,
            llvm::SmallVectorImpl<PathFinding> &findings) const;
  void wait(PathState &state, const Effects &inst) const;
  void checkPending(PathState &state, uint32_t ordinal,
                    llvm::SmallVectorImpl<PathFinding> &findings) const;
  void issue(PathState &state, uint32_t ordinal) const;
  void checkLimits(uint32_t ordinal,
                   llvm::SmallVectorImpl<PathFinding> &findings) const;
  uint32_t intern(PathState &&state);

  RegisterLimits limits;
  std::vector<Effects> effectList;
  HazardTable table;
  std::vector<PathState> states;
  std::multimap<uint64_t, uint32_t> byHash;
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, uint32_t> known;
};

} // namespace octavo::sim::check

#endif // OCTAVO_LIB_SIMULATOR_CHECK_PATH_H
