//===- Decode.h - Machine code to parsed text -------------------*- C++ -*-===//
//
// LLVM's disassembler prints; this parses what it printed. The printed mnemonic
// and its modifiers are the only identity of an instruction that LLVM's public
// interface offers.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_DECODE_H
#define OCTAVO_SIMULATOR_DECODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace octavo::sim {

/// The encoding that a suffix of the mnemonic names.
enum class Form : uint8_t { None, E32, E64, Dpp, Sdwa };

struct ParsedOperand {
  enum Kind : uint8_t {
    Vgpr,
    Agpr,
    Sgpr,
    Integer,
    Float,
    Off,
    Scc,
    VccZ,
    ExecZ,
    Other
  } kind = Other;
  uint16_t index = 0;
  uint8_t dwords = 1;
  bool neg = false, abs = false, sext = false;
  int64_t integer = 0;
  double real = 0;
  llvm::StringRef text;
};

struct ParsedModifier {
  llvm::StringRef name, value;
};

/// References point into `text`.
struct ParsedInst {
  std::string text;
  llvm::StringRef mnemonic;
  Form form = Form::None;
  llvm::SmallVector<ParsedOperand, 6> operands;
  llvm::SmallVector<ParsedModifier, 6> modifiers;
  /// First immediate of the encoding: branch distance, wait counts.
  int64_t immediate = 0;

  /// Value of a modifier, or null.
  const ParsedModifier *find(llvm::StringRef name) const;
};

class Decoder {
public:
  static llvm::Expected<std::unique_ptr<Decoder>> create(llvm::StringRef arch);
  ~Decoder();

  /// Decodes one instruction; returns its size, or 0 if the bytes are none.
  unsigned decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address,
                  ParsedInst &inst) const;

private:
  Decoder();
  struct State;
  std::unique_ptr<State> state;
};

} // namespace octavo::sim

#endif // OCTAVO_SIMULATOR_DECODE_H
