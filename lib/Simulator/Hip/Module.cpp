//===- Module.cpp - Modules and functions ---------------------------------===//

#include "lib/Simulator/Hip/Module.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace octavo;
using namespace octavo::hip;
using llvm::StringRef;

Module *hip::makeModule(std::shared_ptr<sim::CodeObject> object) {
  auto module = std::make_unique<Module>();
  module->object = std::move(object);
  return getState().modules.add(std::move(module));
}

Function *hip::getFunction(Module *module, StringRef name) {
  const sim::KernelDescriptor *kernel = module->object->lookupKernel(name);
  if (!kernel)
    return nullptr;
  std::lock_guard lock(module->mutex);
  Function *&known = module->functions[kernel];
  if (known)
    return known;
  auto function = std::make_unique<Function>();
  function->module = module;
  function->object = module->object;
  function->kernel = kernel;
  for (const sim::KernelArgument &argument : kernel->arguments) {
    if (argument.isHidden())
      continue;
    function->parameters.push_back(&argument);
    function->explicitBytes =
        std::max(function->explicitBytes, argument.offset + argument.size);
  }
  known = getState().functions.add(std::move(function));
  return known;
}

static hipError_t invalidModule(const char *function) {
  return fail(hipErrorInvalidHandle,
              llvm::Twine(function) + ": no such module");
}

static bool isModule(hipModule_t module) {
  return getState().modules.contains(module);
}

OCTAVO_HIP_API hipError_t hipModuleLoadData(hipModule_t *module,
                                            const void *image) {
  if (!module)
    return fail(hipErrorInvalidValue, "hipModuleLoadData: null pointer");
  std::shared_ptr<sim::CodeObject> object;
  if (hipError_t error = loadImage(image, object))
    return error;
  *module = makeModule(std::move(object));
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipModuleLoadDataEx(hipModule_t *module,
                                              const void *image, unsigned,
                                              int *, void **) {
  // The options steer a compiler that code objects do not need.
  return hipModuleLoadData(module, image);
}

OCTAVO_HIP_API hipError_t hipModuleLoadFatBinary(hipModule_t *module,
                                                 const void *image) {
  return hipModuleLoadData(module, image);
}

OCTAVO_HIP_API hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  if (!module || !path)
    return fail(hipErrorInvalidValue, "hipModuleLoad: null pointer");
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(hipErrorFileNotFound,
                llvm::Twine(path) + ": " + file.getError().message());
  StringRef text = (*file)->getBuffer();
  std::shared_ptr<sim::CodeObject> object;
  if (hipError_t error = loadBytes({text.bytes_begin(), text.size()}, object))
    return error;
  *module = makeModule(std::move(object));
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipModuleUnload(hipModule_t handle) {
  State &state = getState();
  // A kernel of the module may still run on another thread.
  std::lock_guard device(state.execution);
  std::shared_ptr<Module> module = state.modules.remove(handle);
  if (!module)
    return invalidModule("hipModuleUnload");
  for (auto &entry : module->functions)
    state.functions.remove(entry.second);
  for (void *address : module->mapped)
    state.memory.remove(address);
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipModuleGetFunction(hipFunction_t *function,
                                               hipModule_t module,
                                               const char *name) {
  if (!function || !name)
    return fail(hipErrorInvalidValue, "hipModuleGetFunction: null pointer");
  if (!isModule(module))
    return invalidModule("hipModuleGetFunction");
  *function = getFunction(module, name);
  if (*function)
    return hipSuccess;
  std::string names;
  for (const sim::KernelDescriptor &kernel : module->object->kernels())
    names += (names.empty() ? "" : ", ") + kernel.name;
  return fail(hipErrorNotFound, llvm::Twine("no kernel ") + name +
                                    " in the module; it has: " + names);
}

OCTAVO_HIP_API hipError_t hipModuleGetFunctionCount(unsigned *count,
                                                    hipModule_t module) {
  if (!count || !isModule(module))
    return invalidModule("hipModuleGetFunctionCount");
  *count = module->object->kernels().size();
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t *address,
                                             size_t *bytes, hipModule_t module,
                                             const char *name) {
  if (!name || !isModule(module))
    return invalidModule("hipModuleGetGlobal");
  auto variable = module->object->lookupVariable(name);
  if (!variable)
    return fail(hipErrorNotFound,
                llvm::Twine("no variable ") + name + " in the module");
  if (getState().memory.add(variable->address, variable->bytes,
                            MemoryKind::Variable, 0)) {
    std::lock_guard lock(module->mutex);
    module->mapped.push_back(variable->address);
  }
  if (address)
    *address = variable->address;
  if (bytes)
    *bytes = variable->bytes;
  return hipSuccess;
}

//===----------------------------------------------------------------------===//
// Attributes of functions
//===----------------------------------------------------------------------===//

/// Bytes of LDS that a launch may add.
static uint32_t getMaxDynamicLds(const Function &function) {
  uint32_t device = getState().target->ldsBytes;
  uint32_t fixed = function.kernel->ldsBytes;
  return device > fixed ? device - fixed : 0;
}

static uint32_t getRegisters(const Function &function) {
  const sim::KernelDescriptor &kernel = *function.kernel;
  return kernel.reportedVgprs ? kernel.reportedVgprs : kernel.vgprs;
}

OCTAVO_HIP_API hipError_t hipFuncGetAttribute(int *value,
                                              hipFunction_attribute attribute,
                                              hipFunction_t function) {
  if (!value)
    return fail(hipErrorInvalidValue, "hipFuncGetAttribute: null pointer");
  if (!getState().functions.contains(function))
    return fail(hipErrorInvalidHandle, "hipFuncGetAttribute: no such function");
  const sim::KernelDescriptor &kernel = *function->kernel;
  switch (attribute) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = kernel.maxWorkgroupLanes;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = kernel.ldsBytes;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
  case HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = 0;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = kernel.privateBytes;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_NUM_REGS:
    *value = getRegisters(*function);
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
  case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = getState().properties.major * 10 + getState().properties.minor;
    return hipSuccess;
  case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = getMaxDynamicLds(*function);
    return hipSuccess;
  }
  return fail(hipErrorInvalidValue, "hipFuncGetAttribute: no attribute " +
                                        llvm::Twine(int(attribute)));
}

OCTAVO_HIP_API hipError_t hipFuncGetAttributes(hipFuncAttributes *result,
                                               const void *address) {
  if (!result)
    return fail(hipErrorInvalidValue, "hipFuncGetAttributes: null pointer");
  Function *function = getHostFunction(address);
  if (!function)
    return hipErrorInvalidDeviceFunction;
  const sim::KernelDescriptor &kernel = *function->kernel;
  *result = {};
  result->binaryVersion = result->ptxVersion =
      getState().properties.major * 10 + getState().properties.minor;
  result->localSizeBytes = kernel.privateBytes;
  result->maxDynamicSharedSizeBytes = getMaxDynamicLds(*function);
  result->maxThreadsPerBlock = kernel.maxWorkgroupLanes;
  result->numRegs = getRegisters(*function);
  result->sharedSizeBytes = kernel.ldsBytes;
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipFuncSetAttribute(const void *address,
                                              int attribute, int value) {
  // 8 is the most dynamic LDS, 9 the preferred share of LDS in a cache.
  if ((attribute != 8 && attribute != 9) || value < 0)
    return fail(hipErrorInvalidValue,
                "hipFuncSetAttribute: attribute " + llvm::Twine(attribute));
  Function *function =
      getState().functions.contains(static_cast<const Function *>(address))
          ? static_cast<Function *>(const_cast<void *>(address))
          : getHostFunction(address);
  if (!function)
    return hipErrorInvalidDeviceFunction;
  if (attribute == 8 && uint32_t(value) > getMaxDynamicLds(*function))
    return fail(hipErrorInvalidValue,
                llvm::Twine(value) + " bytes of dynamic LDS, at most " +
                    llvm::Twine(getMaxDynamicLds(*function)));
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipFuncSetCacheConfig(const void *, int) {
  return hipSuccess;
}

OCTAVO_HIP_API hipError_t hipFuncSetSharedMemConfig(const void *, int) {
  return hipSuccess;
}

OCTAVO_HIP_API const char *hipKernelNameRef(hipFunction_t function) {
  return getState().functions.contains(function)
             ? function->kernel->name.c_str()
             : nullptr;
}

OCTAVO_HIP_API const char *hipKernelNameRefByPtr(const void *address,
                                                 hipStream_t) {
  Function *function = getHostFunction(address);
  return function ? function->kernel->name.c_str() : nullptr;
}

OCTAVO_HIP_API hipError_t hipGetFuncBySymbol(hipFunction_t *result,
                                             const void *address) {
  if (!result)
    return fail(hipErrorInvalidValue, "hipGetFuncBySymbol: null pointer");
  *result = getHostFunction(address);
  return *result ? hipSuccess : hipErrorInvalidDeviceFunction;
}
