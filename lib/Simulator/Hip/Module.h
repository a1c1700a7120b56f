//===- Module.h - Code objects behind HIP modules ---------------*- C++ -*-===//

#ifndef OCTAVO_LIB_SIMULATOR_HIP_MODULE_H
#define OCTAVO_LIB_SIMULATOR_HIP_MODULE_H

#include "lib/Simulator/Hip/State.h"

namespace octavo::hip {

/// The code object for the target in `image`: a bare ELF, or a bundle of clang
/// (plain or compressed) of which the entry for this chip is taken. The size of
/// the image is taken from its headers.
hipError_t loadImage(const void *image,
                     std::shared_ptr<sim::CodeObject> &result);
/// The same for a file's contents, whose size is known.
hipError_t loadBytes(llvm::ArrayRef<uint8_t> bytes,
                     std::shared_ptr<sim::CodeObject> &result);

/// Makes a module of `object`.
Module *makeModule(std::shared_ptr<sim::CodeObject> object);

/// The function called `name`, or null.
Function *getFunction(Module *module, llvm::StringRef name);

/// The kernel that clang's registration tied to the host function `address`,
/// loaded at its first use; null with the error noted if there is none.
Function *getHostFunction(const void *address);

} // namespace octavo::hip

#endif // OCTAVO_LIB_SIMULATOR_HIP_MODULE_H
