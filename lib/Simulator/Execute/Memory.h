//===- Memory.h - Addresses and atomics of memory instructions --*- C++ -*-===//

#ifndef OCTAVO_SIMULATOR_EXECUTE_MEMORY_H
#define OCTAVO_SIMULATOR_EXECUTE_MEMORY_H

#include "../Access.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {

/// Marks the wave as accessing memory, so that a host fault becomes an error.
struct Accessing {
  Wave &w;
  __attribute__((always_inline)) Accessing(Wave &w, const Inst &inst) : w(w) {
    w.access = &inst;
    __asm__ volatile("" ::: "memory");
  }
  __attribute__((always_inline)) ~Accessing() {
    __asm__ volatile("" ::: "memory");
    w.access = nullptr;
  }
};

#define OCTAVO_EACH_ACTIVE(EXEC)                                               \
  for (uint64_t rest = (EXEC), l = 0;                                          \
       rest && (l = unsigned(__builtin_ctzll(rest)), true); rest &= rest - 1)

/// Which bytes of a register a narrow load writes, a narrow store reads.
enum class Part : uint8_t { Whole, Low, High };

/// One value of `Bytes` bytes at `p`, extended to whole words.
template <unsigned Bytes, bool Signed>
OCTAVO_INLINE void loadValue(const uint8_t *p, uint32_t *value) {
  if constexpr (Bytes == 1)
    value[0] = Signed ? uint32_t(int8_t(*p)) : *p;
  else if constexpr (Bytes == 2) {
    uint16_t half;
    memcpy(&half, p, 2);
    value[0] = Signed ? uint32_t(int16_t(half)) : half;
  } else
    memcpy(value, p, Bytes);
}

/// Writes a loaded value to lane l of the register block `d`.
template <unsigned Bytes, Part part>
OCTAVO_INLINE void putValue(uint32_t *d, unsigned l, const uint32_t *value) {
  if constexpr (part == Part::Low)
    d[l] = (d[l] & 0xffff0000u) | (value[0] & 0xffff);
  else if constexpr (part == Part::High)
    d[l] = (d[l] & 0xffff) | value[0] << 16;
  else
    for (unsigned i = 0; i < (Bytes + 3) / 4; ++i)
      d[i * Lanes + l] = value[i];
}

template <unsigned Bytes, Part part>
OCTAVO_INLINE void storeValue(uint8_t *p, const uint32_t *d, unsigned l) {
  if constexpr (Bytes < 4) {
    uint32_t value = part == Part::High ? d[l] >> 16 : d[l];
    memcpy(p, &value, Bytes);
  } else {
    uint32_t value[Bytes / 4];
    for (unsigned i = 0; i < Bytes / 4; ++i)
      value[i] = d[i * Lanes + l];
    memcpy(p, value, Bytes);
  }
}

//===----------------------------------------------------------------------===//
// 16 bytes per lane, all lanes: four lanes at a time through a 4 x 4 transpose
//===----------------------------------------------------------------------===//

typedef uint32_t FourWords __attribute__((ext_vector_type(4)));

OCTAVO_INLINE void transpose(FourWords (&r)[4]) {
  FourWords a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
  FourWords b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  FourWords c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  FourWords d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/// `place(l)` is where the 16 bytes of lane l lie.
template <class F> OCTAVO_INLINE void loadAll16(uint32_t *d, F place) {
  for (unsigned l = 0; l < Lanes; l += 4) {
    FourWords rows[4];
    for (unsigned i = 0; i < 4; ++i)
      memcpy(&rows[i], place(l + i), 16);
    transpose(rows);
    for (unsigned i = 0; i < 4; ++i)
      memcpy(d + i * Lanes + l, &rows[i], 16);
  }
}

template <class F> OCTAVO_INLINE void storeAll16(const uint32_t *d, F place) {
  for (unsigned l = 0; l < Lanes; l += 4) {
    FourWords rows[4];
    for (unsigned i = 0; i < 4; ++i)
      memcpy(&rows[i], d + i * Lanes + l, 16);
    transpose(rows);
    for (unsigned i = 0; i < 4; ++i)
      memcpy(place(l + i), &rows[i], 16);
  }
}

/// All lanes are active and access `bytes` bytes below `end`, at the 32-bit sum
/// of address and offset.
OCTAVO_INLINE bool allInside(uint64_t exec, const uint32_t *address,
                             uint32_t offset, unsigned bytes, uint64_t end) {
  uint32_t last = 0;
  for (unsigned l = 0; l < Lanes; ++l)
    last = address[l] + offset > last ? address[l] + offset : last;
  return exec == ~uint64_t(0) && uint64_t(last) + bytes <= end;
}

//===----------------------------------------------------------------------===//
// Atomic operations: what is stored, from the old value and the data
//===----------------------------------------------------------------------===//

template <class T> T atomicSwap(T, T data) { return data; }
template <class T> T atomicAdd(T old, T data) { return T(old + data); }
template <class T> T atomicSub(T old, T data) { return T(old - data); }
template <class T> T atomicRsub(T old, T data) { return T(data - old); }
template <class T> T atomicAnd(T old, T data) { return old & data; }
template <class T> T atomicOr(T old, T data) { return old | data; }
template <class T> T atomicXor(T old, T data) { return old ^ data; }
template <class T> T atomicInc(T old, T data) {
  return old >= data ? 0 : old + 1;
}
template <class T> T atomicDec(T old, T data) {
  return old == 0 || old > data ? data : old - 1;
}
template <class T> T atomicMin(T old, T data) {
  return data < old ? data : old;
}
template <class T> T atomicMax(T old, T data) {
  return data > old ? data : old;
}

template <class F, class T> OCTAVO_INLINE T bitsOf(F value) {
  return __builtin_bit_cast(T, value);
}

inline uint32_t atomicAddF32(uint32_t old, uint32_t data) {
  return bitsOf<float, uint32_t>(__builtin_bit_cast(float, old) +
                                 __builtin_bit_cast(float, data));
}
template <bool Max> uint32_t atomicMinMaxF32(uint32_t old, uint32_t data) {
  float a = __builtin_bit_cast(float, old), b = __builtin_bit_cast(float, data);
  return a != a ? data : b != b ? old : (Max ? b > a : b < a) ? data : old;
}
inline uint64_t atomicAddF64(uint64_t old, uint64_t data) {
  return bitsOf<double, uint64_t>(__builtin_bit_cast(double, old) +
                                  __builtin_bit_cast(double, data));
}
template <bool Max> uint64_t atomicMinMaxF64(uint64_t old, uint64_t data) {
  double a = __builtin_bit_cast(double, old),
         b = __builtin_bit_cast(double, data);
  return a != a ? data : b != b ? old : (Max ? b > a : b < a) ? data : old;
}
inline uint32_t atomicAddPkF16(uint32_t old, uint32_t data) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    _Float16 a = __builtin_bit_cast(_Float16, uint16_t(old >> 16 * i));
    _Float16 b = __builtin_bit_cast(_Float16, uint16_t(data >> 16 * i));
    _Float16 sum = _Float16(float(a) + float(b));
    result |= uint32_t(__builtin_bit_cast(uint16_t, sum)) << 16 * i;
  }
  return result;
}
inline uint32_t atomicAddPkBF16(uint32_t old, uint32_t data) {
  uint32_t result = 0;
  for (unsigned i = 0; i < 2; ++i) {
    float sum = __builtin_bit_cast(float, (old >> 16 * i) << 16) +
                __builtin_bit_cast(float, (data >> 16 * i) << 16);
    uint32_t bits = __builtin_bit_cast(uint32_t, sum);
    uint32_t rounded = sum != sum ? bits >> 16 | 0x40
                                  : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    result |= rounded << 16 * i;
  }
  return result;
}

/// Replaces the value at `p`, atomically for other host threads; returns the
/// old one.
template <class T, T (*F)(T, T)>
OCTAVO_INLINE T replaceAtomically(uint8_t *p, T data) {
  T *place = reinterpret_cast<T *>(p);
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old, F(old, data), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    ;
  return old;
}

template <class T>
OCTAVO_INLINE T compareAndSwap(uint8_t *p, T data, T compare) {
  T old = compare;
  __atomic_compare_exchange_n(reinterpret_cast<T *>(p), &old, data, false,
                              __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return old;
}

template <class T>
OCTAVO_INLINE T laneValue(const uint32_t *d, unsigned l, unsigned word = 0) {
  if constexpr (sizeof(T) == 8)
    return d[word * Lanes + l] | uint64_t(d[(word + 1) * Lanes + l]) << 32;
  else
    return d[word * Lanes + l];
}
template <class T>
OCTAVO_INLINE void setLaneValue(uint32_t *d, unsigned l, T value) {
  d[l] = uint32_t(value);
  if constexpr (sizeof(T) == 8)
    d[Lanes + l] = uint32_t(uint64_t(value) >> 32);
}

OCTAVO_INLINE unsigned popcount(uint64_t mask) {
  return unsigned(__builtin_popcountll(mask));
}

} // namespace octavo::sim::OCTAVO_SIM_ISA

#endif // OCTAVO_SIMULATOR_EXECUTE_MEMORY_H
