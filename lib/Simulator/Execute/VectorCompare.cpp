//===- VectorCompare.cpp - v_cmp and v_cmpx -------------------------------===//
//
// One loop per comparison gives a word per lane; the handler makes a mask of
// it.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

const Inst *compare(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  alignas(64) uint32_t result[Lanes];
  if (__builtin_expect(w.modeSpecial && (inst.flags & (Float32 | Float64)), 0))
    computeInMode(w, inst, result, s.p);
  else
    inst.compute(result, s.p[0], s.p[1], s.p[2]);
  uint64_t mask = collectMask(result) & execOf(w);
  setScalar64(w, inst.dst.index, mask);
  if (inst.flags & WritesExec)
    setScalar64(w, Exec, mask);
  return inst.next;
}

template <class T, bool (*F)(T, T)>
void loop(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *) {
  OCTAVO_EACH_LANE {
    d[l] = F(Lane<T>::get(a, l), Lane<T>::get(b, l)) ? ~0u : 0u;
  }
}

template <class T> bool eq(T a, T b) { return a == b; }
template <class T> bool ne(T a, T b) { return a != b; }
template <class T> bool gt(T a, T b) { return a > b; }
template <class T> bool ge(T a, T b) { return a >= b; }
template <class T> bool lt(T a, T b) { return a < b; }
template <class T> bool le(T a, T b) { return a <= b; }
template <class T> bool never(T, T) { return false; }
template <class T> bool always(T, T) { return true; }
template <class T> bool ordered(T a, T b) { return a == a && b == b; }
template <class T> bool unordered(T a, T b) { return a != a || b != b; }
template <class T> bool lg(T a, T b) { return a < b || a > b; }
template <class T> bool nlg(T a, T b) { return !(a < b || a > b); }
template <class T> bool ngt(T a, T b) { return !(a > b); }
template <class T> bool nge(T a, T b) { return !(a >= b); }
template <class T> bool nlt(T a, T b) { return !(a < b); }
template <class T> bool nle(T a, T b) { return !(a <= b); }

/// Bits of the class mask: sNaN, qNaN, then -inf, -normal, -subnormal, -0, +0,
/// +subnormal, +normal, +inf.
template <class Bits, unsigned Mantissa>
OCTAVO_INLINE uint32_t classOf(Bits bits) {
  constexpr unsigned width = 8 * sizeof(Bits);
  Bits magnitude = bits & Bits(~(Bits(1) << (width - 1)));
  bool negative = bits >> (width - 1) & 1;
  Bits infinity =
      Bits(Bits((Bits(1) << (width - 1 - Mantissa)) - 1) << Mantissa);
  if (magnitude > infinity)
    return magnitude >> (Mantissa - 1) & 1 ? 1 : 0;
  unsigned kind = magnitude == infinity                ? 0
                  : magnitude >= (Bits(1) << Mantissa) ? 1
                  : magnitude                          ? 2
                                                       : 3;
  return negative ? 2 + kind : 9 - kind;
}
template <class T, class Bits, unsigned Mantissa>
bool isClass(T a, uint32_t mask) {
  return mask >> classOf<Bits, Mantissa>(__builtin_bit_cast(Bits, a)) & 1;
}
template <class T, bool (*F)(T, uint32_t)>
void classLoop(uint32_t *d, const uint32_t *a, const uint32_t *b,
               const uint32_t *) {
  OCTAVO_EACH_LANE { d[l] = F(Lane<T>::get(a, l), b[l]) ? ~0u : 0u; }
}

template <class T>
constexpr uint32_t modeFlags = Lane<T>::single  ? Float32
                               : Lane<T>::other ? Float64
                                                : 0;

template <class T>
constexpr Entry row(const char *mnemonic, Compute compute, uint32_t flags) {
  return {mnemonic, Shape::Compare,       octavo::sim::OCTAVO_SIM_ISA::compare,
          compute,  Type::Mask,           {Lane<T>::type, Lane<T>::type},
          2,        flags | modeFlags<T>, 0};
}
template <class T>
constexpr Entry classRow(const char *mnemonic, Compute compute,
                         uint32_t flags) {
  return {mnemonic, Shape::Compare, octavo::sim::OCTAVO_SIM_ISA::compare,
          compute,  Type::Mask,     {Lane<T>::type, Type::B32},
          2,        flags,          0};
}

#define BOTH(OP, SUFFIX, T, F)                                                 \
  row<T>("v_cmp_" OP SUFFIX, loop<T, F<T>>, 0),                                \
      row<T>("v_cmpx_" OP SUFFIX, loop<T, F<T>>, WritesExec)

#define INTEGERS(SUFFIX, T)                                                    \
  BOTH("eq", SUFFIX, T, eq), BOTH("ne", SUFFIX, T, ne),                        \
      BOTH("gt", SUFFIX, T, gt), BOTH("ge", SUFFIX, T, ge),                    \
      BOTH("lt", SUFFIX, T, lt), BOTH("le", SUFFIX, T, le),                    \
      BOTH("f", SUFFIX, T, never), BOTH("t", SUFFIX, T, always)

#define FLOATS(SUFFIX, T)                                                      \
  BOTH("eq", SUFFIX, T, eq), BOTH("neq", SUFFIX, T, ne),                       \
      BOTH("gt", SUFFIX, T, gt), BOTH("ge", SUFFIX, T, ge),                    \
      BOTH("lt", SUFFIX, T, lt), BOTH("le", SUFFIX, T, le),                    \
      BOTH("lg", SUFFIX, T, lg), BOTH("nlg", SUFFIX, T, nlg),                  \
      BOTH("ngt", SUFFIX, T, ngt), BOTH("nge", SUFFIX, T, nge),                \
      BOTH("nlt", SUFFIX, T, nlt), BOTH("nle", SUFFIX, T, nle),                \
      BOTH("o", SUFFIX, T, ordered), BOTH("u", SUFFIX, T, unordered),          \
      BOTH("f", SUFFIX, T, never), BOTH("tru", SUFFIX, T, always)

#define CLASS(SUFFIX, T, BITS, MANTISSA)                                       \
  classRow<T>("v_cmp_class" SUFFIX, classLoop<T, isClass<T, BITS, MANTISSA>>,  \
              0),                                                              \
      classRow<T>("v_cmpx_class" SUFFIX,                                       \
                  classLoop<T, isClass<T, BITS, MANTISSA>>, WritesExec)

const Entry rows[] = {
    INTEGERS("_i16", int16_t),
    INTEGERS("_u16", uint16_t),
    INTEGERS("_i32", int32_t),
    INTEGERS("_u32", uint32_t),
    INTEGERS("_i64", int64_t),
    INTEGERS("_u64", uint64_t),
    FLOATS("_f16", _Float16),
    FLOATS("_f32", float),
    FLOATS("_f64", double),
    CLASS("_f16", _Float16, uint16_t, 10),
    CLASS("_f32", float, uint32_t, 23),
    CLASS("_f64", double, uint64_t, 52),
};

} // namespace

Table vectorCompareTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
