//===- Fault.h - Faults of the host that are no end of it -------*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_FAULT_H
#define OCTAVO_SIMULATOR_FAULT_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace octavo::sim {

/// Makes faults of the host in memory instructions errors of their waves, and
/// those under `survivesFault` its result; for each launch and each decoder, as
/// others may have replaced the handlers since the last one.
void installFaultHandlers();

/// Calls `action`, which must hold no lock; false if it touched memory that is
/// not mapped. What it had allocated is lost then.
bool survivesFault(llvm::function_ref<void()> action);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_FAULT_H
