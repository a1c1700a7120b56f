//===- Isa.cpp - The tables of all instructions ---------------------------===//

#include "Isa.h"
#include "Execute/Portable/MatrixBinding.h"
#include "Execute/Tables.h"
#include "octavo/Simulator/CodeObject.h"

using namespace octavo::sim;
using llvm::StringRef;

namespace {

bool isFloat(Type type) {
  return type == Type::F16 || type == Type::F32 || type == Type::F64;
}
bool is16(Type type) {
  return type == Type::F16 || type == Type::B16 || type == Type::I16;
}

const HandlerSet &chooseHandlers() {
  return __builtin_cpu_supports("x86-64-v4") ? x86_64_v4::handlers()
                                             : x86_64_v3::handlers();
}

bool checksCount(Shape shape) {
  return shape == Shape::Vector || shape == Shape::VectorCarry ||
         shape == Shape::Compare || shape == Shape::Scalar ||
         shape == Shape::ScalarNoDst || shape == Shape::Lds ||
         shape == Shape::Matrix;
}

} // namespace

Isa::Isa() : set(chooseHandlers()), matrixRows(matrixEntries()) {
  notCode = set.notCode;
  for (size_t i = 0; i < set.count; ++i)
    for (size_t j = 0; j < set.tables[i].count; ++j)
      rows.try_emplace(set.tables[i].entries[j].mnemonic,
                       &set.tables[i].entries[j]);
  for (Table table :
       {x86_64_v3::smallFloatTable(), x86_64_v3::scaledFloatTable(),
        x86_64_v3::scaledSixBitTable()})
    for (size_t i = 0; i < table.count; ++i)
      rows.try_emplace(table.entries[i].mnemonic, &table.entries[i]);
  for (const Entry &entry : matrixRows)
    rows.try_emplace(entry.mnemonic, &entry);
}

const Isa &Isa::get() {
  static const Isa isa;
  return isa;
}

std::vector<StringRef> Isa::mnemonics() const {
  std::vector<StringRef> names;
  for (const auto &row : rows)
    if (!row.getKey().contains(':'))
      names.push_back(row.getKey());
  llvm::sort(names);
  return names;
}

std::vector<StringRef> octavo::sim::getKnownInstructions() {
  return Isa::get().mnemonics();
}

Class Isa::classOf(const Entry &entry, StringRef mnemonic) const {
  switch (entry.shape) {
  case Shape::Vector:
  case Shape::VectorCarry:
  case Shape::Compare:
    return Class::Vector;
  case Shape::Scalar:
  case Shape::ScalarNoDst:
    return Class::Scalar;
  case Shape::Branch:
    return Class::Branch;
  case Shape::ScalarMemory:
    return Class::ScalarMemory;
  case Shape::Lds:
    return Class::Lds;
  case Shape::Flat:
  case Shape::Buffer:
    return Class::VectorMemory;
  case Shape::Matrix:
    return Class::Matrix;
  case Shape::Special:
    break;
  }
  if (mnemonic.starts_with("v_"))
    return Class::Vector;
  if (mnemonic.starts_with("buffer_"))
    return Class::VectorMemory;
  return mnemonic.contains("time") ? Class::ScalarMemory : Class::Other;
}

std::string Isa::finish(Inst &inst, const Entry &entry, StringRef arch) const {
  if (checksCount(entry.shape) && inst.numSrc != entry.numSrc)
    return "number of operands";
  if (entry.flags & TiedDst)
    inst.src[inst.numSrc++] = inst.dst;
  if (entry.shape == Shape::Matrix)
    return finishMatrix(inst, entry, arch);
  if (entry.shape != Shape::Vector && entry.shape != Shape::VectorCarry &&
      entry.shape != Shape::Compare)
    return {};
  const Modifiers &mods = inst.mods;
  if (mods.clamp && !isFloat(entry.dst)) {
    const Entry *saturating = lookup(std::string(entry.mnemonic) + ":clamp");
    if (!saturating)
      return "modifier clamp";
    inst.compute = saturating->compute;
  }
  for (unsigned i = 0; i < 3; ++i)
    if (((mods.neg | mods.negHi | mods.abs) >> i & 1) &&
        !isFloat(inst.src[i].type) && inst.src[i].type != Type::PkF32)
      return "sign modifier of an integer";
  bool halves = is16(entry.dst);
  for (Type type : entry.src)
    halves |= is16(type);
  if (mods.opSel && !halves && !(entry.flags & UsesOpSel))
    return "modifier op_sel";
  if (inst.fn != set.plain)
    return {};
  if (entry.flags & Packed)
    inst.fn = set.packed;
  else if (inst.flags & (Modified | KeepsHigh))
    inst.fn = set.modified;
  return {};
}
