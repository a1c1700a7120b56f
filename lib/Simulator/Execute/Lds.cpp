//===- Lds.cpp - Reading and writing LDS ----------------------------------===//
//
// src[0] is the address, src[1] and src[2] are data. imm and imm2 are offsets:
// the sum has 32 bits, and compilers use that for bases below zero.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

const Inst *outside(Wave &w, const Inst &inst) {
  return fail(w, inst, "LDS access outside the workgroup's LDS");
}

void observe(Wave &w, const Inst &inst, const uint32_t *address,
             uint32_t offset, uint32_t bytes) {
  uint64_t addresses[Lanes];
  for (unsigned l = 0; l < Lanes; ++l)
    addresses[l] = address[l] + offset;
  observeMemory(w, inst, addresses, execOf(w), bytes);
}

OCTAVO_INLINE const uint32_t *addressLanes(Wave &w, const Inst &inst) {
  return vgpr(w, inst.src[0].index);
}

template <unsigned Bytes, bool Signed, Part part>
const Inst *read(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  alignas(64) uint32_t address[Lanes];
  memcpy(address, addressLanes(w, inst),
         sizeof(address)); // may be the destination
  uint32_t *d = vgpr(w, inst.dst.index);
  const uint8_t *lds = w.group->lds;
  uint64_t end = w.group->ldsBytes;
  uint32_t offset = uint32_t(inst.imm);
  if (w.observer)
    observe(w, inst, address, offset, Bytes);
  w.ldsRead += Bytes * popcount(exec);
  if constexpr (Bytes == 16)
    if (allInside(exec, address, offset, 16, end)) {
      loadAll16(d, [&](unsigned l) { return lds + (address[l] + offset); });
      return inst.next;
    }
  if constexpr (Bytes < 16)
    if (allInside(exec, address, offset, Bytes, end)) {
      for (unsigned l = 0; l < Lanes; ++l) {
        uint32_t value[(Bytes + 3) / 4];
        loadValue<Bytes, Signed>(lds + (address[l] + offset), value);
        putValue<Bytes, part>(d, l, value);
      }
      return inst.next;
    }
  OCTAVO_EACH_ACTIVE(exec) {
    uint64_t at = address[l] + offset;
    if (__builtin_expect(at + Bytes > end, 0))
      return outside(w, inst);
    uint32_t value[(Bytes + 3) / 4];
    loadValue<Bytes, Signed>(lds + at, value);
    putValue<Bytes, part>(d, l, value);
  }
  return inst.next;
}

template <unsigned Bytes, Part part>
const Inst *write(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  const uint32_t *address = addressLanes(w, inst),
                 *d = vgpr(w, inst.src[1].index);
  uint8_t *lds = w.group->lds;
  uint64_t end = w.group->ldsBytes;
  uint32_t offset = uint32_t(inst.imm);
  if (w.observer)
    observe(w, inst, address, offset, Bytes);
  w.ldsWritten += Bytes * popcount(exec);
  ++w.progress;
  if constexpr (Bytes == 16)
    if (allInside(exec, address, offset, 16, end)) {
      storeAll16(d, [&](unsigned l) { return lds + (address[l] + offset); });
      return inst.next;
    }
  if constexpr (Bytes < 16)
    if (allInside(exec, address, offset, Bytes, end)) {
      for (unsigned l = 0; l < Lanes; ++l)
        storeValue<Bytes, part>(lds + (address[l] + offset), d, l);
      return inst.next;
    }
  OCTAVO_EACH_ACTIVE(exec) {
    uint64_t at = address[l] + offset;
    if (__builtin_expect(at + Bytes > end, 0))
      return outside(w, inst);
    storeValue<Bytes, part>(lds + at, d, l);
  }
  return inst.next;
}

/// Two values at offsets in units of `Scale` bytes.
template <unsigned Bytes, unsigned Scale>
const Inst *read2(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  alignas(64) uint32_t address[Lanes];
  memcpy(address, addressLanes(w, inst), sizeof(address));
  uint32_t *d = vgpr(w, inst.dst.index);
  const uint8_t *lds = w.group->lds;
  uint64_t end = w.group->ldsBytes;
  uint32_t offset[2] = {uint32_t(inst.imm) * Scale,
                        uint32_t(inst.imm2) * Scale};
  w.ldsRead += 2 * Bytes * popcount(exec);
  for (unsigned i = 0; i < 2; ++i) {
    if (w.observer)
      observe(w, inst, address, offset[i], Bytes);
    OCTAVO_EACH_ACTIVE(exec) {
      uint64_t at = address[l] + offset[i];
      if (__builtin_expect(at + Bytes > end, 0))
        return outside(w, inst);
      uint32_t value[Bytes / 4];
      memcpy(value, lds + at, Bytes);
      putValue<Bytes, Part::Whole>(d + i * Bytes / 4 * Lanes, l, value);
    }
  }
  return inst.next;
}

template <unsigned Bytes, unsigned Scale>
const Inst *write2(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  const uint32_t *address = addressLanes(w, inst);
  uint8_t *lds = w.group->lds;
  uint64_t end = w.group->ldsBytes;
  uint32_t offset[2] = {uint32_t(inst.imm) * Scale,
                        uint32_t(inst.imm2) * Scale};
  w.ldsWritten += 2 * Bytes * popcount(exec);
  ++w.progress;
  for (unsigned i = 0; i < 2; ++i) {
    const uint32_t *d = vgpr(w, inst.src[1 + i].index);
    if (w.observer)
      observe(w, inst, address, offset[i], Bytes);
    OCTAVO_EACH_ACTIVE(exec) {
      uint64_t at = address[l] + offset[i];
      if (__builtin_expect(at + Bytes > end, 0))
        return outside(w, inst);
      storeValue<Bytes, Part::Whole>(lds + at, d, l);
    }
  }
  return inst.next;
}

/// gfx950: 16 lanes read a tile and get it transposed. Element `e` of lane l
/// comes from lane `source(l, e)`, element `element(l)` of what that lane read.
template <unsigned Bits> const Inst *readTransposed(Wave &w, const Inst &inst) {
  constexpr unsigned bytes = Bits == 6 ? 12 : 8, elements = bytes * 8 / Bits;
  if (execOf(w) != ~uint64_t(0))
    return fail(w, inst, "a transposed LDS read with lanes off in EXEC");
  const uint32_t *address = addressLanes(w, inst);
  uint8_t rows[Lanes][16] = {};
  if (w.observer)
    observe(w, inst, address, uint32_t(inst.imm), bytes);
  for (unsigned l = 0; l < Lanes; ++l) {
    uint64_t at = address[l] + uint32_t(inst.imm);
    if (at + bytes > w.group->ldsBytes)
      return outside(w, inst);
    memcpy(rows[l], w.group->lds + at, bytes);
  }
  w.ldsRead += bytes * Lanes;
  for (unsigned l = 0; l < Lanes; ++l) {
    unsigned __int128 result = 0;
    for (unsigned e = 0; e < elements; ++e) {
      // Lanes that hold one row of 16 elements, and the element within a lane.
      constexpr unsigned perRow = 16 / elements;
      unsigned source = (l & ~15u) + perRow * e + (l & 15) / elements,
               element = (l & 15) % elements;
      unsigned __int128 row;
      memcpy(&row, rows[source], 16);
      result |= (row >> Bits * element & ((1u << Bits) - 1)) << Bits * e;
    }
    for (unsigned i = 0; i < bytes / 4; ++i)
      vgpr(w, inst.dst.index + i)[l] = uint32_t(result >> 32 * i);
  }
  return inst.next;
}

/// M0 + offset + 4 * lane.
const Inst *readAddTid(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  OCTAVO_EACH_ACTIVE(exec) {
    uint64_t at = (w.s[M0] & 0xffff) + uint64_t(inst.imm) + 4 * l;
    if (at + 4 > w.group->ldsBytes)
      return outside(w, inst);
    memcpy(vgpr(w, inst.dst.index) + l, w.group->lds + at, 4);
  }
  w.ldsRead += 4 * popcount(exec);
  return inst.next;
}

const Inst *writeAddTid(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  const uint32_t *data = vgpr(w, inst.src[0].index);
  ++w.progress;
  OCTAVO_EACH_ACTIVE(exec) {
    uint64_t at = (w.s[M0] & 0xffff) + uint64_t(inst.imm) + 4 * l;
    if (at + 4 > w.group->ldsBytes)
      return outside(w, inst);
    memcpy(w.group->lds + at, data + l, 4);
  }
  w.ldsWritten += 4 * popcount(exec);
  return inst.next;
}

//===----------------------------------------------------------------------===//
// Lane permutations that use the LDS unit but no LDS
//===----------------------------------------------------------------------===//

/// A lane that is off gives 0.
const Inst *bpermute(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  const uint32_t *address = addressLanes(w, inst),
                 *data = vgpr(w, inst.src[1].index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    unsigned from = (address[l] + uint32_t(inst.imm)) / 4 & 63;
    result.words[l] = exec >> from & 1 ? data[from] : 0;
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}
/// Lanes that nobody writes get 0; of several writers the highest lane wins.
const Inst *permute(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  const uint32_t *address = addressLanes(w, inst),
                 *data = vgpr(w, inst.src[1].index);
  Block result = {};
  OCTAVO_EACH_ACTIVE(exec) {
    result.words[(address[l] + uint32_t(inst.imm)) / 4 & 63] = data[l];
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

/// The lane that lane l reads in ds_swizzle_b32.
unsigned swizzleSource(unsigned offset, unsigned l) {
  if (offset >> 15 & 1) {
    if ((offset & 0xff00) == 0x8000) // four lanes, any permutation
      return (l & ~3u) | (offset >> 2 * (l & 3) & 3);
    // Rotation within 32 lanes; bits of the mask stay.
    unsigned mask = offset & 31, amount = offset >> 5 & 31;
    unsigned rotated = offset >> 10 & 1 ? l - amount : l + amount;
    return (l & ~31u) | (l & mask) | (rotated & 31 & ~mask);
  }
  unsigned andMask = offset & 31, orMask = offset >> 5 & 31,
           xorMask = offset >> 10 & 31;
  return (l & 32) | ((((l & 31) & andMask) | orMask) ^ xorMask);
}
const Inst *swizzle(Wave &w, const Inst &inst) {
  uint64_t exec = execOf(w);
  const uint32_t *data = vgpr(w, inst.src[0].index);
  Block result;
  for (unsigned l = 0; l < Lanes; ++l) {
    unsigned from = swizzleSource(unsigned(inst.imm) & 0xffff, l);
    result.words[l] = exec >> from & 1 ? data[from] : 0;
  }
  writeLanes(w, inst.dst.index, result.words, 1);
  return inst.next;
}

const Inst *nothing(Wave &w, const Inst &inst) { return inst.next; }

constexpr Entry reads(const char *mnemonic, Handler fn, unsigned sources = 1) {
  return {mnemonic,         Shape::Lds, fn,
          nullptr,          Type::Any,  {Type::B32, Type::Any},
          uint8_t(sources), 0,          0};
}
constexpr Entry writes(const char *mnemonic, Handler fn, unsigned sources = 2) {
  return {mnemonic,         Shape::Lds, fn,
          nullptr,          Type::None, {Type::B32, Type::Any, Type::Any},
          uint8_t(sources), Store,      0};
}

const Entry rows[] = {
    reads("ds_read_u8", read<1, false, Part::Whole>),
    reads("ds_read_i8", read<1, true, Part::Whole>),
    reads("ds_read_u16", read<2, false, Part::Whole>),
    reads("ds_read_i16", read<2, true, Part::Whole>),
    reads("ds_read_b32", read<4, false, Part::Whole>),
    reads("ds_read_b64", read<8, false, Part::Whole>),
    reads("ds_read_b96", read<12, false, Part::Whole>),
    reads("ds_read_b128", read<16, false, Part::Whole>),
    reads("ds_read_u8_d16", read<1, false, Part::Low>),
    reads("ds_read_u8_d16_hi", read<1, false, Part::High>),
    reads("ds_read_i8_d16", read<1, true, Part::Low>),
    reads("ds_read_i8_d16_hi", read<1, true, Part::High>),
    reads("ds_read_u16_d16", read<2, false, Part::Low>),
    reads("ds_read_u16_d16_hi", read<2, false, Part::High>),
    reads("ds_read2_b32", read2<4, 4>),
    reads("ds_read2st64_b32", read2<4, 256>),
    reads("ds_read2_b64", read2<8, 8>),
    reads("ds_read2st64_b64", read2<8, 512>),
    reads("ds_read_b64_tr_b4", readTransposed<4>),
    reads("ds_read_b96_tr_b6", readTransposed<6>),
    reads("ds_read_b64_tr_b8", readTransposed<8>),
    reads("ds_read_b64_tr_b16", readTransposed<16>),
    reads("ds_read_addtid_b32", readAddTid, 0),
    reads("ds_bpermute_b32", bpermute, 2),
    reads("ds_permute_b32", permute, 2),
    reads("ds_swizzle_b32", swizzle),
    writes("ds_write_b8", write<1, Part::Whole>),
    writes("ds_write_b8_d16_hi", write<1, Part::High>),
    writes("ds_write_b16", write<2, Part::Whole>),
    writes("ds_write_b16_d16_hi", write<2, Part::High>),
    writes("ds_write_b32", write<4, Part::Whole>),
    writes("ds_write_b64", write<8, Part::Whole>),
    writes("ds_write_b96", write<12, Part::Whole>),
    writes("ds_write_b128", write<16, Part::Whole>),
    writes("ds_write2_b32", write2<4, 4>, 3),
    writes("ds_write2st64_b32", write2<4, 256>, 3),
    writes("ds_write2_b64", write2<8, 8>, 3),
    writes("ds_write2st64_b64", write2<8, 512>, 3),
    writes("ds_write_addtid_b32", writeAddTid, 1),
    writes("ds_nop", nothing, 0),
};

} // namespace

Table ldsTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
