//===- Show.cpp - info and env --------------------------------------------===//

#include "Commands.h"

#include "octavo/Simulator/Occupancy.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo;
using namespace octavo::sim;
using llvm::outs;
using llvm::StringRef;

int sim::fail(ExitCode code, llvm::Error error) {
  llvm::errs() << "octavo-sim: " << llvm::toString(std::move(error)) << "\n";
  return code;
}

/// Prints one line for each instruction that is not known.
static int showUnknown(llvm::ArrayRef<std::string> names) {
  for (StringRef name : names)
    outs() << "unknown instruction: " << name << "\n";
  return kFailure;
}

std::shared_ptr<CodeObject> sim::openObject(StringRef path, int &code) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file) {
    code = fail(kBadInput, llvm::createStringError(path + ": " +
                                                   file.getError().message()));
    return nullptr;
  }
  StringRef text = (*file)->getBuffer();
  auto object = CodeObject::load({text.bytes_begin(), text.size()});
  if (object)
    return *object;
  llvm::Error rest = llvm::handleErrors(
      object.takeError(), [&](const UnknownInstructions &unknown) {
        code = showUnknown(unknown.names());
      });
  if (rest)
    code = fail(kBadInput, llvm::createStringError(
                               path + ": " + llvm::toString(std::move(rest))));
  return nullptr;
}

static void showField(StringRef name, const llvm::Twine &value) {
  outs() << llvm::format("  %-22s ", name.data()) << value << "\n";
}

static void showArguments(const KernelDescriptor &kernel) {
  outs() << "  arguments\n";
  for (const KernelArgument &argument : kernel.arguments)
    outs() << llvm::format("    %4u  %3u bytes  ", argument.offset,
                           argument.size)
           << argument.valueKind
           << (argument.name.empty() ? "" : "  " + argument.name) << "\n";
}

static void showKernel(const TargetInfo &target, const KernelDescriptor &kernel,
                       uint32_t lanes) {
  outs() << "kernel " << kernel.name << "\n";
  showField("vector registers", llvm::Twine(kernel.vgprs) + " (" +
                                    llvm::Twine(kernel.reportedVgprs) +
                                    " used, " + llvm::Twine(kernel.agprs) +
                                    " for accumulation from " +
                                    llvm::Twine(kernel.accumOffset) + ")");
  showField("scalar registers", llvm::Twine(kernel.sgprs));
  showField("spills", llvm::Twine(kernel.vgprSpills) + " vector, " +
                          llvm::Twine(kernel.sgprSpills) + " scalar");
  showField("LDS", llvm::Twine(kernel.ldsBytes) + " bytes");
  showField("scratch of a lane",
            llvm::Twine(kernel.privateBytes) + " bytes" +
                (kernel.dynamicStack ? " and a dynamic stack" : ""));
  showField("kernel arguments", llvm::Twine(kernel.kernargBytes) + " bytes, " +
                                    llvm::Twine(kernel.preloadDwords * 4) +
                                    " preloaded");
  showField("workgroup",
            "at most " + llvm::Twine(kernel.maxWorkgroupLanes) + " work items");
  Occupancy occupancy = getOccupancy(target, kernel, lanes, 0);
  showField("occupancy",
            llvm::Twine(occupancy.wavesPerSimd) + " waves per SIMD, " +
                llvm::Twine(occupancy.workgroups) + " workgroups of " +
                llvm::Twine(lanes) + " per compute unit, limited by " +
                occupancy.limit);
  showArguments(kernel);
}

int sim::showInfo(StringRef path, uint32_t workgroupLanes) {
  int code;
  std::shared_ptr<CodeObject> object = openObject(path, code);
  if (!object)
    return code;
  const TargetInfo *target = lookupTarget(object->arch());
  if (!target)
    return fail(kBadInput,
                llvm::createStringError("no target " + object->arch().str()));
  outs() << "target " << object->arch() << " (" << target->product << ")\n";
  for (const KernelDescriptor &kernel : object->kernels())
    showKernel(*target, kernel,
               workgroupLanes ? workgroupLanes : kernel.maxWorkgroupLanes);
  return kSuccess;
}

int sim::showInstructions() {
  for (StringRef name : getKnownInstructions())
    outs() << name << "\n";
  return kSuccess;
}

int sim::showEnvironment(StringRef executable, StringRef target) {
  const char *chosen = std::getenv("OCTAVO_TARGET");
  std::string name = !target.empty() ? target.str()
                     : chosen        ? chosen
                                     : getSimulatedTarget().str();
  if (!lookupTarget(name)) {
    std::string names;
    for (const TargetInfo &row : getTargets())
      names += (names.empty() ? "" : ", ") + row.arch.str();
    return fail(kBadInput, llvm::createStringError("no target " + name +
                                                   "; there are " + names));
  }
  llvm::SmallString<128> lib(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(executable)));
  llvm::sys::path::append(lib, "lib");
  outs() << "export OCTAVO_TARGET='" << name << "'\n"
         << "export LD_LIBRARY_PATH='" << lib
         << "'${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\n"
         << "export TRITON_LIBHIP_PATH='" << lib << "/libamdhip64.so'\n";
  return kSuccess;
}
