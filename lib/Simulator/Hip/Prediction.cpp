//===- Prediction.cpp - Launches with a predicted time --------------------===//

#include "lib/Simulator/Hip/Prediction.h"

#include "octavo/Simulator/Timing.h"

#include <mutex>

using namespace octavo;
using namespace octavo::hip;
using llvm::json::OStream;

namespace {
struct Known {
  std::string kernel;
  sim::LaunchPrediction prediction;
};
struct Predictions {
  std::mutex mutex;
  std::map<std::string, Known> known;
};
} // namespace

static Predictions &getPredictions() {
  static auto *predictions = new Predictions;
  return *predictions;
}

llvm::Expected<sim::LaunchReport> hip::launchTimed(
    const sim::CodeObject &object, const sim::KernelDescriptor &kernel,
    const sim::LaunchConfig &config, bool onlySamples, double &predictedUs) {
  Predictions &predictions = getPredictions();
  std::string key = sim::getPredictionKey(object, kernel, config);
  {
    std::lock_guard lock(predictions.mutex);
    auto found = predictions.known.find(key);
    if (found != predictions.known.end()) {
      predictedUs = found->second.prediction.microseconds;
      if (onlySamples)
        return sim::LaunchReport();
      return sim::launch(object, kernel, config);
    }
  }
  llvm::Expected<sim::TimedLaunch> timed =
      onlySamples ? sim::predictOnly(object, kernel, config)
                  : sim::predictLaunch(object, kernel, config);
  if (!timed)
    return timed.takeError();
  predictedUs = timed->prediction.microseconds;
  std::lock_guard lock(predictions.mutex);
  predictions.known[key] = {kernel.name, std::move(timed->prediction)};
  return std::move(timed->report);
}

static void writePrediction(OStream &json, const Known &known) {
  const sim::LaunchPrediction &p = known.prediction;
  json.object([&] {
    json.attribute("kernel", known.kernel);
    json.attribute("predicted_us", p.microseconds);
    json.attribute("cycles", p.cycles);
    json.attribute("clock_mhz", p.clockMHz);
    json.attribute("bound", p.bound);
    json.attributeObject("roofs_us", [&] {
      for (const sim::Roof &roof : p.roofs)
        json.attribute(roof.resource, roof.microseconds);
    });
    json.attribute("issue_cycles", p.issueCycles);
    json.attributeObject("stall_cycles", [&] {
      for (auto &[cause, cycles] : p.stallCycles)
        json.attribute(cause, cycles);
    });
    json.attribute("lds_conflict_share", p.ldsConflictShare);
    json.attribute("l2_bytes", p.l2Bytes);
    json.attribute("mall_bytes", p.mallBytes);
    json.attribute("hbm_read_bytes", p.hbmReadBytes);
    json.attribute("hbm_write_bytes", p.hbmWriteBytes);
    json.attribute("workgroups", int64_t(p.workgroups));
    json.attribute("resident_workgroups", int64_t(p.residentWorkgroups));
    json.attribute("waves_per_simd", int64_t(p.wavesPerSimd));
    json.attribute("traced_workgroups", int64_t(p.tracedWorkgroups));
    json.attribute("replayed_workgroups", int64_t(p.replayedWorkgroups));
    json.attribute("matrix_arithmetic", p.matrixArithmetic);
  });
}

void hip::writePredictions(OStream &json) {
  Predictions &predictions = getPredictions();
  std::lock_guard lock(predictions.mutex);
  for (auto &entry : predictions.known)
    writePrediction(json, entry.second);
}
