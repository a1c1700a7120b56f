//===- Report.h - What was launched since the last reset --------*- C++ -*-===//
//
// A launch only moves its counters to the end of a list; adding up happens when
// the list is long or somebody asks.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_REPORT_H
#define OCTAVO_LIB_SIMULATOR_HIP_REPORT_H

#include "lib/Simulator/Hip/Command.h"
#include "octavo/Simulator/Device.h"

namespace octavo::hip {

/// Notes one finished launch.
void recordLaunch(const KernelCommand &command, sim::LaunchReport &&report,
                  std::optional<double> predictedUs);

/// Forgets all launches.
void resetReport();

/// The report as JSON (OctavoSim.h says what is in it).
std::string getReportJson();

/// One of octavoSimTiming: OCTAVO_SIM_TIMING (off, auto, on, only) or what
/// octavoSimSetTiming said last.
int getTimingMode();

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_REPORT_H
