//===- Profile.cpp - profile ----------------------------------------------===//

#include "Profile.h"
#include "Prepare.h"

#include "lib/Simulator/Program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace octavo::sim;
using llvm::outs;
using llvm::StringRef;

/// Instructions of the table in the text, and of the timeline in files.
static constexpr size_t kHottest = 12, kTimelineEvents = 40000;

static void showHottest(const CodeObject &object,
                        const LaunchPrediction &prediction) {
  std::vector<const InstructionCost *> order;
  for (const InstructionCost &cost : prediction.instructions)
    order.push_back(&cost);
  llvm::stable_sort(order,
                    [](auto *a, auto *b) { return a->waited() > b->waited(); });
  if (order.size() > kHottest)
    order.resize(kHottest);
  outs() << "waited longest:\n"
         << "  address     issues      cycles  most for           "
            "instruction\n";
  for (const InstructionCost *cost : order) {
    if (cost->waited() == 0)
      break;
    size_t cause = size_t(llvm::max_element(cost->stallCycles) -
                          cost->stallCycles.begin());
    const Inst &inst = object.program().instructions()[cost->instruction];
    outs() << llvm::format("  %7x %10llu %11.0f  %-18s ", cost->address,
                           (unsigned long long)cost->issues, cost->waited(),
                           prediction.stallCycles[cause].first.c_str())
           << object.program().text(inst);
    std::string line = object.sourceLine(cost->address);
    if (!line.empty())
      outs() << "  ; " << llvm::sys::path::filename(line);
    outs() << "\n";
  }
}

static void showPrediction(const CodeObject &object,
                           const LaunchPrediction &prediction) {
  outs() << llvm::format("predicted %.2f us (%.0f cycles at %.0f MHz), bound "
                         "by %s\n",
                         prediction.microseconds, prediction.cycles,
                         prediction.clockMHz, prediction.bound.c_str())
         << prediction.residentWorkgroups
         << " workgroups resident on a compute unit, "
         << prediction.wavesPerSimd << " waves per SIMD, limited by "
         << prediction.occupancyLimit << "\n"
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
  outs() << llvm::format("  issue %24.0f cycles  %3.0f %%\n",
                         prediction.issueCycles,
                         100 * prediction.issueCycles / total);
  for (auto &[cause, cycles] : prediction.stallCycles)
    if (cycles > 0)
      outs() << llvm::format("  stall %-17s %6.0f cycles  %3.0f %%\n",
                             cause.c_str(), cycles, 100 * cycles / total);
  showHottest(object, prediction);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static void writeStalls(llvm::json::OStream &json,
                        const LaunchPrediction &prediction,
                        const InstructionCost &cost) {
  json.attributeObject("stalls", [&] {
    for (size_t i = 0; i < cost.stallCycles.size(); ++i)
      if (cost.stallCycles[i] > 0)
        json.attribute(prediction.stallCycles[i].first, cost.stallCycles[i]);
  });
}

static void writePrediction(llvm::json::OStream &json, const CodeObject &object,
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
  json.attribute("matrix_operations", prediction.matrixOperations);
  json.attribute("vector_operations", prediction.vectorOperations);
  json.attributeObject("memory_bytes", [&] {
    json.attribute("l2", prediction.l2Bytes);
    json.attribute("mall", prediction.mallBytes);
    json.attribute("hbm_read", prediction.hbmReadBytes);
    json.attribute("hbm_write", prediction.hbmWriteBytes);
  });
  json.attributeObject("occupancy", [&] {
    json.attribute("resident_workgroups", prediction.residentWorkgroups);
    json.attribute("waves_per_simd", prediction.wavesPerSimd);
    json.attribute("limit", prediction.occupancyLimit);
  });
  json.attributeObject("sample", [&] {
    json.attribute("workgroups", int64_t(prediction.workgroups));
    json.attribute("traced", int64_t(prediction.tracedWorkgroups));
    json.attribute("replayed", int64_t(prediction.replayedWorkgroups));
  });
  json.attributeArray("instruction_costs", [&] {
    for (const InstructionCost &cost : prediction.instructions) {
      const Inst &inst = object.program().instructions()[cost.instruction];
      json.object([&] {
        json.attribute("address", int64_t(cost.address));
        json.attribute("text", object.program().text(inst));
        std::string line = object.sourceLine(cost.address);
        if (!line.empty())
          json.attribute("source", line);
        json.attribute("issues", int64_t(cost.issues));
        writeStalls(json, prediction, cost);
      });
    }
  });
}

/// Opens `path` and lets `write` fill it. Returns an exit code.
static int writeFile(StringRef path,
                     llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return fail(kBadInput,
                llvm::createStringError(path + ": " + code.message()));
  write(file);
  return kSuccess;
}

int octavo::sim::profileKernel(const RunOptions &options) {
  Prepared prepared;
  if (int code = prepare(options, prepared))
    return code;
  const CodeObject &object = *prepared.object;
  bool wantsTimeline = !options.trace.empty() || !options.plot.empty();
  PredictOptions kept{wantsTimeline ? kTimelineEvents : 0};
  auto predict = options.sampled ? predictOnly : predictLaunch;
  llvm::Expected<TimedLaunch> timed =
      predict(object, *prepared.kernel, prepared.config, kept);
  if (!timed)
    return fail(kFailure, timed.takeError());
  const LaunchPrediction &prediction = timed->prediction;
  showPrediction(object, prediction);
  showCounters(timed->report);
  if (int code = saveArguments(options, prepared))
    return code;
  if (!options.trace.empty())
    if (int code = writeFile(options.trace, [&](llvm::raw_ostream &os) {
          writeTrace(os, object, prediction);
        }))
      return code;
  if (!options.plot.empty())
    if (int code = writeFile(options.plot, [&](llvm::raw_ostream &os) {
          writePicture(os, prepared.kernel->name, prediction);
        }))
      return code;
  if (options.json.empty())
    return kSuccess;
  return writeJsonFile(options.json, [&](llvm::json::OStream &json) {
    writePrediction(json, object, prediction);
    writeReport(json, prepared.kernel->name, timed->report);
  });
}
