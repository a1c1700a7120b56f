//===- TraceProgram.cpp - Decoded instructions for the model --------------===//

#include "lib/Simulator/Timing/TraceProgram.h"
#include "lib/Simulator/Matrix/Matrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace octavo::sim;
using llvm::StringRef;

namespace {

void addSpan(const Operand &operand,
             llvm::SmallVectorImpl<RegisterSpan> &spans) {
  uint16_t count = std::max<uint16_t>(operand.dwords, 1);
  switch (operand.kind) {
  case Kind::Vgpr:
    spans.push_back({operand.index, count});
    break;
  case Kind::Sgpr:
    if (operand.index + count <= 128)
      spans.push_back({uint16_t(firstScalarRegister + operand.index), count});
    break;
  case Kind::Scc:
    spans.push_back({sccRegister, 1});
    break;
  case Kind::VccZ:
    spans.push_back({uint16_t(firstScalarRegister + Vcc), 2});
    break;
  case Kind::ExecZ:
    spans.push_back({uint16_t(firstScalarRegister + Exec), 2});
    break;
  case Kind::None:
  case Kind::Constant:
    break;
  }
}

bool isTranscendental(StringRef name) {
  return llvm::any_of(
      llvm::ArrayRef<StringRef>{"v_exp_", "v_log_", "v_rcp_", "v_rsq_",
                                "v_sqrt_", "v_sin_", "v_cos_"},
      [&](StringRef prefix) { return name.starts_with(prefix); });
}

double getVectorCycles(StringRef name, const TimingConstants &k) {
  if (isTranscendental(name))
    return k.transcendentalCycles;
  if (name.starts_with("v_mul_lo_") || name.starts_with("v_mul_hi_u32") ||
      name.starts_with("v_mul_hi_i32") || name.starts_with("v_mad_u64") ||
      name.starts_with("v_mad_i64"))
    return k.multiplyCycles;
  if (name.ends_with("_f64"))
    return k.doubleCycles;
  if (name.contains("_swap"))
    return k.swapCycles;
  return k.vectorCycles;
}

InternalAction getAction(StringRef name) {
  return llvm::StringSwitch<InternalAction>(name)
      .Case("s_nop", InternalAction::Nop)
      .Case("s_waitcnt", InternalAction::Wait)
      .Case("s_barrier", InternalAction::Barrier)
      .Case("s_setprio", InternalAction::SetPriority)
      .Case("s_sleep", InternalAction::Sleep)
      .Cases({"s_endpgm", "s_endpgm_saved"}, InternalAction::End)
      .Default(InternalAction::None);
}

/// s_waitcnt of gfx9: vmcnt [15:14,3:0], lgkmcnt [11:8].
void setWait(TraceInst &out, uint64_t imm) {
  out.waitVector = uint16_t((imm & 15) | (imm >> 14 & 3) << 4);
  out.waitLgkm = uint16_t(imm >> 8 & 15);
}

/// s_* with cls Other: those that act within the instruction buffer, and those
/// that the scalar unit executes.
void setOther(TraceInst &out, const Inst &inst, StringRef name,
              const TimingConstants &k) {
  out.action = getAction(name);
  out.value = uint16_t(inst.imm);
  if (out.action == InternalAction::Wait)
    setWait(out, uint64_t(inst.imm));
  bool isJump = name.starts_with("s_setpc") || name.starts_with("s_swappc") ||
                name.starts_with("s_call");
  if (isJump)
    out.unit = IssueUnit::Branch;
  else if (out.action == InternalAction::None && inst.dst.kind != Kind::None) {
    out.unit = IssueUnit::Scalar;
    out.latency = uint16_t(k.scalarLatency);
  }
}

void setMatrix(TraceInst &out, const Inst &inst) {
  out.unit = IssueUnit::Matrix;
  out.passes = uint16_t(getPasses(*inst.matrix, inst.cbsz, inst.blgp));
  const MatrixInstruction &row = *inst.matrix;
  out.operations = 2.0 * row.m * row.n * row.k * row.blocks;
  // v_smfmac accumulates in its destination; the index register is SrcC's slot.
  const Operand &c = inst.matrix->sparse ? inst.dst : inst.src[2];
  if (c.kind != Kind::Vgpr)
    return;
  if (inst.matrix->sparse)
    addSpan(c, out.reads);
  for (size_t i = 0; i < out.reads.size(); ++i)
    if (out.reads[i].first == c.index)
      out.accumulator = int8_t(i);
}

void setVectorMemory(TraceInst &out, const Inst &inst, StringRef name) {
  if (name.starts_with("buffer_wb") || name.starts_with("buffer_inv")) {
    out.unit = IssueUnit::Internal; // cache control is not modelled
    return;
  }
  out.unit = IssueUnit::VectorMemory;
  out.isStore = inst.flags & Store;
  out.isAtomic = inst.flags & Atomic;
  out.returns = inst.flags & Returns;
  out.toLds = inst.flags & ToLds;
}

TraceInst makeInst(const Inst &inst, StringRef name, const TimingConstants &k) {
  TraceInst out;
  bool isMemory = inst.cls == Class::VectorMemory || inst.cls == Class::Lds ||
                  inst.cls == Class::ScalarMemory;
  // What a load writes is guarded by s_waitcnt alone.
  if (!isMemory) {
    addSpan(inst.dst, out.writes);
    addSpan(inst.dst2, out.writes);
  }
  for (const Operand &source : inst.src)
    addSpan(source, out.reads);
  addSpan(inst.scale, out.reads);
  switch (inst.cls) {
  case Class::Vector:
    out.unit = IssueUnit::Vector;
    out.busyCycles = uint16_t(getVectorCycles(name, k));
    out.latency = uint16_t(k.vectorLatency);
    break;
  case Class::Matrix:
    setMatrix(out, inst);
    break;
  case Class::Scalar:
    out.unit = IssueUnit::Scalar;
    out.latency = uint16_t(k.scalarLatency);
    break;
  case Class::ScalarMemory:
    out.unit = IssueUnit::ScalarMemory;
    break;
  case Class::Lds:
    out.unit = IssueUnit::Lds;
    out.isStore = inst.flags & Store;
    break;
  case Class::VectorMemory:
    setVectorMemory(out, inst, name);
    break;
  case Class::Branch:
    out.unit = IssueUnit::Branch;
    break;
  case Class::Other:
    setOther(out, inst, name, k);
    break;
  }
  return out;
}

} // namespace

std::vector<TraceInst>
octavo::sim::makeTraceProgram(const Program &program,
                              const TimingConstants &constants) {
  std::vector<TraceInst> out;
  out.reserve(program.instructions().size());
  for (const Inst &inst : program.instructions())
    out.push_back(
        makeInst(inst, program.mnemonics()[inst.mnemonic].name, constants));
  return out;
}
