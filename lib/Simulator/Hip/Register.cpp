//===- Register.cpp - What clang's HIP programs call before main ----------===//
//
// A HIP C++ program registers a bundle of code objects, and for each kernel the
// address of its stub on the host. Code is loaded when a kernel or a variable
// is first used, so that a program may start without a fitting device.
//
//===----------------------------------------------------------------------===//

#include "lib/Simulator/Hip/Module.h"
#include "lib/Simulator/Hip/Stream.h"

#include <cstring>
#include <vector>

using namespace octavo;
using namespace octavo::hip;

namespace {
/// What clang puts into the section .hipFatBinSegment.
struct FatBinaryWrapper {
  uint32_t magic, version;
  const void *binary;
  void *unused;
};

/// A registered bundle, loaded or not.
struct Binary {
  const void *image = nullptr;
  Module *module = nullptr;
};

struct KernelSymbol {
  Binary *binary;
  std::string name;
  Function *function = nullptr;
};

struct VariableSymbol {
  Binary *binary;
  std::string name;
  size_t bytes;
  /// Managed variables live in memory of the host; the device holds a pointer.
  void **managed = nullptr;
  void *address = nullptr;
};

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<Binary>> binaries;
  llvm::DenseMap<const void *, KernelSymbol> kernels;
  llvm::DenseMap<const void *, VariableSymbol> variables;
};
} // namespace

static constexpr uint32_t kWrapperMagic = 0x48495046; // "HIPF"

static Registry &getRegistry() {
  static auto *registry = new Registry;
  return *registry;
}

/// Loads the bundle if that was not done yet. The lock is held.
static hipError_t load(Registry &registry, Binary &binary) {
  if (binary.module)
    return hipSuccess;
  std::shared_ptr<sim::CodeObject> object;
  if (hipError_t error = loadImage(binary.image, object))
    return error;
  binary.module = makeModule(std::move(object));
  // Managed variables: the device's pointer leads to the host's memory.
  for (auto &entry : registry.variables) {
    VariableSymbol &symbol = entry.second;
    if (symbol.binary != &binary || !symbol.managed)
      continue;
    if (auto variable = binary.module->object->lookupVariable(symbol.name);
        variable && variable->bytes >= sizeof(void *))
      std::memcpy(variable->address, symbol.managed, sizeof(void *));
  }
  return hipSuccess;
}

Function *hip::getHostFunction(const void *address) {
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  auto it = registry.kernels.find(address);
  if (it == registry.kernels.end()) {
    fail(hipErrorInvalidDeviceFunction,
         "the host function is no registered kernel");
    return nullptr;
  }
  KernelSymbol &symbol = it->second;
  if (symbol.function)
    return symbol.function;
  if (load(registry, *symbol.binary) != hipSuccess)
    return nullptr;
  symbol.function = getFunction(symbol.binary->module, symbol.name);
  if (!symbol.function)
    fail(hipErrorInvalidDeviceFunction,
         "no kernel " + symbol.name + " in the program's code object");
  return symbol.function;
}

OCTAVO_HIP_API void **__hipRegisterFatBinary(const void *data) {
  auto *wrapper = static_cast<const FatBinaryWrapper *>(data);
  if (!wrapper || wrapper->magic != kWrapperMagic || wrapper->version != 1) {
    fail(hipErrorInvalidImage, "__hipRegisterFatBinary: not clang's wrapper");
    return nullptr;
  }
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  registry.binaries.push_back(std::make_unique<Binary>());
  registry.binaries.back()->image = wrapper->binary;
  return reinterpret_cast<void **>(registry.binaries.back().get());
}

OCTAVO_HIP_API void __hipUnregisterFatBinary(void **handle) {
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  auto *binary = reinterpret_cast<Binary *>(handle);
  for (auto it = registry.kernels.begin(); it != registry.kernels.end(); ++it)
    if (it->second.binary == binary)
      registry.kernels.erase(it);
  for (auto it = registry.variables.begin(); it != registry.variables.end();
       ++it)
    if (it->second.binary == binary)
      registry.variables.erase(it);
  std::erase_if(registry.binaries, [&](const std::unique_ptr<Binary> &entry) {
    return entry.get() == binary;
  });
}

OCTAVO_HIP_API void __hipRegisterFunction(void **handle, const void *address,
                                          char *, const char *name, unsigned,
                                          void *, void *, void *, void *,
                                          int *) {
  if (!handle)
    return;
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  registry.kernels[address] = {reinterpret_cast<Binary *>(handle), name};
}

OCTAVO_HIP_API void __hipRegisterVar(void **handle, void *address, char *,
                                     char *name, int, size_t bytes, int, int) {
  if (!handle)
    return;
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  registry.variables[address] = {reinterpret_cast<Binary *>(handle), name,
                                 bytes};
}

OCTAVO_HIP_API void __hipRegisterManagedVar(void **handle, void **pointer,
                                            void *initial, const char *name,
                                            size_t bytes, unsigned) {
  State &state = getState();
  if (!handle || !state.target)
    return;
  *pointer = state.memory.allocate(bytes, MemoryKind::Managed, 0,
                                   state.properties.totalGlobalMem);
  if (!*pointer)
    return;
  std::memcpy(*pointer, initial, bytes);
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  registry.variables[pointer] = {reinterpret_cast<Binary *>(handle), name,
                                 bytes, pointer};
}

OCTAVO_HIP_API void __hipRegisterSurface(void **, void *, char *, char *, int,
                                         int) {
  failMissing("__hipRegisterSurface");
}

OCTAVO_HIP_API void __hipRegisterTexture(void **, void *, char *, char *, int,
                                         int, int) {
  failMissing("__hipRegisterTexture");
}

//===----------------------------------------------------------------------===//
// The <<<>>> of a launch
//===----------------------------------------------------------------------===//

namespace {
struct CallConfiguration {
  dim3 grid, block;
  size_t ldsBytes;
  hipStream_t stream;
};
} // namespace

static thread_local std::vector<CallConfiguration> configurations;

OCTAVO_HIP_API hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block,
                                                     size_t ldsBytes,
                                                     hipStream_t stream) {
  configurations.push_back({grid, block, ldsBytes, stream});
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block,
                                                    size_t *ldsBytes,
                                                    hipStream_t *stream) {
  if (configurations.empty())
    return fail(hipErrorMissingConfiguration, "a kernel stub without <<<>>>");
  const CallConfiguration &top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *ldsBytes = top.ldsBytes;
  *stream = top.stream;
  configurations.pop_back();
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Variables of the device
//===----------------------------------------------------------------------===//

static hipError_t findVariable(const void *key, void *&address, size_t &bytes) {
  Registry &registry = getRegistry();
  std::lock_guard lock(registry.mutex);
  auto it = registry.variables.find(key);
  if (it == registry.variables.end())
    return fail(hipErrorInvalidSymbol, "not a variable of the device");
  VariableSymbol &symbol = it->second;
  bytes = symbol.bytes;
  if (symbol.managed) {
    address = *symbol.managed;
    return hipSuccess;
  }
  if (!symbol.address) {
    if (hipError_t error = load(registry, *symbol.binary))
      return error;
    Module *module = symbol.binary->module;
    auto variable = module->object->lookupVariable(symbol.name);
    if (!variable)
      return fail(hipErrorInvalidSymbol, "no variable " + symbol.name +
                                             " in the program's code object");
    symbol.address = variable->address;
    if (getState().memory.add(variable->address, variable->bytes,
                              MemoryKind::Variable, 0))
      module->mapped.push_back(variable->address);
  }
  address = symbol.address;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipGetSymbolAddress(void **result, const void *key) {
  size_t bytes;
  if (!result)
    return fail(hipErrorInvalidValue, "hipGetSymbolAddress: null pointer");
  return findVariable(key, *result, bytes);
}

OCTAVO_HIP_API hipError_t hipGetSymbolSize(size_t *bytes, const void *key) {
  void *address;
  if (!bytes)
    return fail(hipErrorInvalidValue, "hipGetSymbolSize: null pointer");
  return findVariable(key, address, *bytes);
}

/// A copy to or from part of a variable.
static hipError_t copySymbol(const void *key, void *dst, const void *src,
                             size_t bytes, size_t offset, hipStream_t stream) {
  void *address;
  size_t size;
  if (hipError_t error = findVariable(key, address, size))
    return error;
  if (offset > size || bytes > size - offset || (!dst && !src))
    return fail(hipErrorInvalidValue, "copy of " + llvm::Twine(bytes) +
                                          " bytes at " + llvm::Twine(offset) +
                                          " of a variable of " +
                                          llvm::Twine(size));
  CopyCommand command;
  char *place = static_cast<char *>(address) + offset;
  command.dst = dst ? dst : place;
  command.src = src ? src : place;
  command.extent = {bytes, 1, 1};
  return submit(stream, std::move(command));
}

OCTAVO_HIP_API hipError_t hipMemcpyToSymbolAsync(const void *key,
                                                 const void *src, size_t bytes,
                                                 size_t offset, int,
                                                 hipStream_t stream) {
  return copySymbol(key, nullptr, src, bytes, offset, stream);
}

OCTAVO_HIP_API hipError_t hipMemcpyToSymbol(const void *key, const void *src,
                                            size_t bytes, size_t offset, int) {
  return copySymbol(key, nullptr, src, bytes, offset, nullptr);
}

OCTAVO_HIP_API hipError_t hipMemcpyFromSymbolAsync(void *dst, const void *key,
                                                   size_t bytes, size_t offset,
                                                   int, hipStream_t stream) {
  return copySymbol(key, dst, nullptr, bytes, offset, stream);
}

OCTAVO_HIP_API hipError_t hipMemcpyFromSymbol(void *dst, const void *key,
                                              size_t bytes, size_t offset,
                                              int) {
  return copySymbol(key, dst, nullptr, bytes, offset, nullptr);
}
