//===- BindModifiers.cpp - Modifiers of the text to fields ----------------===//

#include "Bind.h"
#include "llvm/ADT/StringSwitch.h"
#include <optional>

using namespace octavo::sim;
using llvm::StringRef;

namespace {

/// [a,b,c] as bits.
std::optional<unsigned> bitList(StringRef value) {
  unsigned bits = 0, position = 0;
  if (!value.consume_front("[") || !value.consume_back("]"))
    return std::nullopt;
  llvm::SmallVector<StringRef, 4> parts;
  value.split(parts, ',');
  for (StringRef part : parts) {
    unsigned bit;
    if (part.trim().getAsInteger(10, bit) || bit > 1)
      return std::nullopt;
    bits |= bit << position++;
  }
  return bits;
}

std::optional<unsigned> subDword(StringRef value) {
  int sel = llvm::StringSwitch<int>(value)
                .Case("BYTE_0", 0)
                .Case("BYTE_1", 1)
                .Case("BYTE_2", 2)
                .Case("BYTE_3", 3)
                .Case("WORD_0", 4)
                .Case("WORD_1", 5)
                .Case("DWORD", 6)
                .Default(-1);
  return sel < 0 ? std::nullopt : std::optional<unsigned>(sel);
}

std::optional<unsigned> number(StringRef value) {
  unsigned result;
  return value.getAsInteger(0, result) ? std::nullopt
                                       : std::optional<unsigned>(result);
}

/// DPP control, as the encoding has it.
std::optional<unsigned> dppControl(const ParsedModifier &modifier) {
  if (modifier.name == "quad_perm") {
    unsigned control = 0;
    StringRef list = modifier.value;
    llvm::SmallVector<StringRef, 4> parts;
    if (!list.consume_front("[") || !list.consume_back("]"))
      return std::nullopt;
    list.split(parts, ',');
    for (unsigned i = 0; i < parts.size(); ++i)
      if (std::optional<unsigned> lane = number(parts[i].trim()))
        control |= *lane << 2 * i;
    return control;
  }
  unsigned n = number(modifier.value).value_or(0);
  int base = llvm::StringSwitch<int>(modifier.name)
                 .Case("row_shl", 0x100)
                 .Case("row_shr", 0x110)
                 .Case("row_ror", 0x120)
                 .Case("wave_shl", 0x130 - 1)
                 .Case("wave_rol", 0x134 - 1)
                 .Case("wave_shr", 0x138 - 1)
                 .Case("wave_ror", 0x13c - 1)
                 .Case("row_mirror", 0x140)
                 .Case("row_half_mirror", 0x141)
                 .Case("row_newbcast", 0x150)
                 .Default(-1);
  if (modifier.name == "row_bcast")
    return n == 15   ? 0x142
           : n == 31 ? std::optional<unsigned>(0x143)
                     : std::nullopt;
  return base < 0 ? std::nullopt : std::optional<unsigned>(base + n);
}

} // namespace

bool Binder::bindMemoryModifier(const ParsedModifier &modifier, Inst &inst) {
  StringRef name = modifier.name, value = modifier.value;
  if (name == "sc0" || name == "sc1")
    inst.flags |= Coherent; // sc0 of atomics is in bindMemory
  if (name == "sc0" || name == "sc1" || name == "nt" || name == "lds")
    return true; // cache policy has no meaning here
  if (name == "offen")
    inst.flags |= OffEn;
  else if (name == "idxen")
    inst.flags |= IdxEn;
  else if (name == "offset" || name == "offset0") {
    if (value.starts_with("swizzle("))
      return true; // Bind took the raw immediate
    return !value.getAsInteger(0, inst.imm);
  } else if (name == "offset1")
    return !value.getAsInteger(0, inst.imm2);
  else
    return false;
  return true;
}

bool Binder::bindLaneModifier(const ParsedModifier &modifier,
                              const Entry &entry, Inst &inst) {
  StringRef name = modifier.name, value = modifier.value;
  Modifiers &mods = inst.mods;
  inst.flags |= Modified;
  if (name == "clamp") {
    mods.clamp = true;
    return true;
  }
  if (name == "mul" || name == "div") {
    mods.omod = name == "div" ? 3 : value == "4" ? 2 : 1;
    return true;
  }
  if (std::optional<unsigned> control = dppControl(modifier)) {
    mods.dpp = true;
    mods.dppControl = *control;
    return true;
  }
  std::optional<unsigned> bits =
      value.starts_with("[") ? bitList(value) : number(value);
  // The bit after those of the sources is the destination's.
  if (name == "op_sel" && bits && value.count(',') == entry.numSrc &&
      entry.numSrc < 3)
    bits = (*bits & ~(1u << entry.numSrc)) | (*bits >> entry.numSrc & 1) << 3;
  if (name == "dst_unused") {
    int unused = llvm::StringSwitch<int>(value)
                     .Case("UNUSED_PAD", 0)
                     .Case("UNUSED_SEXT", 1)
                     .Case("UNUSED_PRESERVE", 2)
                     .Default(-1);
    mods.sdwa = true;
    mods.dstUnused = unused;
    return unused >= 0;
  }
  uint8_t *sel = llvm::StringSwitch<uint8_t *>(name)
                     .Case("dst_sel", &mods.dstSel)
                     .Case("src0_sel", &mods.srcSel[0])
                     .Case("src1_sel", &mods.srcSel[1])
                     .Default(nullptr);
  if (sel) {
    std::optional<unsigned> part = subDword(value);
    mods.sdwa = true;
    *sel = part.value_or(6);
    return part.has_value();
  }
  uint8_t *field = llvm::StringSwitch<uint8_t *>(name)
                       .Case("row_mask", &mods.rowMask)
                       .Case("bank_mask", &mods.bankMask)
                       .Case("op_sel", &mods.opSel)
                       .Case("op_sel_hi", &mods.opSelHi)
                       .Case("neg_lo", &mods.neg)
                       .Case("neg_hi", &mods.negHi)
                       .Case("neg", &mods.neg)
                       .Case("cbsz", &inst.cbsz)
                       .Case("abid", &inst.abid)
                       .Case("blgp", &inst.blgp)
                       .Default(nullptr);
  if (field && bits) {
    *field = *bits;
    return true;
  }
  if (name == "bound_ctrl") {
    mods.boundCtrl = true;
    return true;
  }
  if (name == "bitop3" && bits) {
    inst.imm = *bits;
    return true;
  }
  return false;
}

bool Binder::bindModifier(const ParsedModifier &modifier,
                          const ParsedInst &parsed, const Entry &entry,
                          Inst &inst) {
  switch (entry.shape) {
  case Shape::Flat:
  case Shape::Buffer:
  case Shape::Lds:
  case Shape::ScalarMemory:
    return bindMemoryModifier(modifier, inst);
  case Shape::Vector:
  case Shape::VectorCarry:
  case Shape::Compare:
  case Shape::Matrix:
    return bindLaneModifier(modifier, entry, inst);
  default:
    // Scopes of s_waitcnt, buffer_wbl2 and buffer_inv have no effect here.
    return (inst.flags & Idle) || modifier.name == "sc0" ||
           modifier.name == "sc1";
  }
}
