//===- ScalarControl.cpp - Branches, barriers, MODE, waits ----------------===//

#include "../Access.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

const Inst *branchTo(Wave &w, const Inst &inst) {
  return inst.target
             ? inst.target
             : fail(w, inst, "branch to an address that holds no instruction");
}

template <bool (*Taken)(const Wave &)>
const Inst *branch(Wave &w, const Inst &inst) {
  return Taken(w) ? branchTo(w, inst) : inst.next;
}

bool always(const Wave &) { return true; }
bool sccSet(const Wave &w) { return w.scc; }
bool sccClear(const Wave &w) { return !w.scc; }
bool vccZero(const Wave &w) { return scalar64(w, Vcc) == 0; }
bool vccAny(const Wave &w) { return scalar64(w, Vcc) != 0; }
bool execZero(const Wave &w) { return execOf(w) == 0; }
bool execAny(const Wave &w) { return execOf(w) != 0; }
/// No debugger is attached.
bool never(const Wave &) { return false; }

const Inst *jumpTo(Wave &w, const Inst &inst, uint64_t address) {
  const Inst *target = instructionAt(w, address);
  return target ? target
                : fail(w, inst, "jump to an address that holds no instruction");
}

uint64_t addressAfter(const Wave &w, const Inst &inst) {
  return w.codeBase + inst.address + inst.bytes;
}

const Inst *getpc(Wave &w, const Inst &inst) {
  setScalar64(w, inst.dst.index, addressAfter(w, inst));
  return inst.next;
}
const Inst *setpc(Wave &w, const Inst &inst) {
  return jumpTo(w, inst, scalarSource64(w, inst.src[0]));
}
const Inst *swappc(Wave &w, const Inst &inst) {
  uint64_t target = scalarSource64(w, inst.src[0]);
  setScalar64(w, inst.dst.index, addressAfter(w, inst));
  return jumpTo(w, inst, target);
}
const Inst *call(Wave &w, const Inst &inst) {
  uint64_t after = addressAfter(w, inst);
  setScalar64(w, inst.dst.index, after);
  return jumpTo(w, inst, after + 4 * uint64_t(int64_t(int16_t(inst.imm))));
}

const Inst *endProgram(Wave &w, const Inst &inst) {
  w.status = Status::Ended;
  w.ip = &inst;
  return nullptr;
}
const Inst *barrier(Wave &w, const Inst &inst) {
  w.status = Status::Barrier;
  w.ip = inst.next;
  ++w.progress;
  return nullptr;
}
const Inst *yield(Wave &w, const Inst &inst) {
  w.status = Status::Yield;
  w.ip = inst.next;
  return nullptr;
}
const Inst *nothing(Wave &w, const Inst &inst) { return inst.next; }
const Inst *trap(Wave &w, const Inst &inst) {
  return fail(w, inst, "s_trap: the kernel aborted (an assertion or trap)");
}

/// Fields of a hardware register; the simulated ones are MODE and what the
/// launch decides.
const Inst *getreg(Wave &w, const Inst &inst) {
  unsigned id = inst.imm & 63, offset = inst.imm >> 6 & 31,
           size = (inst.imm >> 11 & 31) + 1;
  uint32_t value = 0;
  if (id == 1)
    value = w.mode;
  else if (id == 2)
    value = uint32_t(w.scc != 0) | uint32_t(execOf(w) == 0) << 9 |
            uint32_t(scalar64(w, Vcc) == 0) << 10;
  else if (id == 3 || id == 4 || id == 20)
    value = 0; // no traps; one XCD and one CU as far as a kernel can see
  else
    return fail(w, inst,
                "s_getreg_b32 of a hardware register that is not simulated");
  w.s[inst.dst.index] = value >> offset & uint32_t((uint64_t(1) << size) - 1);
  return inst.next;
}

const Inst *setreg(Wave &w, const Inst &inst) {
  unsigned id = inst.imm & 63, offset = inst.imm >> 6 & 31,
           size = (inst.imm >> 11 & 31) + 1;
  if (id == 3)
    return inst.next; // clears trap status
  if (id != 1)
    return fail(w, inst,
                "s_setreg of a hardware register that is not simulated");
  uint32_t mask = uint32_t((uint64_t(1) << size) - 1) << offset;
  setMode(w,
          (w.mode & ~mask) | (scalarSource(w, inst.src[0]) << offset & mask));
  return inst.next;
}

/// Leaves the fast loop: the instructions that follow run in one that looks at
/// these modes (see Run.cpp).
const Inst *leaveFastLoop(Wave &w, const Inst &inst) {
  w.ip = inst.next;
  w.status = Status::Ready;
  return nullptr;
}

const Inst *gprIndexOn(Wave &w, const Inst &inst) {
  w.s[M0] = (w.s[M0] & 0xffff0000u) | (scalarSource(w, inst.src[0]) & 0xff) |
            uint32_t(inst.imm & 15) << 12;
  w.gprIndexing = true;
  return leaveFastLoop(w, inst);
}
const Inst *gprIndexOff(Wave &w, const Inst &inst) {
  w.gprIndexing = false;
  return inst.next;
}
const Inst *gprIndexMode(Wave &w, const Inst &inst) {
  w.s[M0] = (w.s[M0] & 0xffff0fffu) | uint32_t(inst.imm & 15) << 12;
  return inst.next;
}
const Inst *gprIndexIdx(Wave &w, const Inst &inst) {
  w.s[M0] = (w.s[M0] & 0xffffff00u) | (scalarSource(w, inst.src[0]) & 0xff);
  return inst.next;
}
const Inst *setvskip(Wave &w, const Inst &inst) {
  uint32_t bit = scalarSource(w, inst.src[1]) & 31;
  w.skipVector = scalarSource(w, inst.src[0]) >> bit & 1;
  return leaveFastLoop(w, inst);
}

const Inst *memtime(Wave &w, const Inst &inst) {
  // Executed instructions stand for cycles, so that runs are reproducible.
  setScalar64(w, inst.dst.index, w.executed);
  return inst.next;
}

constexpr Entry jump(const char *mnemonic, Handler fn) {
  return {mnemonic, Shape::Branch, fn, nullptr, Type::None, {}, 0, 0, 0};
}
constexpr Entry special(const char *mnemonic, Handler fn, Type dst = Type::None,
                        Type src = Type::B32, uint32_t flags = 0) {
  return {mnemonic, Shape::Special, fn, nullptr, dst, {src, Type::B32},
          2,        flags,          0};
}

const Entry rows[] = {
    jump("s_branch", branch<always>),
    jump("s_cbranch_scc0", branch<sccClear>),
    jump("s_cbranch_scc1", branch<sccSet>),
    jump("s_cbranch_vccz", branch<vccZero>),
    jump("s_cbranch_vccnz", branch<vccAny>),
    jump("s_cbranch_execz", branch<execZero>),
    jump("s_cbranch_execnz", branch<execAny>),
    jump("s_cbranch_cdbgsys", branch<never>),
    jump("s_cbranch_cdbguser", branch<never>),
    jump("s_cbranch_cdbgsys_or_user", branch<never>),
    jump("s_cbranch_cdbgsys_and_user", branch<never>),
    special("s_getpc_b64", getpc, Type::B64),
    special("s_setpc_b64", setpc, Type::None, Type::B64),
    special("s_swappc_b64", swappc, Type::B64, Type::B64),
    special("s_call_b64", call, Type::B64),
    special("s_endpgm", endProgram),
    special("s_endpgm_saved", endProgram),
    special("s_barrier", barrier),
    special("s_sleep", yield),
    special("s_wakeup", nothing),
    special("s_nop", nothing, Type::None, Type::B32, Idle),
    special("s_waitcnt", nothing, Type::None, Type::B32, Idle),
    special("s_setprio", nothing),
    special("s_sethalt", nothing),
    special("s_setkill", nothing),
    special("s_incperflevel", nothing),
    special("s_decperflevel", nothing),
    special("s_ttracedata", nothing),
    special("s_icache_inv", nothing),
    special("s_dcache_inv", nothing),
    special("s_dcache_inv_vol", nothing),
    special("s_dcache_wb", nothing),
    special("s_sendmsg", nothing),
    special("s_trap", trap),
    special("s_getreg_b32", getreg, Type::B32),
    special("s_setreg_b32", setreg),
    special("s_setreg_imm32_b32", setreg),
    special("s_set_gpr_idx_on", gprIndexOn),
    special("s_set_gpr_idx_off", gprIndexOff),
    special("s_set_gpr_idx_mode", gprIndexMode),
    special("s_set_gpr_idx_idx", gprIndexIdx),
    special("s_setvskip", setvskip),
    special("s_memtime", memtime, Type::B64),
    special("s_memrealtime", memtime, Type::B64),
    special("buffer_wbl2", nothing),
    special("buffer_inv", nothing),
    special("buffer_wbinvl1", nothing),
    special("buffer_wbinvl1_vol", nothing),
    special("v_nop", nothing),
    special("v_clrexcp", nothing),
};

} // namespace

Table scalarControlTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
