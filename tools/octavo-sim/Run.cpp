//===- Run.cpp - run and profile ------------------------------------------===//

#include "Prepare.h"

#include "octavo/Simulator/Timing.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo::sim;
using llvm::outs;
using llvm::StringRef;

int octavo::sim::runKernel(const RunOptions &options) {
  Prepared prepared;
  if (int code = prepare(options, prepared))
    return code;
  llvm::Expected<LaunchReport> report =
      launch(*prepared.object, *prepared.kernel, prepared.config);
  if (!report)
    return fail(kFailure, report.takeError());
  showCounters(*report);
  if (int code = saveArguments(options, prepared))
    return code;
  if (options.json.empty())
    return kSuccess;
  return writeJsonFile(options.json, [&](llvm::json::OStream &json) {
    writeReport(json, prepared.kernel->name, *report);
  });
}

//===----------------------------------------------------------------------===//
// profile
//===----------------------------------------------------------------------===//

static void showPrediction(const LaunchPrediction &prediction) {
  outs() << llvm::format("predicted %.2f us (%.0f cycles at %.0f MHz), bound "
                         "by %s\n",
                         prediction.microseconds, prediction.cycles,
                         prediction.clockMHz, prediction.bound.c_str())
         << prediction.residentWorkgroups
         << " workgroups resident on a compute unit, "
         << prediction.wavesPerSimd << " waves per SIMD\n"
         << "traced " << prediction.tracedWorkgroups << " of "
         << prediction.workgroups << " workgroups, replayed "
         << prediction.replayedWorkgroups << "; matrix arithmetic "
         << prediction.matrixArithmetic << "\n";
  for (const Roof &roof : prediction.roofs)
    outs() << llvm::format("  roof  %-8s %10.2f us  %3.0f %%\n",
                           roof.resource.c_str(), roof.microseconds,
                           100 * roof.microseconds / prediction.microseconds);
  double total = prediction.issueCycles;
  for (auto &entry : prediction.stallCycles)
    total += entry.second;
  outs() << llvm::format("  issue %21.0f cycles  %3.0f %%\n",
                         prediction.issueCycles,
                         100 * prediction.issueCycles / total);
  for (auto &[cause, cycles] : prediction.stallCycles)
    outs() << llvm::format("  stall %-14s %6.0f cycles  %3.0f %%\n",
                           cause.c_str(), cycles, 100 * cycles / total);
}

static void writePrediction(llvm::json::OStream &json,
                            const LaunchPrediction &prediction) {
  json.attribute("predicted_us", prediction.microseconds);
  json.attribute("cycles", prediction.cycles);
  json.attribute("clock_mhz", prediction.clockMHz);
  json.attribute("bound", prediction.bound);
  json.attributeObject("roofs", [&] {
    for (const Roof &roof : prediction.roofs)
      json.attribute(roof.resource, roof.microseconds);
  });
  json.attributeObject("stalls", [&] {
    json.attribute("issue", prediction.issueCycles);
    for (auto &[cause, cycles] : prediction.stallCycles)
      json.attribute(cause, cycles);
  });
  json.attribute("lds_conflict_share", prediction.ldsConflictShare);
  json.attribute("matrix_arithmetic", prediction.matrixArithmetic);
  json.attributeObject("memory_bytes", [&] {
    json.attribute("l2", prediction.l2Bytes);
    json.attribute("mall", prediction.mallBytes);
    json.attribute("hbm_read", prediction.hbmReadBytes);
    json.attribute("hbm_write", prediction.hbmWriteBytes);
  });
  json.attributeObject("occupancy", [&] {
    json.attribute("resident_workgroups", prediction.residentWorkgroups);
    json.attribute("waves_per_simd", prediction.wavesPerSimd);
  });
}

int octavo::sim::profileKernel(const RunOptions &options) {
  Prepared prepared;
  if (int code = prepare(options, prepared))
    return code;
  auto predict = options.sampled ? predictOnly : predictLaunch;
  llvm::Expected<TimedLaunch> timed =
      predict(*prepared.object, *prepared.kernel, prepared.config);
  if (!timed)
    return fail(kFailure, timed.takeError());
  showPrediction(timed->prediction);
  showCounters(timed->report);
  if (int code = saveArguments(options, prepared))
    return code;
  if (options.json.empty())
    return kSuccess;
  return writeJsonFile(options.json, [&](llvm::json::OStream &json) {
    writePrediction(json, timed->prediction);
    writeReport(json, prepared.kernel->name, timed->report);
  });
}
