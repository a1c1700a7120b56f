//===- Launch.h - Launching test kernels ------------------------*- C++ -*-===//

#ifndef OCTAVO_TEST_UNIT_SIMULATOR_LAUNCH_H
#define OCTAVO_TEST_UNIT_SIMULATOR_LAUNCH_H

#include "octavo/Simulator/Device.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

namespace octavo::sim {

/// Loads a code object that the build compiled from
/// test/unit/Simulator/kernels.
inline std::shared_ptr<CodeObject> loadKernels(const std::string &name) {
  std::string path = std::string(OCTAVO_TEST_KERNELS) + "/" + name + ".hsaco";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    ADD_FAILURE() << path << ": " << buffer.getError().message();
    return nullptr;
  }
  llvm::StringRef bytes = (*buffer)->getBuffer();
  auto object = CodeObject::load(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  if (!object) {
    ADD_FAILURE() << llvm::toString(object.takeError());
    return nullptr;
  }
  return *object;
}

/// The kernarg segment, each argument at its natural alignment.
class Arguments {
public:
  template <class T> Arguments &add(T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    bytes.insert(bytes.end(), reinterpret_cast<uint8_t *>(&value),
                 reinterpret_cast<uint8_t *>(&value) + sizeof(T));
    return *this;
  }
  llvm::ArrayRef<uint8_t> get() const { return bytes; }

private:
  std::vector<uint8_t> bytes;
};

/// Runs a kernel on `items` work items in workgroups of `block`.
inline llvm::Expected<LaunchReport> run(const CodeObject &object,
                                        llvm::StringRef name,
                                        const Arguments &arguments,
                                        uint32_t items, uint32_t block) {
  const KernelDescriptor *kernel = object.lookupKernel(name);
  if (!kernel)
    return llvm::createStringError("no kernel " + name);
  LaunchConfig config;
  config.gridItems = {items, 1, 1};
  config.block = {block, 1, 1};
  config.kernarg = arguments.get();
  return launch(object, *kernel, config);
}

} // namespace octavo::sim

#endif // OCTAVO_TEST_UNIT_SIMULATOR_LAUNCH_H
