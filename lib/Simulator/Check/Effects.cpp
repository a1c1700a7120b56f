//===- Effects.cpp - What an instruction reads, writes and waits ----------===//

#include "lib/Simulator/Check/Effects.h"
#include "lib/Simulator/Matrix/Matrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace octavo::sim;
using namespace octavo::sim::check;
using llvm::StringRef;

namespace {

Span spanOf(const Operand &operand) {
  auto count = std::max<uint16_t>(operand.dwords, 1);
  switch (operand.kind) {
  case Kind::Vgpr:
    return {operand.index, count};
  case Kind::Sgpr:
    if (operand.index + count <= 128)
      return {uint16_t(kFirstScalar + operand.index), count};
    return {};
  case Kind::Scc:
    return {kScc, 1};
  case Kind::VccZ:
    return {uint16_t(kFirstScalar + Vcc), 2};
  case Kind::ExecZ:
    return {uint16_t(kFirstScalar + Exec), 2};
  case Kind::None:
  case Kind::Constant:
    break;
  }
  return {};
}

void add(llvm::SmallVectorImpl<Span> &spans, Span span) {
  if (span.count)
    spans.push_back(span);
}

bool startsWithAny(StringRef name, llvm::ArrayRef<StringRef> prefixes) {
  return llvm::any_of(
      prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}

bool isTranscendentalName(StringRef name) {
  return startsWithAny(name, {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_",
                              "v_sin_", "v_cos_"});
}

/// The old value of the destination is merged into the new one.
bool keepsDestination(const Inst &inst, StringRef name) {
  const Modifiers &mods = inst.mods;
  bool masked = mods.dpp &&
                (!mods.boundCtrl || mods.rowMask != 15 || mods.bankMask != 15);
  bool half = inst.dst.kind == Kind::Vgpr && (mods.opSel & 8);
  return masked || half || (inst.flags & KeepsHigh) ||
         (mods.sdwa && mods.dstSel != 6 && mods.dstUnused == 2) ||
         name == "v_writelane_b32" || name.contains("_d16");
}

void setVector(Effects &out, const Inst &inst, StringRef name) {
  out.isVector = true;
  out.isTranscendental = isTranscendentalName(name);
  out.isDot = startsWithAny(name, {"v_dot"});
  out.isDpp = inst.mods.dpp;
  out.isReadLane = name == "v_readlane_b32" || name == "v_readfirstlane_b32";
  out.isLaneAccess = out.isReadLane || name == "v_writelane_b32";
  if (name == "v_readlane_b32" || name == "v_writelane_b32")
    out.laneSelect = spanOf(inst.src[1]);
  out.isPermlane = name.starts_with("v_permlane");
  out.isDivFmas = name.starts_with("v_div_fmas");
  out.isFmaDouble = name == "v_fma_f64" || name == "v_fmac_f64";
  if (out.isDivFmas)
    add(out.reads, {uint16_t(kFirstScalar + Vcc), 2});
  if (inst.flags & WritesExec)
    add(out.writes, {uint16_t(kFirstScalar + Exec), 2});
  if (name.contains("_swap") && inst.dst.kind == Kind::Vgpr) {
    add(out.reads, spanOf(inst.dst));
    add(out.writes, spanOf(inst.src[0]));
  }
  bool narrow =
      startsWithAny(name, {"v_cvt_sr_fp8", "v_cvt_sr_bf8", "v_cvt_scalef32_",
                           "v_cvt_pk_fp8", "v_cvt_pk_bf8"});
  out.writesPart = (inst.mods.sdwa && inst.mods.dstSel != 6) ||
                   (inst.mods.opSel & 8) || (narrow && inst.mods.opSel);
}

void setMatrix(Effects &out, const Inst &inst) {
  out.isMatrix = out.isVector = true;
  const MatrixInstruction &row = *inst.matrix;
  out.passes = uint8_t(getPasses(row, inst.cbsz, inst.blgp));
  StringRef name = row.mnemonic;
  out.isDouble = name.starts_with("v_mfma_f64");
  out.isXdl = !out.isDouble && row.a != MatrixElement::F32;
  out.accumulator = spanOf(row.sparse ? inst.dst : inst.src[2]);
  if (!out.accumulator.isVector())
    out.accumulator = {};
  if (row.sparse)
    add(out.reads, out.accumulator);
}

/// s_waitcnt of gfx9: vmcnt [15:14,3:0], lgkmcnt [11:8].
void setWait(Effects &out, uint64_t imm) {
  out.isWait = true;
  out.vmcnt = uint8_t((imm & 15) | (imm >> 14 & 3) << 4);
  out.lgkmcnt = uint8_t(imm >> 8 & 15);
}

void setMemory(Effects &out, const Inst &inst, StringRef name) {
  if (startsWithAny(name, {"buffer_wb", "buffer_inv"})) {
    out.memory = name.starts_with("buffer_wb") ? Memory::Vector : Memory::None;
    return;
  }
  bool isFlat = name.starts_with("flat_");
  out.memory = inst.cls == Class::Lds            ? Memory::Lds
               : inst.cls == Class::ScalarMemory ? Memory::Scalar
               : isFlat                          ? Memory::Flat
                                                 : Memory::Vector;
  out.isVmem = inst.cls == Class::VectorMemory;
  out.isDelayed = true;
  out.isLdsDma = out.isVmem && (inst.flags & ToLds);
  if (out.isLdsDma || name.contains("addtid")) {
    out.readsM0 = true;
    add(out.reads, {uint16_t(kFirstScalar + M0), 1});
  }
  // Data of more than 64 bits is read late; not with a register in soffset.
  if (out.isVmem && (inst.flags & Store) && inst.src[1].dwords > 2 &&
      inst.src[3].kind != Kind::Sgpr)
    out.wideData = spanOf(inst.src[1]);
}

void setOther(Effects &out, const Inst &inst, StringRef name) {
  if (name == "s_waitcnt")
    setWait(out, uint64_t(inst.imm));
  else if (name == "s_nop")
    out.states = uint8_t((inst.imm & 15) + 1);
  else if (name.starts_with("s_setreg"))
    out.isSetReg = true;
  else if (name.starts_with("s_getreg"))
    out.isGetReg = true;
  else if (name.starts_with("s_sendmsg") || name == "s_ttracedata")
    out.readsM0 = true;
  if (out.isSetReg || out.isGetReg)
    out.hardwareRegister = int(inst.imm & 63);
  out.isScalar = name.starts_with("s_");
}

} // namespace

Effects check::makeEffects(const Program &program, const Inst &inst) {
  Effects out;
  StringRef name = program.mnemonics()[inst.mnemonic].name;
  for (const Operand &source : inst.src)
    add(out.reads, spanOf(source));
  add(out.reads, spanOf(inst.scale));
  add(out.writes, spanOf(inst.dst));
  add(out.writes, spanOf(inst.dst2));
  switch (inst.cls) {
  case Class::Vector:
    setVector(out, inst, name);
    break;
  case Class::Matrix:
    setMatrix(out, inst);
    break;
  case Class::Scalar:
    out.isScalar = true;
    break;
  case Class::ScalarMemory:
  case Class::Lds:
  case Class::VectorMemory:
    setMemory(out, inst, name);
    break;
  case Class::Branch:
    if (name.contains("vcc"))
      add(out.reads, {uint16_t(kFirstScalar + Vcc), 2});
    break;
  case Class::Other:
    setOther(out, inst, name);
    break;
  }
  if (inst.dst.kind == Kind::Vgpr && keepsDestination(inst, name))
    add(out.reads, spanOf(inst.dst));
  return out;
}

std::string check::describe(const Span &span) {
  uint16_t first = span.first;
  char file = 'v';
  if (first >= kScc)
    return "scc";
  if (first >= kFirstScalar) {
    file = 's';
    first -= kFirstScalar;
    if (first == Vcc || first == Vcc + 1)
      return "vcc";
    if (first == Exec || first == Exec + 1)
      return "exec";
    if (first == M0)
      return "m0";
  } else if (first >= FirstAccumulation) {
    file = 'a';
    first -= FirstAccumulation;
  }
  std::string name(1, file);
  if (span.count == 1)
    return name + std::to_string(first);
  return name + "[" + std::to_string(first) + ":" +
         std::to_string(first + span.count - 1) + "]";
}
