//===- Decode.cpp - Machine code to parsed text ---------------------------===//

#include "Decode.h"
#include "Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace octavo::sim;
using llvm::StringRef;

struct Decoder::State {
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asmInfo;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

Decoder::Decoder() : state(std::make_unique<State>()) {}
Decoder::~Decoder() = default;

llvm::Expected<std::unique_ptr<Decoder>> Decoder::create(StringRef arch) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  installFaultHandlers();
  std::unique_ptr<Decoder> decoder(new Decoder());
  State &s = *decoder->state;
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(s.triple, error);
  if (!target)
    return llvm::createStringError("LLVM has no AMDGPU target: " + error);
  s.registers.reset(target->createMCRegInfo(s.triple));
  s.asmInfo.reset(target->createMCAsmInfo(*s.registers, s.triple, s.options));
  s.instructions.reset(target->createMCInstrInfo());
  s.subtarget.reset(target->createMCSubtargetInfo(s.triple, arch, ""));
  if (!s.subtarget || !s.subtarget->isCPUStringValid(arch))
    return llvm::createStringError("LLVM does not know the processor " + arch);
  s.context = std::make_unique<llvm::MCContext>(
      s.triple, s.asmInfo.get(), s.registers.get(), s.subtarget.get());
  s.disassembler.reset(target->createMCDisassembler(*s.subtarget, *s.context));
  s.printer.reset(target->createMCInstPrinter(s.triple, 0, *s.asmInfo,
                                              *s.instructions, *s.registers));
  if (!s.disassembler || !s.printer)
    return llvm::createStringError("LLVM cannot disassemble " + arch);
  return decoder;
}

const ParsedModifier *ParsedInst::find(StringRef name) const {
  for (const ParsedModifier &modifier : modifiers)
    if (modifier.name == name)
      return &modifier;
  return nullptr;
}

namespace {

/// Cuts the next piece that ends at `stop` outside brackets and quotes.
StringRef cut(StringRef &rest, char stop) {
  int depth = 0;
  bool quoted = false;
  size_t i = 0;
  for (; i < rest.size(); ++i) {
    char c = rest[i];
    quoted ^= c == '"';
    depth += c == '(' || c == '[';
    depth -= c == ')' || c == ']';
    if (c == stop && depth == 0 && !quoted)
      break;
  }
  StringRef piece = rest.take_front(i);
  rest = rest.drop_front(std::min(rest.size(), i + 1));
  return piece.trim();
}

/// v7, a[0:3], s[4:5]: kind, index and width.
bool parseNumberedRegister(StringRef text, ParsedOperand &operand) {
  char file = text.front();
  if (file != 'v' && file != 'a' && file != 's')
    return false;
  StringRef body = text.drop_front();
  unsigned first, last;
  if (body.consume_front("[")) {
    if (!body.consume_back("]"))
      return false;
    auto [low, high] = body.split(':');
    if (high.empty())
      high = low;
    if (low.getAsInteger(10, first) || high.getAsInteger(10, last) ||
        last < first)
      return false;
  } else {
    if (body.getAsInteger(10, first))
      return false;
    last = first;
  }
  operand.kind = file == 'v'   ? ParsedOperand::Vgpr
                 : file == 'a' ? ParsedOperand::Agpr
                               : ParsedOperand::Sgpr;
  operand.index = first;
  operand.dwords = last - first + 1;
  return true;
}

/// Registers with names. The apertures are constants of the simulated machine.
bool parseNamedRegister(StringRef text, ParsedOperand &operand) {
  struct Named {
    StringRef name;
    unsigned index, dwords;
  };
  static const Named table[] = {
      {"flat_scratch", 102, 2},
      {"flat_scratch_lo", 102, 1},
      {"flat_scratch_hi", 103, 1},
      {"xnack_mask", 104, 2},
      {"xnack_mask_lo", 104, 1},
      {"xnack_mask_hi", 105, 1},
      {"vcc", 106, 2},
      {"vcc_lo", 106, 1},
      {"vcc_hi", 107, 1},
      {"m0", 124, 1},
      {"exec", 126, 2},
      {"exec_lo", 126, 1},
      {"exec_hi", 127, 1},
  };
  for (const Named &named : table)
    if (text == named.name) {
      operand.kind = ParsedOperand::Sgpr;
      operand.index = named.index;
      operand.dwords = named.dwords;
      return true;
    }
  StringRef ttmp = text;
  if (ttmp.consume_front("ttmp")) {
    std::string plain = ("s" + ttmp).str();
    if (!parseNumberedRegister(plain, operand))
      return false;
    operand.index += 108;
    return true;
  }
  auto special = llvm::StringSwitch<int>(text)
                     .Cases({"src_scc", "scc"}, ParsedOperand::Scc)
                     .Cases({"src_vccz", "vccz"}, ParsedOperand::VccZ)
                     .Cases({"src_execz", "execz"}, ParsedOperand::ExecZ)
                     .Case("off", ParsedOperand::Off)
                     .Default(-1);
  if (special < 0)
    return false;
  operand.kind = ParsedOperand::Kind(special);
  return true;
}

/// Apertures as constants; see SharedAperture and PrivateAperture in Machine.h.
bool parseAperture(StringRef text, ParsedOperand &operand) {
  auto value = llvm::StringSwitch<int64_t>(text)
                   .Case("src_shared_base", int64_t(1) << 48)
                   .Case("src_shared_limit", (int64_t(1) << 48) + 0xffffffff)
                   .Case("src_private_base", int64_t(2) << 48)
                   .Case("src_private_limit", (int64_t(2) << 48) + 0xffffffff)
                   .Default(0);
  operand.kind = ParsedOperand::Integer;
  operand.integer = value;
  return value != 0;
}

bool parseNumber(StringRef text, ParsedOperand &operand) {
  StringRef body = text;
  // lit(...) marks a literal that could have been an inline constant.
  if ((body.consume_front("lit(") || body.consume_front("lit64(")) &&
      !body.consume_back(")"))
    return false;
  bool negative = body.consume_front("-");
  // A literal whose value an inline constant has too.
  if (body.consume_front("lit(") && !body.consume_back(")"))
    return false;
  uint64_t magnitude;
  if (!body.getAsInteger(0, magnitude)) {
    operand.kind = ParsedOperand::Integer;
    operand.integer = negative ? -int64_t(magnitude) : int64_t(magnitude);
    return true;
  }
  double value;
  if (body.contains('.') && !body.getAsDouble(value)) {
    operand.kind = ParsedOperand::Float;
    operand.real = negative ? -value : value;
    return true;
  }
  return false;
}

ParsedOperand parseOperand(StringRef text) {
  ParsedOperand operand;
  operand.text = text;
  if (text.empty() || parseNumber(text, operand))
    return operand;
  StringRef body = text;
  operand.neg = body.consume_front("-");
  if (body.starts_with("neg(") && body.ends_with(")")) {
    operand.neg = true;
    body = body.drop_front(4).drop_back();
  }
  if (body.starts_with("|") && body.ends_with("|") && body.size() > 2) {
    operand.abs = true;
    body = body.drop_front().drop_back();
  }
  if (body.starts_with("sext(") && body.ends_with(")")) {
    operand.sext = true;
    body = body.drop_front(5).drop_back();
  }
  // An absolute value or a negation of a constant keeps its modifier.
  if (!parseNumber(body, operand) && !parseNumberedRegister(body, operand) &&
      !parseNamedRegister(body, operand) && !parseAperture(body, operand))
    operand.kind = ParsedOperand::Other;
  return operand;
}

/// Does this word begin the list of modifiers?
bool isModifier(StringRef word) {
  static const StringRef flags[] = {"clamp",
                                    "offen",
                                    "idxen",
                                    "lds",
                                    "sc0",
                                    "sc1",
                                    "nt",
                                    "gds",
                                    "glc",
                                    "slc",
                                    "dlc",
                                    "row_mirror",
                                    "row_half_mirror",
                                    "tfe"};
  if (llvm::is_contained(flags, word))
    return true;
  auto [name, value] = word.split(':');
  if (value.empty() || name.empty())
    return false;
  return llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

Form stripForm(StringRef &mnemonic) {
  if (mnemonic.consume_back("_e32"))
    return Form::E32;
  if (mnemonic.consume_back("_e64"))
    return Form::E64;
  if (mnemonic.consume_back("_dpp"))
    return Form::Dpp;
  if (mnemonic.consume_back("_sdwa"))
    return Form::Sdwa;
  return Form::None;
}

void addModifiers(StringRef words, ParsedInst &inst) {
  while (!words.empty()) {
    StringRef word = cut(words, ' ');
    if (word.empty())
      continue;
    auto [name, value] = word.split(':');
    inst.modifiers.push_back({name, value});
  }
}

void parseText(ParsedInst &inst) {
  StringRef rest = StringRef(inst.text).trim();
  inst.mnemonic = rest.take_until([](char c) { return c == ' ' || c == '\t'; });
  rest = rest.drop_front(inst.mnemonic.size()).trim();
  inst.form = stripForm(inst.mnemonic);
  inst.operands.clear();
  inst.modifiers.clear();
  while (!rest.empty()) {
    StringRef piece = cut(rest, ',');
    StringRef words = piece;
    StringRef first = cut(words, ' ');
    if (!isModifier(first)) {
      inst.operands.push_back(parseOperand(first));
      piece = words;
    }
    addModifiers(piece, inst);
  }
}

} // namespace

unsigned Decoder::decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address,
                         ParsedInst &inst) const {
  llvm::MCInst mc;
  uint64_t size = 0;
  llvm::raw_null_ostream comments;
  inst.text.clear();
  auto status = llvm::MCDisassembler::Fail;
  auto disassemble = [&] {
    status =
        state->disassembler->getInstruction(mc, size, bytes, address, comments);
    if (status != llvm::MCDisassembler::Success)
      return;
    llvm::raw_string_ostream stream(inst.text);
    state->printer->printInst(&mc, address, "", *state->subtarget, stream);
  };
  // LLVM 22.1.8 reads wild memory to name the class of some operands that do
  // not exist (a scalar offset of 255, for example) and to print others.
  if (!survivesFault(disassemble) || status != llvm::MCDisassembler::Success)
    return 0;
  inst.immediate = 0;
  for (const llvm::MCOperand &operand : mc)
    if (operand.isImm()) {
      inst.immediate = operand.getImm();
      break;
    }
  parseText(inst);
  return unsigned(size);
}
