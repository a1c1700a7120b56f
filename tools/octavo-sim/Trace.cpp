//===- Trace.cpp - Trace events of the waves ------------------------------===//

#include "Profile.h"

#include "lib/Simulator/Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace octavo::sim;
using llvm::json::OStream;

/// An "X" event: something that lasts.
static void writeSpan(OStream &json, const TimelineEvent &event,
                      llvm::StringRef name, llvm::StringRef category,
                      uint64_t from, uint64_t to,
                      llvm::function_ref<void()> writeArguments) {
  json.object([&] {
    json.attribute("name", name);
    json.attribute("cat", category);
    json.attribute("ph", "X");
    json.attribute("ts", int64_t(from));
    json.attribute("dur", int64_t(to - from));
    json.attribute("pid", int64_t(event.simd));
    json.attribute("tid", int64_t(event.wave));
    json.attributeObject("args", writeArguments);
  });
}

static void writeName(OStream &json, llvm::StringRef what, uint32_t simd,
                      std::optional<uint32_t> wave, std::string name) {
  json.object([&] {
    json.attribute("name", what);
    json.attribute("ph", "M");
    json.attribute("pid", int64_t(simd));
    if (wave)
      json.attribute("tid", int64_t(*wave));
    json.attributeObject("args", [&] { json.attribute("name", name); });
  });
}

void octavo::sim::writeTrace(llvm::raw_ostream &os, const CodeObject &object,
                             const LaunchPrediction &prediction) {
  const Program &program = object.program();
  llvm::DenseMap<uint32_t, std::string> texts;
  for (const InstructionCost &cost : prediction.instructions)
    texts[cost.instruction] =
        program.text(program.instructions()[cost.instruction]);
  std::set<uint32_t> simds, waves;
  OStream json(os);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeObject("otherData", [&] {
      json.attribute("unit", "a microsecond of the trace is a clock cycle");
      json.attribute("clock_mhz", prediction.clockMHz);
      json.attribute("predicted_us", prediction.microseconds);
    });
    json.attributeArray("traceEvents", [&] {
      for (const TimelineEvent &event : prediction.timeline) {
        if (simds.insert(event.simd).second)
          writeName(json, "process_name", event.simd, std::nullopt,
                    "SIMD " + std::to_string(event.simd));
        if (waves.insert(event.wave).second)
          writeName(json, "thread_name", event.simd, event.wave,
                    "wave " + std::to_string(event.wave) + " of workgroup " +
                        std::to_string(event.workgroup));
        auto cause = [&] { json.attribute("for", texts[event.instruction]); };
        if (event.issue > event.turn)
          writeSpan(json, event, prediction.stallCycles[event.cause].first,
                    "wait", event.turn, event.issue, cause);
        uint32_t address = program.instructions()[event.instruction].address;
        writeSpan(json, event, texts[event.instruction], "issue", event.issue,
                  event.end, [&] {
                    json.attribute("address", int64_t(address));
                    std::string line = object.sourceLine(address);
                    if (!line.empty())
                      json.attribute("source", line);
                  });
      }
    });
  });
  os << "\n";
}
