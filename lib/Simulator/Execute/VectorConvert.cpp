//===- VectorConvert.cpp - Conversions between numbers --------------------===//
//
// Float to integer truncates and saturates; NaN gives 0.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using H = _Float16;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;

i32 toI32(float a) {
  return a >= 0x1p31f    ? 0x7fffffff
         : a <= -0x1p31f ? i32(0x80000000)
         : a == a        ? i32(a)
                         : 0;
}
u32 toU32(float a) { return a >= 0x1p32f ? ~0u : a > 0 ? u32(a) : 0; }
i32 toI32D(double a) {
  return a >= 0x1p31    ? 0x7fffffff
         : a <= -0x1p31 ? i32(0x80000000)
         : a == a       ? i32(a)
                        : 0;
}
u32 toU32D(double a) { return a >= 0x1p32 ? ~0u : a > 0 ? u32(a) : 0; }
i16 toI16H(H a) {
  float x = float(a);
  return x >= 32767    ? i16(32767)
         : x <= -32768 ? i16(-32768)
         : x == x      ? i16(x)
                       : i16(0);
}
u16 toU16H(H a) {
  float x = float(a);
  return x >= 65535 ? u16(65535) : x > 0 ? u16(x) : u16(0);
}

float fromI32(i32 a) { return float(a); }
float fromU32(u32 a) { return float(a); }
double doubleFromI32(i32 a) { return double(a); }
double doubleFromU32(u32 a) { return double(a); }
H halfFromI16(i16 a) { return H(float(a)); }
H halfFromU16(u16 a) { return H(float(a)); }
H halfFromFloat(float a) { return H(a); }
float floatFromHalf(H a) { return float(a); }
double doubleFromFloat(float a) { return double(a); }
float floatFromDouble(double a) { return float(a); }
template <unsigned N> float ubyte(u32 a) { return float(a >> 8 * N & 0xff); }

/// Nearest integer, ties up, and floor.
i32 roundI32(float a) { return toI32(float(__builtin_floor(double(a) + 0.5))); }
i32 floorI32(float a) { return toI32(__builtin_floorf(a)); }
/// A signed nibble times 1/16.
float offI4(u32 a) { return float(i32(a << 28) >> 28) * 0.0625f; }

i16 normI16(float a) {
  float x = __builtin_roundevenf((a > 1    ? 1.0f
                                  : a < -1 ? -1.0f
                                           : a) *
                                 32767.0f);
  return a == a ? i16(x) : i16(0);
}
u16 normU16(float a) {
  float x = __builtin_roundevenf((a > 1 ? 1.0f : a > 0 ? a : 0.0f) * 65535.0f);
  return a == a ? u16(x) : u16(0);
}
i16 normI16H(H a) { return normI16(float(a)); }
u16 normU16H(H a) { return normU16(float(a)); }
u32 pkNormI16(float a, float b) {
  return u16(normI16(a)) | u32(u16(normI16(b))) << 16;
}
u32 pkNormU16(float a, float b) { return normU16(a) | u32(normU16(b)) << 16; }
u32 pkNormI16H(H a, H b) { return pkNormI16(float(a), float(b)); }
u32 pkNormU16H(H a, H b) { return pkNormU16(float(a), float(b)); }

u32 bitsOfHalf(H a) { return __builtin_bit_cast(u16, a); }
/// Towards zero: step back where rounding to nearest went up.
u32 truncatedHalf(float a) {
  H nearest = H(a);
  u32 bits = bitsOfHalf(nearest);
  float back = float(nearest);
  bool up = __builtin_fabsf(back) > __builtin_fabsf(a);
  return up ? bits - 1 : bits;
}
u32 pkRtz(float a, float b) {
  return truncatedHalf(a) | truncatedHalf(b) << 16;
}
u32 pkHalf(float a, float b) {
  return bitsOfHalf(H(a)) | bitsOfHalf(H(b)) << 16;
}
u32 bfloat(float a) {
  u32 bits = __builtin_bit_cast(u32, a);
  u32 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return a == a ? rounded : (bits >> 16 | 0x40);
}
u32 pkBfloat(float a, float b) { return bfloat(a) | bfloat(b) << 16; }
u32 pkU8(float a, u32 position, u32 old) {
  float x = a > 255 ? 255.0f : a > 0 ? a : 0.0f;
  u32 shift = 8 * (position & 3),
      value = a == a ? u32(__builtin_roundevenf(x)) : 0;
  return (old & ~(0xffu << shift)) | value << shift;
}

#define ROW(F, NAME, ...) Op<F>::row(NAME, ##__VA_ARGS__)

const Entry rows[] = {
    ROW(toI32, "v_cvt_i32_f32"),
    ROW(toU32, "v_cvt_u32_f32"),
    ROW(toI32D, "v_cvt_i32_f64"),
    ROW(toU32D, "v_cvt_u32_f64"),
    ROW(toI16H, "v_cvt_i16_f16"),
    ROW(toU16H, "v_cvt_u16_f16"),
    ROW(fromI32, "v_cvt_f32_i32"),
    ROW(fromU32, "v_cvt_f32_u32"),
    ROW(doubleFromI32, "v_cvt_f64_i32"),
    ROW(doubleFromU32, "v_cvt_f64_u32"),
    ROW(halfFromI16, "v_cvt_f16_i16"),
    ROW(halfFromU16, "v_cvt_f16_u16"),
    ROW(halfFromFloat, "v_cvt_f16_f32"),
    ROW(floatFromHalf, "v_cvt_f32_f16"),
    ROW(doubleFromFloat, "v_cvt_f64_f32"),
    ROW(floatFromDouble, "v_cvt_f32_f64"),
    ROW(ubyte<0>, "v_cvt_f32_ubyte0"),
    ROW(ubyte<1>, "v_cvt_f32_ubyte1"),
    ROW(ubyte<2>, "v_cvt_f32_ubyte2"),
    ROW(ubyte<3>, "v_cvt_f32_ubyte3"),
    ROW(roundI32, "v_cvt_rpi_i32_f32"),
    ROW(floorI32, "v_cvt_flr_i32_f32"),
    ROW(offI4, "v_cvt_off_f32_i4"),
    ROW(normI16H, "v_cvt_norm_i16_f16"),
    ROW(normU16H, "v_cvt_norm_u16_f16"),
    ROW(pkNormI16, "v_cvt_pknorm_i16_f32"),
    ROW(pkNormU16, "v_cvt_pknorm_u16_f32"),
    ROW(pkNormI16H, "v_cvt_pknorm_i16_f16"),
    ROW(pkNormU16H, "v_cvt_pknorm_u16_f16"),
    ROW(pkRtz, "v_cvt_pkrtz_f16_f32"),
    ROW(pkHalf, "v_cvt_pk_f16_f32"),
    ROW(pkBfloat, "v_cvt_pk_bf16_f32"),
    ROW(pkU8, "v_cvt_pk_u8_f32"),
    ROW(pkU8, "v_cvt_pkaccum_u8_f32", TiedDst),
};

} // namespace

Table vectorConvertTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
