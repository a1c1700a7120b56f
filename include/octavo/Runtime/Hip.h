//===- Hip.h - The HIP library of this process ------------------*- C++ -*-===//
//
// Octavo links against no HIP library. It takes the one that is already mapped
// in the process (PyTorch for ROCm brings one); else its own simulator, if
// OCTAVO_TARGET is set or there is no GPU; else AMD's. Two different ones in
// one process are an error, because pointers of one mean nothing to the other.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_RUNTIME_HIP_H
#define OCTAVO_RUNTIME_HIP_H

#include "llvm/Support/Error.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace octavo::runtime {

/// The functions of the HIP C API that the runtime calls, with the types of
/// hip_runtime_api.h where they matter (handles are opaque pointers).
struct Hip {
  using Code = int;
  using Module = void *;
  using Function = void *;
  using Stream = void *;

  Code (*getDevice)(int *) = nullptr;
  Code (*moduleLoadData)(Module *, const void *) = nullptr;
  Code (*moduleUnload)(Module) = nullptr;
  Code (*moduleGetFunction)(Function *, Module, const char *) = nullptr;
  Code (*moduleLaunchKernel)(Function, unsigned, unsigned, unsigned, unsigned,
                             unsigned, unsigned, unsigned, Stream, void **,
                             void **) = nullptr;
  Code (*streamSynchronize)(Stream) = nullptr;
  Code (*hostRegister)(void *, size_t, unsigned) = nullptr;
  Code (*hostUnregister)(void *) = nullptr;
  const char *(*getErrorString)(Code) = nullptr;
  /// The simulator's own; null with AMD's library.
  const char *(*simLastError)() = nullptr;
  size_t (*simReportJson)(char *, size_t) = nullptr;
  void (*simReset)() = nullptr;
  int (*simSetTiming)(int) = nullptr;

  /// Path of the library.
  std::string path;

  bool isSimulator() const { return simReportJson != nullptr; }
  /// An error for a code that is not 0, with what was done and all that the
  /// library says about it.
  llvm::Error check(Code code, const llvm::Twine &what) const;
  /// The text of that error.
  std::string describe(Code code, const llvm::Twine &what) const;
};

/// Finds and opens the library once; later calls return the same one.
llvm::Expected<const Hip *> getHip();

} // namespace octavo::runtime

#endif // OCTAVO_RUNTIME_HIP_H
