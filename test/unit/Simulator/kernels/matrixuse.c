/* Kernels whose results of a matrix instruction are data only, or decide a
   branch, an address, a mask, or an address by way of LDS or memory. */
#include "device.h"

typedef float float4v __attribute__((ext_vector_type(4)));
typedef _Float16 half4v __attribute__((ext_vector_type(4)));
#define LOCAL __attribute__((address_space(3)))
#define GROUP __attribute__((amdgpu_flat_work_group_size(64, 64)))

static inline float4v product(GLOBAL const float *in) {
  half4v x;
  for (int i = 0; i < 4; ++i)
    x[i] = (_Float16)in[4 * workItem() + i];
  return __builtin_amdgcn_mfma_f32_16x16x16f16(x, x, (float4v){0, 0, 0, 0}, 0, 0, 0);
}
static inline uint lane(void) {
  return __builtin_amdgcn_workitem_id_x();
}

KERNEL GROUP onlyData(GLOBAL const float *in, GLOBAL float *out, LOCAL float *lds) {
  float4v x = product(in);
  lds[lane()] = x[0] > 0 ? x[1] : x[2]; /* a mask, but not EXEC */
  __builtin_amdgcn_s_barrier();
  out[lane()] = lds[lane() ^ 1] + x[3];
}
KERNEL GROUP inBranch(GLOBAL const float *in, GLOBAL float *out, LOCAL float *lds) {
  float4v x = product(in);
  if (__builtin_amdgcn_readfirstlane(x[0] > 1))
    out[lane()] = x[1];
}
KERNEL GROUP inMask(GLOBAL const float *in, GLOBAL float *out, LOCAL float *lds) {
  float4v x = product(in);
  if (x[0] > 1)
    out[lane()] = x[1];
}
KERNEL GROUP inAddress(GLOBAL const float *in, GLOBAL float *out, LOCAL float *lds) {
  out[(uint)product(in)[0] & 63] = 1;
}
KERNEL GROUP inAddressByLds(GLOBAL const float *in, GLOBAL float *out, LOCAL float *lds) {
  lds[lane()] = product(in)[0];
  __builtin_amdgcn_s_barrier();
  out[(uint)lds[lane() ^ 1] & 63] = 1;
}
KERNEL GROUP inAddressByMemory(GLOBAL const float *in, GLOBAL float *out, LOCAL float *lds) {
  out[lane()] = product(in)[0];
  __builtin_amdgcn_s_barrier();
  out[(uint)out[lane() ^ 1] & 63] = 1;
}
