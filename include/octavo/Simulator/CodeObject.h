//===- CodeObject.h - A loaded AMDGPU code object ---------------*- C++ -*-===//
//
// An ELF file of code for one GPU, brought into memory as the driver would: the
// segments are copied, relocations applied, metadata and kernel descriptors
// read, and every instruction decoded. An instruction or modifier that the
// simulator does not know is an error here, never at launch.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_CODEOBJECT_H
#define OCTAVO_SIMULATOR_CODEOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace octavo::sim {

class Program;
class SourceLines;

/// One argument in the kernarg segment, explicit or hidden.
struct KernelArgument {
  std::string name;
  uint32_t offset, size;
  /// `.value_kind` of the metadata: "by_value", "global_buffer",
  /// "dynamic_shared_pointer", "hidden_block_count_x", ...
  std::string valueKind;

  /// True for arguments that the launch fills in, not the caller.
  bool isHidden() const {
    return llvm::StringRef(valueKind).starts_with("hidden_");
  }
};

/// What the kernel descriptor and the metadata say about one kernel.
struct KernelDescriptor {
  /// Name for lookups, and the symbol of the descriptor ("NAME.kd").
  std::string name, symbol;
  uint32_t kernargBytes = 0, kernargAlign = 8;
  /// LDS that the kernel declares; a launch may add dynamic LDS.
  uint32_t ldsBytes = 0;
  /// Scratch of one lane.
  uint32_t privateBytes = 0;
  bool dynamicStack = false;
  /// Vector registers of a lane, both files together as the descriptor
  /// allocates them, and the number at which the accumulation registers begin.
  uint32_t vgprs = 0, accumOffset = 0;
  /// Counts that the compiler reports.
  uint32_t reportedVgprs = 0, agprs = 0, sgprs = 0;
  uint32_t vgprSpills = 0, sgprSpills = 0;
  uint32_t maxWorkgroupLanes = 1024;
  /// All zero if any shape is accepted.
  std::array<uint32_t, 3> requiredWorkgroup = {0, 0, 0};
  uint32_t waveSize = 64;
  /// Kernel arguments loaded into SGPRs before the first instruction, in
  /// dwords.
  uint32_t preloadDwords = 0, preloadOffsetDwords = 0;
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  /// kernel_code_properties: which user SGPRs are set up.
  uint32_t codeProperties = 0;
  /// Address of the first instruction in the code object's own address space.
  uint64_t entry = 0;
  std::vector<KernelArgument> arguments;
};

/// A variable of the device: its address in host memory and its size.
struct DeviceVariable {
  void *address;
  uint64_t bytes;
};

/// Instructions or modifiers of a code object that the simulator does not know.
class UnknownInstructions : public llvm::ErrorInfo<UnknownInstructions> {
public:
  static char ID;

  /// `names` holds each mnemonic (with the modifier, if that is the unknown
  /// part) once.
  UnknownInstructions(std::string arch, std::vector<std::string> names)
      : arch(std::move(arch)), nameList(std::move(names)) {}

  llvm::ArrayRef<std::string> names() const { return nameList; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string arch;
  std::vector<std::string> nameList;
};

/// The mnemonics that the simulator executes, sorted, without the suffixes of
/// encodings.
std::vector<llvm::StringRef> getKnownInstructions();

class CodeObject {
public:
  /// Loads a bare ELF file. Errors: not an AMDGPU ELF, no such target, metadata
  /// that is malformed, instructions that the simulator does not know (all of
  /// them are listed).
  static llvm::Expected<std::shared_ptr<CodeObject>>
  load(llvm::ArrayRef<uint8_t> elf);

  /// The processor that the flags of an ELF header name; empty if it is none of
  /// the simulator's.
  static llvm::StringRef archOf(uint32_t elfFlags);

  /// Bytes of the ELF file that begins at `start`, from its headers alone, for
  /// callers that get a pointer without a size.
  static llvm::Expected<size_t> sizeOfElf(const void *start);

  ~CodeObject();
  CodeObject(const CodeObject &) = delete;
  CodeObject &operator=(const CodeObject &) = delete;

  /// LLVM's name of the processor, for example "gfx950".
  llvm::StringRef arch() const { return archName; }
  llvm::ArrayRef<KernelDescriptor> kernels() const { return kernelList; }
  /// Returns the kernel of that name (with or without ".kd"), or null.
  const KernelDescriptor *lookupKernel(llvm::StringRef name) const;
  /// Returns the global variable of that name.
  std::optional<DeviceVariable> lookupVariable(llvm::StringRef name) const;
  /// The decoded instructions.
  const Program &program() const { return *code; }
  /// "file.c:12" of the instruction at an address, if the object has DWARF line
  /// tables that say it; else empty.
  std::string sourceLine(uint64_t address) const;

private:
  CodeObject();
  friend struct CodeObjectLoader;

  std::string archName;
  std::vector<KernelDescriptor> kernelList;
  std::vector<std::pair<std::string, DeviceVariable>> variables;
  void *image = nullptr;
  size_t imageBytes = 0;
  std::unique_ptr<Program> code;
  std::unique_ptr<SourceLines> lines;
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_CODEOBJECT_H
