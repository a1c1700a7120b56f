//===- Flat.cpp - Global, flat and scratch memory -------------------------===//
//
// src[0] is the vector address, src[1] the data, src[2] the scalar address.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

enum class Segment : uint8_t { Global, Flat, Scratch };

/// Scratch of one lane; null if out of its bounds.
uint8_t *scratchAt(const Wave &w, uint64_t offset, unsigned l, unsigned bytes) {
  if (offset + bytes > w.scratchBytes)
    return nullptr;
  return w.scratch + uint64_t(l) * w.scratchBytes + offset;
}

/// A flat address: LDS, scratch or memory.
uint8_t *flatAt(const Wave &w, uint64_t address, unsigned l, unsigned bytes) {
  uint64_t offset = address & 0xffffffff;
  switch (address >> 48) {
  case SharedAperture >> 48:
    return offset + bytes <= w.group->ldsBytes ? w.group->lds + offset
                                               : nullptr;
  case PrivateAperture >> 48:
    return scratchAt(w, offset, l, bytes);
  default:
    return reinterpret_cast<uint8_t *>(address);
  }
}

/// Addresses that the instruction names, before segments are resolved.
template <Segment segment>
void addressesOf(Wave &w, const Inst &inst, uint64_t *address) {
  const Operand &vector = inst.src[0], &scalar = inst.src[2];
  uint64_t base = uint64_t(inst.imm);
  if (segment == Segment::Scratch) {
    // Offsets in the lane's own scratch: 32 bits.
    uint32_t start = uint32_t(inst.imm) +
                     (scalar.kind == Kind::None ? 0 : scalarSource(w, scalar));
    const uint32_t *v =
        vector.kind == Kind::Vgpr ? vgpr(w, vector.index) : nullptr;
    for (unsigned l = 0; l < Lanes; ++l)
      address[l] = v ? start + v[l] : start;
    return;
  }
  const uint32_t *v = vgpr(w, vector.index);
  if (segment == Segment::Global && scalar.kind == Kind::Sgpr) {
    base += scalar64(w, scalar.index);
    OCTAVO_EACH_LANE { address[l] = base + v[l]; }
    return;
  }
  OCTAVO_EACH_LANE {
    address[l] = base + (v[l] | uint64_t(v[Lanes + l]) << 32);
  }
}

template <Segment segment>
OCTAVO_INLINE uint8_t *place(const Wave &w, uint64_t address, unsigned l,
                             unsigned bytes) {
  if constexpr (segment == Segment::Global)
    return reinterpret_cast<uint8_t *>(address);
  else if constexpr (segment == Segment::Scratch)
    return scratchAt(w, address, l, bytes);
  else
    return flatAt(w, address, l, bytes);
}

const Inst *outside(Wave &w, const Inst &inst) {
  w.access = nullptr;
  return fail(w, inst,
              "address outside the wave's scratch or the workgroup's LDS");
}

/// All lanes read consecutive values: a copy, or a transposition.
template <unsigned Bytes>
OCTAVO_INLINE bool isConsecutive(const uint64_t *address) {
  uint64_t wrong = 0;
  for (unsigned l = 0; l < Lanes; ++l)
    wrong |= address[l] ^ (address[0] + l * Bytes);
  return wrong == 0;
}

template <Segment segment, unsigned Bytes, bool Signed, Part part>
const Inst *load(Wave &w, const Inst &inst) {
  uint64_t address[Lanes], exec = execOf(w);
  addressesOf<segment>(w, inst, address);
  if (w.observer)
    observeMemory(w, inst, address, exec, Bytes);
  uint32_t *d = vgpr(w, inst.dst.index);
  Accessing accessing(w, inst);
  w.bytesLoaded += Bytes * popcount(exec);
  if constexpr (segment == Segment::Global && Bytes == 4 && part == Part::Whole)
    if (exec == ~uint64_t(0) && isConsecutive<Bytes>(address)) {
      memcpy(d, reinterpret_cast<const void *>(address[0]), Lanes * 4);
      return inst.next;
    }
  if constexpr (segment == Segment::Global && Bytes == 16)
    if (exec == ~uint64_t(0)) {
      loadAll16(d, [&](unsigned l) {
        return reinterpret_cast<const uint8_t *>(address[l]);
      });
      return inst.next;
    }
  OCTAVO_EACH_ACTIVE(exec) {
    const uint8_t *p = place<segment>(w, address[l], l, Bytes);
    if (segment != Segment::Global && !p)
      return outside(w, inst);
    uint32_t value[(Bytes + 3) / 4];
    loadValue<Bytes, Signed>(p, value);
    putValue<Bytes, part>(d, l, value);
  }
  return inst.next;
}

template <Segment segment, unsigned Bytes, bool Signed, Part part>
const Inst *store(Wave &w, const Inst &inst) {
  uint64_t address[Lanes], exec = execOf(w);
  addressesOf<segment>(w, inst, address);
  if (w.observer)
    observeMemory(w, inst, address, exec, Bytes);
  const uint32_t *d = vgpr(w, inst.src[1].index);
  Accessing accessing(w, inst);
  w.bytesStored += Bytes * popcount(exec);
  // Spinning code that is not optimised stores to its stack.
  w.progress += segment == Segment::Global;
  if constexpr (segment == Segment::Global && Bytes == 16)
    if (exec == ~uint64_t(0)) {
      storeAll16(d, [&](unsigned l) {
        return reinterpret_cast<uint8_t *>(address[l]);
      });
      return inst.next;
    }
  OCTAVO_EACH_ACTIVE(exec) {
    uint8_t *p = place<segment>(w, address[l], l, Bytes);
    if (segment != Segment::Global && !p)
      return outside(w, inst);
    storeValue<Bytes, part>(p, d, l);
  }
  return inst.next;
}

/// Memory to LDS: lane l goes to M0 + offset + l * width.
template <unsigned Bytes, bool Signed>
const Inst *loadLds(Wave &w, const Inst &inst) {
  uint64_t address[Lanes], exec = execOf(w);
  addressesOf<Segment::Global>(w, inst, address);
  if (w.observer)
    observeMemory(w, inst, address, exec, Bytes);
  constexpr unsigned width = Bytes < 4 ? 4 : Bytes;
  uint64_t base =
      (w.s[M0] & (inst.flags & Fnuz ? 0xffff : 0x3ffff)) + uint64_t(inst.imm);
  Accessing accessing(w, inst);
  w.bytesLoaded += Bytes * popcount(exec);
  w.ldsWritten += width * popcount(exec);
  ++w.progress;
  OCTAVO_EACH_ACTIVE(exec) {
    uint32_t value[width / 4];
    loadValue<Bytes, Signed>(reinterpret_cast<const uint8_t *>(address[l]),
                             value);
    uint64_t offset = base + l * width;
    if (offset + width > w.group->ldsBytes)
      return outside(w, inst);
    memcpy(w.group->lds + offset, value, width);
  }
  return inst.next;
}

template <Segment segment, class T, T (*F)(T, T)>
const Inst *atomic(Wave &w, const Inst &inst) {
  uint64_t address[Lanes], exec = execOf(w);
  addressesOf<segment>(w, inst, address);
  if (w.observer)
    observeMemory(w, inst, address, exec, sizeof(T));
  const uint32_t *data = vgpr(w, inst.src[1].index);
  bool returns = inst.flags & Returns;
  Accessing accessing(w, inst);
  w.bytesLoaded += sizeof(T) * popcount(exec);
  w.bytesStored += sizeof(T) * popcount(exec);
  Block old;
  OCTAVO_EACH_ACTIVE(exec) {
    uint8_t *p = place<segment>(w, address[l], l, sizeof(T));
    if (segment != Segment::Global && !p)
      return outside(w, inst);
    if (uint64_t(p) % sizeof(T))
      return w.access = nullptr,
             fail(w, inst, "atomic on an address that is not aligned");
    setLaneValue<T>(old.words, l,
                    replaceAtomically<T, F>(p, laneValue<T>(data, l)));
  }
  if (returns)
    writeLanes(w, inst.dst.index, old.words, sizeof(T) / 4);
  return inst.next;
}

template <Segment segment, class T>
const Inst *atomicCompare(Wave &w, const Inst &inst) {
  uint64_t address[Lanes], exec = execOf(w);
  addressesOf<segment>(w, inst, address);
  if (w.observer)
    observeMemory(w, inst, address, exec, sizeof(T));
  const uint32_t *data = vgpr(w, inst.src[1].index);
  Accessing accessing(w, inst);
  w.bytesLoaded += sizeof(T) * popcount(exec);
  w.bytesStored += sizeof(T) * popcount(exec);
  Block old;
  OCTAVO_EACH_ACTIVE(exec) {
    uint8_t *p = place<segment>(w, address[l], l, sizeof(T));
    if (segment != Segment::Global && !p)
      return outside(w, inst);
    if (uint64_t(p) % sizeof(T))
      return w.access = nullptr,
             fail(w, inst, "atomic on an address that is not aligned");
    T value = laneValue<T>(data, l),
      compare = laneValue<T>(data, l, sizeof(T) / 4);
    setLaneValue<T>(old.words, l, compareAndSwap<T>(p, value, compare));
  }
  if (inst.flags & Returns)
    writeLanes(w, inst.dst.index, old.words, sizeof(T) / 4);
  return inst.next;
}

constexpr Entry row(const char *mnemonic, Handler fn, Type dst,
                    uint32_t flags) {
  return {mnemonic, Shape::Flat, fn, nullptr, dst, {}, 0, flags, 0};
}

#define LOADS(PREFIX, SEGMENT)                                                 \
  row(PREFIX "_load_ubyte", load<SEGMENT, 1, false, Part::Whole>, Type::Any,   \
      0),                                                                      \
      row(PREFIX "_load_sbyte", load<SEGMENT, 1, true, Part::Whole>,           \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_ushort", load<SEGMENT, 2, false, Part::Whole>,         \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_sshort", load<SEGMENT, 2, true, Part::Whole>,          \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_dword", load<SEGMENT, 4, false, Part::Whole>,          \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_dwordx2", load<SEGMENT, 8, false, Part::Whole>,        \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_dwordx3", load<SEGMENT, 12, false, Part::Whole>,       \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_dwordx4", load<SEGMENT, 16, false, Part::Whole>,       \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_ubyte_d16", load<SEGMENT, 1, false, Part::Low>,        \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_ubyte_d16_hi", load<SEGMENT, 1, false, Part::High>,    \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_sbyte_d16", load<SEGMENT, 1, true, Part::Low>,         \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_sbyte_d16_hi", load<SEGMENT, 1, true, Part::High>,     \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_short_d16", load<SEGMENT, 2, false, Part::Low>,        \
          Type::Any, 0),                                                       \
      row(PREFIX "_load_short_d16_hi", load<SEGMENT, 2, false, Part::High>,    \
          Type::Any, 0)

#define STORES(PREFIX, SEGMENT)                                                \
  row(PREFIX "_store_byte", store<SEGMENT, 1, false, Part::Whole>, Type::None, \
      Store),                                                                  \
      row(PREFIX "_store_byte_d16_hi", store<SEGMENT, 1, false, Part::High>,   \
          Type::None, Store),                                                  \
      row(PREFIX "_store_short", store<SEGMENT, 2, false, Part::Whole>,        \
          Type::None, Store),                                                  \
      row(PREFIX "_store_short_d16_hi", store<SEGMENT, 2, false, Part::High>,  \
          Type::None, Store),                                                  \
      row(PREFIX "_store_dword", store<SEGMENT, 4, false, Part::Whole>,        \
          Type::None, Store),                                                  \
      row(PREFIX "_store_dwordx2", store<SEGMENT, 8, false, Part::Whole>,      \
          Type::None, Store),                                                  \
      row(PREFIX "_store_dwordx3", store<SEGMENT, 12, false, Part::Whole>,     \
          Type::None, Store),                                                  \
      row(PREFIX "_store_dwordx4", store<SEGMENT, 16, false, Part::Whole>,     \
          Type::None, Store)

#define ATOMIC(NAME, SEGMENT, T, F)                                            \
  row(NAME, atomic<SEGMENT, T, F>, Type::Any, Atomic)

#define ATOMICS(PREFIX, SEGMENT, SUFFIX, U, I)                                 \
  ATOMIC(PREFIX "_atomic_swap" SUFFIX, SEGMENT, U, atomicSwap<U>),             \
      ATOMIC(PREFIX "_atomic_add" SUFFIX, SEGMENT, U, atomicAdd<U>),           \
      ATOMIC(PREFIX "_atomic_sub" SUFFIX, SEGMENT, U, atomicSub<U>),           \
      ATOMIC(PREFIX "_atomic_smin" SUFFIX, SEGMENT, I, atomicMin<I>),          \
      ATOMIC(PREFIX "_atomic_umin" SUFFIX, SEGMENT, U, atomicMin<U>),          \
      ATOMIC(PREFIX "_atomic_smax" SUFFIX, SEGMENT, I, atomicMax<I>),          \
      ATOMIC(PREFIX "_atomic_umax" SUFFIX, SEGMENT, U, atomicMax<U>),          \
      ATOMIC(PREFIX "_atomic_and" SUFFIX, SEGMENT, U, atomicAnd<U>),           \
      ATOMIC(PREFIX "_atomic_or" SUFFIX, SEGMENT, U, atomicOr<U>),             \
      ATOMIC(PREFIX "_atomic_xor" SUFFIX, SEGMENT, U, atomicXor<U>),           \
      ATOMIC(PREFIX "_atomic_inc" SUFFIX, SEGMENT, U, atomicInc<U>),           \
      ATOMIC(PREFIX "_atomic_dec" SUFFIX, SEGMENT, U, atomicDec<U>),           \
      row(PREFIX "_atomic_cmpswap" SUFFIX, atomicCompare<SEGMENT, U>,          \
          Type::Any, Atomic)

#define FLOAT_ATOMICS(PREFIX, SEGMENT)                                         \
  ATOMIC(PREFIX "_atomic_add_f32", SEGMENT, uint32_t, atomicAddF32),           \
      ATOMIC(PREFIX "_atomic_pk_add_f16", SEGMENT, uint32_t, atomicAddPkF16),  \
      ATOMIC(PREFIX "_atomic_pk_add_bf16", SEGMENT, uint32_t,                  \
             atomicAddPkBF16),                                                 \
      ATOMIC(PREFIX "_atomic_add_f64", SEGMENT, uint64_t, atomicAddF64),       \
      ATOMIC(PREFIX "_atomic_min_f64", SEGMENT, uint64_t,                      \
             atomicMinMaxF64<false>),                                          \
      ATOMIC(PREFIX "_atomic_max_f64", SEGMENT, uint64_t,                      \
             atomicMinMaxF64<true>)

const Entry rows[] = {
    LOADS("global", Segment::Global),
    LOADS("flat", Segment::Flat),
    LOADS("scratch", Segment::Scratch),
    STORES("global", Segment::Global),
    STORES("flat", Segment::Flat),
    STORES("scratch", Segment::Scratch),
    ATOMICS("global", Segment::Global, "", uint32_t, int32_t),
    ATOMICS("global", Segment::Global, "_x2", uint64_t, int64_t),
    ATOMICS("flat", Segment::Flat, "", uint32_t, int32_t),
    ATOMICS("flat", Segment::Flat, "_x2", uint64_t, int64_t),
    FLOAT_ATOMICS("global", Segment::Global),
    FLOAT_ATOMICS("flat", Segment::Flat),
    row("global_load_lds_ubyte", loadLds<1, false>, Type::None, ToLds),
    row("global_load_lds_sbyte", loadLds<1, true>, Type::None, ToLds),
    row("global_load_lds_ushort", loadLds<2, false>, Type::None, ToLds),
    row("global_load_lds_sshort", loadLds<2, true>, Type::None, ToLds),
    row("global_load_lds_dword", loadLds<4, false>, Type::None, ToLds),
    row("global_load_lds_dwordx3", loadLds<12, false>, Type::None, ToLds),
    row("global_load_lds_dwordx4", loadLds<16, false>, Type::None, ToLds),
};

} // namespace

Table flatTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
