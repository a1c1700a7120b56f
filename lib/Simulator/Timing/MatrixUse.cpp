//===- MatrixUse.cpp - What depends on matrix arithmetic ------------------===//

#include "lib/Simulator/Timing/MatrixUse.h"
#include "lib/Simulator/Timing/Trace.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <bitset>
#include <optional>

using namespace octavo::sim;
using llvm::StringRef;

namespace {

/// What is known in front of an instruction.
struct State {
  /// Registers that may hold a matrix result, or something made of one.
  std::bitset<registerCount> derived;
  /// EXEC holds all the lanes that it held at the entry or was set to since;
  /// and the pairs of scalar registers that hold such a mask.
  bool execFull = false;
  std::bitset<64> fullPairs;

  /// Returns whether anything is less known than before.
  bool merge(const State &other) {
    State before = *this;
    derived |= other.derived;
    execFull &= other.execFull;
    fullPairs &= other.fullPairs;
    return derived != before.derived || execFull != before.execFull ||
           fullPairs != before.fullPairs;
  }
};

class Slice {
public:
  Slice(const Program &program, bool fullWaves)
      : program(program), fullWaves(fullWaves),
        before(program.instructions().size()) {}

  MatrixUse run(uint64_t entry);

private:
  StringRef name(const Inst &inst) const {
    return program.mnemonics()[inst.mnemonic].name;
  }
  bool holds(const State &state, const Operand &operand) const;
  bool anySource(const State &state, const Inst &inst) const;
  void write(State &state, const Operand &operand, bool isDerived,
             bool replaces) const;
  void refuse(const Inst &inst, StringRef what);
  void step(const Inst &inst, State &state);
  void stepScalar(const Inst &inst, State &state);
  void stepExec(const Inst &inst, State &state) const;
  void stepMemory(const Inst &inst, State &state);
  std::pair<unsigned, unsigned> scratchSlots(const Inst &inst) const;
  void storeData(const Inst &inst, bool isDerived);
  bool loadsData(const Inst &inst) const;
  void flowTo(const Inst *inst, const State &state);

  const Program &program;
  bool fullWaves;
  std::vector<std::optional<State>> before;
  std::vector<const Inst *> work;
  bool ldsDerived = false, memoryDerived = false;
  /// Scratch by dword, as far as addresses are constant (spilled registers);
  /// the last bit stands for all others.
  static constexpr unsigned elsewhere = 4096;
  std::bitset<elsewhere + 1> scratchDerived;
  std::string reason;
};

/// First register and count in the numbering of the traces; nothing for a
/// constant.
std::pair<unsigned, unsigned> getSpan(const Operand &operand) {
  unsigned count = std::max<unsigned>(operand.dwords, 1);
  switch (operand.kind) {
  case Kind::Vgpr:
    return {operand.index, std::min(count, 512u - operand.index)};
  case Kind::Sgpr:
    return {firstScalarRegister + operand.index,
            std::min(count, operand.index < 128 ? 128u - operand.index : 0)};
  case Kind::Scc:
    return {sccRegister, 1};
  case Kind::VccZ:
    return {firstScalarRegister + Vcc, 2};
  case Kind::ExecZ:
    return {firstScalarRegister + Exec, 2};
  case Kind::None:
  case Kind::Constant:
    break;
  }
  return {0, 0};
}

bool Slice::holds(const State &state, const Operand &operand) const {
  auto [first, count] = getSpan(operand);
  for (unsigned r = first; r < first + count; ++r)
    if (state.derived[r])
      return true;
  return false;
}

bool Slice::anySource(const State &state, const Inst &inst) const {
  for (const Operand &source : inst.src)
    if (holds(state, source))
      return true;
  return holds(state, inst.scale) ||
         ((inst.flags & TiedDst) && holds(state, inst.dst));
}

void Slice::write(State &state, const Operand &operand, bool isDerived,
                  bool replaces) const {
  auto [first, count] = getSpan(operand);
  for (unsigned r = first; r < first + count; ++r)
    state.derived[r] = isDerived || (state.derived[r] && !replaces);
  if (operand.kind == Kind::Sgpr)
    for (unsigned r = operand.index; r < operand.index + count; ++r)
      state.fullPairs[std::min(r / 2, 63u)] = false;
}

void Slice::refuse(const Inst &inst, StringRef what) {
  if (reason.empty())
    reason = (what + " at " + llvm::Twine::utohexstr(inst.address) + " '" +
              StringRef(program.text(inst)).trim() + "'")
                 .str();
}

/// Follows what EXEC holds; `state` has the registers after the instruction.
void Slice::stepExec(const Inst &inst, State &state) const {
  StringRef mnemonic = name(inst);
  bool wasFull = state.execFull;
  bool savesExec = mnemonic.contains("_saveexec_");
  bool writesExec =
      savesExec || mnemonic.contains("_wrexec_") || (inst.flags & WritesExec) ||
      (inst.dst.kind == Kind::Sgpr && inst.dst.index <= Exec + 1 &&
       inst.dst.index + std::max<unsigned>(inst.dst.dwords, 1) > Exec);
  bool copiesExec = mnemonic == "s_mov_b64" && inst.src[0].kind == Kind::Sgpr &&
                    inst.src[0].index == Exec;
  if ((savesExec || copiesExec) && inst.dst.kind == Kind::Sgpr && wasFull)
    state.fullPairs[inst.dst.index / 2] = true;
  if (!writesExec)
    return;
  auto isFull = [&](const Operand &source) {
    if (source.kind == Kind::Constant)
      return source.constant[0] == ~0u &&
             (source.dwords < 2 || source.constant[Lanes] == ~0u);
    if (source.kind != Kind::Sgpr)
      return false;
    return source.index == Exec ? wasFull
                                : bool(state.fullPairs[source.index / 2]);
  };
  if (mnemonic == "s_mov_b64")
    state.execFull = isFull(inst.src[0]);
  else if (mnemonic == "s_or_b64")
    state.execFull = isFull(inst.src[0]) || isFull(inst.src[1]);
  else if (mnemonic == "s_or_saveexec_b64")
    state.execFull = wasFull || isFull(inst.src[0]);
  else
    state.execFull = false;
}

void Slice::stepScalar(const Inst &inst, State &state) {
  StringRef mnemonic = name(inst);
  const bool scc = state.derived[sccRegister];
  bool readsScc =
      mnemonic.starts_with("s_cselect") || mnemonic.starts_with("s_addc") ||
      mnemonic.starts_with("s_subb") || mnemonic.starts_with("s_cmov") ||
      mnemonic.starts_with("s_cbranch");
  bool derived = anySource(state, inst) || (readsScc && scc);
  bool isCompare =
      mnemonic.starts_with("s_cmp") || mnemonic.starts_with("s_bitcmp");
  bool writesExec = mnemonic.contains("exec_") ||
                    (inst.dst.kind == Kind::Sgpr && inst.dst.index >= Exec);
  if (derived && writesExec)
    refuse(inst, "EXEC mask");
  bool keeps =
      mnemonic.starts_with("s_cmov") || mnemonic.starts_with("s_bitset");
  write(state, inst.dst, derived, !keeps);
  state.derived[sccRegister] = derived || (scc && !isCompare);
}

/// The dwords of scratch that an instruction touches, and whether they are all.
std::pair<unsigned, unsigned> Slice::scratchSlots(const Inst &inst) const {
  bool isConstant = inst.src[0].kind == Kind::None &&
                    inst.src[2].kind == Kind::None && inst.imm >= 0;
  unsigned first = unsigned(inst.imm / 4);
  unsigned count =
      std::max<unsigned>(1, std::max(inst.dst.dwords, inst.src[1].dwords));
  if (!isConstant || first + count > elsewhere)
    return {elsewhere, 1};
  return {first, count};
}

void Slice::storeData(const Inst &inst, bool isDerived) {
  StringRef mnemonic = name(inst);
  bool isScratch = mnemonic.starts_with("scratch_");
  if (!isDerived)
    return;
  memoryDerived |= !isScratch;
  // Flat instructions may reach either.
  if (mnemonic.starts_with("flat_"))
    scratchDerived.set(elsewhere);
  if (!isScratch)
    return;
  auto [first, count] = scratchSlots(inst);
  for (unsigned slot = first; slot < first + count; ++slot)
    scratchDerived.set(slot);
}

bool Slice::loadsData(const Inst &inst) const {
  StringRef mnemonic = name(inst);
  if (mnemonic.starts_with("flat_"))
    return memoryDerived || scratchDerived.any();
  if (!mnemonic.starts_with("scratch_"))
    return memoryDerived;
  auto [first, count] = scratchSlots(inst);
  if (scratchDerived[elsewhere] || first == elsewhere)
    return scratchDerived.any();
  for (unsigned slot = first; slot < first + count; ++slot)
    if (scratchDerived[slot])
      return true;
  return false;
}

void Slice::stepMemory(const Inst &inst, State &state) {
  StringRef mnemonic = name(inst);
  bool isLds = inst.cls == Class::Lds;
  bool isScalar = inst.cls == Class::ScalarMemory;
  // Of vector memory, source 1 is data; of LDS and scalar memory, source 0 is
  // the address or its base.
  bool address, data = false;
  if (isScalar) {
    address = anySource(state, inst);
  } else if (isLds) {
    address = holds(state, inst.src[0]);
    for (unsigned i = 1; i < 4; ++i)
      data |= holds(state, inst.src[i]);
  } else {
    data = holds(state, inst.src[1]);
    address = holds(state, inst.src[0]) || holds(state, inst.src[2]) ||
              holds(state, inst.src[3]);
  }
  if ((isLds || (inst.flags & ToLds)) &&
      state.derived[firstScalarRegister + M0])
    address = true;
  if (address)
    refuse(inst, "address");
  bool toLds = inst.flags & ToLds;
  bool stores = (inst.flags & (Store | Atomic)) != 0;
  if (isLds && stores)
    ldsDerived |= data;
  else if (toLds)
    ldsDerived |= memoryDerived;
  else if (stores)
    storeData(inst, data);
  bool loaded = isScalar ? false : isLds ? ldsDerived || data : loadsData(inst);
  bool replaces = isScalar || (state.execFull && !(inst.flags & KeepsHigh) &&
                               !mnemonic.contains("d16"));
  write(state, inst.dst, loaded, replaces);
  write(state, inst.dst2, loaded, replaces);
}

void Slice::step(const Inst &inst, State &state) {
  StringRef mnemonic = name(inst);
  switch (inst.cls) {
  case Class::Matrix:
    write(state, inst.dst, true, true);
    return;
  case Class::Vector: {
    bool derived = anySource(state, inst);
    // Sources that the text of an instruction does not name.
    if (mnemonic.starts_with("v_div_fmas"))
      derived |= state.derived[firstScalarRegister + Vcc];
    bool swaps = mnemonic.contains("_swap");
    if (swaps) {
      derived |= holds(state, inst.dst) || holds(state, inst.dst2);
      for (const Operand &source : inst.src)
        write(state, source, derived, false);
    }
    if (derived && (inst.flags & WritesExec))
      refuse(inst, "EXEC mask");
    bool isWhole = !inst.mods.sdwa && !inst.mods.dpp &&
                   !(inst.flags & (KeepsHigh | UsesOpSel)) &&
                   !(inst.mods.opSel & 8) && !swaps &&
                   !mnemonic.starts_with("v_writelane");
    for (const Operand *dst : {&inst.dst, &inst.dst2})
      write(state, *dst, derived,
            dst->kind == Kind::Sgpr || (isWhole && state.execFull));
    return;
  }
  case Class::Scalar:
    stepScalar(inst, state);
    return;
  case Class::ScalarMemory:
  case Class::Lds:
  case Class::VectorMemory:
    stepMemory(inst, state);
    return;
  case Class::Branch:
    for (auto [part, first, count] :
         {std::tuple("scc", unsigned(sccRegister), 1u),
          std::tuple("vcc", unsigned(firstScalarRegister + Vcc), 2u)})
      if (mnemonic.contains(part))
        for (unsigned r = first; r < first + count; ++r)
          if (state.derived[r])
            refuse(inst, "branch");
    return;
  case Class::Other:
    break;
  }
  bool isOpen =
      mnemonic.starts_with("s_setpc") || mnemonic.starts_with("s_swappc") ||
      mnemonic.starts_with("s_call") || mnemonic.starts_with("s_set_gpr_idx") ||
      mnemonic.starts_with("s_setvskip") ||
      mnemonic.starts_with("s_dcache_inv");
  if (isOpen)
    refuse(inst, "not followed");
  else
    stepScalar(inst, state);
}

void Slice::flowTo(const Inst *inst, const State &state) {
  if (!inst)
    return;
  std::optional<State> &known = before[inst->ordinal];
  if (!known)
    known = state;
  else if (!known->merge(state))
    return;
  work.push_back(inst);
}

MatrixUse Slice::run(uint64_t entry) {
  const Inst *first = program.at(entry);
  if (!first)
    return {false, "no instruction at the entry"};
  State start;
  start.execFull = fullWaves;
  bool lds, memory;
  std::bitset<elsewhere + 1> scratch;
  do {
    lds = ldsDerived;
    memory = memoryDerived;
    scratch = scratchDerived;
    before.assign(before.size(), std::nullopt);
    flowTo(first, start);
    while (!work.empty() && reason.empty()) {
      const Inst &inst = *work.back();
      work.pop_back();
      State state = *before[inst.ordinal];
      step(inst, state);
      stepExec(inst, state);
      StringRef mnemonic = name(inst);
      if (mnemonic.starts_with("s_endpgm"))
        continue;
      if (inst.cls == Class::Branch)
        flowTo(inst.target, state);
      if (mnemonic != "s_branch")
        flowTo(inst.next, state);
    }
  } while (reason.empty() && (lds != ldsDerived || memory != memoryDerived ||
                              scratch != scratchDerived));
  return {reason.empty(), reason};
}

} // namespace

MatrixUse octavo::sim::findMatrixUse(const Program &program, uint64_t entry,
                                     bool fullWaves) {
  return Slice(program, fullWaves).run(entry);
}
