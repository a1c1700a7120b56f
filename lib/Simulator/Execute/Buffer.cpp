//===- Buffer.cpp - Memory through buffer resources -----------------------===//
//
// src[0] is the vector address (offset with offen, index with idxen, both in
// that order: index, offset), src[1] the data, src[2] the resource, src[3] the
// scalar offset. What lies outside the buffer reads as 0 and is not written.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

struct Addresses {
  /// Offsets from `base`, and how many bytes from there lie in the buffer.
  uint64_t offset[Lanes], room[Lanes];
  uint8_t *base;
};

/// Returns an error message or null. Vector and immediate offset are added in
/// 32 bits: LLVM's base pointers of loops are negative numbers that the
/// immediate makes positive (SITargetLowering::splitBufferOffsets; without
/// wrapping from gfx1250 on).
const char *resolve(Wave &w, const Inst &inst, Addresses &a) {
  const uint32_t *resource = w.s + inst.src[2].index;
  a.base = reinterpret_cast<uint8_t *>(resource[0] |
                                       uint64_t(resource[1] & 0xffff) << 32);
  uint32_t stride = resource[1] >> 16 & 0x3fff, records = resource[2];
  bool swizzled = resource[1] >> 31 & 1, addTid = resource[3] >> 23 & 1;
  if (swizzled)
    return "a buffer resource with swizzled addresses";
  uint64_t scalar = scalarSource(w, inst.src[3]);
  bool indexed = inst.flags & IdxEn, offsets = inst.flags & OffEn;
  const uint32_t *v =
      inst.src[0].kind == Kind::Vgpr ? vgpr(w, inst.src[0].index) : nullptr;
  const uint32_t *offsetLanes = offsets ? v + (indexed ? Lanes : 0) : nullptr;
  uint32_t imm = uint32_t(inst.imm);
  if (stride == 0 && offsets && !indexed && !addTid) { // nearly always
    OCTAVO_EACH_LANE {
      uint64_t at = scalar + uint32_t(imm + offsetLanes[l]);
      a.offset[l] = at;
      a.room[l] = at < records ? records - at : 0;
    }
    return nullptr;
  }
  for (unsigned l = 0; l < Lanes; ++l) {
    uint32_t offset = imm + (offsets ? offsetLanes[l] : 0);
    uint64_t index = (indexed ? v[l] : 0) + (addTid ? l : 0);
    a.offset[l] = scalar + offset + index * stride;
    if (stride) {
      a.room[l] = index < records && offset < stride ? stride - offset : 0;
      continue;
    }
    a.room[l] = a.offset[l] < records ? records - a.offset[l] : 0;
  }
  return nullptr;
}

/// All lanes are active and have room for `bytes`.
bool allInside(const Addresses &a, uint64_t exec, uint64_t bytes) {
  uint64_t least = ~uint64_t(0);
  for (unsigned l = 0; l < Lanes; ++l)
    least = a.room[l] < least ? a.room[l] : least;
  return exec == ~uint64_t(0) && least >= bytes;
}

/// Lane l accesses the `bytes` bytes right behind those of lane l - 1.
bool isContiguous(const Addresses &a, uint64_t bytes) {
  uint64_t different = 0;
  for (unsigned l = 0; l < Lanes; ++l)
    different |= a.offset[l] ^ (a.offset[0] + l * bytes);
  return different == 0;
}

void observe(Wave &w, const Inst &inst, const Addresses &a, uint64_t exec,
             uint32_t bytes) {
  uint64_t addresses[Lanes];
  for (unsigned l = 0; l < Lanes; ++l) {
    addresses[l] = uint64_t(a.base) + a.offset[l];
    if (a.room[l] < bytes)
      exec &= ~(uint64_t(1) << l); // not accessed
  }
  observeMemory(w, inst, addresses, exec, bytes);
}

/// A value of which only whole words inside the buffer are read.
template <unsigned Bytes, bool Signed>
OCTAVO_INLINE void loadInside(const uint8_t *p, uint64_t room,
                              uint32_t *value) {
  if (__builtin_expect(room >= Bytes, 1)) {
    loadValue<Bytes, Signed>(p, value);
    return;
  }
  for (unsigned i = 0; i < (Bytes + 3) / 4; ++i) {
    value[i] = 0;
    if (Bytes >= 4 && room >= 4 * i + 4)
      memcpy(value + i, p + 4 * i, 4);
  }
}

/// Bytes of an access that lie outside of the buffer and are not moved.
OCTAVO_INLINE uint64_t outside(uint64_t room, unsigned bytes) {
  if (__builtin_expect(room >= bytes, 1))
    return 0;
  return bytes < 4 ? bytes : bytes - room / 4 * 4;
}

template <unsigned Bytes, bool Signed, Part part>
const Inst *load(Wave &w, const Inst &inst) {
  Addresses a;
  if (const char *problem = resolve(w, inst, a))
    return fail(w, inst, problem);
  uint64_t exec = execOf(w);
  if (w.observer)
    observe(w, inst, a, exec, Bytes);
  bool lds = inst.flags & ToLds;
  constexpr unsigned width = Bytes < 4 ? 4 : Bytes;
  uint64_t ldsBase = lds ? (w.s[M0] & (inst.flags & Fnuz ? 0xffff : 0x3ffff)) +
                               uint64_t(inst.imm)
                         : 0;
  uint32_t *d = lds ? nullptr : vgpr(w, inst.dst.index);
  Accessing accessing(w, inst);
  w.bytesLoaded += Bytes * popcount(exec);
  if (lds) {
    w.ldsWritten += width * popcount(exec);
    ++w.progress;
  }
  if constexpr (Bytes == 16)
    if (!lds && allInside(a, exec, Bytes)) {
      loadAll16(d, [&](unsigned l) { return a.base + a.offset[l]; });
      return inst.next;
    }
  if constexpr (Bytes < 16)
    if (!lds && allInside(a, exec, Bytes)) {
      if (Bytes == 4 && isContiguous(a, Bytes)) {
        memcpy(d, a.base + a.offset[0], Lanes * 4);
        return inst.next;
      }
      for (unsigned l = 0; l < Lanes; ++l) {
        uint32_t value[width / 4];
        loadValue<Bytes, Signed>(a.base + a.offset[l], value);
        putValue<Bytes, part>(d, l, value);
      }
      return inst.next;
    }
  OCTAVO_EACH_ACTIVE(exec) {
    uint32_t value[width / 4];
    loadInside<Bytes, Signed>(a.base + a.offset[l], a.room[l], value);
    w.bytesLoaded -= outside(a.room[l], Bytes);
    if (!lds) {
      putValue<Bytes, part>(d, l, value);
      continue;
    }
    uint64_t at = ldsBase + l * width;
    if (at + width > w.group->ldsBytes) {
      w.access = nullptr;
      return fail(w, inst, "LDS access outside the workgroup's LDS");
    }
    memcpy(w.group->lds + at, value, width);
  }
  return inst.next;
}

template <unsigned Bytes, Part part>
const Inst *store(Wave &w, const Inst &inst) {
  Addresses a;
  if (const char *problem = resolve(w, inst, a))
    return fail(w, inst, problem);
  uint64_t exec = execOf(w);
  if (w.observer)
    observe(w, inst, a, exec, Bytes);
  const uint32_t *d = vgpr(w, inst.src[1].index);
  Accessing accessing(w, inst);
  w.bytesStored += Bytes * popcount(exec);
  ++w.progress;
  if constexpr (Bytes == 16)
    if (allInside(a, exec, Bytes)) {
      storeAll16(d, [&](unsigned l) { return a.base + a.offset[l]; });
      return inst.next;
    }
  if constexpr (Bytes < 16)
    if (allInside(a, exec, Bytes)) {
      for (unsigned l = 0; l < Lanes; ++l)
        storeValue<Bytes, part>(a.base + a.offset[l], d, l);
      return inst.next;
    }
  OCTAVO_EACH_ACTIVE(exec) {
    uint8_t *p = a.base + a.offset[l];
    if (__builtin_expect(a.room[l] >= Bytes, 1)) {
      storeValue<Bytes, part>(p, d, l);
      continue;
    }
    for (unsigned i = 0; Bytes >= 4 && i < Bytes / 4; ++i)
      if (a.room[l] >= 4 * i + 4)
        memcpy(p + 4 * i, d + i * Lanes + l, 4);
    w.bytesStored -= outside(a.room[l], Bytes);
  }
  return inst.next;
}

template <class T, T (*F)(T, T)> const Inst *atomic(Wave &w, const Inst &inst) {
  Addresses a;
  if (const char *problem = resolve(w, inst, a))
    return fail(w, inst, problem);
  uint64_t exec = execOf(w);
  if (w.observer)
    observe(w, inst, a, exec, sizeof(T));
  const uint32_t *data = vgpr(w, inst.src[1].index);
  Block old = {};
  Accessing accessing(w, inst);
  w.bytesLoaded += sizeof(T) * popcount(exec);
  w.bytesStored += sizeof(T) * popcount(exec);
  OCTAVO_EACH_ACTIVE(exec) {
    if (a.room[l] < sizeof(T)) {
      w.bytesLoaded -= sizeof(T);
      w.bytesStored -= sizeof(T);
      continue;
    }
    uint8_t *p = a.base + a.offset[l];
    if (uint64_t(p) % sizeof(T))
      return w.access = nullptr,
             fail(w, inst, "atomic on an address that is not aligned");
    setLaneValue<T>(old.words, l,
                    replaceAtomically<T, F>(p, laneValue<T>(data, l)));
  }
  if (inst.flags & Returns)
    writeLanes(w, inst.dst.index, old.words, sizeof(T) / 4);
  return inst.next;
}

template <class T> const Inst *atomicCompare(Wave &w, const Inst &inst) {
  Addresses a;
  if (const char *problem = resolve(w, inst, a))
    return fail(w, inst, problem);
  uint64_t exec = execOf(w);
  if (w.observer)
    observe(w, inst, a, exec, sizeof(T));
  const uint32_t *data = vgpr(w, inst.src[1].index);
  Block old = {};
  Accessing accessing(w, inst);
  w.bytesLoaded += sizeof(T) * popcount(exec);
  w.bytesStored += sizeof(T) * popcount(exec);
  OCTAVO_EACH_ACTIVE(exec) {
    if (a.room[l] < sizeof(T)) {
      w.bytesLoaded -= sizeof(T);
      w.bytesStored -= sizeof(T);
      continue;
    }
    uint8_t *p = a.base + a.offset[l];
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

constexpr Entry row(const char *mnemonic, Handler fn, uint32_t flags) {
  return {mnemonic, Shape::Buffer, fn, nullptr, Type::Any, {}, 0, flags, 0};
}

#define LOAD(NAME, BYTES, SIGNED, PART)                                        \
  row("buffer_load_" NAME, load<BYTES, SIGNED, Part::PART>, 0)
#define STORE(NAME, BYTES, PART)                                               \
  row("buffer_store_" NAME, store<BYTES, Part::PART>, Store)
#define ATOMIC(NAME, T, ...)                                                   \
  row("buffer_atomic_" NAME, atomic<T, __VA_ARGS__>, Atomic)
#define INTEGERS(SUFFIX, U, I)                                                 \
  ATOMIC("swap" SUFFIX, U, atomicSwap<U>),                                     \
      ATOMIC("add" SUFFIX, U, atomicAdd<U>),                                   \
      ATOMIC("sub" SUFFIX, U, atomicSub<U>),                                   \
      ATOMIC("smin" SUFFIX, I, atomicMin<I>),                                  \
      ATOMIC("umin" SUFFIX, U, atomicMin<U>),                                  \
      ATOMIC("smax" SUFFIX, I, atomicMax<I>),                                  \
      ATOMIC("umax" SUFFIX, U, atomicMax<U>),                                  \
      ATOMIC("and" SUFFIX, U, atomicAnd<U>),                                   \
      ATOMIC("or" SUFFIX, U, atomicOr<U>),                                     \
      ATOMIC("xor" SUFFIX, U, atomicXor<U>),                                   \
      ATOMIC("inc" SUFFIX, U, atomicInc<U>),                                   \
      ATOMIC("dec" SUFFIX, U, atomicDec<U>),                                   \
      row("buffer_atomic_cmpswap" SUFFIX, atomicCompare<U>, Atomic)

const Entry rows[] = {
    LOAD("ubyte", 1, false, Whole),
    LOAD("sbyte", 1, true, Whole),
    LOAD("ushort", 2, false, Whole),
    LOAD("sshort", 2, true, Whole),
    LOAD("dword", 4, false, Whole),
    LOAD("dwordx2", 8, false, Whole),
    LOAD("dwordx3", 12, false, Whole),
    LOAD("dwordx4", 16, false, Whole),
    LOAD("ubyte_d16", 1, false, Low),
    LOAD("ubyte_d16_hi", 1, false, High),
    LOAD("sbyte_d16", 1, true, Low),
    LOAD("sbyte_d16_hi", 1, true, High),
    LOAD("short_d16", 2, false, Low),
    LOAD("short_d16_hi", 2, false, High),
    STORE("byte", 1, Whole),
    STORE("byte_d16_hi", 1, High),
    STORE("short", 2, Whole),
    STORE("short_d16_hi", 2, High),
    STORE("dword", 4, Whole),
    STORE("dwordx2", 8, Whole),
    STORE("dwordx3", 12, Whole),
    STORE("dwordx4", 16, Whole),
    INTEGERS("", uint32_t, int32_t),
    INTEGERS("_x2", uint64_t, int64_t),
    ATOMIC("add_f32", uint32_t, atomicAddF32),
    ATOMIC("pk_add_f16", uint32_t, atomicAddPkF16),
    ATOMIC("pk_add_bf16", uint32_t, atomicAddPkBF16),
    ATOMIC("add_f64", uint64_t, atomicAddF64),
    ATOMIC("min_f64", uint64_t, atomicMinMaxF64<false>),
    ATOMIC("max_f64", uint64_t, atomicMinMaxF64<true>),
};

} // namespace

Table bufferTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
