//===- Program.h - Executing a compiled graph -------------------*- C++ -*-===//
//
// A program is a list of steps (docs/design/levels.md, section 7). Runs of
// launches between two steps that Python must do are segments; a segment is one
// call, without allocation and without synchronisation, so that it can be
// captured in a HIP graph. Any thread may run a program at any time.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_RUNTIME_PROGRAM_H
#define OCTAVO_RUNTIME_PROGRAM_H

#include "octavo/Runtime/Hip.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace octavo::runtime {

class Program {
public:
  /// Device addresses of one run.
  struct Addresses {
    llvm::ArrayRef<uint64_t> inputs, outputs;
    uint64_t workspace = 0;
  };

  /// Reads the steps; code is loaded on a device when it first runs there.
  static llvm::Expected<std::unique_ptr<Program>> load(llvm::StringRef json,
                                                       llvm::StringRef code);
  ~Program();

  size_t getNumInputs() const { return inputBytes.size(); }
  size_t getNumOutputs() const { return outputBytes.size(); }
  uint64_t getWorkspaceBytes() const { return workspaceBytes; }
  size_t getNumLaunches() const { return launches.size(); }
  /// Name of the kernel of a launch.
  llvm::StringRef getKernelName(size_t launch) const {
    return kernels[launches[launch].kernel].name;
  }

  /// A segment: launches, or one step that Python does.
  struct Segment {
    /// Launches [begin, end); empty for a step of Python.
    uint32_t begin = 0, end = 0;
    /// Number of the step of Python in the list of steps, or -1.
    int32_t step = -1;
  };
  llvm::ArrayRef<Segment> getSegments() const { return segments; }

  /// Enqueues the launches of one segment on `stream` of the current device.
  llvm::Error run(size_t segment, const Addresses &addresses,
                  void *stream) const;
  /// Enqueues everything; an error if Python has a step to do.
  llvm::Error run(const Addresses &addresses, void *stream) const;
  /// Enqueues one launch; for whoever wants to know when each one happens.
  llvm::Error runLaunch(size_t launch, const Addresses &addresses,
                        void *stream) const;

private:
  /// Eight bytes at `offset` of the kernel arguments are a base plus `addend`.
  struct Patch {
    enum Kind { Input, Output, Workspace } kind;
    uint32_t index, offset;
    uint64_t addend;
  };
  struct Kernel {
    std::string name;
    uint32_t object, lanes, kernargBytes;
  };
  struct Launch {
    uint32_t kernel;
    std::array<uint32_t, 3> grid;
    /// Range of the argument block in `arguments` and of `patches`.
    uint32_t begin, bytes, patchBegin, patchEnd;
  };
  struct Object {
    uint64_t offset, bytes;
  };
  /// The code on one device.
  struct Loaded {
    std::vector<Hip::Module> modules;
    std::vector<Hip::Function> functions;
  };
  static constexpr unsigned kMaxDevices = 64;

  llvm::Error parse(const llvm::json::Object &root);
  llvm::Error parseKernels(const llvm::json::Object &root);
  llvm::Error parseLaunch(const llvm::json::Object &step);
  llvm::Error parseArgument(const llvm::json::Object &argument, Launch &launch);
  llvm::Expected<const Loaded *> getLoaded(const Hip &hip) const;
  llvm::Error checkAddresses(const Addresses &addresses) const;
  /// Enqueues launches [begin, end).
  llvm::Error runLaunches(uint32_t begin, uint32_t end,
                          const Addresses &addresses, void *stream) const;
  llvm::Error launchAll(const Hip &hip, uint32_t begin, uint32_t end,
                        const Addresses &addresses, void *stream) const;

  std::string code;
  std::vector<uint64_t> inputBytes, outputBytes;
  uint64_t workspaceBytes = 0;
  std::vector<Object> objects;
  std::vector<Kernel> kernels;
  std::vector<Launch> launches;
  std::vector<Patch> patches;
  /// The argument blocks of all launches with their constants.
  std::vector<uint8_t> arguments;
  std::vector<Segment> segments;
  mutable std::array<std::atomic<const Loaded *>, kMaxDevices> devices = {};
  mutable std::mutex loading;
};

} // namespace octavo::runtime

#endif // OCTAVO_RUNTIME_PROGRAM_H
