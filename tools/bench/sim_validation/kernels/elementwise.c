/* Element-wise and row-wise kernels as the published benchmarks have them. */
#include "device.h"

#define WAVES(LANES) __attribute__((amdgpu_flat_work_group_size(LANES, LANES)))
#define LOCAL __attribute__((address_space(3)))
typedef float float2v __attribute__((ext_vector_type(2)));
typedef float float4v __attribute__((ext_vector_type(4)));
typedef ushort ushort8v __attribute__((ext_vector_type(8)));
typedef __bf16 bf16x2 __attribute__((ext_vector_type(2)));
typedef uint uint2v __attribute__((ext_vector_type(2)));
typedef uint uint4v __attribute__((ext_vector_type(4)));
typedef short short2v __attribute__((ext_vector_type(2)));

/* BabelStream: one double for each work item, 1024 in a workgroup. */
KERNEL WAVES(1024) streamCopy(GLOBAL const double *a, GLOBAL double *c) { c[workItem()] = a[workItem()]; }
KERNEL WAVES(1024) streamScale(GLOBAL double *b, GLOBAL const double *c) { b[workItem()] = 0.4 * c[workItem()]; }
KERNEL WAVES(1024) streamAdd(GLOBAL const double *a, GLOBAL const double *b, GLOBAL double *c) {
  c[workItem()] = a[workItem()] + b[workItem()];
}
KERNEL WAVES(1024) streamTriad(GLOBAL double *a, GLOBAL const double *b, GLOBAL const double *c) {
  a[workItem()] = b[workItem()] + 0.4 * c[workItem()];
}
KERNEL WAVES(1024) streamRead(GLOBAL const double *a, GLOBAL double *c) {
  double x = a[workItem()];
  if (x == 1.2) /* never: the arrays are zero */
    c[workItem()] = x;
}
KERNEL WAVES(1024) streamWrite(GLOBAL double *a) { a[workItem()] = 0.2; }

static inline float widen(uint bits) { return __builtin_bit_cast(float, bits << 16); }
static inline uint narrow(float x) {
  uint bits = __builtin_bit_cast(uint, x);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
/* The sum or maximum over a workgroup of 256. */
static inline float reduce(LOCAL float *lds, float x, int isMaximum) {
  uint lane = __builtin_amdgcn_workitem_id_x();
  for (uint step = 1; step < 64; step *= 2) {
    float other = __builtin_bit_cast(
        float, __builtin_amdgcn_ds_bpermute((int)((lane ^ step) * 4), __builtin_bit_cast(int, x)));
    x = isMaximum ? __builtin_fmaxf(x, other) : x + other;
  }
  if (lane % 64 == 0)
    lds[lane / 64] = x;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  float a = lds[0], b = lds[1], c = lds[2], d = lds[3];
  __builtin_amdgcn_s_barrier();
  return isMaximum ? __builtin_fmaxf(__builtin_fmaxf(a, b), __builtin_fmaxf(c, d)) : a + b + (c + d);
}

/* A row of bf16 for each workgroup of 256, held in registers: CHUNKS times 8
   elements for each work item. */
#define ROW_LOOP for (uint i = 0; i < CHUNKS; ++i)
#define ROWS(NAME, CHUNKS_, BODY)                                                  \
  KERNEL WAVES(256) NAME(GLOBAL const ushort8v *in, GLOBAL ushort8v *out, LOCAL float *lds) { \
    enum { CHUNKS = CHUNKS_ };                                                     \
    ulong first = (ulong)__builtin_amdgcn_workgroup_id_x() * (256 * CHUNKS) + __builtin_amdgcn_workitem_id_x(); \
    float x[CHUNKS][8];                                                            \
    _Pragma("unroll") ROW_LOOP {                                                   \
      ushort8v value = in[first + 256 * i];                                        \
      _Pragma("unroll") for (uint e = 0; e < 8; ++e) x[i][e] = widen(value[e]);    \
    }                                                                              \
    BODY                                                                           \
    _Pragma("unroll") ROW_LOOP {                                                   \
      ushort8v value;                                                              \
      _Pragma("unroll") for (uint e = 0; e < 8; ++e) value[e] = (ushort)narrow(x[i][e] * scale); \
      out[first + 256 * i] = value;                                                \
    }                                                                              \
  }
#define ALL _Pragma("unroll") ROW_LOOP _Pragma("unroll") for (uint e = 0; e < 8; ++e)
/* 8192 columns. */
ROWS(softmax8192, 4, float top = -1e30f; ALL top = __builtin_fmaxf(top, x[i][e]); top = reduce(lds, top, 1);
     float sum = 0; ALL { x[i][e] = __builtin_amdgcn_exp2f((x[i][e] - top) * 1.44269504f); sum += x[i][e]; }
     float scale = 1 / reduce(lds, sum, 0);)
/* 6144 columns; the published row has 7168. */
ROWS(rmsNorm6144, 3, float sum = 0; ALL sum += x[i][e] * x[i][e];
     float scale = __builtin_amdgcn_rsqf(reduce(lds, sum, 0) / 6144 + 1e-6f);)

#ifdef __gfx950__
/* MX quantisation of bf16 along rows: 32 elements for each work item, one E8M0
   scale each. */
KERNEL WAVES(256) castMx(GLOBAL const ushort8v *in, GLOBAL uint4v *out, GLOBAL unsigned char *scales) {
  ulong at = (ulong)workItem();
  ushort8v value[4];
  uint top = 0;
  for (uint i = 0; i < 4; ++i) {
    value[i] = in[at * 4 + i];
    for (uint e = 0; e < 8; ++e) {
      uint magnitude = value[i][e] & 0x7fff;
      top = magnitude > top ? magnitude : top;
    }
  }
  uint exponent = top >> 7;
  exponent = exponent > 8 ? exponent - 8 : 0;
  float scale = __builtin_bit_cast(float, exponent << 23);
  uint4v codes[2];
  for (uint i = 0; i < 8; ++i) {
    short2v word = {0, 0};
    for (uint h = 0; h < 2; ++h) {
      ushort low = value[i / 2][4 * (i % 2) + 2 * h], high = value[i / 2][4 * (i % 2) + 2 * h + 1];
      bf16x2 pair = {__builtin_bit_cast(__bf16, low), __builtin_bit_cast(__bf16, high)};
      word = h ? __builtin_amdgcn_cvt_scalef32_pk_fp8_bf16(word, pair, scale, 1)
               : __builtin_amdgcn_cvt_scalef32_pk_fp8_bf16(word, pair, scale, 0);
    }
    codes[i / 4][i % 4] = __builtin_bit_cast(uint, word);
  }
  out[at * 2] = codes[0];
  out[at * 2 + 1] = codes[1];
  scales[at] = (unsigned char)exponent;
}
#endif
