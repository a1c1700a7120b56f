//===- TraceProgram.h - Decoded instructions for the model ------*- C++ -*-===//

#ifndef OCTAVO_LIB_SIMULATOR_TIMING_TRACEPROGRAM_H
#define OCTAVO_LIB_SIMULATOR_TIMING_TRACEPROGRAM_H

#include "lib/Simulator/Program.h"
#include "lib/Simulator/Timing/Constants.h"
#include "lib/Simulator/Timing/Trace.h"

namespace octavo::sim {

/// Instruction i is what the cycle model sees of `program.instructions()[i]`.
std::vector<TraceInst> makeTraceProgram(const Program &program,
                                        const TimingConstants &constants);

} // namespace octavo::sim

#endif // OCTAVO_LIB_SIMULATOR_TIMING_TRACEPROGRAM_H
