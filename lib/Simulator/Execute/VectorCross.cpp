//===- VectorCross.cpp - Values that cross lanes --------------------------===//

#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using u32 = uint32_t;

/// The first active lane, or lane 0 if none is.
const Inst *readFirstLane(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  unsigned lane = exec ? unsigned(__builtin_ctzll(exec)) : 0;
  const Operand &from = inst.src[0];
  w.s[inst.dst.index] = from.kind == Kind::Vgpr ? vgpr(w, from.index)[lane]
                                                : scalarSource(w, from);
  return inst.next;
}
const Inst *readLane(Wave &w, const Inst &inst) {
  w.s[inst.dst.index] =
      vgpr(w, inst.src[0].index)[scalarSource(w, inst.src[1]) & 63];
  return inst.next;
}
const Inst *writeLane(Wave &w, const Inst &inst) {
  vgpr(w, inst.dst.index)[scalarSource(w, inst.src[1]) & 63] =
      scalarSource(w, inst.src[0]);
  return inst.next;
}

const Inst *swap(Wave &w, const Inst &inst) {
  Block a, b;
  memcpy(a.words, vgpr(w, inst.dst.index), Lanes * 4);
  memcpy(b.words, vgpr(w, inst.src[0].index), Lanes * 4);
  writeLanes(w, inst.dst.index, b.words, 1);
  writeLanes(w, inst.src[0].index, a.words, 1);
  return inst.next;
}

/// Rows of `Width` lanes: odd rows of the destination and even rows of the
/// source change places. EXEC of the destination's lane decides.
template <unsigned Width> const Inst *permlaneSwap(Wave &w, const Inst &inst) {
  u32 *d = vgpr(w, inst.dst.index), *s = vgpr(w, inst.src[0].index);
  uint64_t exec = execOf(w);
  for (unsigned row = 0; row < Lanes; row += 2 * Width)
    for (unsigned i = 0; i < Width; ++i) {
      unsigned low = row + i, high = low + Width;
      u32 upper = d[high], lower = s[low];
      if (exec >> high & 1)
        d[high] = lower;
      if (exec >> low & 1)
        s[low] = upper;
    }
  return inst.next;
}

constexpr Entry special(const char *mnemonic, Handler fn, Type dst,
                        unsigned sources) {
  return {mnemonic,
          Shape::Special,
          fn,
          nullptr,
          dst,
          {Type::B32, Type::B32},
          uint8_t(sources),
          0,
          0};
}

const Entry rows[] = {
    special("v_readfirstlane_b32", readFirstLane, Type::B32, 1),
    special("v_readlane_b32", readLane, Type::B32, 2),
    special("v_writelane_b32", writeLane, Type::B32, 2),
    {"v_swap_b32",
     Shape::Vector,
     swap,
     nullptr,
     Type::B32,
     {Type::B32},
     1,
     0,
     0},
    {"v_permlane16_swap_b32",
     Shape::Vector,
     permlaneSwap<16>,
     nullptr,
     Type::B32,
     {Type::B32},
     1,
     0,
     0},
    {"v_permlane32_swap_b32",
     Shape::Vector,
     permlaneSwap<32>,
     nullptr,
     Type::B32,
     {Type::B32},
     1,
     0,
     0},
};

} // namespace

Table vectorCrossTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
