//===- ProcAddress.cpp - Looking functions up by name ---------------------===//

#include "lib/Simulator/Hip/State.h"

#include "llvm/ADT/StringSet.h"

#include <dlfcn.h>

using namespace octavo;
using namespace octavo::hip;
using llvm::StringRef;

/// This library itself, however it was loaded.
static void *getOwnHandle() {
  static void *handle = [] {
    Dl_info info;
    if (!dladdr(reinterpret_cast<void *>(&getOwnHandle), &info))
      return static_cast<void *>(nullptr);
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  return handle;
}

/// Functions that exist only to say that they are missing.
static bool isMissing(StringRef name) {
  static const llvm::StringSet<> names = {
#define HIP_MISSING(NAME) #NAME,
#include "lib/Simulator/Hip/Missing.def"
  };
  return names.contains(name);
}

static hipError_t lookup(const char *symbol, void **result, int *status) {
  if (!symbol || !result)
    return fail(hipErrorInvalidValue, "hipGetProcAddress: null pointer");
  StringRef name = symbol;
  // Clients built with HIP 6 and 7 mean the newer layout by the plain name.
  if (name == "hipGetDeviceProperties" || name == "hipChooseDevice")
    name = name == "hipChooseDevice" ? "hipChooseDeviceR0600"
                                     : "hipGetDevicePropertiesR0600";
  bool ours = name.starts_with("hip") || name.starts_with("octavoSim");
  *result = ours && !isMissing(name) ? dlsym(getOwnHandle(), name.str().c_str())
                                     : nullptr;
  if (status)
    *status = *result ? HIP_GET_PROC_ADDRESS_SUCCESS
                      : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return *result ? hipSuccess : failMissing(symbol);
}

OCTAVO_HIP_API hipError_t hipGetProcAddress(const char *symbol, void **result,
                                            int, uint64_t, int *status) {
  return lookup(symbol, result, status);
}

OCTAVO_HIP_API hipError_t hipGetDriverEntryPoint(const char *symbol,
                                                 void **result,
                                                 unsigned long long,
                                                 int *status) {
  return lookup(symbol, result, status);
}

//===----------------------------------------------------------------------===//
// Functions of HIP that the simulator does not have
//===----------------------------------------------------------------------===//

// The arguments are never read, so that a function without any stands for all.
#define HIP_MISSING(NAME)                                                      \
  OCTAVO_HIP_API hipError_t NAME() { return failMissing(#NAME); }
#include "lib/Simulator/Hip/Missing.def"
