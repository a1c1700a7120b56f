//===- MatrixBinding.cpp - Matrix instructions as handlers ----------------===//

#include "MatrixBinding.h"
#include "../Lanes.h"

using namespace octavo::sim;
using namespace octavo::sim::OCTAVO_SIM_ISA;
using llvm::StringRef;

namespace {

/// Registers that repeat a constant accumulator.
const uint32_t *constantAccumulator(const Inst &inst, unsigned registers) {
  static thread_local struct {
    alignas(64) uint32_t words[32 * Lanes];
  } room;
  unsigned step = inst.src[2].dwords > 1 ? 2 : 1;
  for (unsigned r = 0; r < registers; ++r)
    memcpy(room.words + r * Lanes, inst.src[2].constant + r % step * Lanes,
           Lanes * 4);
  return room.words;
}

const uint32_t *accumulator(Wave &w, const Inst &inst, unsigned registers) {
  if (inst.src[2].kind == Kind::Vgpr)
    return vgpr(w, inst.src[2].index);
  return constantAccumulator(inst, registers);
}

/// A scale is a register, or a constant of all lanes.
const uint32_t *scaleLanes(Wave &w, const Operand &operand, uint32_t *room) {
  return lanesOf(w, operand, room);
}

const Inst *matrix(Wave &w, const Inst &inst) {
  const MatrixInstruction &m = *inst.matrix;
  MatrixOperands operands;
  operands.a = vgpr(w, inst.src[0].index);
  operands.b = vgpr(w, inst.src[1].index);
  operands.d = vgpr(w, inst.dst.index);
  operands.cbsz = inst.cbsz;
  operands.abid = inst.abid;
  operands.blgp = inst.blgp;
  if (m.sparse) {
    operands.c = operands.d;
    operands.index = vgpr(w, inst.src[2].index);
  } else
    operands.c = accumulator(w, inst, m.cRegisters);
  const Modifiers &mods = inst.mods;
  operands.negateA = mods.neg & 1;
  operands.negateB = mods.neg & 2;
  operands.negateC = mods.neg & 4;
  operands.absoluteC = mods.abs & 4;
  alignas(64) uint32_t room[2][2 * Lanes];
  if (m.scaled) {
    operands.scaleA = scaleLanes(w, inst.src[3], room[0]);
    operands.scaleB = scaleLanes(w, inst.scale, room[1]);
    operands.scaleByteA = (mods.opSel & 1) | (mods.opSelHi & 1) << 1;
    operands.scaleByteB = (mods.opSel >> 1 & 1) | (mods.opSelHi >> 1 & 1) << 1;
  }
  ++w.progress;
  executeMatrix(m, operands, MatrixModel(inst.param));
  return inst.next;
}

} // namespace

std::vector<Entry> octavo::sim::matrixEntries() {
  std::vector<Entry> entries;
  for (StringRef arch : {"gfx942", "gfx950"})
    for (const MatrixInstruction &m : getMatrixInstructions(arch)) {
      Type c = m.mnemonic.contains("_f64") ? Type::F64 : Type::B32;
      entries.push_back({m.mnemonic.data(),
                         Shape::Matrix,
                         matrix,
                         nullptr,
                         Type::Any,
                         {Type::Any, Type::Any, c, Type::B32},
                         uint8_t(m.scaled ? 5 : 3),
                         Progress,
                         0});
    }
  return entries;
}

std::string octavo::sim::finishMatrix(Inst &inst, const Entry &entry,
                                      StringRef arch) {
  const MatrixInstruction *m = lookupMatrixInstruction(entry.mnemonic, arch);
  if (!m)
    return "not an instruction of " + arch.str();
  if (llvm::Error error = checkModifiers(*m, inst.cbsz, inst.abid, inst.blgp))
    return llvm::toString(std::move(error));
  llvm::Expected<std::optional<MatrixModel>> requested = getRequestedModel();
  if (!requested)
    return llvm::toString(requested.takeError());
  inst.matrix = m;
  inst.param = int(resolveModel(*m, *requested));
  return {};
}

std::string octavo::sim::describeMatrix(const Inst &inst) {
  return describeModel(*inst.matrix, MatrixModel(inst.param));
}
