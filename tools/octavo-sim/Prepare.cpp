//===- Prepare.cpp - A launch from the command line -----------------------===//

#include "Prepare.h"

#include "llvm/Support/Format.h"
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

static llvm::Error checkShape(const RunOptions &options) {
  for (int i = 0; i < 3; ++i)
    if (uint64_t(options.grid[i]) * options.block[i] > UINT32_MAX)
      return llvm::createStringError(
          "the grid has 2^32 work items or more in a dimension");
  return llvm::Error::success();
}

static llvm::Error makeArguments(const RunOptions &options,
                                 Prepared &prepared) {
  for (StringRef text : options.arguments) {
    llvm::Expected<Argument> argument = parseArgument(text);
    if (!argument)
      return argument.takeError();
    prepared.arguments.push_back(std::move(*argument));
  }
  for (auto &[index, path] : options.saves)
    if (!prepared.arguments[index].isArray)
      return llvm::createStringError("--save " + llvm::Twine(index) + "=" +
                                     path + ": a scalar stays what it is");
  auto kernarg = packArguments(*prepared.kernel, prepared.arguments);
  if (!kernarg)
    return kernarg.takeError();
  prepared.kernarg = std::move(*kernarg);
  return llvm::Error::success();
}

int sim::prepare(const RunOptions &options, Prepared &prepared) {
  int code = kBadInput;
  prepared.object = openObject(options.object, code);
  if (!prepared.object)
    return code;
  llvm::Expected<const KernelDescriptor *> kernel =
      chooseKernel(*prepared.object, options.kernel);
  if (!kernel)
    return fail(kBadInput, kernel.takeError());
  prepared.kernel = *kernel;
  if (llvm::Error error = checkShape(options))
    return fail(kBadInput, std::move(error));
  if (llvm::Error error = makeArguments(options, prepared))
    return fail(kBadInput, std::move(error));
  LaunchConfig &config = prepared.config;
  config.block = options.block;
  config.setGrid(options.grid[0], options.grid[1], options.grid[2]);
  config.dynamicLdsBytes = options.dynamicLdsBytes;
  config.cooperative = options.cooperative;
  config.kernarg = prepared.kernarg;
  return kSuccess;
}

int sim::saveArguments(const RunOptions &options, const Prepared &prepared) {
  for (auto &[index, path] : options.saves)
    if (llvm::Error error = writeNpy(path, prepared.arguments[index].array))
      return fail(kBadInput, std::move(error));
  return kSuccess;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

void sim::showCounters(const LaunchReport &report) {
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

void sim::writeReport(llvm::json::OStream &json, StringRef kernel,
                      const LaunchReport &report) {
  const LaunchCounters &counters = report.counters;
  auto number = [&](StringRef name, uint64_t value) {
    json.attribute(name, int64_t(value));
  };
  json.attribute("kernel", kernel);
  json.attribute("host_us", report.hostSeconds * 1e6);
  json.attribute("processor_us", report.processorSeconds * 1e6);
  json.attributeObject("counters", [&] {
    number("workgroups", counters.workgroups);
    number("waves", counters.waves);
    number("wave_instructions", counters.waveInstructions);
    number("bytes_loaded", counters.bytesLoaded);
    number("bytes_stored", counters.bytesStored);
    number("lds_bytes_read", counters.ldsBytesRead);
    number("lds_bytes_written", counters.ldsBytesWritten);
  });
  json.attributeObject("instructions", [&] {
    for (auto &[name, count] : counters.mnemonics)
      number(name, count);
  });
  json.attributeArray("matrix_models", [&] {
    for (StringRef model : report.matrixModels)
      json.value(model);
  });
}

int sim::writeJsonFile(StringRef path,
                       llvm::function_ref<void(llvm::json::OStream &)> write) {
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return fail(kBadInput,
                llvm::createStringError(path + ": " + code.message()));
  llvm::json::OStream json(file, 2);
  json.object([&] { write(json); });
  file << "\n";
  return kSuccess;
}
