//===- Hip.cpp - The HIP library of this process --------------------------===//

#include "octavo/Runtime/Hip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <mutex>
#include <vector>

using namespace octavo::runtime;

static std::string realPath(llvm::StringRef path) {
  llvm::SmallString<256> result;
  if (llvm::sys::fs::real_path(path, result))
    return path.str();
  return std::string(result);
}

/// The files that provide HIP's functions among the libraries of this process.
static std::vector<std::string> findMappedLibraries() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        llvm::StringRef name(info->dlpi_name ? info->dlpi_name : "");
        if (llvm::sys::path::filename(name).starts_with("libamdhip64.so"))
          static_cast<std::vector<std::string> *>(data)->push_back(name.str());
        return 0;
      },
      &names);
  std::vector<std::string> files;
  for (const std::string &name : names) {
    void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (!handle)
      continue;
    // A library may only stand for another one (libamdhip64.so.7).
    Dl_info info;
    void *symbol = dlsym(handle, "hipModuleLaunchKernel");
    if (symbol && dladdr(symbol, &info) && info.dli_fname) {
      std::string file = realPath(info.dli_fname);
      if (!llvm::is_contained(files, file))
        files.push_back(file);
    }
    dlclose(handle);
  }
  return files;
}

/// Where the simulator lies: beside the binary that holds this code.
static std::vector<std::string> getSimulatorPaths() {
  std::vector<std::string> paths;
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&findMappedLibraries), &info) &&
      info.dli_fname) {
    std::string self = realPath(info.dli_fname);
    llvm::StringRef folder = llvm::sys::path::parent_path(self);
    for (const char *place : {"lib", "../lib"}) {
      llvm::SmallString<256> path(folder);
      llvm::sys::path::append(path, place, "libamdhip64.so");
      paths.push_back(std::string(path));
    }
  }
#ifdef OCTAVO_BUILD_LIBRARY_DIR
  paths.push_back(OCTAVO_BUILD_LIBRARY_DIR "/libamdhip64.so");
#endif
  return paths;
}

static llvm::Expected<void *> openSimulator() {
  std::vector<std::string> paths = getSimulatorPaths();
  for (const std::string &path : paths) {
    if (!llvm::sys::fs::exists(path))
      continue;
    // Local: its LLVM must not replace that of a library loaded later (Triton
    // exports the same symbols). Who opens the library by its name finds this.
    if (void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    return llvm::createStringError("cannot load the simulator: %s", dlerror());
  }
  return llvm::createStringError("the simulator is not installed; looked for " +
                                 llvm::join(paths, ", "));
}

static llvm::Expected<void *> openAmd() {
  for (const char *name :
       {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so"})
    if (void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return handle;
  return llvm::createStringError(
      "this machine has an AMD GPU but no HIP library (libamdhip64.so); "
      "install "
      "ROCm, or set OCTAVO_TARGET to run on the simulator");
}

static llvm::Expected<void *> openLibrary() {
  std::vector<std::string> mapped = findMappedLibraries();
  if (mapped.size() > 1)
    return llvm::createStringError("two HIP libraries in one process: " +
                                   llvm::join(mapped, " and "));
  if (mapped.size() == 1)
    return dlopen(mapped.front().c_str(), RTLD_NOW | RTLD_NOLOAD);
  const char *target = std::getenv("OCTAVO_TARGET");
  bool wantsSimulator = target && *target;
  if (wantsSimulator || !llvm::sys::fs::exists("/dev/kfd"))
    return openSimulator();
  return openAmd();
}

template <typename F>
static bool lookUp(void *handle, const char *name, F &function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

static llvm::Expected<Hip> loadHip() {
  auto handle = openLibrary();
  if (!handle)
    return handle.takeError();
  if (!*handle)
    return llvm::createStringError("the HIP library vanished while it was "
                                   "opened");
  Hip hip;
  Dl_info info;
  const char *missing = nullptr;
  auto need = [&](const char *name, auto &function) {
    if (!lookUp(*handle, name, function) && !missing)
      missing = name;
  };
  need("hipGetDevice", hip.getDevice);
  need("hipModuleLoadData", hip.moduleLoadData);
  need("hipModuleUnload", hip.moduleUnload);
  need("hipModuleGetFunction", hip.moduleGetFunction);
  need("hipModuleLaunchKernel", hip.moduleLaunchKernel);
  need("hipStreamSynchronize", hip.streamSynchronize);
  need("hipHostRegister", hip.hostRegister);
  need("hipHostUnregister", hip.hostUnregister);
  need("hipGetErrorString", hip.getErrorString);
  lookUp(*handle, "octavoSimLastError", hip.simLastError);
  lookUp(*handle, "octavoSimReportJson", hip.simReportJson);
  lookUp(*handle, "octavoSimReset", hip.simReset);
  lookUp(*handle, "octavoSimSetTiming", hip.simSetTiming);
  if (hip.moduleLaunchKernel &&
      dladdr(reinterpret_cast<void *>(hip.moduleLaunchKernel), &info))
    hip.path = info.dli_fname;
  if (missing)
    return llvm::createStringError("the HIP library %s lacks %s",
                                   hip.path.c_str(), missing);
  return hip;
}

llvm::Expected<const Hip *> octavo::runtime::getHip() {
  static std::mutex mutex;
  static const Hip *found = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (found)
    return found;
  auto hip = loadHip();
  if (!hip)
    return hip.takeError();
  return found = new Hip(std::move(*hip));
}

std::string Hip::describe(Code code, const llvm::Twine &what) const {
  std::string text = what.str();
  const char *name = getErrorString(code);
  text += ": " + std::string(name ? name : "unknown error") + " (" +
          std::to_string(code) + ")";
  if (simLastError)
    if (const char *details = simLastError(); details && *details)
      text += "\n" + std::string(details);
  return text;
}

llvm::Error Hip::check(Code code, const llvm::Twine &what) const {
  if (code == 0)
    return llvm::Error::success();
  return llvm::createStringError(describe(code, what));
}
