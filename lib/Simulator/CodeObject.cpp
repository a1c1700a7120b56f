//===- CodeObject.cpp - A loaded AMDGPU code object -----------------------===//

#include "octavo/Simulator/CodeObject.h"

using namespace octavo::sim;

namespace octavo::sim {
class Program {};
} // namespace octavo::sim

CodeObject::CodeObject() = default;
CodeObject::~CodeObject() = default;

llvm::Expected<std::shared_ptr<CodeObject>>
CodeObject::load(llvm::ArrayRef<uint8_t> elf) {
  return llvm::createStringError("loading code objects is not implemented yet");
}

llvm::Expected<size_t> CodeObject::sizeOfElf(const void *start) {
  return llvm::createStringError("loading code objects is not implemented yet");
}

const KernelDescriptor *CodeObject::lookupKernel(llvm::StringRef name) const {
  for (const KernelDescriptor &kernel : kernelList)
    if (kernel.name == name || kernel.symbol == name)
      return &kernel;
  return nullptr;
}

std::optional<DeviceVariable>
CodeObject::lookupVariable(llvm::StringRef name) const {
  for (const auto &[variable, place] : variables)
    if (variable == name)
      return place;
  return std::nullopt;
}
