//===- Launch.cpp - Running one kernel ------------------------------------===//

#include "Run.h"
#include "octavo/Simulator/Device.h"
#include "octavo/Target/TargetInfo.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cstdlib>
#include <ctime>

using namespace octavo::sim;
using llvm::StringRef;

namespace {

template <class T> void readVariable(const char *name, T &value) {
  const char *text = getenv(name);
  uint64_t number;
  if (text && !StringRef(text).getAsInteger(0, number))
    value = T(number);
}

/// Value of a hidden argument, or nothing if it is no number that a launch
/// knows: such arguments (printf and hostcall buffers, heap) are zero.
std::optional<uint64_t> hiddenValue(StringRef kind, const LaunchState &launch) {
  const LaunchConfig &config = launch.config;
  if (!kind.consume_front("hidden_"))
    return std::nullopt;
  if (kind == "dynamic_lds_size")
    return config.dynamicLdsBytes;
  if (kind == "shared_base")
    return SharedAperture >> 32;
  if (kind == "private_base")
    return PrivateAperture >> 32;
  if (kind == "queue_ptr")
    return uint64_t(launch.queue.data());
  if (kind == "grid_dims")
    return config.gridItems[2] > 1 ? 3 : config.gridItems[1] > 1 ? 2 : 1;
  unsigned axis = kind.ends_with("_y") ? 1 : kind.ends_with("_z") ? 2 : 0;
  kind = kind.drop_back(std::min<size_t>(2, kind.size()));
  if (kind == "block_count")
    return config.gridItems[axis] / config.block[axis];
  if (kind == "group_size")
    return config.block[axis];
  if (kind == "remainder")
    return config.gridItems[axis] % config.block[axis];
  return std::nullopt;
}

void fillKernarg(LaunchState &launch) {
  // Extra room: scalar loads may read beyond the last argument.
  launch.kernarg.assign(std::max<size_t>(launch.kernel.kernargBytes,
                                         launch.config.kernarg.size()) +
                            64,
                        0);
  std::copy(launch.config.kernarg.begin(), launch.config.kernarg.end(),
            launch.kernarg.begin());
  for (const KernelArgument &argument : launch.kernel.arguments) {
    if (!argument.isHidden() ||
        argument.offset + argument.size > launch.kernarg.size())
      continue;
    uint64_t value = hiddenValue(argument.valueKind, launch).value_or(0);
    memcpy(launch.kernarg.data() + argument.offset, &value,
           std::min<uint32_t>(argument.size, 8));
  }
}

/// hsa_kernel_dispatch_packet_t.
void fillPacket(LaunchState &launch) {
  struct Packet {
    uint16_t header = 2, dimensions = 3;
    uint16_t workgroup[3], reserved = 0;
    uint32_t grid[3], privateBytes, ldsBytes;
    uint64_t kernelObject, kernarg, reserved2 = 0, completion = 0;
  } packet;
  static_assert(sizeof(Packet) == 64);
  for (unsigned i = 0; i < 3; ++i) {
    packet.workgroup[i] = launch.config.block[i];
    packet.grid[i] = launch.config.gridItems[i];
  }
  packet.privateBytes = launch.kernel.privateBytes;
  packet.ldsBytes = launch.ldsBytes;
  packet.kernelObject = launch.object.program().base() + launch.kernel.entry;
  packet.kernarg = uint64_t(launch.kernarg.data());
  launch.packet.resize(64);
  memcpy(launch.packet.data(), &packet, 64);
}

double readProcessorClock() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

llvm::Error refuse(const KernelDescriptor &kernel, const llvm::Twine &why) {
  return llvm::createStringError(kernel.name + ": " + why);
}

llvm::Error checkLaunch(const LaunchState &launch) {
  const KernelDescriptor &kernel = launch.kernel;
  const LaunchConfig &config = launch.config;
  uint64_t lanes = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (config.block[i] == 0 || config.gridItems[i] == 0)
      return refuse(kernel, "a grid or a workgroup of size 0");
    lanes *= config.block[i];
    if (kernel.requiredWorkgroup[i] &&
        kernel.requiredWorkgroup[i] != config.block[i])
      return refuse(kernel,
                    llvm::formatv("needs a workgroup of {0} x {1} x {2}",
                                  kernel.requiredWorkgroup[0],
                                  kernel.requiredWorkgroup[1],
                                  kernel.requiredWorkgroup[2]));
  }
  if (lanes > kernel.maxWorkgroupLanes || lanes > 1024)
    return refuse(
        kernel,
        llvm::formatv("a workgroup of {0} lanes; the kernel allows {1}", lanes,
                      std::min<uint32_t>(kernel.maxWorkgroupLanes, 1024)));
  const octavo::TargetInfo *target = octavo::lookupTarget(launch.object.arch());
  if (target && launch.ldsBytes > target->ldsBytes)
    return refuse(kernel, llvm::formatv("{0} bytes of LDS; {1} has {2}",
                                        launch.ldsBytes, launch.object.arch(),
                                        target->ldsBytes));
  if (config.kernarg.size() > kernel.kernargBytes && kernel.kernargBytes)
    return refuse(kernel,
                  llvm::formatv("{0} bytes of arguments; the kernel has {1}",
                                config.kernarg.size(), kernel.kernargBytes));
  if (!launch.entry)
    return refuse(kernel, "the entry point is no instruction");
  return llvm::Error::success();
}

} // namespace

const Options &octavo::sim::getOptions() {
  static const Options options = [] {
    Options read;
    readVariable("OCTAVO_SIM_ORDER", read.order);
    readVariable("OCTAVO_SIM_THREADS", read.threads);
    readVariable("OCTAVO_SIM_DETERMINISTIC", read.deterministic);
    readVariable("OCTAVO_SIM_LIMIT", read.instructionLimit);
    return read;
  }();
  return options;
}

llvm::Expected<LaunchReport> octavo::sim::launch(const CodeObject &object,
                                                 const KernelDescriptor &kernel,
                                                 const LaunchConfig &config) {
  auto start = std::chrono::steady_clock::now();
  double startProcessor = readProcessorClock();
  LaunchState state{object, kernel, config, getOptions(), {}, {},
                    {},     {},     0,      nullptr};
  state.ldsBytes = uint32_t(std::min<uint64_t>(
      uint64_t(kernel.ldsBytes) + config.dynamicLdsBytes, UINT32_MAX));
  state.entry = object.program().at(kernel.entry);
  if (llvm::Error error = checkLaunch(state))
    return error;
  for (unsigned i = 0; i < 3; ++i)
    state.groups[i] = llvm::divideCeil(config.gridItems[i], config.block[i]);
  state.queue.assign(512, 0);
  fillKernarg(state);
  fillPacket(state);
  llvm::Expected<LaunchReport> report = runWorkgroups(state);
  if (report) {
    report->hostSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    report->processorSeconds = readProcessorClock() - startProcessor;
  }
  return report;
}
