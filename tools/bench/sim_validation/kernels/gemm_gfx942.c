/* 8-bit matrix product on gfx942 by the usual recipe (facts: hardware, section
   13): tile 256 x 128 x 64, 4 waves of 128 x 64, two stages of LDS, global loads
   one step ahead into registers and from there into LDS; 32x32x16 instructions.
   A and B row-major with K contiguous, C bf16. */
#include "device.h"

typedef float float16v __attribute__((ext_vector_type(16)));
typedef uint uint4v __attribute__((ext_vector_type(4)));
typedef long long2v __attribute__((ext_vector_type(2)));
typedef unsigned char uchar;
#define LOCAL __attribute__((address_space(3)))

#ifdef __gfx942__
/* Where a 16-byte chunk of a row of 64 bytes lies. */
static inline uint place(uint row, uint chunk) { return row * 64 + 16 * (chunk ^ row / 2 % 4); }

KERNEL __attribute__((amdgpu_flat_work_group_size(256, 256), amdgpu_waves_per_eu(1, 2)))
gemm256(GLOBAL const uchar *a, GLOBAL const uchar *b, GLOBAL ushort *c, uint n, uint k, LOCAL uchar *lds) {
  uint item = __builtin_amdgcn_workitem_id_x(), lane = item & 63;
  uint wave = __builtin_amdgcn_readfirstlane(item >> 6), wm = wave / 2 * 128, wn = wave % 2 * 64;
  uint row = __builtin_amdgcn_workgroup_id_y() * 256, column = __builtin_amdgcn_workgroup_id_x() * 128;
  /* A work item copies chunk item % 4 of rows item / 4 + 64 * p. */
  a += (ulong)(row + item / 4) * k + 16 * (item % 4);
  b += (ulong)(column + item / 4) * k + 16 * (item % 4);
  float16v sum[4][2] = {};
  uint4v fromA[4], fromB[2];
#define LOAD(AT)                                                                   \
  _Pragma("unroll") for (uint p = 0; p < 4; ++p) {                                 \
    fromA[p] = *(GLOBAL const uint4v *)(a + (ulong)(64 * p) * k + (AT));           \
    if (p < 2)                                                                     \
      fromB[p] = *(GLOBAL const uint4v *)(b + (ulong)(64 * p) * k + (AT));         \
  }
#define STORE(STAGE)                                                               \
  _Pragma("unroll") for (uint p = 0; p < 4; ++p) {                                 \
    uint to = place(item / 4 + 64 * p, item % 4);                                  \
    *(LOCAL uint4v *)(lds + (STAGE) + to) = fromA[p];                              \
    if (p < 2)                                                                     \
      *(LOCAL uint4v *)(lds + (STAGE) + 16384 + to) = fromB[p];                    \
  }
#define SHARE()                                                                    \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");                  \
  __builtin_amdgcn_s_barrier();                                                    \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local")
  LOAD(0)
  STORE(0)
  SHARE();
  uint stage = 0;
  for (uint at = 0; at < k; at += 64) {
    int more = at + 64 < k;
    if (more) {
      LOAD(at + 64)
    }
    _Pragma("unroll") for (uint half = 0; half < 2; ++half) {
      long2v x[4], y[2];
      uint chunk = 2 * half + lane / 32;
      _Pragma("unroll") for (uint i = 0; i < 4; ++i)
        x[i] = *(LOCAL const long2v *)(lds + stage + place(wm + 32 * i + lane % 32, chunk));
      _Pragma("unroll") for (uint i = 0; i < 2; ++i)
        y[i] = *(LOCAL const long2v *)(lds + stage + 16384 + place(wn + 32 * i + lane % 32, chunk));
      _Pragma("unroll") for (uint part = 0; part < 2; ++part)
        _Pragma("unroll") for (uint i = 0; i < 4; ++i)
          _Pragma("unroll") for (uint j = 0; j < 2; ++j)
            sum[i][j] = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x[i][part], y[j][part], sum[i][j], 0, 0, 0);
    }
    stage = 24576 - stage;
    if (more) {
      STORE(stage)
    }
    SHARE();
  }
  _Pragma("unroll") for (uint i = 0; i < 4; ++i)
    _Pragma("unroll") for (uint j = 0; j < 2; ++j)
      _Pragma("unroll") for (uint r = 0; r < 16; ++r) {
        uint m = row + wm + 32 * i + 8 * (r / 4) + 4 * (lane / 32) + r % 4;
        float value = sum[i][j][r];
        c[(ulong)m * n + column + wn + 32 * j + lane % 32] = (ushort)(__builtin_bit_cast(uint, value) >> 16);
      }
}
#endif
