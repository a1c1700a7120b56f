//===- Prediction.h - Launches with a predicted time ------------*- C++ -*-===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_PREDICTION_H
#define OCTAVO_LIB_SIMULATOR_HIP_PREDICTION_H

#include "octavo/Simulator/Device.h"

#include "llvm/Support/JSON.h"

namespace octavo::hip {

/// Runs the launch and sets `predictedUs`. The timing model runs once for each
/// distinct launch; its answer is kept for equal ones. With `onlySamples` no
/// more runs than the model needs, and for a known launch nothing.
llvm::Expected<sim::LaunchReport>
launchTimed(const sim::CodeObject &object, const sim::KernelDescriptor &kernel,
            const sim::LaunchConfig &config, bool onlySamples,
            double &predictedUs);

/// What the timing model said of each distinct launch, as values of an array.
void writePredictions(llvm::json::OStream &json);

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_PREDICTION_H
