//===- VectorHalf.cpp - f16 arithmetic on lanes ---------------------------===//
//
// Sums and products go through f32 and fused ones through f64, from which one
// rounding gives the f16 result.
//
//===----------------------------------------------------------------------===//

#include "FloatMath.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

using H = _Float16;

H addH(H a, H b) { return H(float(a) + float(b)); }
H subH(H a, H b) { return H(float(a) - float(b)); }
H subrevH(H a, H b) { return H(float(b) - float(a)); }
H mulH(H a, H b) { return H(float(a) * float(b)); }
H fmaH(H a, H b, H c) {
  // The product is exact in f32 (22 bits). Round the sum to odd, so that the
  // step to f16 sees on which side of a tie the exact value lies.
  double sum = double(float(a) * float(b)) + double(c);
  float rounded = float(sum);
  uint32_t bits = __builtin_bit_cast(uint32_t, rounded);
  double error = sum - double(rounded);
  bool away =
      error != 0 && ((error < 0) == (rounded > 0)); // |rounded| is above |sum|
  uint32_t odd = error != 0 ? ((bits - (away ? 1 : 0)) | 1) : bits;
  bool finite = (bits & 0x7f800000) != 0x7f800000;
  return H(__builtin_bit_cast(float, finite ? odd : bits));
}

/// Rounds after the product too.
H madH(H a, H b, H c) { return addH(mulH(a, b), c); }

H minH(H a, H b) { return ieeeMin<H, uint16_t>(a, b); }
H maxH(H a, H b) { return ieeeMax<H, uint16_t>(a, b); }
H min3H(H a, H b, H c) { return minH(minH(a, b), c); }
H max3H(H a, H b, H c) { return maxH(maxH(a, b), c); }
H med3H(H a, H b, H c) { return ieeeMed3<H, uint16_t>(a, b, c); }
H minimumH(H a, H b) { return H(nanMinimum(float(a), float(b))); }
H maximumH(H a, H b) { return H(nanMaximum(float(a), float(b))); }
H minimum3H(H a, H b, H c) { return minimumH(minimumH(a, b), c); }
H maximum3H(H a, H b, H c) { return maximumH(maximumH(a, b), c); }

H truncH(H a) { return H(__builtin_truncf(float(a))); }
H ceilH(H a) { return H(__builtin_ceilf(float(a))); }
H floorH(H a) { return H(__builtin_floorf(float(a))); }
H rndneH(H a) { return H(__builtin_roundevenf(float(a))); }
H fractH(H a) {
  float result = float(a) - __builtin_floorf(float(a));
  return result > 0x1.ffcp-1f ? H(0x1.ffcp-1f) : H(result);
}
H rcpH(H a) { return H(1.0f / float(a)); }
H sqrtH(H a) { return H(__builtin_sqrtf(float(a))); }
H rsqH(H a) { return H(float(1.0 / __builtin_sqrt(double(a)))); }
H expH(H a) { return H(exp2Rounded(float(a))); }
H logH(H a) { return H(log2Rounded(float(a))); }
H sinH(H a) { return H(turnsSine(float(a), false)); }
H cosH(H a) { return H(turnsSine(float(a), true)); }

int16_t frexpExpH(H a) {
  uint32_t bits = __builtin_bit_cast(uint32_t, float(a)),
           field = bits >> 23 & 0xff;
  return field == 255 || field == 0 ? int16_t(0) : int16_t(int(field) - 126);
}
H frexpMantH(H a) {
  uint32_t bits = __builtin_bit_cast(uint32_t, float(a)),
           field = bits >> 23 & 0xff;
  float mantissa = __builtin_bit_cast(float, (bits & 0x807fffffu) | 126u << 23);
  return field == 255 || field == 0 ? a : H(mantissa);
}
H ldexpH(H a, int16_t e) { return H(float(scaleByPower(double(a), e))); }

H divFixupH(H q, H d, H n) {
  uint16_t dBits = __builtin_bit_cast(uint16_t, d),
           nBits = __builtin_bit_cast(uint16_t, n);
  uint16_t sign = (dBits ^ nBits) & 0x8000, dMag = dBits & 0x7fff,
           nMag = nBits & 0x7fff;
  uint16_t result = sign | (__builtin_bit_cast(uint16_t, q) & 0x7fff);
  if (q != q) // overflowed on the way
    result = sign | 0x7c00;
  if (dMag == 0x7c00 || nMag == 0)
    result = sign;
  if (dMag == 0 || nMag == 0x7c00)
    result = sign | 0x7c00;
  if ((dMag == 0 && nMag == 0) || (dMag == 0x7c00 && nMag == 0x7c00))
    result = 0xfe00;
  if (dMag > 0x7c00)
    result = dBits | 0x200;
  if (nMag > 0x7c00)
    result = nBits | 0x200;
  return __builtin_bit_cast(H, result);
}

#define ROW(F, NAME, ...) Op<F>::row(NAME, ##__VA_ARGS__)

const Entry rows[] = {
    ROW(addH, "v_add_f16"),
    ROW(subH, "v_sub_f16"),
    ROW(subrevH, "v_subrev_f16"),
    ROW(mulH, "v_mul_f16"),
    ROW(fmaH, "v_fma_f16", KeepsHigh),
    ROW(fmaH, "v_fmac_f16", TiedDst),
    ROW(fmaH, "v_fmaak_f16"),
    ROW(fmaH, "v_fmamk_f16"),
    ROW(fmaH, "v_fma_legacy_f16"),
    ROW(madH, "v_mad_f16", KeepsHigh),
    ROW(madH, "v_mad_legacy_f16"),
    ROW(madH, "v_mac_f16", TiedDst),
    ROW(madH, "v_madak_f16"),
    ROW(madH, "v_madmk_f16"),
    ROW(minH, "v_min_f16"),
    ROW(maxH, "v_max_f16"),
    ROW(min3H, "v_min3_f16", KeepsHigh),
    ROW(max3H, "v_max3_f16", KeepsHigh),
    ROW(med3H, "v_med3_f16", KeepsHigh),
    ROW(truncH, "v_trunc_f16"),
    ROW(ceilH, "v_ceil_f16"),
    ROW(floorH, "v_floor_f16"),
    ROW(rndneH, "v_rndne_f16"),
    ROW(fractH, "v_fract_f16"),
    ROW(rcpH, "v_rcp_f16"),
    ROW(rsqH, "v_rsq_f16"),
    ROW(sqrtH, "v_sqrt_f16"),
    ROW(expH, "v_exp_f16"),
    ROW(logH, "v_log_f16"),
    ROW(sinH, "v_sin_f16"),
    ROW(cosH, "v_cos_f16"),
    ROW(frexpExpH, "v_frexp_exp_i16_f16"),
    ROW(frexpMantH, "v_frexp_mant_f16"),
    ROW(ldexpH, "v_ldexp_f16"),
    ROW(divFixupH, "v_div_fixup_f16", KeepsHigh),
    ROW(divFixupH, "v_div_fixup_legacy_f16"),
    ROW(addH, "v_pk_add_f16", Packed),
    ROW(mulH, "v_pk_mul_f16", Packed),
    ROW(fmaH, "v_pk_fma_f16", Packed),
    ROW(fmaH, "v_pk_fmac_f16", Packed | TiedDst),
    ROW(minH, "v_pk_min_f16", Packed),
    ROW(maxH, "v_pk_max_f16", Packed),
    ROW(minimum3H, "v_pk_minimum3_f16", Packed),
    ROW(maximum3H, "v_pk_maximum3_f16", Packed),
};

} // namespace

Table vectorHalfTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
