//===- Run.cpp - run ------------------------------------------------------===//

#include "Argument.h"
#include "Commands.h"

#include "octavo/Target/TargetInfo.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo;
using namespace octavo::sim;
using llvm::outs;
using llvm::StringRef;

/// The kernel that the options name, or the only one.
static llvm::Expected<const KernelDescriptor *>
chooseKernel(const CodeObject &object, StringRef name) {
  if (name.empty() && object.kernels().size() == 1)
    return &object.kernels().front();
  if (const KernelDescriptor *kernel = object.lookupKernel(name))
    return kernel;
  std::string names;
  for (const KernelDescriptor &kernel : object.kernels())
    names += (names.empty() ? "" : ", ") + kernel.name;
  return llvm::createStringError((name.empty()
                                      ? llvm::Twine("--kernel is missing")
                                      : "no kernel " + name) +
                                 "; the object has: " + names);
}

static void showCounters(const LaunchReport &report) {
  const LaunchCounters &counters = report.counters;
  outs() << counters.workgroups << " workgroups, " << counters.waves
         << " waves, " << counters.waveInstructions << " wave instructions in "
         << llvm::format("%.1f", report.hostSeconds * 1e3) << " ms\n"
         << counters.bytesLoaded << " bytes loaded, " << counters.bytesStored
         << " stored, " << counters.ldsBytesRead << " read from LDS, "
         << counters.ldsBytesWritten << " written\n";
  for (StringRef model : report.matrixModels)
    outs() << "matrix arithmetic: " << model << "\n";
  for (auto &[name, count] : counters.mnemonics)
    outs() << llvm::format("%12llu  ", (unsigned long long)count) << name
           << "\n";
}

static llvm::Error writeJson(StringRef path, StringRef kernel,
                             const LaunchReport &report) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return llvm::createStringError(path + ": " + code.message());
  const LaunchCounters &counters = report.counters;
  llvm::json::OStream json(file, 2);
  json.object([&] {
    json.attribute("kernel", kernel);
    json.attribute("host_us", report.hostSeconds * 1e6);
    json.attributeObject("counters", [&] {
      json.attribute("workgroups", int64_t(counters.workgroups));
      json.attribute("waves", int64_t(counters.waves));
      json.attribute("wave_instructions", int64_t(counters.waveInstructions));
      json.attribute("bytes_loaded", int64_t(counters.bytesLoaded));
      json.attribute("bytes_stored", int64_t(counters.bytesStored));
      json.attribute("lds_bytes_read", int64_t(counters.ldsBytesRead));
      json.attribute("lds_bytes_written", int64_t(counters.ldsBytesWritten));
    });
    json.attributeObject("instructions", [&] {
      for (auto &[name, count] : counters.mnemonics)
        json.attribute(name, int64_t(count));
    });
    json.attributeArray("matrix_models", [&] {
      for (StringRef model : report.matrixModels)
        json.value(model);
    });
  });
  file << "\n";
  return llvm::Error::success();
}

static llvm::Error checkShape(const RunOptions &options) {
  for (int i = 0; i < 3; ++i)
    if (uint64_t(options.grid[i]) * options.block[i] > UINT32_MAX)
      return llvm::createStringError(
          "the grid has 2^32 work items or more in a dimension");
  return llvm::Error::success();
}

int sim::runKernel(const RunOptions &options) {
  int code;
  std::shared_ptr<CodeObject> object = openObject(options.object, code);
  if (!object)
    return code;
  llvm::Expected<const KernelDescriptor *> kernel =
      chooseKernel(*object, options.kernel);
  if (!kernel)
    return fail(kBadInput, kernel.takeError());
  if (llvm::Error error = checkShape(options))
    return fail(kBadInput, std::move(error));
  std::vector<Argument> arguments;
  for (StringRef text : options.arguments) {
    llvm::Expected<Argument> argument = parseArgument(text);
    if (!argument)
      return fail(kBadInput, argument.takeError());
    arguments.push_back(std::move(*argument));
  }
  for (auto &[index, path] : options.saves)
    if (!arguments[index].isArray)
      return fail(kBadInput, llvm::createStringError(
                                 "--save " + llvm::Twine(index) + "=" + path +
                                 ": a scalar stays what it is"));
  auto kernarg = packArguments(**kernel, arguments);
  if (!kernarg)
    return fail(kBadInput, kernarg.takeError());

  LaunchConfig config;
  config.block = options.block;
  config.setGrid(options.grid[0], options.grid[1], options.grid[2]);
  config.dynamicLdsBytes = options.dynamicLdsBytes;
  config.cooperative = options.cooperative;
  config.kernarg = *kernarg;
  llvm::Expected<LaunchReport> report = launch(*object, **kernel, config);
  if (!report)
    return fail(kFailure, report.takeError());
  showCounters(*report);
  for (auto &[index, path] : options.saves)
    if (llvm::Error error = writeNpy(path, arguments[index].array))
      return fail(kBadInput, std::move(error));
  if (!options.json.empty())
    if (llvm::Error error = writeJson(options.json, (*kernel)->name, *report))
      return fail(kBadInput, std::move(error));
  return kSuccess;
}
