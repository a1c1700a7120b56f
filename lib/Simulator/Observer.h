//===- Observer.h - Seeing every executed instruction -----------*- C++ -*-===//
//
// The checker and the timing model listen here. A workgroup with an observer
// runs in the slow loop, which executes s_nop and s_waitcnt too; without one
// nothing of this costs anything.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_OBSERVER_H
#define OCTAVO_SIMULATOR_OBSERVER_H

#include "Program.h"

namespace octavo::sim {

struct LaunchState;

class Observer {
public:
  virtual ~Observer() = default;

  /// The observer of one workgroup (a linear number), or null to run it without
  /// one. Asked before the workgroup begins, by the thread that runs it.
  virtual Observer *select(uint64_t workgroup) { return this; }
  /// Workgroups may run on several host threads.
  virtual bool allowsThreads() const { return false; }

  /// Before the first workgroup.
  virtual void beginLaunch(const LaunchState &launch) {}
  /// Wants `path` instead of `instruction` wherever an instruction's registers
  /// stand in its text.
  virtual bool followsPaths() const { return false; }
  /// All waves wait for something that nobody will do: how many turns without
  /// progress it takes to be sure; 0 never ends a launch for that.
  virtual unsigned patience() const { return 0; }

  virtual void beginWorkgroup(const Workgroup &group,
                              llvm::ArrayRef<Wave *> waves) {}
  virtual void endWorkgroup(const Workgroup &group) {}
  /// Before `inst` is executed by `wave`; `wave.index` counts within the
  /// workgroup, EXEC is in its registers.
  virtual void instruction(Wave &wave, const Inst &inst) {}
  /// After `wave` executed the instructions from `first` to `last`, in the
  /// order of addresses; s_nop and s_waitcnt in between belong to them.
  virtual void path(Wave &wave, const Inst &first, const Inst &last) {}
  /// Before memory is touched; to set `wave.error` prevents it and ends the
  /// launch. Addresses: one address per set bit of `lanes` (index =
  /// lane), or a single one of a scalar load. LDS addresses are offsets.
  virtual void memory(Wave &wave, const Inst &inst,
                      llvm::ArrayRef<uint64_t> addresses, uint64_t lanes,
                      uint32_t bytes) {}
  /// The launch ends because nothing makes progress; `wave` is one that waits.
  virtual void deadlock(Wave &wave) {}
  /// All waves that live have reached a barrier; they still wait.
  virtual void barrier(const Workgroup &group) {}
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_OBSERVER_H
