//===- Lanes.h - Reading and writing all lanes of a wave --------*- C++ -*-===//
//
// Building blocks of the handlers. Everything here has internal linkage,
// because these files are compiled for several instruction sets of the host.
//
//===----------------------------------------------------------------------===//

#ifndef OCTAVO_SIMULATOR_EXECUTE_LANES_H
#define OCTAVO_SIMULATOR_EXECUTE_LANES_H

#include "../Machine.h"
#include <string.h>

#ifndef OCTAVO_SIM_ISA
#error "compiled once per instruction set of the host, see CMakeLists.txt"
#endif

#define OCTAVO_INLINE static inline __attribute__((always_inline))
#define OCTAVO_EACH_LANE                                                       \
  _Pragma("clang loop vectorize(assume_safety) interleave(disable)") for (     \
      unsigned l = 0; l < Lanes; ++l)

namespace octavo::sim::OCTAVO_SIM_ISA {

/// Up to three sources as blocks of lanes; `room` holds those that are not
/// registers.
struct Sources {
  const uint32_t *p[3];
  alignas(64) uint32_t room[3][2 * Lanes];
};

/// A result of up to 64 bits per lane that is not yet written.
struct Block {
  alignas(64) uint32_t words[2 * Lanes];
};

/// Sources with negation, absolute value, DPP, SDWA and op_sel applied.
void modifiedSources(Wave &w, const Inst &inst, Sources &s);
/// Writes a result with clamp, omod, SDWA and op_sel applied, under EXEC and
/// DPP masks.
void modifiedResult(Wave &w, const Inst &inst, Block &result);
/// Computes with the rounding and denormals of MODE.
void computeInMode(Wave &w, const Inst &inst, uint32_t *d,
                   const uint32_t *const *p);
/// Rows of each file.
Table vectorIntegerTable(), vectorFloatTable(), vectorHalfTable(),
    vectorDoubleTable(), vectorCompareTable(), vectorConvertTable(),
    vectorCarryTable(), vectorSpecialTable(), vectorCrossTable(),
    smallFloatTable(), scalarTable(), scalarCompareTable(),
    scalarControlTable(), scalarMemoryTable(), ldsTable(), ldsAtomicTable(),
    flatTable(), bufferTable();
const Inst *vectorModified(Wave &w, const Inst &inst);
const Inst *vectorPlain(Wave &w, const Inst &inst);
const Inst *vectorPacked(Wave &w, const Inst &inst);

OCTAVO_INLINE uint64_t scalar64(const Wave &w, unsigned index) {
  uint64_t value;
  memcpy(&value, w.s + index, 8);
  return value;
}

OCTAVO_INLINE void setScalar64(Wave &w, unsigned index, uint64_t value) {
  memcpy(w.s + index, &value, 8);
}

OCTAVO_INLINE uint64_t execOf(const Wave &w) { return scalar64(w, Exec); }

/// One word per lane: all ones where the bit of `mask` is set.
OCTAVO_INLINE void expandMask(uint64_t mask, uint32_t *lanes) {
  for (unsigned half = 0; half < 2; ++half) {
    uint32_t bits = uint32_t(mask >> 32 * half);
    for (unsigned l = 0; l < 32; ++l)
      lanes[32 * half + l] = 0 - (bits >> l & 1);
  }
}

/// EXEC as one word per lane.
OCTAVO_INLINE const uint32_t *execLanes(Wave &w, uint64_t exec) {
  if (w.execCached != exec) {
    expandMask(exec, w.execLanes);
    w.execCached = exec;
  }
  return w.execLanes;
}

/// Bit l of the result is set where word l is not zero.
OCTAVO_INLINE uint64_t collectMask(const uint32_t *lanes) {
  typedef uint32_t Words __attribute__((ext_vector_type(16)));
  typedef bool Bits __attribute__((ext_vector_type(16)));
  uint64_t mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Words words;
    memcpy(&words, lanes + 16 * i, 64);
    Bits bits = __builtin_convertvector(words != 0, Bits);
    uint16_t part;
    memcpy(&part, &bits, 2);
    mask |= uint64_t(part) << 16 * i;
  }
  return mask;
}

OCTAVO_INLINE uint32_t *vgpr(Wave &w, unsigned index) {
  return w.v + index * Lanes;
}

/// A scalar value of 32 bits.
OCTAVO_INLINE uint32_t scalarSource(const Wave &w, const Operand &operand) {
  switch (operand.kind) {
  case Kind::Sgpr:
    return w.s[operand.index];
  case Kind::Constant:
    return operand.constant[0];
  case Kind::Scc:
    return w.scc;
  case Kind::VccZ:
    return scalar64(w, Vcc) == 0;
  case Kind::ExecZ:
    return execOf(w) == 0;
  default:
    return 0;
  }
}

OCTAVO_INLINE uint64_t scalarSource64(const Wave &w, const Operand &operand) {
  if (operand.kind == Kind::Sgpr)
    return scalar64(w, operand.index);
  if (operand.kind == Kind::Constant)
    return operand.constant[0] | uint64_t(operand.constant[Lanes]) << 32;
  return scalarSource(w, operand);
}

/// The lanes of one source, in a register or put into `room`.
OCTAVO_INLINE const uint32_t *lanesOf(Wave &w, const Operand &operand,
                                      uint32_t *room) {
  if (operand.kind == Kind::Vgpr)
    return w.v + operand.index * Lanes;
  if (operand.kind == Kind::Constant)
    return operand.constant;
  uint32_t low = scalarSource(w, operand);
  for (unsigned l = 0; l < Lanes; ++l)
    room[l] = low;
  if (operand.dwords > 1) {
    uint32_t high = operand.kind == Kind::Sgpr ? w.s[operand.index + 1] : 0;
    for (unsigned l = 0; l < Lanes; ++l)
      room[Lanes + l] = high;
  }
  return room;
}

OCTAVO_INLINE void plainSources(Wave &w, const Inst &inst, Sources &s) {
  s.p[0] = lanesOf(w, inst.src[0], s.room[0]);
  s.p[1] = inst.numSrc > 1 ? lanesOf(w, inst.src[1], s.room[1]) : s.p[0];
  s.p[2] = inst.numSrc > 2 ? lanesOf(w, inst.src[2], s.room[2]) : s.p[0];
}

OCTAVO_INLINE void getSources(Wave &w, const Inst &inst, Sources &s) {
  if (__builtin_expect(inst.flags & Modified, 0))
    modifiedSources(w, inst, s);
  else
    plainSources(w, inst, s);
}

/// Replaces the active lanes of `d`.
OCTAVO_INLINE void blend(uint32_t *d, const uint32_t *value,
                         const uint32_t *mask) {
  OCTAVO_EACH_LANE { d[l] = mask[l] ? value[l] : d[l]; }
}

/// Writes `dwords` blocks to a register under EXEC.
OCTAVO_INLINE void writeLanes(Wave &w, unsigned index, const uint32_t *value,
                              unsigned dwords) {
  uint64_t exec = execOf(w);
  uint32_t *d = vgpr(w, index);
  if (exec == ~uint64_t(0)) {
    for (unsigned i = 0; i < dwords; ++i) // of known size: no call
      memcpy(d + i * Lanes, value + i * Lanes, Lanes * 4);
    return;
  }
  const uint32_t *mask = execLanes(w, exec);
  for (unsigned i = 0; i < dwords; ++i)
    blend(d + i * Lanes, value + i * Lanes, mask);
}

OCTAVO_INLINE const Inst *fail(Wave &w, const Inst &inst, const char *message) {
  w.error = message;
  w.status = Status::Failed;
  w.ip = &inst;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Operations on one lane become loops over all lanes.
//===----------------------------------------------------------------------===//

template <class T> struct Lane;

#define OCTAVO_LANE(T, NAME, ...)                                              \
  template <> struct Lane<T> {                                                 \
    static constexpr Type type = Type::NAME;                                   \
    static constexpr bool single = Type::NAME == Type::F32;                    \
    static constexpr bool other =                                              \
        Type::NAME == Type::F64 || Type::NAME == Type::F16;                    \
    __VA_ARGS__                                                                \
  };

#define OCTAVO_LANE_32(T, NAME)                                                \
  OCTAVO_LANE(                                                                 \
      T, NAME,                                                                 \
      OCTAVO_INLINE T get(const uint32_t *p, unsigned l) {                     \
        T value;                                                               \
        memcpy(&value, p + l, 4);                                              \
        return value;                                                          \
      } OCTAVO_INLINE void set(uint32_t *p, unsigned l, T value) {             \
        memcpy(p + l, &value, 4);                                              \
      })

#define OCTAVO_LANE_16(T, NAME)                                                \
  OCTAVO_LANE(                                                                 \
      T, NAME,                                                                 \
      OCTAVO_INLINE T get(const uint32_t *p, unsigned l) {                     \
        uint16_t bits = uint16_t(p[l]);                                        \
        return __builtin_bit_cast(T, bits);                                    \
      } OCTAVO_INLINE void set(uint32_t *p, unsigned l, T value) {             \
        p[l] = __builtin_bit_cast(uint16_t, value);                            \
      })

#define OCTAVO_LANE_64(T, NAME)                                                \
  OCTAVO_LANE(                                                                 \
      T, NAME,                                                                 \
      OCTAVO_INLINE T get(const uint32_t *p, unsigned l) {                     \
        uint64_t bits = p[l] | uint64_t(p[Lanes + l]) << 32;                   \
        return __builtin_bit_cast(T, bits);                                    \
      } OCTAVO_INLINE void set(uint32_t *p, unsigned l, T value) {             \
        uint64_t bits = __builtin_bit_cast(uint64_t, value);                   \
        p[l] = uint32_t(bits);                                                 \
        p[Lanes + l] = uint32_t(bits >> 32);                                   \
      })

OCTAVO_LANE_32(uint32_t, B32)
OCTAVO_LANE_32(int32_t, I32)
OCTAVO_LANE_32(float, F32)
OCTAVO_LANE_16(uint16_t, B16)
OCTAVO_LANE_16(int16_t, I16)
OCTAVO_LANE_16(_Float16, F16)
OCTAVO_LANE_64(uint64_t, B64)
OCTAVO_LANE_64(int64_t, I64)
OCTAVO_LANE_64(double, F64)

/// A function of one lane as a row of the table.
template <auto F> struct Op;

template <class R, class... A, R (*F)(A...)> struct Op<F> {
  template <unsigned... I> struct Index {};

  static void compute(uint32_t *d, const uint32_t *a, const uint32_t *b,
                      const uint32_t *c) {
    if constexpr (sizeof...(A) == 1)
      OCTAVO_EACH_LANE { Lane<R>::set(d, l, F(Lane<A>::get(a, l)...)); }
    else if constexpr (sizeof...(A) == 2)
      compute2(d, a, b, F);
    else
      compute3(d, a, b, c, F);
  }
  template <class X, class Y>
  OCTAVO_INLINE void compute2(uint32_t *d, const uint32_t *a, const uint32_t *b,
                              R (*)(X, Y)) {
    OCTAVO_EACH_LANE {
      Lane<R>::set(d, l, F(Lane<X>::get(a, l), Lane<Y>::get(b, l)));
    }
  }
  template <class X, class Y, class Z>
  OCTAVO_INLINE void compute3(uint32_t *d, const uint32_t *a, const uint32_t *b,
                              const uint32_t *c, R (*)(X, Y, Z)) {
    OCTAVO_EACH_LANE {
      Lane<R>::set(
          d, l, F(Lane<X>::get(a, l), Lane<Y>::get(b, l), Lane<Z>::get(c, l)));
    }
  }

  static constexpr uint32_t modeFlags =
      (Lane<R>::single || (Lane<A>::single || ...) ? Float32 : 0) |
      (Lane<R>::other || (Lane<A>::other || ...) ? Float64 : 0);

  static constexpr Entry row(const char *mnemonic, uint32_t flags = 0,
                             Handler fn = vectorPlain) {
    Entry entry = {mnemonic,     Shape::Vector,     fn,
                   compute,      Lane<R>::type,     {Lane<A>::type...},
                   sizeof...(A), flags | modeFlags, 0};
    if (flags & TiedDst)
      --entry.numSrc;
    return entry;
  }
};

template <size_t N> OCTAVO_INLINE Table tableOf(const Entry (&entries)[N]) {
  return {entries, N};
}

} // namespace octavo::sim::OCTAVO_SIM_ISA

#endif // OCTAVO_SIMULATOR_EXECUTE_LANES_H
