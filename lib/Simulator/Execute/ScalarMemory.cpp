//===- ScalarMemory.cpp - s_load and s_buffer_load ------------------------===//

#include "Memory.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

/// An offset in a register is unsigned, an immediate signed.
int64_t offsetOf(const Wave &w, const Inst &inst) {
  const Operand &operand = inst.src[1];
  if (operand.kind == Kind::Sgpr)
    return int64_t(w.s[operand.index]) + inst.imm;
  if (operand.kind == Kind::Constant)
    return int32_t(operand.constant[0]) + inst.imm;
  return inst.imm;
}

template <unsigned Dwords> const Inst *load(Wave &w, const Inst &inst) {
  uint64_t address =
      (scalarSource64(w, inst.src[0]) + uint64_t(offsetOf(w, inst))) &
      ~uint64_t(3);
  if (w.observer)
    observeMemory(w, inst, &address, 1, Dwords * 4);
  uint32_t value[Dwords];
  {
    Accessing accessing(w, inst);
    memcpy(value, reinterpret_cast<const void *>(address), sizeof(value));
  }
  memcpy(w.s + inst.dst.index, value, sizeof(value));
  w.bytesLoaded += sizeof(value);
  return inst.next;
}

/// Words beyond the buffer read as zero.
template <unsigned Dwords> const Inst *bufferLoad(Wave &w, const Inst &inst) {
  const uint32_t *resource = w.s + inst.src[0].index;
  uint64_t base = (resource[0] | uint64_t(resource[1] & 0xffff) << 32);
  uint64_t stride = resource[1] >> 16 & 0x3fff,
           bytes = stride ? stride * resource[2] : resource[2];
  uint64_t offset = uint64_t(offsetOf(w, inst)) & ~uint64_t(3);
  uint32_t value[Dwords] = {};
  {
    Accessing accessing(w, inst);
    for (unsigned i = 0; i < Dwords; ++i)
      if (offset + 4 * i + 4 <= bytes)
        memcpy(value + i,
               reinterpret_cast<const uint8_t *>(base + offset) + 4 * i, 4);
  }
  memcpy(w.s + inst.dst.index, value, sizeof(value));
  w.bytesLoaded += sizeof(value);
  return inst.next;
}

constexpr Entry row(const char *mnemonic, Handler fn, Type base = Type::B64) {
  return {mnemonic,  Shape::ScalarMemory, fn, nullptr,
          Type::Any, {base, Type::B32},   2,  0,
          0};
}

const Entry rows[] = {
    row("s_load_dword", load<1>),
    row("s_load_dwordx2", load<2>),
    row("s_load_dwordx4", load<4>),
    row("s_load_dwordx8", load<8>),
    row("s_load_dwordx16", load<16>),
    row("s_buffer_load_dword", bufferLoad<1>, Type::Any),
    row("s_buffer_load_dwordx2", bufferLoad<2>, Type::Any),
    row("s_buffer_load_dwordx4", bufferLoad<4>, Type::Any),
    row("s_buffer_load_dwordx8", bufferLoad<8>, Type::Any),
    row("s_buffer_load_dwordx16", bufferLoad<16>, Type::Any),
};

} // namespace

Table scalarMemoryTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
