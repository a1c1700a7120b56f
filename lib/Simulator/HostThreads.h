//===- HostThreads.h - Threads that outlive a launch ------------*- C++ -*-===//
//
// Starting a thread costs more than a small kernel, so they are kept. A launch
// never waits for a thread that has not begun: what the caller's own thread has
// finished until then is finished.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_HOSTTHREADS_H
#define OCTAVO_SIMULATOR_HOSTTHREADS_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace octavo::sim {

/// Runs `job` on this thread and on up to `threads - 1` others at once; returns
/// when all that have begun it are done.
void runOnHostThreads(unsigned threads, llvm::function_ref<void()> job);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_HOSTTHREADS_H
