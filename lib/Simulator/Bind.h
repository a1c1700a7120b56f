//===- Bind.h - Parsed text to instructions ---------------------*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_BIND_H
#define OCTAVO_SIMULATOR_BIND_H

#include "Decode.h"
#include "Isa.h"
#include "Program.h"
#include <map>

namespace octavo::sim {

/// Binds the instructions of one program.
class Binder {
public:
  Binder(Program &program, const Isa &isa) : program(program), isa(isa) {}

  /// Adds `parsed` at `address`; what is unknown is noted.
  void bind(const ParsedInst &parsed, uint64_t address, unsigned bytes);
  /// Adds an instruction that fails when executed: the bytes are no code.
  void bindUnknownBytes(uint64_t address);
  /// Resolves `next` and branch targets once all instructions are there.
  void link();
  llvm::Error takeErrors();

private:
  Operand operand(const ParsedOperand &parsed, Type type);
  const uint32_t *constant(uint64_t bits);
  void note(const ParsedInst &parsed, const llvm::Twine &what);
  bool bindOperands(const ParsedInst &parsed, const Entry &entry, Inst &inst);
  bool bindMemory(const ParsedInst &parsed, const Entry &entry, Inst &inst);
  void bindSourceModifiers(const ParsedInst &parsed, unsigned firstSource,
                           Inst &inst);
  bool bindModifier(const ParsedModifier &modifier, const ParsedInst &parsed,
                    const Entry &entry, Inst &inst);
  bool bindLaneModifier(const ParsedModifier &modifier, const Entry &entry,
                        Inst &inst);
  bool bindMemoryModifier(const ParsedModifier &modifier, Inst &inst);
  bool bindSpecialOperand(const ParsedOperand &parsed, Inst &inst);
  uint32_t mnemonicId(llvm::StringRef name, Class cls);

  Program &program;
  const Isa &isa;
  std::map<std::string, unsigned> unknown;
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_BIND_H
