//===- Uninitialized.cpp - Which registers were written -------------------===//

#include "lib/Simulator/Check/Uninitialized.h"
#include "lib/Simulator/Check/Checker.h"

#include "llvm/ADT/STLExtras.h"

using namespace octavo::sim;
using namespace octavo::sim::check;
using llvm::StringRef;

namespace {

bool startsWithAny(StringRef name, llvm::ArrayRef<StringRef> prefixes) {
  return llvm::any_of(
      prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}

bool isCopy(StringRef name) {
  return startsWithAny(
      name, {"v_mov_b", "v_accvgpr_", "v_pk_mov_b32", "s_mov_b", "v_cndmask"});
}

/// Some bits of the result are those of one source: the others may be missing.
bool isMerge(StringRef name) {
  return startsWithAny(
      name, {"v_perm_b32",    "v_or_b32",        "v_or3_b32",   "v_and_or_b32",
             "v_lshl_or_b32", "v_and_b32",       "v_bfi_b32",   "v_alignb",
             "v_pack_b32",    "v_bitop3",        "v_lshlrev_b", "v_lshrrev_b",
             "v_xor_b32",     "v_bfe_",          "v_swap_b32",  "v_permlane",
             "v_readlane",    "v_readfirstlane", "v_writelane", "s_or_b",
             "s_and_b",       "s_andn2_b",       "s_xor_b",     "s_orn2_b",
             "s_cselect",     "s_bfe",           "s_lshl_b",    "s_lshr_b",
             "s_pack_",       "s_nand",          "s_nor",       "s_xnor"});
}

/// 64-bit integers whose low word depends on low words alone.
bool isLowFirst(StringRef name) {
  return startsWithAny(name, {"v_mad_u64_u32", "v_mad_i64_i32",
                              "v_lshl_add_u64", "v_lshlrev_b64"});
}

/// The words of a packed f32 source that op_sel chooses.
Span chosenWords(const Inst &inst, unsigned source, Span span) {
  bool low = inst.mods.opSel >> source & 1,
       high = inst.mods.opSelHi >> source & 1;
  if (span.count != 2 || low != high)
    return span;
  return {uint16_t(span.first + low), 1};
}

uint64_t execOf(const Wave &wave) {
  return wave.s[Exec] | uint64_t(wave.s[Exec + 1]) << 32;
}

} // namespace

void RegisterShadow::begin(const Wave &wave) {
  for (unsigned i = 0; i < 512; ++i)
    vector[i] = 0;
  vector[0] = ~uint64_t(0);
  for (unsigned i = 0; i < 128; ++i)
    scalar[i] = wave.s[i] != kUninitialized || (i >= FlatScratch && i < Vcc);
}

std::optional<UndefinedRead> RegisterShadow::find(const Span &span,
                                                  uint64_t exec) const {
  for (unsigned i = span.first; i < unsigned(span.first + span.count); ++i) {
    if (i >= kScc)
      continue;
    if (i >= kFirstScalar) {
      if (!scalar[i - kFirstScalar])
        return UndefinedRead{{uint16_t(i), 1}, -1};
      continue;
    }
    if (uint64_t missing = exec & ~vector[i])
      return UndefinedRead{{uint16_t(i), 1}, int(__builtin_ctzll(missing))};
  }
  return std::nullopt;
}

void RegisterShadow::write(const Span &span, uint64_t exec, uint64_t lanes) {
  for (unsigned i = span.first; i < unsigned(span.first + span.count); ++i) {
    if (i >= kScc)
      continue;
    if (i >= kFirstScalar)
      scalar[i - kFirstScalar] = lanes != 0 || exec == 0;
    else
      vector[i] = (vector[i] & ~exec) | (lanes & exec);
  }
}

std::optional<UndefinedRead> RegisterShadow::step(const Wave &wave,
                                                  const Inst &inst,
                                                  const Effects &effects,
                                                  StringRef name) {
  uint64_t exec = execOf(wave);
  bool isVectorWork =
      effects.isVector || effects.isVmem || effects.memory == Memory::Lds;
  std::optional<UndefinedRead> found;
  bool copies = isCopy(name) && !inst.mods.dpp && !inst.mods.sdwa;
  bool merges = isMerge(name) || isCopy(name) || inst.mods.dpp ||
                inst.mods.sdwa || effects.isMatrix;
  bool moves = effects.memory == Memory::Lds && !name.contains("_read") &&
               !startsWithAny(name, {"ds_write"});
  uint64_t lanes = ~uint64_t(0), highLanes = ~uint64_t(0);
  if (copies && inst.dst.kind == Kind::Vgpr) {
    // v_cndmask chooses: what is missing in one of the two may stay so.
    if (!name.starts_with("v_cndmask"))
      for (const Span &read : effects.reads)
        if (read.isVector())
          for (unsigned i = 0; i < read.count; ++i)
            lanes &= vector[read.first + i];
  } else if (!merges && !moves) {
    bool isLdsStore = effects.memory == Memory::Lds || name.contains("scratch");
    bool lowFirst = isLowFirst(name), packed = name.starts_with("v_pk_");
    for (unsigned i = 0; i < effects.reads.size(); ++i) {
      Span read = effects.reads[i];
      if (packed && i < inst.numSrc)
        read = chosenWords(inst, i, read);
      if (lowFirst && read.count == 2) {
        highLanes &= read.isVector() ? vector[read.first + 1] : ~uint64_t(0);
        read.count = 1;
      }
      bool isData = (inst.flags & (Store | Atomic)) &&
                    inst.src[1].kind == Kind::Vgpr &&
                    read.first == inst.src[1].index && isLdsStore;
      bool isKept = inst.dst.kind == Kind::Vgpr &&
                    read.first == inst.dst.index && effects.isDelayed;
      if (isData || isKept || (read.isVector() && !isVectorWork))
        continue;
      if (!found)
        found = find(read, exec);
    }
  }
  uint64_t written = effects.isMatrix ? ~uint64_t(0) : exec;
  for (const Span &span : effects.writes)
    write(span, written, lanes);
  if (highLanes != ~uint64_t(0) && inst.dst.kind == Kind::Vgpr)
    write({uint16_t(inst.dst.index + 1), 1}, written, highLanes);
  return found;
}
