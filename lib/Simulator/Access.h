//===- Access.h - What handlers ask of the machine --------------*- C++ -*-===//
//
// Functions that are compiled once, whatever the host's instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_ACCESS_H
#define OCTAVO_SIMULATOR_ACCESS_H

#include "Machine.h"

namespace octavo::sim {

/// The instruction at an address that the wave sees, or null.
const Inst *instructionAt(const Wave &w, uint64_t address);
/// Sets MODE and what follows from it.
void setMode(Wave &w, uint32_t mode);
/// Tells the observer which addresses an instruction touches.
void observeMemory(Wave &w, const Inst &inst, const uint64_t *addresses,
                   uint64_t lanes, uint32_t bytes);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_ACCESS_H
