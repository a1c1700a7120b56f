//===- SourceLines.h - Source lines of instructions -------------*- C++ -*-===//
//
// DWARF line tables of a code object, read when the first line is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_SOURCELINES_H
#define OCTAVO_SIMULATOR_SOURCELINES_H

#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <string>

namespace octavo::sim {

class SourceLines {
public:
  /// Keeps a copy of `elf` if it has line tables; null if it has none.
  static std::unique_ptr<SourceLines> create(llvm::ArrayRef<uint8_t> elf);
  ~SourceLines();

  /// "file.c:12" of the instruction at an address of the code object; empty if
  /// the tables do not say. Safe to call from any thread.
  std::string at(uint64_t address) const;

private:
  SourceLines();
  struct Tables;
  std::unique_ptr<Tables> tables;
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_SOURCELINES_H
