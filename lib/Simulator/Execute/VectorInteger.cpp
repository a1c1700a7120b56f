//===- VectorInteger.cpp - Integer arithmetic and logic on lanes ----------===//

#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;

template <class T> T add(T a, T b) { return T(u64(a) + u64(b)); }
template <class T> T sub(T a, T b) { return T(u64(a) - u64(b)); }
template <class T> T subrev(T a, T b) { return T(u64(b) - u64(a)); }
template <class T> T min(T a, T b) { return a < b ? a : b; }
template <class T> T max(T a, T b) { return a > b ? a : b; }
template <class T> T min3(T a, T b, T c) { return min(min(a, b), c); }
template <class T> T max3(T a, T b, T c) { return max(max(a, b), c); }
template <class T> T med3(T a, T b, T c) {
  return max(min(a, b), min(max(a, b), c));
}

/// Saturating forms, which `clamp` selects.
template <class T, class Wide> T addSat(T a, T b) {
  Wide sum = Wide(a) + Wide(b),
       top = Wide(T(~T(0)) < 0 ? T((u64(1) << (8 * sizeof(T) - 1)) - 1)
                               : T(~T(0)));
  Wide low = T(~T(0)) < 0 ? -top - 1 : Wide(0);
  return T(sum > top ? top : sum < low ? low : sum);
}
template <class T, class Wide> T subSat(T a, T b) {
  Wide sum = Wide(a) - Wide(b),
       top = Wide(T(~T(0)) < 0 ? T((u64(1) << (8 * sizeof(T) - 1)) - 1)
                               : T(~T(0)));
  Wide low = T(~T(0)) < 0 ? -top - 1 : Wide(0);
  return T(sum > top ? top : sum < low ? low : sum);
}
template <class T, class Wide> T subrevSat(T a, T b) {
  return subSat<T, Wide>(b, a);
}

u32 mov(u32 a) { return a; }
u64 mov64(u64 a) { return a; }
u32 bitNot(u32 a) { return ~a; }
u32 bitAnd(u32 a, u32 b) { return a & b; }
u32 bitOr(u32 a, u32 b) { return a | b; }
u32 bitXor(u32 a, u32 b) { return a ^ b; }
u32 bitXnor(u32 a, u32 b) { return ~(a ^ b); }
u32 bfrev(u32 a) { return __builtin_bitreverse32(a); }
u32 ffbhU32(u32 a) { return a ? __builtin_clz(a) : ~0u; }
u32 ffblB32(u32 a) { return a ? __builtin_ctz(a) : ~0u; }
u32 ffbhI32(u32 a) {
  u32 x = a ^ u32(i32(a) >> 31);
  return x ? __builtin_clz(x) : ~0u;
}
u32 bcnt(u32 a, u32 b) { return u32(__builtin_popcount(a)) + b; }
u32 satPkU8I16(u32 a) {
  i32 low = i16(a), high = i16(a >> 16);
  low = min(max(low, 0), 255);
  high = min(max(high, 0), 255);
  return u32(low) | u32(high) << 8;
}
u32 prng(u32 a) { return (a << 1) ^ (a >> 31 ? 197u : 0u); }

u32 lshlrev(u32 a, u32 b) { return b << (a & 31); }
u32 lshrrev(u32 a, u32 b) { return b >> (a & 31); }
i32 ashrrev(u32 a, i32 b) { return b >> (a & 31); }
u16 lshlrev16(u16 a, u16 b) { return u16(b << (a & 15)); }
u16 lshrrev16(u16 a, u16 b) { return u16(b >> (a & 15)); }
i16 ashrrev16(u16 a, i16 b) { return i16(b >> (a & 15)); }
u64 lshlrev64(u32 a, u64 b) { return b << (a & 63); }
u64 lshrrev64(u32 a, u64 b) { return b >> (a & 63); }
i64 ashrrev64(u32 a, i64 b) { return b >> (a & 63); }
u64 lshlAdd64(u64 a, u32 b, u64 c) { return (a << (b & 7)) + c; }

i32 mulI24(u32 a, u32 b) {
  return i32(i64(i32(a << 8) >> 8) * (i32(b << 8) >> 8));
}
i32 mulHiI24(u32 a, u32 b) {
  return i32((i64(i32(a << 8) >> 8) * (i32(b << 8) >> 8)) >> 32);
}
u32 mulU24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
u32 mulHiU24(u32 a, u32 b) {
  return u32((u64(a & 0xffffff) * (b & 0xffffff)) >> 32);
}
u32 madI24(u32 a, u32 b, u32 c) { return u32(mulI24(a, b)) + c; }
u32 madU24(u32 a, u32 b, u32 c) { return mulU24(a, b) + c; }
u32 mulLo(u32 a, u32 b) { return a * b; }
u32 mulHiU(u32 a, u32 b) { return u32((u64(a) * b) >> 32); }
i32 mulHiI(i32 a, i32 b) { return i32((i64(a) * b) >> 32); }
u16 mulLo16(u16 a, u16 b) { return u16(u32(a) * b); }
u16 mad16(u16 a, u16 b, u16 c) { return u16(u32(a) * b + c); }
u32 madU32U16(u16 a, u16 b, u32 c) { return u32(a) * b + c; }
u32 madI32I16(i16 a, i16 b, u32 c) { return u32(i32(a) * b) + c; }

u32 bfeU32(u32 a, u32 b, u32 c) {
  return u32((a >> (b & 31)) & ((u64(1) << (c & 31)) - 1));
}
i32 bfeI32(i32 a, u32 b, u32 c) {
  u32 width = c & 31, offset = b & 31;
  // Beyond bit 31 the field holds copies of the sign.
  u64 field = u64(i64(a) >> offset);
  return width ? i32(i64(field << (64 - width)) >> (64 - width)) : 0;
}
u32 bfi(u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }
u32 bfm(u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }
u32 alignbit(u32 a, u32 b, u32 c) {
  return u32(((u64(a) << 32) | b) >> (c & 31));
}
u32 alignbyte(u32 a, u32 b, u32 c) {
  return u32(((u64(a) << 32) | b) >> (8 * (c & 3)));
}
u32 xad(u32 a, u32 b, u32 c) { return (a ^ b) + c; }
u32 lshlAdd(u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }
u32 addLshl(u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }
u32 add3(u32 a, u32 b, u32 c) { return a + b + c; }
u32 lshlOr(u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }
u32 andOr(u32 a, u32 b, u32 c) { return (a & b) | c; }
u32 or3(u32 a, u32 b, u32 c) { return a | b | c; }

/// Byte `select` of the 8 bytes of (a, b); 8-11 replicate a sign, 12 is 0,
/// above is 0xff.
u32 permByte(u64 data, u32 select) {
  if (select >= 13)
    return 0xff;
  if (select == 12)
    return 0;
  if (select >= 8) {
    u32 byte = 2 * (select - 8) + 1;
    return (data >> (8 * byte + 7) & 1) ? 0xff : 0;
  }
  return u32(data >> 8 * select) & 0xff;
}
u32 perm(u32 a, u32 b, u32 c) {
  u64 data = u64(a) << 32 | b;
  return permByte(data, c & 0xff) | permByte(data, c >> 8 & 0xff) << 8 |
         permByte(data, c >> 16 & 0xff) << 16 | permByte(data, c >> 24) << 24;
}

u32 absDiff8(u32 a, u32 b) {
  u32 sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    i32 d = i32(a >> 8 * i & 0xff) - i32(b >> 8 * i & 0xff);
    sum += u32(d < 0 ? -d : d);
  }
  return sum;
}
u32 sadU8(u32 a, u32 b, u32 c) { return absDiff8(a, b) + c; }
u32 sadHiU8(u32 a, u32 b, u32 c) { return (absDiff8(a, b) << 16) + c; }
u32 sadU16(u32 a, u32 b, u32 c) {
  i32 low = i32(a & 0xffff) - i32(b & 0xffff),
      high = i32(a >> 16) - i32(b >> 16);
  return u32(low < 0 ? -low : low) + u32(high < 0 ? -high : high) + c;
}
u32 sadU32(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }
/// Bytes of `b` that are zero do not take part.
u32 msadU8(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 4; ++i) {
    i32 x = i32(a >> 8 * i & 0xff), y = i32(b >> 8 * i & 0xff);
    c += y ? u32(x > y ? x - y : y - x) : 0;
  }
  return c;
}
u32 lerpU8(u32 a, u32 b, u32 c) {
  u32 result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |=
        (((a >> 8 * i & 0xff) + (b >> 8 * i & 0xff) + (c >> 8 * i & 1)) >> 1)
        << 8 * i;
  return result;
}
u64 qsadPkU16(u64 a, u32 b, u64 c) {
  u64 result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= u64(u16(absDiff8(u32(a >> 8 * i), b) + u32(c >> 16 * i & 0xffff)))
              << 16 * i;
  return result;
}
u64 mqsadPkU16(u64 a, u32 b, u64 c) {
  u64 result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= u64(u16(msadU8(u32(a >> 8 * i), b, u32(c >> 16 * i & 0xffff))))
              << 16 * i;
  return result;
}

i32 dot4I8(u32 a, u32 b, i32 c) {
  for (unsigned i = 0; i < 4; ++i)
    c = i32(u32(c) + u32(i32(int8_t(a >> 8 * i)) * int8_t(b >> 8 * i)));
  return c;
}
u32 dot4U8(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 4; ++i)
    c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return c;
}
i32 dot2I16(u32 a, u32 b, i32 c) {
  return i32(u32(c) + u32(i32(i16(a)) * i16(b)) +
             u32(i32(i16(a >> 16)) * i16(b >> 16)));
}
u32 dot2U16(u32 a, u32 b, u32 c) {
  return c + (a & 0xffff) * (b & 0xffff) + (a >> 16) * (b >> 16);
}
i32 dot8I4(u32 a, u32 b, i32 c) {
  for (unsigned i = 0; i < 8; ++i)
    c = i32(u32(c) + u32((i32(a << (28 - 4 * i)) >> 28) *
                         (i32(b << (28 - 4 * i)) >> 28)));
  return c;
}
u32 dot8U4(u32 a, u32 b, u32 c) {
  for (unsigned i = 0; i < 8; ++i)
    c += (a >> 4 * i & 15) * (b >> 4 * i & 15);
  return c;
}

i32 clampTo(i64 value, i32 low, i32 high) {
  return value < low ? low : value > high ? high : i32(value);
}
/// gfx950: arithmetic shifts of two words, saturated to two bytes.
u32 ashrPkI8(i32 a, i32 b, u32 c) {
  i32 x = clampTo(a >> (c & 31), -128, 127),
      y = clampTo(b >> (c & 31), -128, 127);
  return (u32(x) & 0xff) | (u32(y) & 0xff) << 8;
}
u32 ashrPkU8(i32 a, i32 b, u32 c) {
  i32 x = clampTo(a >> (c & 31), 0, 255), y = clampTo(b >> (c & 31), 0, 255);
  return u32(x) | u32(y) << 8;
}
u32 cvtPkU16U32(u32 a, u32 b) { return min(a, 65535u) | min(b, 65535u) << 16; }
u32 cvtPkI16I32(i32 a, i32 b) {
  return (u32(clampTo(a, -32768, 32767)) & 0xffff) |
         u32(clampTo(b, -32768, 32767)) << 16;
}
u32 packB32(_Float16 a, _Float16 b) {
  return __builtin_bit_cast(u16, a) | u32(__builtin_bit_cast(u16, b)) << 16;
}

/// With `clamp` the exact result is brought into the range of its type.
template <class R> R saturated(i64 value) {
  constexpr bool isSigned = R(~R(0)) < 0;
  constexpr i64 top = isSigned ? (i64(1) << (8 * sizeof(R) - 1)) - 1
                               : (i64(1) << 8 * sizeof(R)) - 1;
  constexpr i64 low = isSigned ? -top - 1 : 0;
  return R(value > top ? top : value < low ? low : value);
}
template <class T> T mad16Sat(T a, T b, T c) {
  return saturated<T>(i64(a) * b + c);
}
template <class R, class T> R madWideSat(T a, T b, R c) {
  return saturated<R>(i64(a) * b + c);
}
i32 madI24Sat(u32 a, u32 b, i32 c) {
  return saturated<i32>(i64(i32(a << 8) >> 8) * (i32(b << 8) >> 8) + c);
}
u32 madU24Sat(u32 a, u32 b, u32 c) {
  return saturated<u32>(i64(a & 0xffffff) * (b & 0xffffff) + c);
}
/// Fields of `bits` bits, with their sign if R has one.
template <class R, unsigned bits> R dotSat(u32 a, u32 b, R c) {
  constexpr bool isSigned = R(~R(0)) < 0;
  i64 sum = c;
  for (unsigned i = 0; i < 32 / bits; ++i) {
    u32 x = a << (32 - bits - bits * i), y = b << (32 - bits - bits * i);
    sum += isSigned ? i64(i32(x) >> (32 - bits)) * (i32(y) >> (32 - bits))
                    : i64(x >> (32 - bits)) * (y >> (32 - bits));
  }
  return saturated<R>(sum);
}
/// The sum of distances without its third operand, then saturated.
template <u32 (*sum)(u32, u32, u32)> u32 sadSat(u32 a, u32 b, u32 c) {
  return saturated<u32>(i64(sum(a, b, 0)) + c);
}

#define ROW(F, NAME, ...) Op<F>::row(NAME, ##__VA_ARGS__)

const Entry rows[] = {
    ROW(mov, "v_mov_b32"),
    ROW(mov64, "v_mov_b64"),
    ROW(mov, "v_accvgpr_read_b32"),
    ROW(mov, "v_accvgpr_write_b32"),
    ROW(mov, "v_accvgpr_mov_b32"),
    ROW(bitNot, "v_not_b32"),
    ROW(bfrev, "v_bfrev_b32"),
    ROW(ffbhU32, "v_ffbh_u32"),
    ROW(ffblB32, "v_ffbl_b32"),
    ROW(ffbhI32, "v_ffbh_i32"),
    ROW(bcnt, "v_bcnt_u32_b32"),
    ROW(satPkU8I16, "v_sat_pk_u8_i16"),
    ROW(prng, "v_prng_b32"),
    ROW(add<u32>, "v_add_u32"),
    ROW(sub<u32>, "v_sub_u32"),
    ROW(subrev<u32>, "v_subrev_u32"),
    ROW((addSat<u32, i64>), "v_add_u32:clamp"),
    ROW((subSat<u32, i64>), "v_sub_u32:clamp"),
    ROW((subrevSat<u32, i64>), "v_subrev_u32:clamp"),
    ROW(add<i32>, "v_add_i32"),
    ROW(sub<i32>, "v_sub_i32"),
    ROW((addSat<i32, i64>), "v_add_i32:clamp"),
    ROW((subSat<i32, i64>), "v_sub_i32:clamp"),
    ROW(add<u16>, "v_add_u16"),
    ROW(sub<u16>, "v_sub_u16"),
    ROW(subrev<u16>, "v_subrev_u16"),
    ROW((addSat<u16, i32>), "v_add_u16:clamp"),
    ROW((subSat<u16, i32>), "v_sub_u16:clamp"),
    ROW((subrevSat<u16, i32>), "v_subrev_u16:clamp"),
    ROW(add<i16>, "v_add_i16", KeepsHigh),
    ROW(sub<i16>, "v_sub_i16", KeepsHigh),
    ROW((addSat<i16, i32>), "v_add_i16:clamp", KeepsHigh),
    ROW((subSat<i16, i32>), "v_sub_i16:clamp", KeepsHigh),
    ROW(bitAnd, "v_and_b32"),
    ROW(bitOr, "v_or_b32"),
    ROW(bitXor, "v_xor_b32"),
    ROW(bitXnor, "v_xnor_b32"),
    ROW(lshlrev, "v_lshlrev_b32"),
    ROW(lshrrev, "v_lshrrev_b32"),
    ROW(ashrrev, "v_ashrrev_i32"),
    ROW(lshlrev16, "v_lshlrev_b16"),
    ROW(lshrrev16, "v_lshrrev_b16"),
    ROW(ashrrev16, "v_ashrrev_i16"),
    ROW(lshlrev64, "v_lshlrev_b64"),
    ROW(lshrrev64, "v_lshrrev_b64"),
    ROW(ashrrev64, "v_ashrrev_i64"),
    ROW(lshlAdd64, "v_lshl_add_u64"),
    ROW(min<i32>, "v_min_i32"),
    ROW(max<i32>, "v_max_i32"),
    ROW(min<u32>, "v_min_u32"),
    ROW(max<u32>, "v_max_u32"),
    ROW(min<i16>, "v_min_i16"),
    ROW(max<i16>, "v_max_i16"),
    ROW(min<u16>, "v_min_u16"),
    ROW(max<u16>, "v_max_u16"),
    ROW(min3<i32>, "v_min3_i32"),
    ROW(max3<i32>, "v_max3_i32"),
    ROW(med3<i32>, "v_med3_i32"),
    ROW(min3<u32>, "v_min3_u32"),
    ROW(max3<u32>, "v_max3_u32"),
    ROW(med3<u32>, "v_med3_u32"),
    ROW(min3<i16>, "v_min3_i16", KeepsHigh),
    ROW(max3<i16>, "v_max3_i16", KeepsHigh),
    ROW(med3<i16>, "v_med3_i16", KeepsHigh),
    ROW(min3<u16>, "v_min3_u16", KeepsHigh),
    ROW(max3<u16>, "v_max3_u16", KeepsHigh),
    ROW(med3<u16>, "v_med3_u16", KeepsHigh),
    ROW(mulI24, "v_mul_i32_i24"),
    ROW(mulHiI24, "v_mul_hi_i32_i24"),
    ROW(mulU24, "v_mul_u32_u24"),
    ROW(mulHiU24, "v_mul_hi_u32_u24"),
    ROW(madI24, "v_mad_i32_i24"),
    ROW(madU24, "v_mad_u32_u24"),
    ROW(mulLo, "v_mul_lo_u32"),
    ROW(mulHiU, "v_mul_hi_u32"),
    ROW(mulHiI, "v_mul_hi_i32"),
    ROW(mulLo16, "v_mul_lo_u16"),
    ROW(mad16, "v_mad_u16", KeepsHigh),
    ROW(mad16, "v_mad_i16", KeepsHigh),
    ROW(mad16, "v_mad_legacy_u16"),
    ROW(mad16, "v_mad_legacy_i16"),
    ROW(madU32U16, "v_mad_u32_u16"),
    ROW(madI32I16, "v_mad_i32_i16"),
    ROW(bfeU32, "v_bfe_u32"),
    ROW(bfeI32, "v_bfe_i32"),
    ROW(bfi, "v_bfi_b32"),
    ROW(bfm, "v_bfm_b32"),
    ROW(alignbit, "v_alignbit_b32"),
    ROW(alignbyte, "v_alignbyte_b32"),
    ROW(xad, "v_xad_u32"),
    ROW(lshlAdd, "v_lshl_add_u32"),
    ROW(addLshl, "v_add_lshl_u32"),
    ROW(add3, "v_add3_u32"),
    ROW(lshlOr, "v_lshl_or_b32"),
    ROW(andOr, "v_and_or_b32"),
    ROW(or3, "v_or3_b32"),
    ROW(perm, "v_perm_b32"),
    ROW(sadU8, "v_sad_u8"),
    ROW(sadHiU8, "v_sad_hi_u8"),
    ROW(sadU16, "v_sad_u16"),
    ROW(sadU32, "v_sad_u32"),
    ROW(msadU8, "v_msad_u8"),
    ROW(lerpU8, "v_lerp_u8"),
    ROW(qsadPkU16, "v_qsad_pk_u16_u8"),
    ROW(mqsadPkU16, "v_mqsad_pk_u16_u8"),
    ROW(dot4I8, "v_dot4_i32_i8"),
    ROW(dot4U8, "v_dot4_u32_u8"),
    ROW(dot2I16, "v_dot2_i32_i16"),
    ROW(dot2U16, "v_dot2_u32_u16"),
    ROW(dot8I4, "v_dot8_i32_i4"),
    ROW(dot8U4, "v_dot8_u32_u4"),
    ROW(dot4I8, "v_dot4c_i32_i8", TiedDst),
    ROW(dot2I16, "v_dot2c_i32_i16", TiedDst),
    ROW(dot8I4, "v_dot8c_i32_i4", TiedDst),
    ROW(ashrPkI8, "v_ashr_pk_i8_i32"),
    ROW(ashrPkU8, "v_ashr_pk_u8_i32"),
    ROW(cvtPkU16U32, "v_cvt_pk_u16_u32"),
    ROW(cvtPkI16I32, "v_cvt_pk_i16_i32"),
    ROW(packB32, "v_pack_b32_f16"),
    ROW((mad16Sat<u16>), "v_mad_u16:clamp", KeepsHigh),
    ROW((mad16Sat<i16>), "v_mad_i16:clamp", KeepsHigh),
    ROW((mad16Sat<u16>), "v_mad_legacy_u16:clamp"),
    ROW((mad16Sat<i16>), "v_mad_legacy_i16:clamp"),
    ROW((mad16Sat<u16>), "v_pk_mad_u16:clamp", Packed),
    ROW((mad16Sat<i16>), "v_pk_mad_i16:clamp", Packed),
    ROW((madWideSat<u32, u16>), "v_mad_u32_u16:clamp"),
    ROW((madWideSat<i32, i16>), "v_mad_i32_i16:clamp"),
    ROW(madI24Sat, "v_mad_i32_i24:clamp"),
    ROW(madU24Sat, "v_mad_u32_u24:clamp"),
    ROW((dotSat<i32, 16>), "v_dot2_i32_i16:clamp"),
    ROW((dotSat<u32, 16>), "v_dot2_u32_u16:clamp"),
    ROW((dotSat<i32, 8>), "v_dot4_i32_i8:clamp"),
    ROW((dotSat<u32, 8>), "v_dot4_u32_u8:clamp"),
    ROW((dotSat<i32, 4>), "v_dot8_i32_i4:clamp"),
    ROW((dotSat<u32, 4>), "v_dot8_u32_u4:clamp"),
    ROW(sadSat<sadU8>, "v_sad_u8:clamp"),
    ROW(sadSat<sadHiU8>, "v_sad_hi_u8:clamp"),
    ROW(sadSat<sadU16>, "v_sad_u16:clamp"),
    ROW(sadSat<sadU32>, "v_sad_u32:clamp"),
    ROW(sadSat<msadU8>, "v_msad_u8:clamp"),
    ROW(min<u16>, "v_pk_min_u16", Packed),
    ROW(max<u16>, "v_pk_max_u16", Packed),
    ROW(min<i16>, "v_pk_min_i16", Packed),
    ROW(max<i16>, "v_pk_max_i16", Packed),
    ROW(add<u16>, "v_pk_add_u16", Packed),
    ROW(sub<u16>, "v_pk_sub_u16", Packed),
    ROW((addSat<u16, i32>), "v_pk_add_u16:clamp", Packed),
    ROW((subSat<u16, i32>), "v_pk_sub_u16:clamp", Packed),
    ROW(add<i16>, "v_pk_add_i16", Packed),
    ROW(sub<i16>, "v_pk_sub_i16", Packed),
    ROW((addSat<i16, i32>), "v_pk_add_i16:clamp", Packed),
    ROW((subSat<i16, i32>), "v_pk_sub_i16:clamp", Packed),
    ROW(mulLo16, "v_pk_mul_lo_u16", Packed),
    ROW(mad16, "v_pk_mad_u16", Packed),
    ROW(mad16, "v_pk_mad_i16", Packed),
    ROW(lshlrev16, "v_pk_lshlrev_b16", Packed),
    ROW(lshrrev16, "v_pk_lshrrev_b16", Packed),
    ROW(ashrrev16, "v_pk_ashrrev_i16", Packed),
};

} // namespace

Table vectorIntegerTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
