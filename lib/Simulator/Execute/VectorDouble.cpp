//===- VectorDouble.cpp - f64 arithmetic on lanes -------------------------===//

#include "FloatMath.h"
#include "Lanes.h"

namespace octavo::sim::OCTAVO_SIM_ISA {
namespace {

double addD(double a, double b) { return a + b; }
double mulD(double a, double b) { return a * b; }
double fmaD(double a, double b, double c) { return __builtin_fma(a, b, c); }
double minD(double a, double b) { return ieeeMin<double, uint64_t>(a, b); }
double maxD(double a, double b) { return ieeeMax<double, uint64_t>(a, b); }
double truncD(double a) { return __builtin_trunc(a); }
double ceilD(double a) { return __builtin_ceil(a); }
double floorD(double a) { return __builtin_floor(a); }
double rndneD(double a) { return __builtin_roundeven(a); }
double fractD(double a) {
  double result = a - __builtin_floor(a);
  return result >= 1.0 ? 0x1.fffffffffffffp-1 : result;
}
double rcpD(double a) { return 1.0 / a; }
double sqrtD(double a) { return __builtin_sqrt(a); }
double rsqD(double a) { return 1.0 / __builtin_sqrt(a); }

uint32_t frexpExpD(double a) {
  uint64_t bits = __builtin_bit_cast(uint64_t, a), field = bits >> 52 & 0x7ff,
           low = bits & 0xfffffffffffffull;
  if (field == 0x7ff || (field == 0 && low == 0))
    return 0;
  return field ? uint32_t(int(field) - 1022)
               : uint32_t(-1010 - int(__builtin_clzll(low)));
}
double frexpMantD(double a) {
  uint64_t bits = __builtin_bit_cast(uint64_t, a), field = bits >> 52 & 0x7ff;
  if (field == 0x7ff || (bits << 1) == 0)
    return a;
  if (field == 0)
    bits = __builtin_bit_cast(uint64_t, a * 0x1p64);
  return __builtin_bit_cast(double, (bits & 0x800fffffffffffffull) |
                                        uint64_t(1022) << 52);
}
/// Not inlined: LLVM 22.1.8 fails to select a vector of ldexp for AVX-512.
__attribute__((noinline)) double ldexpD(double a, int32_t e) {
  return __builtin_ldexp(a, e);
}

double divFixupD(double q, double d, double n) {
  const uint64_t top = uint64_t(1) << 63, inf = uint64_t(0x7ff) << 52,
                 quiet = uint64_t(1) << 51;
  uint64_t dBits = __builtin_bit_cast(uint64_t, d),
           nBits = __builtin_bit_cast(uint64_t, n);
  uint64_t sign = (dBits ^ nBits) & top, dMag = dBits & ~top,
           nMag = nBits & ~top;
  uint64_t result = sign | (__builtin_bit_cast(uint64_t, q) & ~top);
  if (int(nMag >> 52) - int(dMag >> 52) < -1075 || dMag == inf || nMag == 0)
    result = sign;
  // A quotient that is no number stands for one that overflowed on the way.
  if (q != q && dMag != inf && nMag != 0 && int(nMag >> 52) >= int(dMag >> 52))
    result = sign | inf;
  if (dMag == 0 || nMag == inf)
    result = sign | inf;
  if ((dMag == 0 && nMag == 0) || (dMag == inf && nMag == inf))
    result = top | inf | quiet;
  if (dMag > inf)
    result = dBits | quiet;
  if (nMag > inf)
    result = nBits | quiet;
  return __builtin_bit_cast(double, result);
}

/// Reduces a large argument by 2/pi: 53 bits of 2/pi from bit c on, scaled.
double trigPreop(double a, uint32_t c) {
  static const uint64_t words[] = {0xa2f9836e4e441529ull,
                                   0xfc2757d1f534ddc0ull,
                                   0xdb6295993c439041ull,
                                   0xfe5163abdebbc561ull,
                                   0xb7246e3a424dd2e0ull,
                                   0x06492eea09d1921cull,
                                   0xfe1deb1cb129a73eull,
                                   0xe88235f52ebb4484ull,
                                   0xe99c7026b45f7e41ull,
                                   0x3991d639835339f4ull,
                                   0x9c845f8bbdf9283bull,
                                   0x1ff897ffde05980full,
                                   0xef2f118b5a0a6d1full,
                                   0x6d367ecf27cb09b7ull,
                                   0x4f463f669e5fea2dull,
                                   0x7527bac7ebe5f17bull,
                                   0x3d0739f78a5292eaull,
                                   0x6bfb5fb18d5d5667ull,
                                   0,
                                   0};
  int field = int(__builtin_bit_cast(uint64_t, a) >> 52 & 0x7ff);
  int shift = int(c & 31) * 53;
  if (field > 1077)
    shift += field - 1077;
  unsigned word = unsigned(shift) / 64, bit = unsigned(shift) % 64;
  uint64_t field53 = 0;
  if (word + 1 < sizeof(words) / sizeof(words[0]))
    field53 =
        (words[word] << bit | (bit ? words[word + 1] >> (64 - bit) : 0)) >> 11;
  int scale = -53 - shift + (field >= 1968 ? 128 : 0);
  return ldexpD(double(field53), scale);
}

#define ROW(F, NAME, ...) Op<F>::row(NAME, ##__VA_ARGS__)

const Entry rows[] = {
    ROW(addD, "v_add_f64"),
    ROW(mulD, "v_mul_f64"),
    ROW(fmaD, "v_fma_f64"),
    ROW(fmaD, "v_fmac_f64", TiedDst),
    ROW(minD, "v_min_f64"),
    ROW(maxD, "v_max_f64"),
    ROW(truncD, "v_trunc_f64"),
    ROW(ceilD, "v_ceil_f64"),
    ROW(floorD, "v_floor_f64"),
    ROW(rndneD, "v_rndne_f64"),
    ROW(fractD, "v_fract_f64"),
    ROW(rcpD, "v_rcp_f64"),
    ROW(sqrtD, "v_sqrt_f64"),
    ROW(rsqD, "v_rsq_f64"),
    ROW(frexpExpD, "v_frexp_exp_i32_f64"),
    ROW(frexpMantD, "v_frexp_mant_f64"),
    ROW(ldexpD, "v_ldexp_f64"),
    ROW(divFixupD, "v_div_fixup_f64"),
    ROW(trigPreop, "v_trig_preop_f64"),
};

} // namespace

Table vectorDoubleTable() { return tableOf(rows); }

} // namespace octavo::sim::OCTAVO_SIM_ISA
