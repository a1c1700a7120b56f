//===- LdsAtomic.cpp - Atomics on LDS -------------------------------------===//
//
// All waves of a workgroup run on one host thread, lanes in ascending order.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

/// Calls f(pointer, lane) for active lanes; false if an address is outside.
template <class F>
OCTAVO_INLINE bool eachPlace(Wave &w, const Inst &inst, unsigned bytes, F f) {
  uint64_t exec = execOf(w);
  uint32_t offset = uint32_t(inst.imm);
  const uint32_t *address = vgpr(w, inst.src[0].index);
  if (w.observer) {
    uint64_t addresses[Lanes];
    for (unsigned l = 0; l < Lanes; ++l)
      addresses[l] = address[l] + offset;
    observeMemory(w, inst, addresses, exec, bytes);
  }
  w.ldsRead += bytes * popcount(exec);
  w.ldsWritten += bytes * popcount(exec);
  OCTAVO_EACH_ACTIVE(exec) {
    uint64_t at = address[l] + offset;
    if (at + bytes > w.group->ldsBytes)
      return false;
    f(w.group->lds + at, unsigned(l));
  }
  return true;
}

const Inst *finish(Wave &w, const Inst &inst, bool inside, const Block &old,
                   unsigned dwords) {
  if (!inside)
    return fail(w, inst, "LDS atomic outside the workgroup's LDS");
  if (inst.dst.kind != Kind::None)
    writeLanes(w, inst.dst.index, old.words, dwords);
  return inst.next;
}

template <class T, T (*F)(T, T)> const Inst *atomic(Wave &w, const Inst &inst) {
  const uint32_t *data = vgpr(w, inst.src[1].index);
  Block old;
  bool inside = eachPlace(w, inst, sizeof(T), [&](uint8_t *p, unsigned l) {
    T before;
    memcpy(&before, p, sizeof(T));
    T after = F(before, laneValue<T>(data, l));
    memcpy(p, &after, sizeof(T));
    setLaneValue<T>(old.words, l, before);
  });
  return finish(w, inst, inside, old, sizeof(T) / 4);
}

template <class T> bool sameBits(T a, T b) { return a == b; }
inline bool sameF32(uint32_t a, uint32_t b) {
  return __builtin_bit_cast(float, a) == __builtin_bit_cast(float, b);
}
inline bool sameF64(uint64_t a, uint64_t b) {
  return __builtin_bit_cast(double, a) == __builtin_bit_cast(double, b);
}

/// data0 is compared, data1 is stored.
template <class T, bool (*Same)(T, T)>
const Inst *compareStore(Wave &w, const Inst &inst) {
  const uint32_t *compare = vgpr(w, inst.src[1].index),
                 *data = vgpr(w, inst.src[2].index);
  Block old;
  bool inside = eachPlace(w, inst, sizeof(T), [&](uint8_t *p, unsigned l) {
    T before;
    memcpy(&before, p, sizeof(T));
    if (Same(before, laneValue<T>(compare, l))) {
      T after = laneValue<T>(data, l);
      memcpy(p, &after, sizeof(T));
    }
    setLaneValue<T>(old.words, l, before);
  });
  return finish(w, inst, inside, old, sizeof(T) / 4);
}

/// Replaces the bits under the first mask by the second value.
template <class T> const Inst *maskedOr(Wave &w, const Inst &inst) {
  const uint32_t *mask = vgpr(w, inst.src[1].index),
                 *data = vgpr(w, inst.src[2].index);
  Block old;
  bool inside = eachPlace(w, inst, sizeof(T), [&](uint8_t *p, unsigned l) {
    T before;
    memcpy(&before, p, sizeof(T));
    T after = (before & ~laneValue<T>(mask, l)) | laneValue<T>(data, l);
    memcpy(p, &after, sizeof(T));
    setLaneValue<T>(old.words, l, before);
  });
  return finish(w, inst, inside, old, sizeof(T) / 4);
}

/// Exchanges two values at offsets in units of `Scale` bytes.
template <class T, unsigned Scale>
const Inst *exchange2(Wave &w, const Inst &inst) {
  alignas(64) uint32_t old[4 * Lanes];
  Inst part = inst;
  for (unsigned i = 0; i < 2; ++i) {
    const uint32_t *data = vgpr(w, inst.src[1 + i].index);
    part.imm = (i ? inst.imm2 : inst.imm) * Scale;
    uint32_t *d = old + i * sizeof(T) / 4 * Lanes;
    bool inside = eachPlace(w, part, sizeof(T), [&](uint8_t *p, unsigned l) {
      T before, after = laneValue<T>(data, l);
      memcpy(&before, p, sizeof(T));
      memcpy(p, &after, sizeof(T));
      setLaneValue<T>(d, l, before);
    });
    if (!inside)
      return fail(w, inst, "LDS atomic outside the workgroup's LDS");
  }
  writeLanes(w, inst.dst.index, old, sizeof(T) / 2);
  return inst.next;
}

/// old - data0 if that is not negative, else old + data1.
const Inst *wrap(Wave &w, const Inst &inst) {
  const uint32_t *low = vgpr(w, inst.src[1].index),
                 *high = vgpr(w, inst.src[2].index);
  Block old;
  bool inside = eachPlace(w, inst, 4, [&](uint8_t *p, unsigned l) {
    uint32_t before;
    memcpy(&before, p, 4);
    uint32_t after = before >= low[l] ? before - low[l] : before + high[l];
    memcpy(p, &after, 4);
    old.words[l] = before;
  });
  return finish(w, inst, inside, old, 1);
}

/// Counts the active lanes at the address in M0 (where LLVM puts the pointer of
/// __builtin_amdgcn_ds_append): add or subtract, all lanes get the old
/// value.
template <bool Append> const Inst *countLanes(Wave &w, const Inst &inst) {
  uint64_t at = (w.s[M0] & 0xffff) + uint64_t(inst.imm);
  if (at + 4 > w.group->ldsBytes)
    return fail(w, inst, "LDS atomic outside the workgroup's LDS");
  uint32_t value, lanes = popcount(execOf(w));
  memcpy(&value, w.group->lds + at, 4);
  Block old;
  for (unsigned l = 0; l < Lanes; ++l)
    old.words[l] = value;
  value = Append ? value + lanes : value - lanes;
  memcpy(w.group->lds + at, &value, 4);
  writeLanes(w, inst.dst.index, old.words, 1);
  return inst.next;
}

constexpr Entry row(const char *mnemonic, Handler fn, Type dst,
                    unsigned sources) {
  return {mnemonic,         Shape::Lds, fn,
          nullptr,          dst,        {Type::B32, Type::Any, Type::Any},
          uint8_t(sources), Atomic,     0};
}

#define BOTH(OP, SUFFIX, ...)                                                  \
  row("ds_" OP SUFFIX, atomic<__VA_ARGS__>, Type::None, 2),                    \
      row("ds_" OP "_rtn" SUFFIX, atomic<__VA_ARGS__>, Type::Any, 2)

#define INTEGERS(U, I, US, IS, BS)                                             \
  BOTH("add", US, U, atomicAdd<U>), BOTH("sub", US, U, atomicSub<U>),          \
      BOTH("rsub", US, U, atomicRsub<U>), BOTH("inc", US, U, atomicInc<U>),    \
      BOTH("dec", US, U, atomicDec<U>), BOTH("min", IS, I, atomicMin<I>),      \
      BOTH("max", IS, I, atomicMax<I>), BOTH("min", US, U, atomicMin<U>),      \
      BOTH("max", US, U, atomicMax<U>), BOTH("and", BS, U, atomicAnd<U>),      \
      BOTH("or", BS, U, atomicOr<U>), BOTH("xor", BS, U, atomicXor<U>),        \
      row("ds_wrxchg_rtn" BS, atomic<U, atomicSwap<U>>, Type::Any, 2),         \
      row("ds_cmpst" BS, compareStore<U, sameBits<U>>, Type::None, 3),         \
      row("ds_cmpst_rtn" BS, compareStore<U, sameBits<U>>, Type::Any, 3),      \
      row("ds_mskor" BS, maskedOr<U>, Type::None, 3),                          \
      row("ds_mskor_rtn" BS, maskedOr<U>, Type::Any, 3)

const Entry rows[] = {
    INTEGERS(uint32_t, int32_t, "_u32", "_i32", "_b32"),
    INTEGERS(uint64_t, int64_t, "_u64", "_i64", "_b64"),
    BOTH("add", "_f32", uint32_t, atomicAddF32),
    BOTH("min", "_f32", uint32_t, atomicMinMaxF32<false>),
    BOTH("max", "_f32", uint32_t, atomicMinMaxF32<true>),
    BOTH("add", "_f64", uint64_t, atomicAddF64),
    BOTH("min", "_f64", uint64_t, atomicMinMaxF64<false>),
    BOTH("max", "_f64", uint64_t, atomicMinMaxF64<true>),
    BOTH("pk_add", "_f16", uint32_t, atomicAddPkF16),
    BOTH("pk_add", "_bf16", uint32_t, atomicAddPkBF16),
    row("ds_cmpst_f32", compareStore<uint32_t, sameF32>, Type::None, 3),
    row("ds_cmpst_rtn_f32", compareStore<uint32_t, sameF32>, Type::Any, 3),
    row("ds_cmpst_f64", compareStore<uint64_t, sameF64>, Type::None, 3),
    row("ds_cmpst_rtn_f64", compareStore<uint64_t, sameF64>, Type::Any, 3),
    row("ds_wrxchg2_rtn_b32", exchange2<uint32_t, 4>, Type::Any, 3),
    row("ds_wrxchg2st64_rtn_b32", exchange2<uint32_t, 256>, Type::Any, 3),
    row("ds_wrxchg2_rtn_b64", exchange2<uint64_t, 8>, Type::Any, 3),
    row("ds_wrxchg2st64_rtn_b64", exchange2<uint64_t, 512>, Type::Any, 3),
    row("ds_wrap_rtn_b32", wrap, Type::Any, 3),
    row("ds_append", countLanes<true>, Type::Any, 0),
    row("ds_consume", countLanes<false>, Type::Any, 0),
};

} // namespace

Table ldsAtomicTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
