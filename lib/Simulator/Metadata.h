//===- Metadata.h - The metadata note of a code object ----------*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_METADATA_H
#define OCTAVO_SIMULATOR_METADATA_H

#include "octavo/Simulator/CodeObject.h"

namespace octavo::sim {

/// A kernel as far as the metadata describes it.
struct KernelMetadata {
  KernelDescriptor kernel;
};

/// Reads the message pack of the note (code object versions 3 to 6).
llvm::Expected<std::vector<KernelMetadata>> parseMetadata(llvm::StringRef note);

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_METADATA_H
