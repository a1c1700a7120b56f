//===- RunProgram.cpp - Loading and launching -----------------------------===//

#include "octavo/Runtime/Program.h"

#include <cstdlib>
#include <cstring>

using namespace octavo::runtime;

// Keys of hipModuleLaunchKernel's list `extra` (hip_runtime_api.h).
static void *const kArgumentPointer = reinterpret_cast<void *>(1);
static void *const kArgumentSize = reinterpret_cast<void *>(2);
static void *const kArgumentEnd = reinterpret_cast<void *>(3);

Program::~Program() {
  auto hip = getHip();
  if (!hip) {
    llvm::consumeError(hip.takeError());
    return;
  }
  for (auto &device : devices) {
    const Loaded *loaded = device.load();
    if (!loaded)
      continue;
    for (Hip::Module module : loaded->modules)
      (*hip)->moduleUnload(module);
    delete loaded;
  }
}

llvm::Expected<const Program::Loaded *>
Program::getLoaded(const Hip &hip) const {
  int device = 0;
  if (llvm::Error error = hip.check(hip.getDevice(&device), "current device"))
    return std::move(error);
  if (device < 0 || device >= int(kMaxDevices))
    return llvm::createStringError("device %d is not supported", device);
  std::atomic<const Loaded *> &slot = devices[device];
  if (const Loaded *loaded = slot.load(std::memory_order_acquire))
    return loaded;
  std::lock_guard<std::mutex> lock(loading);
  if (const Loaded *loaded = slot.load(std::memory_order_acquire))
    return loaded;
  auto loaded = std::make_unique<Loaded>();
  for (const Object &object : objects) {
    Hip::Module module = nullptr;
    if (llvm::Error error =
            hip.check(hip.moduleLoadData(&module, code.data() + object.offset),
                      "loading the code object"))
      return std::move(error);
    loaded->modules.push_back(module);
  }
  for (const Kernel &kernel : kernels) {
    Hip::Function function = nullptr;
    if (llvm::Error error = hip.check(
            hip.moduleGetFunction(&function, loaded->modules[kernel.object],
                                  kernel.name.c_str()),
            "kernel '" + kernel.name + "'"))
      return std::move(error);
    loaded->functions.push_back(function);
  }
  slot.store(loaded.get(), std::memory_order_release);
  return loaded.release();
}

llvm::Error Program::checkAddresses(const Addresses &addresses) const {
  if (addresses.inputs.size() != inputBytes.size() ||
      addresses.outputs.size() != outputBytes.size())
    return llvm::createStringError(
        "the program has %zu inputs and %zu outputs, got %zu and %zu",
        inputBytes.size(), outputBytes.size(), addresses.inputs.size(),
        addresses.outputs.size());
  if (workspaceBytes != 0 && addresses.workspace == 0)
    return llvm::createStringError(
        "the program needs a workspace of %llu bytes",
        (unsigned long long)workspaceBytes);
  return llvm::Error::success();
}

llvm::Error Program::launchAll(const Hip &hip, uint32_t begin, uint32_t end,
                               const Addresses &addresses, void *stream) const {
  auto loaded = getLoaded(hip);
  if (!loaded)
    return loaded.takeError();
  // Each thread patches its own copy; it grows once and then stays.
  thread_local std::vector<uint8_t> blocks;
  if (blocks.size() < arguments.size())
    blocks.resize(arguments.size());
  for (uint32_t i = begin; i < end; ++i) {
    const Launch &launch = launches[i];
    uint8_t *block = blocks.data() + launch.begin;
    std::memcpy(block, arguments.data() + launch.begin, launch.bytes);
    for (uint32_t p = launch.patchBegin; p < launch.patchEnd; ++p) {
      const Patch &patch = patches[p];
      uint64_t base = patch.kind == Patch::Input ? addresses.inputs[patch.index]
                      : patch.kind == Patch::Output
                          ? addresses.outputs[patch.index]
                          : addresses.workspace;
      base += patch.addend;
      std::memcpy(block + patch.offset, &base, 8);
    }
    size_t bytes = launch.bytes;
    void *extra[] = {kArgumentPointer, block, kArgumentSize, &bytes,
                     kArgumentEnd};
    const Kernel &kernel = kernels[launch.kernel];
    Hip::Code code = hip.moduleLaunchKernel(
        (*loaded)->functions[launch.kernel], launch.grid[0], launch.grid[1],
        launch.grid[2], kernel.lanes, 1, 1, /*dynamic LDS=*/0, stream, nullptr,
        extra);
    if (code != 0) [[unlikely]]
      return llvm::createStringError(
          hip.describe(code, "kernel '" + kernel.name + "'"));
  }
  return llvm::Error::success();
}

namespace {
/// With the simulator's checks on, tells it how far every buffer reaches.
class RegisteredExtents {
public:
  explicit RegisteredExtents(const Hip &hip) : hip(hip) {
    const char *level = std::getenv("OCTAVO_SIM_CHECK");
    isWanted = hip.isSimulator() && level && *level && *level != '0';
  }
  ~RegisteredExtents() {
    for (void *address : registered)
      hip.hostUnregister(address);
  }
  void add(uint64_t address, uint64_t bytes) {
    if (!isWanted || address == 0 || bytes == 0)
      return;
    // Memory that is already known (allocated through HIP) needs nothing.
    void *pointer = reinterpret_cast<void *>(address);
    if (hip.hostRegister(pointer, bytes, 0) == 0)
      registered.push_back(pointer);
  }

private:
  const Hip &hip;
  bool isWanted;
  std::vector<void *> registered;
};
} // namespace

llvm::Error Program::runLaunches(uint32_t begin, uint32_t end,
                                 const Addresses &addresses,
                                 void *stream) const {
  auto hip = getHip();
  if (!hip)
    return hip.takeError();
  if (llvm::Error error = checkAddresses(addresses))
    return error;
  RegisteredExtents extents(**hip);
  for (size_t i = 0; i < inputBytes.size(); ++i)
    extents.add(addresses.inputs[i], inputBytes[i]);
  for (size_t i = 0; i < outputBytes.size(); ++i)
    extents.add(addresses.outputs[i], outputBytes[i]);
  extents.add(addresses.workspace, workspaceBytes);
  return launchAll(**hip, begin, end, addresses, stream);
}

llvm::Error Program::run(size_t segment, const Addresses &addresses,
                         void *stream) const {
  if (segment >= segments.size())
    return llvm::createStringError("the program has %zu segments, not %zu",
                                   segments.size(), segment + 1);
  const Segment &chosen = segments[segment];
  return runLaunches(chosen.begin, chosen.end, addresses, stream);
}

llvm::Error Program::runLaunch(size_t launch, const Addresses &addresses,
                               void *stream) const {
  if (launch >= launches.size())
    return llvm::createStringError("the program has %zu launches, not %zu",
                                   launches.size(), launch + 1);
  return runLaunches(launch, launch + 1, addresses, stream);
}

llvm::Error Program::run(const Addresses &addresses, void *stream) const {
  for (const Segment &segment : segments)
    if (segment.step >= 0)
      return llvm::createStringError(
          "step %d is done by Python: run the segments one by one",
          segment.step);
  if (segments.empty())
    return checkAddresses(addresses);
  return run(0, addresses, stream);
}
