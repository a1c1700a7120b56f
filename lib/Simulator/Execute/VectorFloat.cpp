//===- VectorFloat.cpp - f32 arithmetic on lanes --------------------------===//
//
// IEEE mode is assumed for minimum and maximum: a signalling NaN gives a quiet
// NaN, a quiet one gives the other operand.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

float addF(float a, float b) { return a + b; }
float subF(float a, float b) { return a - b; }
float subrevF(float a, float b) { return b - a; }
float mulF(float a, float b) { return a * b; }
float fmaF(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
/// Zero times anything is zero.
float mulLegacy(float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; }

float trunc(float a) { return __builtin_truncf(a); }
float ceil(float a) { return __builtin_ceilf(a); }
float floor(float a) { return __builtin_floorf(a); }
float rndne(float a) { return __builtin_roundevenf(a); }
float fract(float a) {
  float result = a - __builtin_floorf(a);
  return result >= 1.0f ? 0x1.fffffep-1f : result;
}
float rcp(float a) { return 1.0f / a; }
float sqrt(float a) { return __builtin_sqrtf(a); }
float rsq(float a) { return float(1.0 / __builtin_sqrt(double(a))); }

float minF(float a, float b) { return ieeeMin<float, uint32_t>(a, b); }
float maxF(float a, float b) { return ieeeMax<float, uint32_t>(a, b); }
float min3F(float a, float b, float c) { return minF(minF(a, b), c); }
float max3F(float a, float b, float c) { return maxF(maxF(a, b), c); }
float med3F(float a, float b, float c) {
  return ieeeMed3<float, uint32_t>(a, b, c);
}
/// gfx950: NaN wins, and -0 is below +0.
float minimumF(float a, float b) { return nanMinimum(a, b); }
float maximumF(float a, float b) { return nanMaximum(a, b); }
float minimum3F(float a, float b, float c) {
  return minimumF(minimumF(a, b), c);
}
float maximum3F(float a, float b, float c) {
  return maximumF(maximumF(a, b), c);
}

uint32_t frexpExp(float a) {
  uint32_t bits = __builtin_bit_cast(uint32_t, a), field = bits >> 23 & 0xff;
  if (field == 255 || (bits & 0x7fffffff) == 0)
    return 0;
  return field ? field - 126
               : uint32_t(-117 - int(__builtin_clz(bits & 0x7fffff)));
}
float frexpMant(float a) {
  uint32_t bits = __builtin_bit_cast(uint32_t, a), field = bits >> 23 & 0xff;
  if (field == 255 || (bits & 0x7fffffff) == 0)
    return a;
  if (field == 0) {
    a *= 0x1p32f;
    bits = __builtin_bit_cast(uint32_t, a);
  }
  return __builtin_bit_cast(float, (bits & 0x807fffffu) | 126u << 23);
}
float ldexpF(float a, int32_t e) { return float(scaleByPower(double(a), e)); }

float divFixup(float q, float d, float n) {
  uint32_t dBits = __builtin_bit_cast(uint32_t, d),
           nBits = __builtin_bit_cast(uint32_t, n);
  uint32_t sign = (dBits ^ nBits) & 0x80000000u, dMag = dBits & 0x7fffffff,
           nMag = nBits & 0x7fffffff;
  if (nMag > 0x7f800000)
    return __builtin_bit_cast(float, nBits | 0x400000);
  if (dMag > 0x7f800000)
    return __builtin_bit_cast(float, dBits | 0x400000);
  if ((dMag == 0 && nMag == 0) || (dMag == 0x7f800000 && nMag == 0x7f800000))
    return __builtin_bit_cast(float, 0xffc00000u);
  if (dMag == 0 || nMag == 0x7f800000)
    return __builtin_bit_cast(float, sign | 0x7f800000);
  if (dMag == 0x7f800000 || nMag == 0)
    return __builtin_bit_cast(float, sign);
  // A quotient that is no number stands for one that overflowed on the way.
  if (q != q)
    return __builtin_bit_cast(float, sign | 0x7f800000);
  if (int(nMag >> 23) - int(dMag >> 23) < -150)
    return __builtin_bit_cast(float, sign);
  return __builtin_bit_cast(
      float, sign | (__builtin_bit_cast(uint32_t, q) & 0x7fffffff));
}

/// 2^x, log2(x): subnormal inputs and results are flushed (assumed).
float expF(float a) { return flush(exp2Rounded(flush(a))); }
float logF(float a) { return log2Rounded(flush(a)); }
/// Argument in turns; beyond 256 turns the hardware gives 0 and 1.
float sinF(float a) { return turnsSine(a, false); }
float cosF(float a) { return turnsSine(a, true); }

/// Cube map face, coordinates and major axis of the direction (x, y, z).
struct Cube {
  float id, s, t, major;
};
Cube cube(float x, float y, float z) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y),
        az = __builtin_fabsf(z);
  if (az >= ax && az >= ay)
    return {z < 0 ? 5.0f : 4.0f, z < 0 ? -x : x, -y, 2 * z};
  if (ay >= ax)
    return {y < 0 ? 3.0f : 2.0f, x, y < 0 ? -z : z, 2 * y};
  return {x < 0 ? 1.0f : 0.0f, x < 0 ? z : -z, -y, 2 * x};
}
float cubeId(float x, float y, float z) { return cube(x, y, z).id; }
float cubeS(float x, float y, float z) { return cube(x, y, z).s; }
float cubeT(float x, float y, float z) { return cube(x, y, z).t; }
float cubeMajor(float x, float y, float z) { return cube(x, y, z).major; }

float dot2F16(uint32_t a, uint32_t b, float c) {
  float low = halfOf(uint16_t(a)) * halfOf(uint16_t(b)),
        high = halfOf(uint16_t(a >> 16)) * halfOf(uint16_t(b >> 16));
  return low + high + c;
}
float bf(uint32_t bits) { return __builtin_bit_cast(float, bits << 16); }
float dot2BF16(uint32_t a, uint32_t b, float c) {
  return __builtin_fmaf(bf(a >> 16), bf(b >> 16),
                        __builtin_fmaf(bf(a & 0xffff), bf(b & 0xffff), c));
}

#define ROW(F, NAME, ...) Op<F>::row(NAME, ##__VA_ARGS__)

const Entry rows[] = {
    ROW(addF, "v_add_f32"),
    ROW(subF, "v_sub_f32"),
    ROW(subrevF, "v_subrev_f32"),
    ROW(mulF, "v_mul_f32"),
    ROW(mulLegacy, "v_mul_legacy_f32"),
    ROW(fmaF, "v_fma_f32"),
    ROW(fmaF, "v_fmac_f32", TiedDst),
    ROW(fmaF, "v_fmaak_f32"),
    ROW(fmaF, "v_fmamk_f32"),
    ROW(minF, "v_min_f32"),
    ROW(maxF, "v_max_f32"),
    ROW(min3F, "v_min3_f32"),
    ROW(max3F, "v_max3_f32"),
    ROW(med3F, "v_med3_f32"),
    ROW(minimum3F, "v_minimum3_f32"),
    ROW(maximum3F, "v_maximum3_f32"),
    ROW(trunc, "v_trunc_f32"),
    ROW(ceil, "v_ceil_f32"),
    ROW(floor, "v_floor_f32"),
    ROW(rndne, "v_rndne_f32"),
    ROW(fract, "v_fract_f32"),
    ROW(rcp, "v_rcp_f32"),
    ROW(rcp, "v_rcp_iflag_f32"),
    ROW(rsq, "v_rsq_f32"),
    ROW(sqrt, "v_sqrt_f32"),
    ROW(expF, "v_exp_f32"),
    ROW(logF, "v_log_f32"),
    ROW(expF, "v_exp_legacy_f32"),
    ROW(logF, "v_log_legacy_f32"),
    ROW(sinF, "v_sin_f32"),
    ROW(cosF, "v_cos_f32"),
    ROW(frexpExp, "v_frexp_exp_i32_f32"),
    ROW(frexpMant, "v_frexp_mant_f32"),
    ROW(ldexpF, "v_ldexp_f32"),
    ROW(divFixup, "v_div_fixup_f32"),
    ROW(cubeId, "v_cubeid_f32"),
    ROW(cubeS, "v_cubesc_f32"),
    ROW(cubeT, "v_cubetc_f32"),
    ROW(cubeMajor, "v_cubema_f32"),
    ROW(dot2F16, "v_dot2_f32_f16"),
    ROW(dot2F16, "v_dot2c_f32_f16", TiedDst),
    ROW(dot2BF16, "v_dot2_f32_bf16"),
    ROW(dot2BF16, "v_dot2c_f32_bf16", TiedDst),
};

} // namespace

Table vectorFloatTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
