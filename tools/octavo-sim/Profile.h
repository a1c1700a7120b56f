//===- Profile.h - What a prediction says, as files -------------*- C++ -*-===//

#ifndef OCTAVO_TOOLS_OCTAVO_SIM_PROFILE_H
#define OCTAVO_TOOLS_OCTAVO_SIM_PROFILE_H

#include "octavo/Simulator/CodeObject.h"
#include "octavo/Simulator/Timing.h"

#include "llvm/Support/raw_ostream.h"

namespace octavo::sim {

/// Writes the timeline as trace events for chrome://tracing and Perfetto: a
/// process per SIMD, a thread per wave; waiting and executing alternate. The
/// unit of time is a clock cycle.
void writeTrace(llvm::raw_ostream &os, const CodeObject &object,
                const LaunchPrediction &prediction);

/// Writes an SVG picture: the roofline with this launch, the time that each
/// roof alone would take, and the waves of the replayed compute unit over time.
void writePicture(llvm::raw_ostream &os, llvm::StringRef kernel,
                  const LaunchPrediction &prediction);

} // namespace octavo::sim

#endif // OCTAVO_TOOLS_OCTAVO_SIM_PROFILE_H
