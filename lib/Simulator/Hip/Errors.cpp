//===- Errors.cpp - Error codes, their texts, the last error --------------===//

#include "lib/Simulator/Hip/State.h"
#include "octavo/Simulator/OctavoSim.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace octavo;
using namespace octavo::hip;

namespace {
/// What one thread remembers of its last failed call.
struct LastError {
  hipError_t code = hipSuccess;
  std::string text;
};
} // namespace

static thread_local LastError lastError;

const char *hip::getErrorName(hipError_t code) {
  switch (code) {
#define HIP_ERROR(NAME, VALUE, TEXT)                                           \
  case VALUE:                                                                  \
    return "hipError" #NAME;
#define HIP_SUCCESS(NAME, VALUE, TEXT)                                         \
  case VALUE:                                                                  \
    return "hip" #NAME;
#include "lib/Simulator/Hip/Errors.def"
  }
  return "hipErrorUnknown";
}

const char *hip::getErrorText(hipError_t code) {
  switch (code) {
#define HIP_ERROR(NAME, VALUE, TEXT)                                           \
  case VALUE:                                                                  \
    return TEXT;
#define HIP_SUCCESS(NAME, VALUE, TEXT)                                         \
  case VALUE:                                                                  \
    return TEXT;
#include "lib/Simulator/Hip/Errors.def"
  }
  return "unknown error";
}

hipError_t hip::fail(hipError_t code) {
  if (code == hipSuccess)
    return code;
  lastError.code = code;
  lastError.text.clear();
  return code;
}

hipError_t hip::fail(hipError_t code, const llvm::Twine &why) {
  if (code == hipSuccess)
    return code;
  lastError.code = code;
  lastError.text = why.str();
  static const bool logs = std::getenv("OCTAVO_SIM_LOG") != nullptr;
  if (logs)
    llvm::errs() << "octavo simulator: " << lastError.text << "\n";
  return code;
}

hipError_t hip::fail(hipError_t code, llvm::Error error) {
  return fail(code, llvm::toString(std::move(error)));
}

hipError_t hip::failMissing(const char *name) {
  static std::mutex mutex;
  static llvm::StringSet<> said;
  {
    std::lock_guard lock(mutex);
    if (said.insert(name).second)
      llvm::errs() << "octavo simulator: " << name << " is not supported\n";
  }
  return fail(hipErrorNotSupported,
              llvm::Twine(name) + " is not supported by the simulator");
}

const char *hip::getLastErrorText() {
  if (lastError.code != hipSuccess && lastError.text.empty())
    return getErrorText(lastError.code);
  return lastError.text.c_str();
}

void hip::clearLastError() { lastError = {}; }

OCTAVO_HIP_API hipError_t hipGetLastError() {
  return std::exchange(lastError.code, hipSuccess);
}

OCTAVO_HIP_API hipError_t hipExtGetLastError() {
  return std::exchange(lastError.code, hipSuccess);
}

OCTAVO_HIP_API hipError_t hipPeekAtLastError() { return lastError.code; }

OCTAVO_HIP_API const char *hipGetErrorName(hipError_t code) {
  return getErrorName(code);
}

OCTAVO_HIP_API const char *hipGetErrorString(hipError_t code) {
  return getErrorText(code);
}

static bool isErrorCode(hipError_t code) {
  return code == hipErrorUnknown ||
         llvm::StringRef(getErrorName(code)) != "hipErrorUnknown";
}

OCTAVO_HIP_API hipError_t hipDrvGetErrorName(hipError_t code,
                                             const char **text) {
  if (!text || !isErrorCode(code))
    return fail(hipErrorInvalidValue, "hipDrvGetErrorName: no such error");
  *text = getErrorName(code);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipDrvGetErrorString(hipError_t code,
                                               const char **text) {
  if (!text || !isErrorCode(code))
    return fail(hipErrorInvalidValue, "hipDrvGetErrorString: no such error");
  *text = getErrorText(code);
  return hipSuccess;
}

OCTAVO_HIP_API const char *octavoSimLastError() { return getLastErrorText(); }
