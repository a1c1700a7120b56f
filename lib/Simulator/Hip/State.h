//===- State.h - What the HIP library keeps ---------------------*- C++ -*-===//
//
// One device, its memory, and tables of the handles that clients hold. A handle
// is looked up before it is used, so that a stale or made-up one is an error
// and not a crash.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_STATE_H
#define OCTAVO_LIB_SIMULATOR_HIP_STATE_H

#include "lib/Simulator/Hip/DeviceProperties.h"
#include "lib/Simulator/Hip/MemoryMap.h"
#include "octavo/Simulator/CodeObject.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Twine.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>

namespace octavo::hip {

/// Live handles of one kind. The table owns the objects.
template <typename T> class HandleTable {
public:
  T *add(std::shared_ptr<T> object) {
    std::unique_lock lock(mutex);
    T *handle = object.get();
    live[handle] = std::move(object);
    return handle;
  }
  bool contains(const T *handle) const {
    std::shared_lock lock(mutex);
    return live.contains(handle);
  }
  /// Takes the object out, or null if the handle is not live.
  std::shared_ptr<T> remove(const T *handle) {
    std::unique_lock lock(mutex);
    auto it = live.find(handle);
    if (it == live.end())
      return nullptr;
    std::shared_ptr<T> object = std::move(it->second);
    live.erase(it);
    return object;
  }
  template <typename Fn> void forEach(Fn fn) const {
    std::shared_lock lock(mutex);
    for (auto &entry : live)
      fn(*entry.second);
  }

private:
  mutable std::shared_mutex mutex;
  llvm::DenseMap<const T *, std::shared_ptr<T>> live;
};

/// A kernel of a module, as hipFunction_t names it.
struct Function {
  Module *module = nullptr;
  /// Keeps the code alive while a launch or a graph uses it.
  std::shared_ptr<sim::CodeObject> object;
  const sim::KernelDescriptor *kernel = nullptr;
  /// Explicit arguments in order, and the bytes that they span.
  llvm::SmallVector<const sim::KernelArgument *, 8> parameters;
  uint32_t explicitBytes = 0;
};

/// A loaded code object.
struct Module {
  std::shared_ptr<sim::CodeObject> object;
  std::mutex mutex;
  /// Owned by State::functions.
  llvm::DenseMap<const sim::KernelDescriptor *, Function *> functions;
  /// Variables that hipModuleGetGlobal put into the memory map.
  llvm::SmallVector<void *, 2> mapped;
};

/// Everything in this process.
struct State {
  /// Null if OCTAVO_TARGET names no chip of the simulator.
  const TargetInfo *target;
  std::string targetName;
  hipDeviceProp_t properties;
  MemoryMap memory;
  HandleTable<Stream> streams;
  HandleTable<Event> events;
  HandleTable<Module> modules;
  HandleTable<Function> functions;
  HandleTable<MemPool> pools;
  HandleTable<Graph> graphs;
  HandleTable<GraphExec> graphExecs;
  HandleTable<UserObject> userObjects;
  /// Held while the device works: kernels, copies and fills come one by one.
  std::mutex execution;
  /// What a failed launch left behind (hipSuccess if none); every later use of
  /// the device returns it until hipDeviceReset or octavoSimReset.
  std::atomic<hipError_t> sticky{hipSuccess};

  State();
};

/// The state of this process; made at the first call, never destroyed, because
/// clients call HIP from destructors.
State &getState();

/// Takes a freed range off its pool's account.
void countPoolFree(const MemoryRange &range);

/// Remembers `code` as this thread's last error, with a text for
/// octavoSimLastError, and returns it. hipSuccess is passed through.
hipError_t fail(hipError_t code, const llvm::Twine &why);
/// The same without a text of its own.
hipError_t fail(hipError_t code);
/// Turns an LLVM error into `code` with the error's text.
hipError_t fail(hipError_t code, llvm::Error error);
/// Says once per name that a function is missing; returns hipErrorNotSupported.
hipError_t failMissing(const char *name);
/// The text of this thread's last error.
const char *getLastErrorText();
/// Forgets this thread's last error.
void clearLastError();
/// The name of HIP for `code`, and its text.
const char *getErrorName(hipError_t code);
const char *getErrorText(hipError_t code);

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_STATE_H
