//===- PredictLaunch.cpp - Running a launch and predicting its time -------===//

#include "lib/Simulator/Timing/MatrixUse.h"
#include "lib/Simulator/Timing/TraceProgram.h"
#include "lib/Simulator/Timing/TraceRecorder.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo;
using namespace octavo::sim;

static llvm::Expected<TimedLaunch> predict(const CodeObject &object,
                                           const KernelDescriptor &kernel,
                                           const LaunchConfig &config,
                                           const PredictOptions &options,
                                           bool onlySamples) {
  const TargetInfo *target = lookupTarget(object.arch());
  const TimingConstants *constants = getTimingConstants(object.arch());
  if (!target || !constants)
    return llvm::createStringError("no timing model for " + object.arch());
  if (config.observer)
    return llvm::createStringError(
        kernel.name + ": a launch has one observer, and timing needs it");
  LaunchShape shape{1, {}, options.timelineEvents};
  uint32_t lanes = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (config.block[i] == 0)
      return llvm::createStringError(kernel.name + ": a workgroup of size 0");
    shape.workgroups *= llvm::divideCeil(config.gridItems[i], config.block[i]);
    lanes *= config.block[i];
  }
  shape.occupancy =
      getOccupancy(*target, kernel, lanes, config.dynamicLdsBytes);
  std::vector<TraceInst> program =
      makeTraceProgram(object.program(), *constants);
  SampleRecorder recorder(object.arch(), *constants, program,
                          planSamples(*target, shape),
                          llvm::divideCeil(lanes, target->waveSize));
  std::vector<uint64_t> numbers;
  for (const SampledGroup &sample : recorder.samples())
    numbers.push_back(sample.trace->linear);
  LaunchConfig observed = config;
  observed.observer = &recorder;
  std::string matrixArithmetic = "done";
  if (onlySamples) {
    observed.only = numbers;
    bool fullWaves = lanes % Lanes == 0;
    for (unsigned i = 0; i < 3; ++i)
      fullWaves &= config.gridItems[i] % config.block[i] == 0;
    MatrixUse use = findMatrixUse(object.program(), kernel.entry, fullWaves);
    observed.skipMatrix = use.isOnlyData;
    matrixArithmetic = use.isOnlyData ? "left out" : "done: " + use.reason;
  }
  llvm::Expected<LaunchReport> report = launch(object, kernel, observed);
  if (!report)
    return report.takeError();
  TimedLaunch timed{std::move(*report),
                    predictFromTraces(*target, *constants, shape, program,
                                      recorder.samples())};
  for (InstructionCost &cost : timed.prediction.instructions)
    cost.address = object.program().instructions()[cost.instruction].address;
  timed.prediction.matrixArithmetic = std::move(matrixArithmetic);
  return timed;
}

llvm::Expected<TimedLaunch> octavo::sim::predictLaunch(
    const CodeObject &object, const KernelDescriptor &kernel,
    const LaunchConfig &config, const PredictOptions &options) {
  return predict(object, kernel, config, options, /*onlySamples=*/false);
}

llvm::Expected<TimedLaunch> octavo::sim::predictOnly(
    const CodeObject &object, const KernelDescriptor &kernel,
    const LaunchConfig &config, const PredictOptions &options) {
  return predict(object, kernel, config, options, /*onlySamples=*/true);
}

std::string octavo::sim::getPredictionKey(const CodeObject &object,
                                          const KernelDescriptor &kernel,
                                          const LaunchConfig &config) {
  std::string key;
  llvm::raw_string_ostream out(key);
  out << object.program().hash() << ' ' << kernel.name;
  for (unsigned i = 0; i < 3; ++i)
    out << ' ' << config.gridItems[i] << '/' << config.block[i];
  out << ' ' << config.dynamicLdsBytes;
  for (const KernelArgument &argument : kernel.arguments) {
    bool isPointer = argument.valueKind == "global_buffer";
    if (isPointer || argument.isHidden() ||
        argument.offset + argument.size > config.kernarg.size())
      continue;
    out << ' ' << argument.offset << ':';
    for (uint8_t byte : config.kernarg.slice(argument.offset, argument.size))
      out << llvm::format_hex_no_prefix(byte, 2);
  }
  return key;
}
