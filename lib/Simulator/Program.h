//===- Program.h - The decoded instructions of a code object ----*- C++ -*-===//
//
// Instructions of all functions of one code object, bound to handlers.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_PROGRAM_H
#define OCTAVO_SIMULATOR_PROGRAM_H

#include "Machine.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace octavo::sim {

class Decoder;
struct ParsedInst;

/// A mnemonic that occurs in the program.
struct MnemonicInfo {
  std::string name;
  Class cls;
};

class Program {
public:
  /// Decodes the ranges (offset, size) of `image`, which stays at its address.
  /// The error lists every mnemonic, modifier and operand that is not known.
  static llvm::Expected<std::unique_ptr<Program>>
  create(llvm::StringRef arch, llvm::ArrayRef<uint8_t> image,
         llvm::ArrayRef<std::pair<uint64_t, uint64_t>> ranges);

  /// The instruction at a byte offset in the image, or null.
  const Inst *at(uint64_t offset) const;
  llvm::ArrayRef<Inst> instructions() const { return insts; }
  llvm::ArrayRef<MnemonicInfo> mnemonics() const { return names; }
  llvm::StringRef arch() const { return archName; }
  uint64_t base() const { return imageBase; }
  uint64_t imageSize() const { return image.size(); }
  /// Some instruction changes memory in an order-dependent way.
  bool hasAtomics() const { return atomics; }
  /// Equal for equal code.
  uint64_t hash() const { return imageHash; }
  /// The disassembled text of an instruction, for messages.
  std::string text(const Inst &inst) const;
  /// Disassembles an instruction again; false for what is no code.
  bool parse(const Decoder &decoder, const Inst &inst,
             ParsedInst &parsed) const;

private:
  friend class Binder;
  std::string archName;
  uint64_t imageBase = 0, imageHash = 0;
  llvm::ArrayRef<uint8_t> image;
  std::vector<Inst> insts;
  std::vector<uint32_t> instAt;
  std::vector<MnemonicInfo> names;
  llvm::StringMap<uint32_t> nameIndex;
  std::unordered_map<uint64_t, const uint32_t *> constants;
  std::deque<std::unique_ptr<uint32_t[]>> constantBlocks;
  bool atomics = false;
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_PROGRAM_H
