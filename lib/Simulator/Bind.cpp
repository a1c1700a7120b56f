//===- Bind.cpp - Parsed text to instructions -----------------------------===//
//
// Finds the row of each mnemonic, resolves operands and modifiers, and collects
// everything that is not known, so that one error lists it all.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "octavo/Simulator/CodeObject.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <map>

using namespace octavo::sim;
using llvm::StringRef;

namespace {

uint16_t halfBits(double value) {
  _Float16 half = _Float16(value);
  uint16_t bits;
  memcpy(&bits, &half, 2);
  return bits;
}

/// The bits of a constant for an operand of this type.
uint64_t constantBits(const ParsedOperand &operand, Type type) {
  bool literal = operand.text.contains("0x");
  if (operand.kind == ParsedOperand::Float) {
    float single = float(operand.real);
    uint32_t bits;
    memcpy(&bits, &single, 4);
    switch (type) {
    case Type::F16:
    case Type::B16:
    case Type::I16:
    case Type::PkF16:
      return halfBits(operand.real);
    case Type::F64:
    case Type::B64:
    case Type::I64:
    case Type::Mask: {
      // The only inline constant that is not exact is 1/(2*pi).
      double real = operand.real;
      if (std::abs(real - 0.15915494309189532) < 1e-7)
        real = std::copysign(0.15915494309189532, real);
      uint64_t wide;
      memcpy(&wide, &real, 8);
      return wide;
    }
    case Type::PkF32:
      return uint64_t(bits) << 32 | bits;
    default:
      return bits;
    }
  }
  uint64_t value = uint64_t(operand.integer);
  if (literal && type == Type::F64)
    return value << 32;
  if (literal && type == Type::I64)
    return uint64_t(int64_t(int32_t(value)));
  if (type == Type::PkF32)
    return uint64_t(uint32_t(value)) << 32 | uint32_t(value);
  return value;
}

unsigned dwordsOf(Type type, const ParsedOperand &operand) {
  switch (type) {
  case Type::B64:
  case Type::I64:
  case Type::F64:
  case Type::PkF32:
  case Type::Mask:
    return 2;
  case Type::Any:
    return operand.dwords;
  default:
    return 1;
  }
}

std::optional<int> hardwareRegister(StringRef name) {
  int id = llvm::StringSwitch<int>(name)
               .Case("HW_REG_MODE", 1)
               .Case("HW_REG_STATUS", 2)
               .Case("HW_REG_TRAPSTS", 3)
               .Case("HW_REG_HW_ID", 4)
               .Case("HW_REG_GPR_ALLOC", 5)
               .Case("HW_REG_LDS_ALLOC", 6)
               .Case("HW_REG_IB_STS", 7)
               .Case("HW_REG_SH_MEM_BASES", 15)
               .Case("HW_REG_XCC_ID", 20)
               .Default(-1);
  if (id < 0 && name.getAsInteger(0, id))
    return std::nullopt;
  return id;
}

} // namespace

const uint32_t *Binder::constant(uint64_t bits) {
  const uint32_t *&block = program.constants[bits];
  if (!block) {
    // 128 words, and room to align them to a cache line.
    auto storage = std::make_unique<uint32_t[]>(2 * Lanes + 16);
    uint32_t *words = storage.get();
    while (uintptr_t(words) % 64)
      ++words;
    std::fill_n(words, Lanes, uint32_t(bits));
    std::fill_n(words + Lanes, Lanes, uint32_t(bits >> 32));
    program.constantBlocks.push_back(std::move(storage));
    block = words;
  }
  return block;
}

Operand Binder::operand(const ParsedOperand &parsed, Type type) {
  Operand result;
  result.type = type;
  result.dwords = dwordsOf(type, parsed);
  result.index = parsed.index;
  switch (parsed.kind) {
  case ParsedOperand::Vgpr:
    result.kind = Kind::Vgpr;
    result.dwords = std::max<unsigned>(result.dwords, parsed.dwords);
    break;
  case ParsedOperand::Agpr:
    result.kind = Kind::Vgpr;
    result.dwords = std::max<unsigned>(result.dwords, parsed.dwords);
    result.index += FirstAccumulation;
    break;
  case ParsedOperand::Sgpr:
    result.kind = Kind::Sgpr;
    result.dwords = std::max<unsigned>(result.dwords, parsed.dwords);
    break;
  case ParsedOperand::Scc:
    result.kind = Kind::Scc;
    break;
  case ParsedOperand::VccZ:
    result.kind = Kind::VccZ;
    break;
  case ParsedOperand::ExecZ:
    result.kind = Kind::ExecZ;
    break;
  case ParsedOperand::Off:
    result.kind = Kind::None;
    break;
  case ParsedOperand::Integer:
  case ParsedOperand::Float:
    result.kind = Kind::Constant;
    result.constant = constant(constantBits(parsed, type));
    break;
  case ParsedOperand::Other:
    break;
  }
  return result;
}

void Binder::note(const ParsedInst &parsed, const llvm::Twine &what) {
  ++unknown[(parsed.mnemonic + what).str()];
}

uint32_t Binder::mnemonicId(StringRef name, Class cls) {
  auto [it, inserted] =
      program.nameIndex.try_emplace(name, program.names.size());
  if (inserted)
    program.names.push_back({name.str(), cls});
  return it->second;
}

bool Binder::bindSpecialOperand(const ParsedOperand &parsed, Inst &inst) {
  StringRef text = parsed.text;
  if (text.consume_front("hwreg(") && text.consume_back(")")) {
    llvm::SmallVector<StringRef, 3> parts;
    text.split(parts, ',');
    std::optional<int> id = hardwareRegister(parts[0].trim());
    unsigned offset = 0, size = 32;
    if (!id || (parts.size() > 1 && parts[1].trim().getAsInteger(0, offset)) ||
        (parts.size() > 2 && parts[2].trim().getAsInteger(0, size)))
      return false;
    inst.imm = *id | offset << 6 | (size - 1) << 11;
    return true;
  }
  if (text.consume_front("gpr_idx(") && text.consume_back(")")) {
    inst.imm = 0;
    llvm::SmallVector<StringRef, 4> parts;
    text.split(parts, ',', -1, false);
    for (StringRef part : parts) {
      int bit = llvm::StringSwitch<int>(part.trim())
                    .Case("SRC0", 1)
                    .Case("SRC1", 2)
                    .Case("SRC2", 4)
                    .Case("DST", 8)
                    .Default(0);
      if (!bit)
        return false;
      inst.imm |= bit;
    }
    return true;
  }
  return text.starts_with("sendmsg(") || text.starts_with("vmcnt(") ||
         text.starts_with("lgkmcnt(") || text.starts_with("expcnt(");
}

void Binder::bindSourceModifiers(const ParsedInst &parsed, unsigned firstSource,
                                 Inst &inst) {
  for (unsigned i = firstSource;
       i < parsed.operands.size() && i - firstSource < 4; ++i) {
    const ParsedOperand &operand = parsed.operands[i];
    unsigned bit = 1u << (i - firstSource);
    inst.mods.neg |= operand.neg ? bit : 0;
    inst.mods.abs |= operand.abs ? bit : 0;
    inst.mods.sext |= operand.sext ? bit : 0;
  }
}

bool Binder::bindMemory(const ParsedInst &parsed, const Entry &entry,
                        Inst &inst) {
  unsigned next = 0, count = parsed.operands.size();
  auto take = [&](Type type) {
    return next < count ? operand(parsed.operands[next++], type) : Operand();
  };
  bool lds = parsed.find("lds") || (entry.flags & ToLds);
  bool returns = entry.dst != Type::None && !(entry.flags & Store) && !lds &&
                 (!(entry.flags & Atomic) || parsed.find("sc0"));
  bool data = (entry.flags & (Store | Atomic)) != 0;
  if (returns)
    inst.flags |= Returns;
  if (lds)
    inst.flags |= ToLds;
  if (entry.shape == Shape::Flat) {
    if (returns)
      inst.dst = take(Type::Any);
    inst.src[0] = take(Type::Any);
    if (data)
      inst.src[1] = take(Type::Any);
    inst.src[2] = take(Type::B64);
    return next == count;
  }
  // Buffer: one register operand is both data and result.
  if (!lds && entry.dst != Type::None) {
    Operand value = take(Type::Any);
    inst.dst = returns ? value : Operand();
    inst.src[1] = data ? value : Operand();
  }
  inst.src[0] = take(Type::Any);
  inst.src[2] = take(Type::Any);
  inst.src[3] = take(Type::B32);
  return next == count;
}

bool Binder::bindOperands(const ParsedInst &parsed, const Entry &entry,
                          Inst &inst) {
  llvm::ArrayRef<ParsedOperand> operands = parsed.operands;
  unsigned next = 0;
  if (entry.shape == Shape::Flat || entry.shape == Shape::Buffer)
    return bindMemory(parsed, entry, inst);
  if (entry.shape == Shape::Branch) {
    inst.imm = int16_t(parsed.immediate);
    return true;
  }
  if (entry.dst != Type::None && !(entry.flags & Store)) {
    if (operands.empty())
      return false;
    inst.dst = operand(operands[next++], entry.dst);
  }
  if (entry.shape == Shape::VectorCarry) {
    if (next >= operands.size())
      return false;
    inst.dst2 = operand(operands[next++], Type::Mask);
  }
  unsigned first = next;
  for (; next < operands.size(); ++next) {
    if (operands[next].kind == ParsedOperand::Other) {
      if (!bindSpecialOperand(operands[next], inst))
        return false;
      continue;
    }
    if (entry.shape == Shape::Matrix && inst.numSrc == 4) {
      inst.scale = operand(operands[next], Type::B32);
      ++inst.numSrc;
      continue;
    }
    if (inst.numSrc >= 4 ||
        (inst.numSrc >= entry.numSrc && entry.shape != Shape::Special))
      return false;
    inst.src[inst.numSrc] = operand(operands[next], entry.src[inst.numSrc]);
    ++inst.numSrc;
  }
  bindSourceModifiers(parsed, first, inst);
  return true;
}

void Binder::bind(const ParsedInst &parsed, uint64_t address, unsigned bytes) {
  Inst inst;
  inst.address = address;
  inst.bytes = bytes;
  const Entry *entry = isa.lookup(parsed.mnemonic);
  if (!entry) {
    note(parsed, "");
    bindUnknownBytes(address);
    return;
  }
  inst.fn = entry->fn;
  inst.compute = entry->compute;
  inst.flags = entry->flags;
  inst.param = entry->param;
  inst.cls = isa.classOf(*entry, parsed.mnemonic);
  inst.mnemonic = mnemonicId(parsed.mnemonic, inst.cls);
  if (entry->shape == Shape::Special || entry->shape == Shape::Lds ||
      entry->shape == Shape::ScalarNoDst)
    inst.imm = parsed.immediate;
  // Sources of v_fma_mix are f32 unless op_sel_hi says half.
  if (parsed.mnemonic.starts_with("v_fma_mix"))
    inst.mods.opSelHi = 0;
  if (program.archName == "gfx942")
    inst.flags |= Fnuz;
  if (entry->shape == Shape::Lds && parsed.mnemonic != "ds_swizzle_b32")
    inst.imm = 0;
  if (!bindOperands(parsed, *entry, inst))
    note(parsed, ": operands of '" + StringRef(parsed.text).trim() + "'");
  for (const ParsedModifier &modifier : parsed.modifiers)
    if (!bindModifier(modifier, parsed, *entry, inst))
      note(parsed, ": modifier " + modifier.name +
                       (modifier.value.empty() ? "" : ":") + modifier.value);
  // A constant that op_sel_hi calls half is one of half precision.
  if (parsed.mnemonic.starts_with("v_fma_mix"))
    for (unsigned i = 0; i < inst.numSrc && i + 1 < parsed.operands.size(); ++i)
      if ((inst.mods.opSelHi >> i & 1) && inst.src[i].kind == Kind::Constant)
        inst.src[i] = operand(parsed.operands[i + 1], Type::F16);
  if (inst.mods.neg || inst.mods.abs || inst.mods.sext)
    inst.flags |= Modified;
  if (parsed.form == Form::Sdwa)
    inst.mods.sdwa = true, inst.flags |= Modified;
  if ((entry->flags & Atomic) && entry->shape != Shape::Lds)
    program.atomics = true;
  if (std::string problem = isa.finish(inst, *entry, program.archName);
      !problem.empty())
    note(parsed, ": " + problem);
  program.instAt[address / 4] = program.insts.size();
  program.insts.push_back(inst);
}

void Binder::bindUnknownBytes(uint64_t address) {
  Inst inst;
  inst.address = address;
  inst.bytes = 4;
  inst.fn = isa.notCode;
  inst.mnemonic = mnemonicId("(not an instruction)", Class::Other);
  program.instAt[address / 4] = program.insts.size();
  program.insts.push_back(inst);
}

void Binder::link() {
  // One more, so that the last instruction has a next one.
  Inst end;
  end.fn = isa.notCode;
  end.address = program.insts.empty()
                    ? 0
                    : program.insts.back().address + program.insts.back().bytes;
  end.mnemonic = mnemonicId("(end of the code)", Class::Other);
  program.insts.push_back(end);
  const Inst *next = &program.insts.back();
  for (size_t i = 0; i < program.insts.size(); ++i)
    program.insts[i].ordinal = i;
  for (size_t i = program.insts.size() - 1; i-- > 0;) {
    Inst &inst = program.insts[i];
    // Functions are apart from each other: falling off the end of one is no
    // code.
    bool adjacent = program.insts[i + 1].address == inst.address + inst.bytes;
    inst.next = adjacent ? next : &program.insts.back();
    next = inst.flags & Idle ? inst.next : &inst;
    // A jump over idle instructions differs from running into them.
    if (inst.cls == Class::Branch && adjacent)
      inst.next = &program.insts[i + 1];
  }
  for (Inst &inst : program.insts)
    if (inst.cls == Class::Branch)
      inst.target = program.at(int64_t(inst.address) + 4 + 4 * inst.imm);
}

llvm::Error Binder::takeErrors() {
  if (unknown.empty())
    return llvm::Error::success();
  std::vector<std::string> names;
  for (const auto &[what, count] : unknown)
    names.push_back(what);
  return llvm::make_error<UnknownInstructions>(program.archName,
                                               std::move(names));
}
