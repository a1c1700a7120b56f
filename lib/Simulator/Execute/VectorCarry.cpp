//===- VectorCarry.cpp - Carries, selection, steps of a division ----------===//
//
// Instructions that read or write a mask with one bit per lane.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using u32 = uint32_t;
using u64 = uint64_t;

/// Writes a computed result with or without modifiers.
OCTAVO_INLINE const Inst *finish(Wave &w, const Inst &inst, Block &result) {
  if (inst.flags & Modified)
    modifiedResult(w, inst, result);
  else
    writeLanes(w, inst.dst.index, result.words, inst.dst.dwords > 1 ? 2 : 1);
  return inst.next;
}

enum class Sum { Add, Sub, Subrev };

/// a + b + carry or a - b - carry; the new carry is all ones or zero.
template <Sum kind, bool CarryIn> const Inst *carry(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  Block result;
  alignas(64) u32 carryIn[Lanes], carryOut[Lanes];
  if (CarryIn)
    expandMask(scalarSource64(w, inst.src[2]), carryIn);
  const u32 *a = kind == Sum::Subrev ? s.p[1] : s.p[0],
            *b = kind == Sum::Subrev ? s.p[0] : s.p[1];
  OCTAVO_EACH_LANE {
    u32 c = CarryIn ? carryIn[l] & 1 : 0;
    if (kind == Sum::Add) {
      u32 sum = a[l] + b[l], full = sum + c;
      carryOut[l] = 0 - u32(sum < a[l] || full < sum);
      result.words[l] = full;
    } else {
      result.words[l] = a[l] - b[l] - c;
      carryOut[l] = 0 - u32(a[l] < b[l] || (a[l] == b[l] && c));
    }
  }
  u64 mask = collectMask(carryOut) & execOf(w);
  finish(w, inst, result);
  setScalar64(w, inst.dst2.index, mask);
  return inst.next;
}

const Inst *cndmask(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  alignas(64) u32 select[Lanes];
  expandMask(scalarSource64(w, inst.src[2]), select);
  const u32 *a = s.p[0], *b = s.p[1];
  if (!(inst.flags & Modified) && execOf(w) == ~u64(0)) {
    u32 *d = vgpr(w, inst.dst.index);
    OCTAVO_EACH_LANE { d[l] = select[l] ? b[l] : a[l]; }
    return inst.next;
  }
  Block result;
  OCTAVO_EACH_LANE { result.words[l] = select[l] ? b[l] : a[l]; }
  return finish(w, inst, result);
}

/// 32 x 32 + 64 bits; the mask is the carry (or overflow) of the addition.
template <bool Signed> const Inst *mad64(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  Block result;
  u64 mask = 0;
  for (unsigned l = 0; l < Lanes; ++l) {
    u64 product = Signed ? u64(int64_t(int32_t(s.p[0][l])) * int32_t(s.p[1][l]))
                         : u64(s.p[0][l]) * s.p[1][l];
    u64 addend = s.p[2][l] | u64(s.p[2][Lanes + l]) << 32,
        sum = product + addend;
    bool overflow =
        Signed ? (~(product ^ addend) & (product ^ sum)) >> 63 : sum < product;
    result.words[l] = u32(sum);
    result.words[Lanes + l] = u32(sum >> 32);
    mask |= u64(overflow) << l;
  }
  mask &= execOf(w);
  finish(w, inst, result);
  setScalar64(w, inst.dst2.index, mask);
  return inst.next;
}

//===----------------------------------------------------------------------===//
// Division: scale, iterate with fma, undo the scale, fix up
//===----------------------------------------------------------------------===//

template <class T> struct DivisionTraits;
template <> struct DivisionTraits<float> {
  using Bits = u32;
  static constexpr int mantissa = 23, bias = 127, large = 96, tiny = 23;
  static constexpr float up = 0x1p64f, down = 0x1p-64f;
};
template <> struct DivisionTraits<double> {
  using Bits = u64;
  static constexpr int mantissa = 52, bias = 1023, large = 768, tiny = 53;
  static constexpr double up = 0x1p128, down = 0x1p-128;
};

template <class T> int exponentField(T a) {
  using D = DivisionTraits<T>;
  auto bits = __builtin_bit_cast(typename D::Bits, a);
  return int(bits >> D::mantissa) & (2 * D::bias + 1);
}
template <class T> bool isSubnormal(T a) {
  return exponentField(a) == 0 && a != 0;
}

/// Is the quotient of numbers with these exponent fields below the normal
/// range?
template <class T> bool quotientIsSubnormal(T n, T d) {
  T q = n / d;
  return isSubnormal(q) || (q == 0 && n != 0);
}

/// `a` is the operand to scale: the denominator d or the numerator n.
template <class T> T divScale(T a, T d, T n, bool &flag) {
  using D = DivisionTraits<T>;
  flag = false;
  if (n == 0 || d == 0)
    return T(__builtin_nan(""));
  bool isDenominator = a == d, isNumerator = a == n;
  if (exponentField(n) - exponentField(d) >= D::large) {
    flag = true;
    return isDenominator ? a * D::up : a;
  }
  if (isSubnormal(d))
    return a * D::up;
  bool reciprocal = quotientIsSubnormal(T(1), d),
       quotient = quotientIsSubnormal(n, d);
  if (reciprocal && quotient) {
    flag = true;
    return isDenominator ? a * D::down : a;
  }
  if (reciprocal)
    return a * D::down;
  if (quotient) {
    flag = true;
    return isNumerator ? a * D::up : a;
  }
  if (exponentField(n) <= D::tiny)
    return a * D::up;
  return a;
}

/// Whether divScale surely returns `a` itself: far from both ends of the range.
template <class T> OCTAVO_INLINE bool needsNoScale(T d, T n) {
  using D = DivisionTraits<T>;
  int ofD = exponentField(d), ofN = exponentField(n);
  return (ofD > 0) & (ofD < 2 * D::bias - 3) & (ofN > D::tiny) &
         (ofN <= 2 * D::bias) & (ofN - ofD < D::large) &
         (ofN - ofD > 3 - D::bias);
}

template <class T> const Inst *divScaleAll(Wave &w, const Inst &inst) {
  Sources s;
  getSources(w, inst, s);
  Block result;
  u64 mask = 0;
  alignas(64) u32 special[Lanes];
  OCTAVO_EACH_LANE {
    special[l] =
        !needsNoScale<T>(Lane<T>::get(s.p[1], l), Lane<T>::get(s.p[2], l));
    Lane<T>::set(result.words, l, Lane<T>::get(s.p[0], l));
  }
  for (u64 rest = collectMask(special); rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    bool flag;
    T value = divScale<T>(Lane<T>::get(s.p[0], l), Lane<T>::get(s.p[1], l),
                          Lane<T>::get(s.p[2], l), flag);
    Lane<T>::set(result.words, l, value);
    mask |= u64(flag) << l;
  }
  mask &= execOf(w);
  finish(w, inst, result);
  setScalar64(w, inst.dst2.index, mask);
  return inst.next;
}

/// (a * b + c) * 2^k with one rounding. Wide holds a * b exactly; the sum is
/// rounded to odd there.
template <class T, class Wide, class WideBits>
T scaledFma(T a, T b, T c, T scale) {
  Wide product = Wide(a) * Wide(b), addend = Wide(c), sum = product + addend;
  if (!(sum - sum == 0) || sum == 0)
    return T(sum) * scale;
  Wide back = sum - product, error = (product - (sum - back)) + (addend - back);
  WideBits bits = __builtin_bit_cast(WideBits, sum);
  if (error != 0 && !(bits & 1))
    bits += (error > 0) == (sum > 0) ? 1 : -1;
  return T(__builtin_bit_cast(Wide, bits) * Wide(scale));
}

template <class T> const Inst *divFmas(Wave &w, const Inst &inst) {
  using D = DivisionTraits<T>;
  Sources s;
  getSources(w, inst, s);
  Block result;
  u64 vcc = scalar64(w, Vcc);
  OCTAVO_EACH_LANE {
    T a = Lane<T>::get(s.p[0], l), b = Lane<T>::get(s.p[1], l),
      c = Lane<T>::get(s.p[2], l);
    if constexpr (sizeof(T) == 4)
      Lane<T>::set(result.words, l, __builtin_fmaf(a, b, c));
    else
      Lane<T>::set(result.words, l, __builtin_fma(a, b, c));
  }
  // The scale was taken out of a quotient that is large, or put into a small
  // one.
  for (u64 rest = vcc; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctzll(rest));
    T a = Lane<T>::get(s.p[0], l), b = Lane<T>::get(s.p[1], l),
      c = Lane<T>::get(s.p[2], l), value;
    T scale = exponentField(c) > D::bias ? D::up : D::down;
    if constexpr (sizeof(T) == 4)
      value = scaledFma<float, double, u64>(a, b, c, scale);
    else
      value = scaledFma<double, __float128, unsigned __int128>(a, b, c, scale);
    Lane<T>::set(result.words, l, value);
  }
  return finish(w, inst, result);
}

constexpr Entry carryRow(const char *mnemonic, Handler fn, bool carryIn) {
  return {mnemonic,
          Shape::VectorCarry,
          fn,
          nullptr,
          Type::B32,
          {Type::B32, Type::B32, Type::Mask},
          uint8_t(carryIn ? 3 : 2),
          0,
          0};
}
constexpr Entry threeRow(const char *mnemonic, Handler fn, Shape shape,
                         Type dst, Type ab, Type c) {
  return {mnemonic, shape, fn, nullptr, dst, {ab, ab, c}, 3, 0, 0};
}

const Entry rows[] = {
    carryRow("v_add_co_u32", carry<Sum::Add, false>, false),
    carryRow("v_sub_co_u32", carry<Sum::Sub, false>, false),
    carryRow("v_subrev_co_u32", carry<Sum::Subrev, false>, false),
    carryRow("v_addc_co_u32", carry<Sum::Add, true>, true),
    carryRow("v_subb_co_u32", carry<Sum::Sub, true>, true),
    carryRow("v_subbrev_co_u32", carry<Sum::Subrev, true>, true),
    threeRow("v_cndmask_b32", cndmask, Shape::Vector, Type::B32, Type::F32,
             Type::Mask),
    threeRow("v_mad_u64_u32", mad64<false>, Shape::VectorCarry, Type::B64,
             Type::B32, Type::B64),
    threeRow("v_mad_i64_i32", mad64<true>, Shape::VectorCarry, Type::I64,
             Type::I32, Type::I64),
    threeRow("v_div_scale_f32", divScaleAll<float>, Shape::VectorCarry,
             Type::F32, Type::F32, Type::F32),
    threeRow("v_div_scale_f64", divScaleAll<double>, Shape::VectorCarry,
             Type::F64, Type::F64, Type::F64),
    threeRow("v_div_fmas_f32", divFmas<float>, Shape::Vector, Type::F32,
             Type::F32, Type::F32),
    threeRow("v_div_fmas_f64", divFmas<double>, Shape::Vector, Type::F64,
             Type::F64, Type::F64),
};

} // namespace

Table vectorCarryTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
