/* The three memory-bound kernels as one writes them in C: softmax and norm with
   quantisation of a row for each workgroup, AdamW for each element. */
#include "device.h"

typedef unsigned char uchar;
#define LOCAL __attribute__((address_space(3)))
#define GROUP __attribute__((amdgpu_flat_work_group_size(256, 256)))

static inline float widen(ushort x) { return __builtin_bit_cast(float, (uint)x << 16); }
static inline ushort narrow(float x) {
  uint bits = __builtin_bit_cast(uint, x);
  return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static inline float acrossLanes(float x, uint step) {
  uint lane = __builtin_amdgcn_workitem_id_x();
  return __builtin_bit_cast(
      float, __builtin_amdgcn_ds_bpermute((int)((lane ^ step) * 4), __builtin_bit_cast(int, x)));
}
#define REDUCE(NAME, JOIN)                                                         \
  static inline float NAME(LOCAL float *lds, float x) {                            \
    for (uint step = 1; step < 64; step *= 2) {                                    \
      float y = acrossLanes(x, step);                                              \
      x = JOIN(x, y);                                                              \
    }                                                                              \
    uint lane = __builtin_amdgcn_workitem_id_x();                                  \
    if (lane % 64 == 0)                                                            \
      lds[lane / 64] = x;                                                          \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                         \
    __builtin_amdgcn_s_barrier();                                                  \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                         \
    float a = JOIN(lds[0], lds[1]), b = JOIN(lds[2], lds[3]);                      \
    __builtin_amdgcn_s_barrier();                                                  \
    return JOIN(a, b);                                                             \
  }
#define ADD(X, Y) ((X) + (Y))
#define MAX(X, Y) __builtin_fmaxf(X, Y)
REDUCE(sumOf, ADD)
REDUCE(maximumOf, MAX)

KERNEL GROUP softmax(GLOBAL const ushort *in, GLOBAL ushort *out, uint columns, LOCAL float *lds) {
  in += (ulong)__builtin_amdgcn_workgroup_id_x() * columns;
  out += (ulong)__builtin_amdgcn_workgroup_id_x() * columns;
  uint first = __builtin_amdgcn_workitem_id_x();
  float top = -__builtin_inff(), sum = 0;
  for (uint i = first; i < columns; i += 256)
    top = MAX(top, widen(in[i]));
  top = maximumOf(lds, top);
  for (uint i = first; i < columns; i += 256)
    sum += __builtin_amdgcn_exp2f((widen(in[i]) - top) * 1.44269504f);
  float scale = 1 / sumOf(lds, sum);
  for (uint i = first; i < columns; i += 256)
    out[i] = narrow(__builtin_amdgcn_exp2f((widen(in[i]) - top) * 1.44269504f) * scale);
}

KERNEL GROUP normQuantise(GLOBAL const ushort *in, GLOBAL const ushort *weight, GLOBAL uchar *out,
                          GLOBAL float *scales, uint columns, LOCAL float *lds) {
  uint row = __builtin_amdgcn_workgroup_id_x(), first = __builtin_amdgcn_workitem_id_x();
  in += (ulong)row * columns;
  out += (ulong)row * columns;
  float sum = 0, top = 0;
  for (uint i = first; i < columns; i += 256)
    sum += widen(in[i]) * widen(in[i]);
  float norm = __builtin_amdgcn_rsqf(sumOf(lds, sum) / (float)columns + 1e-6f);
  for (uint i = first; i < columns; i += 256)
    top = MAX(top, __builtin_fabsf(widen(in[i]) * norm * widen(weight[i])));
  top = MAX(maximumOf(lds, top), 1e-12f);
  float scale = top / 240;
  for (uint i = first; i < columns; i += 256) {
    float value = widen(in[i]) * norm * widen(weight[i]) / scale;
    out[i] = (uchar)__builtin_amdgcn_cvt_pk_fp8_f32(value, value, 0, 0);
  }
  if (first == 0)
    scales[row] = scale;
}

KERNEL GROUP adamw(GLOBAL float *weight, GLOBAL const float *gradient, GLOBAL float *first, GLOBAL float *second,
                   float rate, float decay, float beta1, float beta2, float correct1, float correct2, uint count) {
  uint i = (uint)workItem();
  if (i >= count)
    return;
  float g = gradient[i], m = first[i], v = second[i], w = weight[i];
  w -= rate * decay * w;
  m = beta1 * m + (1 - beta1) * g;
  v = beta2 * v + (1 - beta2) * g * g;
  w -= rate * (m / correct1) / (__builtin_sqrtf(v / correct2) + 1e-8f);
  weight[i] = w;
  first[i] = m;
  second[i] = v;
}
