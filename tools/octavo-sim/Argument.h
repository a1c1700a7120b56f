//===- Argument.h - Kernel arguments from the command line ------*- C++ -*-===//

#ifndef OCTAVO_TOOLS_OCTAVO_SIM_ARGUMENT_H
#define OCTAVO_TOOLS_OCTAVO_SIM_ARGUMENT_H

#include "Npy.h"
#include "octavo/Simulator/CodeObject.h"

namespace octavo::sim {

/// What one `--arg` made: a scalar's bytes, or an array whose address is
/// passed.
struct Argument {
  /// As it stands on the command line.
  std::string text;
  bool isArray = false;
  NpyArray array;
  llvm::SmallVector<uint8_t, 8> scalar;
};

/// Makes the argument that `text` describes:
///   i32:4096, f32:0.5            a scalar
///   null                         a pointer to nothing
///   in.npy                       an array from a file
///   f8E4M3FN[64x32]:randn:7      an array of normal numbers, by seed
///   f32[64]:zeros | ones | arange | uniform:SEED
llvm::Expected<Argument> parseArgument(llvm::StringRef text);

/// The explicit part of the kernarg segment. Errors: the wrong number of
/// arguments, or one whose size is not the parameter's.
llvm::Expected<std::vector<uint8_t>>
packArguments(const KernelDescriptor &kernel,
              llvm::MutableArrayRef<Argument> arguments);

} // namespace octavo::sim

#endif // OCTAVO_TOOLS_OCTAVO_SIM_ARGUMENT_H
