//===- Report.cpp - What was launched since the last reset ----------------===//

#include "lib/Simulator/Hip/Report.h"

#include "lib/Simulator/Hip/Prediction.h"
#include "lib/Simulator/Hip/State.h"
#include "octavo/Simulator/OctavoSim.h"
#include "octavo/Support/Version.h"

#include "llvm/Support/JSON.h"

#include <deque>

using namespace octavo;
using namespace octavo::hip;
using llvm::json::OStream;

namespace {
/// What one kernel did in all its launches.
struct KernelTotal {
  uint64_t launches = 0;
  sim::LaunchCounters counters;
  std::map<std::string, uint64_t> models;
  double hostSeconds = 0, processorSeconds = 0, predictedUs = 0;
  uint64_t predictedLaunches = 0;
};

/// A launch as it stands in the list of launches.
struct LaunchLine {
  std::string kernel;
  dim3 grid, block;
  uint32_t dynamicLdsBytes;
  uint64_t waveInstructions, bytesLoaded, bytesStored;
  double hostSeconds;
  std::optional<double> predictedUs;
};

/// A launch whose counters are not added up yet.
struct PendingLaunch {
  std::shared_ptr<sim::CodeObject> object;
  const sim::KernelDescriptor *kernel;
  dim3 grid, block;
  uint32_t dynamicLdsBytes;
  sim::LaunchReport report;
  std::optional<double> predictedUs;
};

struct Report {
  std::mutex mutex;
  std::vector<PendingLaunch> pending;
  std::deque<LaunchLine> lines;
  uint64_t dropped = 0;
  std::map<std::string, KernelTotal> kernels;
};
} // namespace

static constexpr size_t kMaxPending = 64, kMaxLines = 16384;

static Report &getReport() {
  static auto *report = new Report;
  return *report;
}

static std::atomic<int> &timingMode() {
  static std::atomic<int> mode = [] {
    const char *text = std::getenv("OCTAVO_SIM_TIMING");
    llvm::StringRef name = text ? text : "auto";
    return name == "off"    ? OCTAVO_SIM_TIMING_OFF
           : name == "on"   ? OCTAVO_SIM_TIMING_ON
           : name == "only" ? OCTAVO_SIM_TIMING_ONLY
                            : OCTAVO_SIM_TIMING_AUTO;
  }();
  return mode;
}

int hip::getTimingMode() { return timingMode(); }

static void addCounters(sim::LaunchCounters &sum,
                        const sim::LaunchCounters &one) {
  sum.workgroups += one.workgroups;
  sum.waves += one.waves;
  sum.waveInstructions += one.waveInstructions;
  sum.scalar += one.scalar;
  sum.scalarMemory += one.scalarMemory;
  sum.vector += one.vector;
  sum.matrix += one.matrix;
  sum.lds += one.lds;
  sum.vectorMemory += one.vectorMemory;
  sum.branch += one.branch;
  sum.other += one.other;
  sum.bytesLoaded += one.bytesLoaded;
  sum.bytesStored += one.bytesStored;
  sum.ldsBytesRead += one.ldsBytesRead;
  sum.ldsBytesWritten += one.ldsBytesWritten;
  for (auto &[name, count] : one.mnemonics)
    sum.mnemonics[name] += count;
}

/// Adds the pending launches up. The lock is held.
static void fold(Report &report) {
  for (PendingLaunch &launch : report.pending) {
    const sim::LaunchCounters &counters = launch.report.counters;
    KernelTotal &total = report.kernels[launch.kernel->name];
    ++total.launches;
    addCounters(total.counters, counters);
    for (const std::string &model : launch.report.matrixModels)
      ++total.models[model];
    total.hostSeconds += launch.report.hostSeconds;
    total.processorSeconds += launch.report.processorSeconds;
    if (launch.predictedUs) {
      total.predictedUs += *launch.predictedUs;
      ++total.predictedLaunches;
    }
    if (report.lines.size() == kMaxLines) {
      report.lines.pop_front();
      ++report.dropped;
    }
    report.lines.push_back({launch.kernel->name, launch.grid, launch.block,
                            launch.dynamicLdsBytes, counters.waveInstructions,
                            counters.bytesLoaded, counters.bytesStored,
                            launch.report.hostSeconds, launch.predictedUs});
  }
  report.pending.clear();
}

void hip::recordLaunch(const KernelCommand &command, sim::LaunchReport &&result,
                       std::optional<double> predictedUs) {
  Report &report = getReport();
  std::lock_guard lock(report.mutex);
  report.pending.push_back({command.object, command.kernel, command.grid,
                            command.block, command.dynamicLdsBytes,
                            std::move(result), predictedUs});
  if (report.pending.size() >= kMaxPending)
    fold(report);
}

void hip::resetReport() {
  Report &report = getReport();
  std::lock_guard lock(report.mutex);
  report.pending.clear();
  report.lines.clear();
  report.kernels.clear();
  report.dropped = 0;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeDim(OStream &json, llvm::StringRef name, const dim3 &dim) {
  json.attributeArray(name, [&] {
    json.value(int64_t(dim.x));
    json.value(int64_t(dim.y));
    json.value(int64_t(dim.z));
  });
}

static void writeNumber(OStream &json, llvm::StringRef name, uint64_t value) {
  json.attribute(name, int64_t(value));
}

static void writePrediction(OStream &json, std::optional<double> us) {
  if (us)
    json.attribute("predicted_us", *us);
  else
    json.attribute("predicted_us", nullptr);
}

static void writeLine(OStream &json, const LaunchLine &line) {
  json.object([&] {
    json.attribute("kernel", line.kernel);
    writeDim(json, "grid", line.grid);
    writeDim(json, "block", line.block);
    writeNumber(json, "dynamic_lds_bytes", line.dynamicLdsBytes);
    writeNumber(json, "wave_instructions", line.waveInstructions);
    writeNumber(json, "bytes_loaded", line.bytesLoaded);
    writeNumber(json, "bytes_stored", line.bytesStored);
    json.attribute("host_us", line.hostSeconds * 1e6);
    writePrediction(json, line.predictedUs);
  });
}

static void writeClasses(OStream &json, const sim::LaunchCounters &counters) {
  json.attributeObject("classes", [&] {
    writeNumber(json, "scalar", counters.scalar);
    writeNumber(json, "scalar_memory", counters.scalarMemory);
    writeNumber(json, "vector", counters.vector);
    writeNumber(json, "matrix", counters.matrix);
    writeNumber(json, "lds", counters.lds);
    writeNumber(json, "vector_memory", counters.vectorMemory);
    writeNumber(json, "branch", counters.branch);
    writeNumber(json, "other", counters.other);
  });
}

static void writeTotal(OStream &json, const KernelTotal &total) {
  const sim::LaunchCounters &counters = total.counters;
  writeNumber(json, "launches", total.launches);
  writeNumber(json, "workgroups", counters.workgroups);
  writeNumber(json, "waves", counters.waves);
  writeNumber(json, "wave_instructions", counters.waveInstructions);
  writeNumber(json, "bytes_loaded", counters.bytesLoaded);
  writeNumber(json, "bytes_stored", counters.bytesStored);
  writeNumber(json, "lds_bytes_read", counters.ldsBytesRead);
  writeNumber(json, "lds_bytes_written", counters.ldsBytesWritten);
  json.attribute("host_us", total.hostSeconds * 1e6);
  json.attribute("processor_us", total.processorSeconds * 1e6);
  bool all = total.predictedLaunches == total.launches;
  writePrediction(json, all ? std::optional(total.predictedUs) : std::nullopt);
  writeClasses(json, counters);
  json.attributeObject("instructions", [&] {
    for (auto &[name, count] : counters.mnemonics)
      writeNumber(json, name, count);
  });
  json.attributeArray("matrix_models", [&] {
    for (auto &entry : total.models)
      json.value(entry.first);
  });
}

std::string hip::getReportJson() {
  static constexpr const char *kModes[] = {"off", "auto", "on", "only"};
  Report &report = getReport();
  std::lock_guard lock(report.mutex);
  fold(report);
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream);
  json.object([&] {
    json.attribute("version", getVersion());
    json.attribute("target", getState().targetName);
    json.attribute("timing", kModes[getTimingMode()]);
    json.attributeArray("launches", [&] {
      for (const LaunchLine &line : report.lines)
        writeLine(json, line);
    });
    writeNumber(json, "dropped", report.dropped);
    json.attributeArray("predictions", [&] { writePredictions(json); });
    json.attributeObject("kernels", [&] {
      for (auto &[name, total] : report.kernels)
        json.attributeObject(name, [&] { writeTotal(json, total); });
    });
  });
  return text;
}

//===----------------------------------------------------------------------===//
// The exported functions
//===----------------------------------------------------------------------===//

OCTAVO_HIP_API const char *octavoSimVersion() {
  static const std::string version = getVersion().str();
  return version.c_str();
}

OCTAVO_HIP_API void octavoSimReset() {
  resetReport();
  getState().sticky = hipSuccess;
  clearLastError();
}

OCTAVO_HIP_API int octavoSimSetTiming(int mode) {
  if (mode < OCTAVO_SIM_TIMING_OFF || mode > OCTAVO_SIM_TIMING_ONLY)
    return 1;
  timingMode() = mode;
  return 0;
}

OCTAVO_HIP_API size_t octavoSimReportJson(char *buffer, size_t size) {
  std::string text = getReportJson();
  if (buffer && size > text.size())
    std::memcpy(buffer, text.c_str(), text.size() + 1);
  return text.size() + 1;
}
