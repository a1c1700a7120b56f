//===- Checker.h - Observers that look for violations -----------*- C++ -*-===//
//
// One LaunchChecker a launch; one GroupChecker for each workgroup that runs.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_CHECK_CHECKER_H
#define OCTAVO_LIB_SIMULATOR_CHECK_CHECKER_H

#include "lib/Simulator/Check/Path.h"
#include "lib/Simulator/Check/Races.h"
#include "lib/Simulator/Check/Uninitialized.h"
#include "lib/Simulator/Run.h"
#include "octavo/Simulator/Check.h"

#include <set>

namespace octavo::sim::check {

/// A word of device memory that nobody wrote; in registers and LDS it is the
/// same (ResidentWorkgroup.cpp).
constexpr uint32_t kUninitialized = 0x7fa5dead;

/// Which memory the addresses of an instruction mean.
enum class Space : uint8_t { None, Global, Scratch, Flat, Lds };

/// Where memory instructions may go.
class AddressMap {
public:
  void add(uint64_t base, uint64_t bytes, bool isFreed = false);
  /// To be called after the last `add`.
  void sort();
  /// The extent that holds all of [address, address + bytes), or null.
  const MemoryExtent *find(uint64_t address, uint64_t bytes) const;
  /// How an address lies to the extent next to it, for messages.
  std::string describe(uint64_t address, uint64_t bytes, CheckKind &kind) const;

private:
  const MemoryExtent *atOrBelow(uint64_t address) const;
  std::vector<MemoryExtent> extents;
};

class GroupChecker;

class LaunchChecker : public Observer {
public:
  LaunchChecker(const CodeObject &object, const KernelDescriptor &kernel,
                CheckLevel level,
                std::optional<llvm::ArrayRef<MemoryExtent>> memory,
                std::vector<CheckReport> &findings);
  ~LaunchChecker() override;

  void beginLaunch(const LaunchState &launch) override;
  Observer *select(uint64_t workgroup) override;
  unsigned patience() const override { return 40; }

  bool isFull() const { return level == CheckLevel::Full; }
  /// Adds a report unless there is one of this kind at this instruction.
  void report(CheckKind kind, const Wave &wave, const Inst &inst, int lane,
              const llvm::Twine &message);
  void reportPath(const Wave &wave, const PathFinding &finding);
  /// Where an instruction stands, for messages about another one.
  std::string place(uint32_t ordinal) const;
  /// False, after a report, if an access is outside of memory.
  bool checkBounds(const Wave &wave, const Inst &inst,
                   llvm::ArrayRef<uint64_t> addresses, uint64_t lanes,
                   uint32_t bytes);
  Space spaceOf(const Inst &inst) const { return spaces[inst.ordinal]; }
  void retire(GroupChecker &group);

  const CodeObject &object;
  const KernelDescriptor &kernel;
  PathAutomaton paths;
  const LaunchState *launch = nullptr;
  /// Accesses of device memory.
  ShadowMemory global;

private:
  CheckLevel level;
  std::optional<llvm::ArrayRef<MemoryExtent>> memory;
  std::vector<CheckReport> &findings;
  std::set<std::pair<CheckKind, uint32_t>> seen;
  AddressMap map;
  std::vector<Space> spaces;
  /// The extent that an instruction used last.
  std::vector<const MemoryExtent *> lastExtent;
  std::vector<std::unique_ptr<GroupChecker>> groups, idle;
};

class GroupChecker : public Observer {
public:
  explicit GroupChecker(LaunchChecker &launch) : launch(launch) {}
  void setNumber(uint64_t linear) { number = linear; }

  bool followsPaths() const override { return !launch.isFull(); }
  void beginWorkgroup(const Workgroup &group,
                      llvm::ArrayRef<Wave *> waves) override;
  void endWorkgroup(const Workgroup &group) override;
  void path(Wave &wave, const Inst &first, const Inst &last) override;
  void instruction(Wave &wave, const Inst &inst) override;
  void memory(Wave &wave, const Inst &inst, llvm::ArrayRef<uint64_t> addresses,
              uint64_t lanes, uint32_t bytes) override;
  void barrier(const Workgroup &group) override;
  void deadlock(Wave &wave) override;

private:
  struct WaveState {
    uint32_t path = 0;
    /// The last instruction that was seen.
    const Inst *last = nullptr;
    /// Full checks only.
    WaveClock clock;
    RegisterShadow registers;
  };

  void beginFull();
  void followFull(Wave &wave, const Inst &inst);
  /// Notes an access in LDS or in memory and reports a race.
  void noteAccess(Wave &wave, const Inst &inst, ShadowMemory &shadow,
                  Queue queue, uint64_t address, unsigned lane, uint32_t bytes,
                  bool isWrite);
  void followMemory(Wave &wave, const Inst &inst, bool isLds,
                    llvm::ArrayRef<uint64_t> addresses, uint64_t lanes,
                    uint32_t bytes);
  void followLdsDma(Wave &wave, const Inst &inst, uint32_t bytes);
  void loadUndefined(Wave &wave, const Inst &inst, bool isLds, uint64_t address,
                     unsigned lane, uint32_t bytes);
  bool storesWhatIsThere(const Wave &wave, const Inst &inst,
                         const uint8_t *place, unsigned lane,
                         uint32_t bytes) const;

  void checkLds(Wave &wave, const Inst &inst,
                llvm::ArrayRef<uint64_t> addresses, uint64_t lanes,
                uint32_t bytes);

  LaunchChecker &launch;
  std::vector<Wave *> waves;
  std::vector<WaveState> states;
  ShadowMemory lds;
  /// Bytes of LDS that were written.
  std::vector<bool> ldsDefined;
  uint64_t number = 0;
};

} // namespace octavo::sim::check

#endif // OCTAVO_LIB_SIMULATOR_CHECK_CHECKER_H
