//===- Execute.cpp - Doing what a command says ----------------------------===//

#include "lib/Simulator/Hip/Graph.h"
#include "lib/Simulator/Hip/Prediction.h"
#include "lib/Simulator/Hip/Report.h"
#include "lib/Simulator/Hip/Stream.h"
#include "octavo/Simulator/Check.h"
#include "octavo/Simulator/OctavoSim.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>

using namespace octavo;
using namespace octavo::hip;

/// Bytes in a microsecond over the link to the host: PCIe 5.0 x16, 64 GB/s in
/// one direction (PCI-SIG; AMD Instinct MI300X and MI355X data sheets).
static constexpr double kLinkBytesPerUs = 64e3;

/// True if the bytes lie in memory of the device.
static bool isOnDevice(const void *pointer, bool otherwise) {
  auto range = getState().memory.lookup(pointer);
  if (!range)
    return otherwise;
  return range->kind == MemoryKind::Device ||
         range->kind == MemoryKind::Variable;
}

/// The shortest time in which `bytes` can move: twice through device memory
/// within the device, once over the link otherwise.
static double getCopyUs(const CopyCommand &copy, double bytes) {
  bool toDevice =
      isOnDevice(copy.dst, copy.kind == hipMemcpyHostToDevice ||
                               copy.kind == hipMemcpyDeviceToDevice);
  bool fromDevice =
      isOnDevice(copy.src, copy.kind == hipMemcpyDeviceToHost ||
                               copy.kind == hipMemcpyDeviceToDevice);
  if (toDevice && fromDevice)
    return 2 * bytes / (getState().target->memoryGBps * 1e3);
  return bytes / kLinkBytesPerUs;
}

static hipError_t run(const CopyCommand &copy, double &endUs) {
  const hipExtent &extent = copy.extent;
  auto *dst = static_cast<char *>(copy.dst);
  auto *src = static_cast<const char *>(copy.src);
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y)
      std::memmove(dst + z * copy.dstSlice + y * copy.dstPitch,
                   src + z * copy.srcSlice + y * copy.srcPitch, extent.width);
  endUs += getCopyUs(copy, double(extent.width) * extent.height * extent.depth);
  return hipSuccess;
}

template <typename T>
static void fillRow(char *dst, uint32_t value, size_t count) {
  std::fill_n(reinterpret_cast<T *>(dst), count, static_cast<T>(value));
}

static hipError_t run(const FillCommand &fill, double &endUs) {
  const hipExtent &extent = fill.extent;
  for (size_t z = 0; z < extent.depth; ++z)
    for (size_t y = 0; y < extent.height; ++y) {
      char *row =
          static_cast<char *>(fill.dst) + z * fill.slice + y * fill.pitch;
      if (fill.elementBytes == 1)
        std::memset(row, int(fill.value), extent.width);
      else if (fill.elementBytes == 2)
        fillRow<uint16_t>(row, fill.value, extent.width);
      else
        fillRow<uint32_t>(row, fill.value, extent.width);
    }
  double bytes =
      double(extent.width) * fill.elementBytes * extent.height * extent.depth;
  endUs += bytes / (getState().target->memoryGBps * 1e3);
  return hipSuccess;
}

static hipError_t run(const HostCommand &host) {
  host.function(host.data);
  return hipSuccess;
}

static hipError_t run(const RecordCommand &record, double endUs) {
  if (!getState().events.contains(record.event))
    return fail(hipErrorInvalidHandle, "recording an event that is gone");
  std::lock_guard lock(getStreamMutex());
  record.event->recorded = true;
  record.event->timeUs = endUs;
  return hipSuccess;
}

static hipError_t run(const WaitCommand &wait, double &endUs) {
  if (!getState().events.contains(wait.event))
    return fail(hipErrorInvalidHandle, "waiting for an event that is gone");
  std::lock_guard lock(getStreamMutex());
  if (wait.event->recorded)
    endUs = std::max(endUs, wait.event->timeUs);
  return hipSuccess;
}

static hipError_t run(const FreeCommand &command) {
  auto range = getState().memory.release(command.pointer);
  if (!range)
    return fail(hipErrorInvalidValue, "free: not the address of an allocation");
  countPoolFree(*range);
  return hipSuccess;
}

hipError_t hip::execute(const Command &command, double &endUs, bool timed) {
  return std::visit(llvm::makeVisitor(
                        [&](const KernelCommand &c) {
                          return executeKernel(c, endUs, timed);
                        },
                        [&](const CopyCommand &c) { return run(c, endUs); },
                        [&](const FillCommand &c) { return run(c, endUs); },
                        [&](const HostCommand &c) { return run(c); },
                        [&](const RecordCommand &c) { return run(c, endUs); },
                        [&](const WaitCommand &c) { return run(c, endUs); },
                        [&](const ChildCommand &c) {
                          return runGraph(*c.graph, endUs, timed);
                        },
                        [&](const EmptyCommand &) { return hipSuccess; },
                        [&](const AllocateCommand &) { return hipSuccess; },
                        [&](const FreeCommand &c) { return run(c); }),
                    command);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static sim::LaunchConfig makeConfig(const KernelCommand &command) {
  sim::LaunchConfig config;
  config.block = {command.block.x, command.block.y, command.block.z};
  config.setGrid(command.grid.x, command.grid.y, command.grid.z);
  if (command.items.x)
    config.gridItems = {command.items.x, command.items.y, command.items.z};
  config.dynamicLdsBytes = command.dynamicLdsBytes;
  config.kernarg = command.arguments;
  config.cooperative = command.cooperative;
  return config;
}

/// Runs with checks; findings are printed and make the launch fail, but the
/// device stays usable.
static hipError_t executeChecked(const KernelCommand &command,
                                 sim::CheckLevel level) {
  sim::LaunchConfig config = makeConfig(command);
  std::vector<sim::MemoryExtent> memory = getState().memory.extents();
  std::vector<sim::CheckReport> findings;
  auto report =
      sim::launchChecked(*command.object, *command.kernel, config, level,
                         llvm::ArrayRef<sim::MemoryExtent>(memory), findings);
  for (const sim::CheckReport &finding : findings)
    llvm::errs() << "octavo simulator: " << finding.text() << "\n";
  bool failed = !report;
  std::string text = failed ? toString(report.takeError()) : std::string();
  if (!findings.empty())
    return fail(hipErrorLaunchFailure, findings.front().text());
  if (failed) {
    hipError_t error = fail(hipErrorLaunchFailure, text);
    llvm::errs() << "octavo simulator: " << text << "\n";
    getState().sticky = error;
    return error;
  }
  recordLaunch(command, std::move(*report), std::nullopt);
  return hipSuccess;
}

hipError_t hip::executeKernel(const KernelCommand &command, double &endUs,
                              bool timed) {
  llvm::Expected<sim::CheckLevel> level = sim::getCheckLevel();
  if (!level)
    return fail(hipErrorInvalidValue, level.takeError());
  if (*level != sim::CheckLevel::Off)
    return executeChecked(command, *level);
  sim::LaunchConfig config = makeConfig(command);
  bool predicts = (timed && getTimingMode() != OCTAVO_SIM_TIMING_OFF) ||
                  getTimingMode() >= OCTAVO_SIM_TIMING_ON;
  double predictedUs = 0;
  auto report =
      predicts
          ? launchTimed(*command.object, *command.kernel, config,
                        getTimingMode() == OCTAVO_SIM_TIMING_ONLY, predictedUs)
          : sim::launch(*command.object, *command.kernel, config);
  if (!report) {
    // What went wrong would otherwise hide behind a number in most clients.
    hipError_t error = fail(hipErrorLaunchFailure, report.takeError());
    llvm::errs() << "octavo simulator: " << getLastErrorText() << "\n";
    getState().sticky = error;
    return error;
  }
  endUs += predictedUs;
  recordLaunch(command, std::move(*report),
               predicts ? std::optional(predictedUs) : std::nullopt);
  return hipSuccess;
}
