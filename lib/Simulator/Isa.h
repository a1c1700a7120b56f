//===- Isa.h - The tables of all instructions -------------------*- C++ -*-===//
//
// Chooses the handlers for this host once and finds rows by mnemonic.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_ISA_H
#define OCTAVO_SIMULATOR_ISA_H

#include "Machine.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace octavo::sim {

struct HandlerSet;

class Isa {
public:
  /// The tables for the best instruction set that this host has.
  static const Isa &get();

  /// The row of a base mnemonic, or null.
  const Entry *lookup(llvm::StringRef mnemonic) const {
    auto it = rows.find(mnemonic);
    return it == rows.end() ? nullptr : it->second;
  }
  /// All rows but those that `clamp` selects.
  std::vector<llvm::StringRef> mnemonics() const;
  Class classOf(const Entry &entry, llvm::StringRef mnemonic) const;
  /// Chooses the handler once operands and modifiers are known. Returns what is
  /// wrong, or nothing.
  std::string finish(Inst &inst, const Entry &entry,
                     llvm::StringRef arch) const;

  /// Handler of bytes that are no instruction.
  Handler notCode;

private:
  Isa();
  const HandlerSet &set;
  std::vector<Entry> matrixRows;
  llvm::StringMap<const Entry *> rows;
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_ISA_H
