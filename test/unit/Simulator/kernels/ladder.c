/* The kernels of a published ladder of 8-bit matrix products on gfx950 (gpuaidev
   notebook fp8_gemm_hip_cdna4; facts: hardware, section 12), from their
   descriptions. C = A * B', A and B row-major with K = 128 * steps, C bf16.
   Copies, LDS reads and waits are assembly, so that no compiler adds a wait. */
#include "device.h"

typedef int int8v __attribute__((ext_vector_type(8)));
typedef int int4v __attribute__((ext_vector_type(4)));
typedef float float4v __attribute__((ext_vector_type(4)));
typedef unsigned char uchar;
typedef unsigned short ushort;

#ifdef __gfx950__

static inline uint lane(void) {
  return __builtin_amdgcn_workitem_id_x() & 63;
}
static inline uint wave(void) {
  return __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() >> 6);
}
/* The 16-byte chunk that holds chunk 0 of a row of 128 bytes. */
static inline uint swizzle(uint row) {
  uint pair = row / 2 % 8;
  return pair ^ ((pair >> 1 ^ pair >> 2) & 1);
}
/* 8 rows of 128 bytes, swizzled or plain, from global memory into LDS at `to`. */
static inline void copyRowsAs(int swizzled, GLOBAL const uchar *from, uint pitch, uint row, uint to) {
  uint r = lane() / 8, chunk = lane() % 8 ^ (swizzled ? swizzle(row + r) : 0);
  GLOBAL const uchar *address = from + (ulong)(row + r) * pitch + 16 * chunk;
  asm volatile("s_mov_b32 m0, %1\n s_nop 0\n global_load_lds_dwordx4 %0, off"
               :
               : "v"(address), "s"(to)
               : "memory");
}
static inline void copyRows(GLOBAL const uchar *from, uint pitch, uint row, uint to) {
  copyRowsAs(1, from, pitch, row, to);
}
static inline int8v readFragmentAs(int swizzled, uint base, uint row) {
  uint r = row + lane() % 16, g = lane() / 16, s = swizzled ? swizzle(r) : 0;
  int4v low, high;
  asm volatile("ds_read_b128 %0, %1" : "=v"(low) : "v"(base + 128 * r + 16 * (g ^ s)));
  asm volatile("ds_read_b128 %0, %1" : "=v"(high) : "v"(base + 128 * r + 16 * ((4 + g) ^ s)));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
static inline int8v readFragment(uint base, uint row) {
  return readFragmentAs(1, base, row);
}
/* Nothing is scheduled across these. */
#define PINNED(TEXT)                                                               \
  __builtin_amdgcn_sched_barrier(0);                                               \
  asm volatile(TEXT ::: "memory");                                                 \
  __builtin_amdgcn_sched_barrier(0)
#define WAIT_LDS(N) PINNED("s_waitcnt lgkmcnt(" #N ")")
#define WAIT_COPIES(N) PINNED("s_waitcnt vmcnt(" #N ")")
#define BARRIER() PINNED("s_barrier")
#define PRIORITY(N) PINNED("s_setprio " #N)
/* Ties a fragment to the wait before it, so that no use is moved above. */
#define USE(X) asm volatile("" : "+v"(X))

static inline float4v multiply(int8v a, int8v b, float4v c) {
#ifdef F16
  /* A row of 128 bytes is 64 halves: the same kernels for f16. */
  typedef _Float16 half8v __attribute__((ext_vector_type(8)));
  int4v a0 = a.lo, a1 = a.hi, b0 = b.lo, b1 = b.hi;
  c = __builtin_amdgcn_mfma_f32_16x16x32_f16(__builtin_bit_cast(half8v, a0), __builtin_bit_cast(half8v, b0), c, 0, 0, 0);
  return __builtin_amdgcn_mfma_f32_16x16x32_f16(__builtin_bit_cast(half8v, a1), __builtin_bit_cast(half8v, b1), c, 0, 0, 0);
#else
  return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a, b, c, 0, 0, 0, 0, 0, 0);
#endif
}
static inline void storeTile(GLOBAL ushort *c, uint pitch, uint row, uint column, float4v value) {
  for (uint r = 0; r < 4; ++r) {
    float element = value[r];
    uint bits = __builtin_bit_cast(uint, element);
    c[(ulong)(row + 4 * (lane() / 16) + r) * pitch + column + lane() % 16] = bits >> 16;
  }
}

/* 32 x 32, one 16 x 16 of each of 4 waves, nothing shared, one stage. */
#define FOUR_TILES(NAME, SWIZZLED, COPY)                                                    \
  KERNEL __attribute__((amdgpu_flat_work_group_size(256, 256)))                    \
  NAME(GLOBAL const uchar *a, GLOBAL const uchar *b, GLOBAL ushort *c, uint n, uint k) { \
    uint row = __builtin_amdgcn_workgroup_id_y() * 32 + wave() / 2 * 16;           \
    uint column = __builtin_amdgcn_workgroup_id_x() * 32 + wave() % 2 * 16;        \
    uint base = wave() * 4096;                                                     \
    float4v sum = 0;                                                               \
    for (uint at = 0; at < k; at += 128) {                                         \
      COPY                                                                         \
      BARRIER();                                                                   \
      int8v x = readFragmentAs(SWIZZLED, base, 0), y = readFragmentAs(SWIZZLED, base + 2048, 0); \
      WAIT_LDS(0);                                                                 \
      USE(x);                                                                      \
      USE(y);                                                                      \
      sum = multiply(x, y, sum);                                                   \
      BARRIER();                                                                   \
    }                                                                              \
    storeTile(c, n, row, column, sum);                                             \
  }

/* 16 rows of 128 bytes into two registers, and from there into LDS at `to`. */
typedef struct {
  int4v half[2];
} Rows;
static inline Rows loadRows(GLOBAL const uchar *from, uint pitch, uint row, uint at) {
  Rows rows;
  for (uint half = 0; half < 2; ++half)
    rows.half[half] =
        *(GLOBAL const int4v *)(from + (ulong)(row + 8 * half + lane() / 8) * pitch + at + 16 * (lane() % 8));
  return rows;
}
static inline void storeRows(Rows rows, uint to) {
  for (uint half = 0; half < 2; ++half) {
    uint r = 8 * half + lane() / 8;
    asm volatile("ds_write_b128 %0, %1"
                 :
                 : "v"(to + 128 * r + 16 * (lane() % 8 ^ swizzle(r))), "v"(rows.half[half])
                 : "memory");
  }
}

FOUR_TILES(ladder341, 1, Rows fromA = loadRows(a, k, row, at); Rows fromB = loadRows(b, k, column, at);
           storeRows(fromA, base); storeRows(fromB, base + 2048); WAIT_LDS(0);)
#define COPY_FOUR(SWIZZLED)                                                        \
  for (uint half = 0; half < 2; ++half) {                                          \
    copyRowsAs(SWIZZLED, a + (ulong)row * k + at, k, 8 * half, base + 1024 * half); \
    copyRowsAs(SWIZZLED, b + (ulong)column * k + at, k, 8 * half, base + 2048 + 1024 * half); \
  }                                                                                \
  WAIT_COPIES(0);
/* The notebook's next step swizzles and changes nothing (501, 495), so that its
   layout before cannot have had the bank conflicts of plain rows: both stand for
   it here. */
FOUR_TILES(ladder501, 1, COPY_FOUR(1))
FOUR_TILES(ladder501plain, 0, COPY_FOUR(0))

/* TM x TN in WM x WN waves, operands shared, two stages. */
#define SHARED_TILES(NAME, TM, TN, WM, WN)                                         \
  KERNEL __attribute__((amdgpu_flat_work_group_size(64 * WM * WN, 64 * WM * WN)))  \
  NAME(GLOBAL const uchar *a, GLOBAL const uchar *b, GLOBAL ushort *c, uint n, uint k) { \
    enum { MI = TM / WM / 16, NI = TN / WN / 16, STAGE = 128 * (TM + TN) };        \
    uint row = __builtin_amdgcn_workgroup_id_y() * TM;                             \
    uint column = __builtin_amdgcn_workgroup_id_x() * TN;                          \
    a += (ulong)row * k;                                                           \
    b += (ulong)column * k;                                                        \
    uint wm = wave() / WN * (TM / WM), wn = wave() % WN * (TN / WN);               \
    float4v sum[MI][NI] = {};                                                      \
    uint stage = 0;                                                                \
    COPY_STEP(TM, TN, WM * WN, 0, 0)                                               \
    WAIT_COPIES(0);                                                                \
    BARRIER();                                                                     \
    for (uint at = 0; at < k; at += 128) {                                         \
      uint other = STAGE - stage;                                                  \
      if (at + 128 < k) {                                                          \
        COPY_STEP(TM, TN, WM * WN, at + 128, other)                                \
      }                                                                            \
      int8v x[MI], y[NI];                                                          \
      _Pragma("unroll") for (uint j = 0; j < NI; ++j)                              \
        y[j] = readFragment(stage + 128 * TM, wn + 16 * j);                        \
      _Pragma("unroll") for (uint i = 0; i < MI; ++i)                              \
        x[i] = readFragment(stage, wm + 16 * i);                                   \
      WAIT_LDS(0);                                                                 \
      _Pragma("unroll") for (uint j = 0; j < NI; ++j) USE(y[j]);                   \
      _Pragma("unroll") for (uint i = 0; i < MI; ++i) {                            \
        USE(x[i]);                                                                 \
        _Pragma("unroll") for (uint j = 0; j < NI; ++j)                            \
          sum[i][j] = multiply(x[i], y[j], sum[i][j]);                             \
      }                                                                            \
      WAIT_COPIES(0);                                                              \
      BARRIER();                                                                   \
      stage = other;                                                               \
    }                                                                              \
    _Pragma("unroll") for (uint i = 0; i < MI; ++i)                                \
      _Pragma("unroll") for (uint j = 0; j < NI; ++j)                              \
        storeTile(c, n, row + wm + 16 * i, column + wn + 16 * j, sum[i][j]);       \
  }

#define COPY_STEP(TM, TN, WAVES, AT, TO)                                           \
  _Pragma("unroll") for (uint p = 0; p < TM / 8 / (WAVES); ++p) {                  \
    uint r = 8 * (wave() + (WAVES) * p);                                           \
    copyRows(a + (AT), k, r, (TO) + 128 * r);                                      \
  }                                                                                \
  _Pragma("unroll") for (uint p = 0; p < TN / 8 / (WAVES); ++p) {                  \
    uint r = 8 * (wave() + (WAVES) * p);                                           \
    copyRows(b + (AT), k, r, (TO) + 128 * (TM + r));                               \
  }

SHARED_TILES(ladder1150, 64, 64, 2, 2)
SHARED_TILES(ladder1808, 128, 128, 2, 4)
SHARED_TILES(ladder2003, 256, 256, 2, 4)
SHARED_TILES(ladder2084, 256, 256, 4, 4)

/* TM x TN in WM x WN waves, operands shared, one stage: each step copies, waits
   and then multiplies. */
#define SINGLE_STAGE(NAME, TM, TN, WM, WN, COPY)                                   \
  KERNEL __attribute__((amdgpu_flat_work_group_size(64 * WM * WN, 64 * WM * WN)))  \
  NAME(GLOBAL const uchar *a, GLOBAL const uchar *b, GLOBAL ushort *c, uint n, uint k) { \
    enum { MI = TM / WM / 16, NI = TN / WN / 16 };                                 \
    uint row = __builtin_amdgcn_workgroup_id_y() * TM;                             \
    uint column = __builtin_amdgcn_workgroup_id_x() * TN;                          \
    a += (ulong)row * k;                                                           \
    b += (ulong)column * k;                                                        \
    uint wm = wave() / WN * (TM / WM), wn = wave() % WN * (TN / WN);               \
    float4v sum[MI][NI] = {};                                                      \
    for (uint at = 0; at < k; at += 128) {                                         \
      COPY                                                                         \
      BARRIER();                                                                   \
      int8v x[MI], y[NI];                                                          \
      _Pragma("unroll") for (uint j = 0; j < NI; ++j) y[j] = readFragment(128 * TM, wn + 16 * j); \
      _Pragma("unroll") for (uint i = 0; i < MI; ++i) x[i] = readFragment(0, wm + 16 * i); \
      WAIT_LDS(0);                                                                 \
      _Pragma("unroll") for (uint j = 0; j < NI; ++j) USE(y[j]);                   \
      _Pragma("unroll") for (uint i = 0; i < MI; ++i) {                            \
        USE(x[i]);                                                                 \
        _Pragma("unroll") for (uint j = 0; j < NI; ++j)                            \
          sum[i][j] = multiply(x[i], y[j], sum[i][j]);                             \
      }                                                                            \
      BARRIER();                                                                   \
    }                                                                              \
    _Pragma("unroll") for (uint i = 0; i < MI; ++i)                                \
      _Pragma("unroll") for (uint j = 0; j < NI; ++j)                              \
        storeTile(c, n, row + wm + 16 * i, column + wn + 16 * j, sum[i][j]);       \
  }
/* 32 rows each of A and of B for a wave. */
SINGLE_STAGE(
    registers256, 256, 256, 2, 4, Rows fromA[2]; Rows fromB[2]; _Pragma("unroll") for (uint p = 0; p < 2; ++p) {
      fromA[p] = loadRows(a, k, 16 * (wave() + 8 * p), at);
      fromB[p] = loadRows(b, k, 16 * (wave() + 8 * p), at);
    } _Pragma("unroll") for (uint p = 0; p < 2; ++p) {
      storeRows(fromA[p], 128 * 16 * (wave() + 8 * p));
      storeRows(fromB[p], 128 * (256 + 16 * (wave() + 8 * p)));
    } WAIT_LDS(0);)
SINGLE_STAGE(single256, 256, 256, 2, 4, COPY_STEP(256, 256, 8, at, 0) WAIT_COPIES(0);)

/* 256 x 256 as four quadrants of 128 x 128, 8 waves of 64 x 32 in each; waves 4
   to 7 run a phase behind; copies two steps ahead. */
#define PHASE(READS, COPIES, QI, QJ, LAST)                                         \
  {                                                                                \
    READS COPIES BARRIER();                                                        \
    WAIT_LDS(0);                                                                   \
    _Pragma("unroll") for (uint i = 0; i < 4; ++i) USE(x[i]);                      \
    _Pragma("unroll") for (uint j = 0; j < 2; ++j) USE(y##QJ[j]);                  \
    PRIORITY(1);                                                                   \
    _Pragma("unroll") for (uint i = 0; i < 4; ++i)                                 \
      _Pragma("unroll") for (uint j = 0; j < 2; ++j)                               \
        sum[QI][QJ][i][j] = multiply(x[i], y##QJ[j], sum[QI][QJ][i][j]);           \
    PRIORITY(0);                                                                   \
    LAST BARRIER();                                                                \
  }

KERNEL __attribute__((amdgpu_flat_work_group_size(512, 512), amdgpu_waves_per_eu(2, 2)))
ladder2650(GLOBAL const uchar *a, GLOBAL const uchar *b, GLOBAL ushort *c, uint n, uint k) {
  uint row = __builtin_amdgcn_workgroup_id_y() * 256, column = __builtin_amdgcn_workgroup_id_x() * 256;
  a += (ulong)row * k;
  b += (ulong)column * k;
  uint wm = wave() / 4 * 64, wn = wave() % 4 * 32;
  float4v sum[2][2][4][2] = {};
  /* A stage is A's two halves and B's two halves, 16 KB each. */
#define HALF(FROM, INDEX, AT, TO)                                                  \
  _Pragma("unroll") for (uint p = 0; p < 2; ++p) {                                 \
    uint r = 8 * (wave() + 8 * p);                                                 \
    copyRows(FROM + (ulong)(128 * INDEX) * k + (AT), k, r, (TO) + 128 * r);        \
  }
  HALF(b, 0, 0, 32768) HALF(a, 0, 0, 0) HALF(b, 1, 0, 49152) HALF(a, 1, 0, 16384)
  HALF(b, 0, 128, 65536 + 32768) HALF(a, 0, 128, 65536) HALF(b, 1, 128, 65536 + 49152)
  if (wave() >= 4) {
    BARRIER();
  }
  WAIT_COPIES(6);
  BARRIER();
  uint stage = 0;
  int8v x[4], y0[2], y1[2];
  for (uint at = 0; at < k; at += 128) {
    uint next = at + 128 < k ? at + 128 : at, after = at + 256 < k ? at + 256 : at;
    uint other = 65536 - stage;
#define READ_A(QI)                                                                 \
  _Pragma("unroll") for (uint i = 0; i < 4; ++i) x[i] = readFragment(stage + 16384 * QI, wm + 16 * i);
#define READ_B(QJ)                                                                 \
  _Pragma("unroll") for (uint j = 0; j < 2; ++j)                                   \
    y##QJ[j] = readFragment(stage + 32768 + 16384 * QJ, wn + 16 * j);
    PHASE(READ_B(0) READ_A(0), HALF(a, 1, next, other + 16384), 0, 0, )
    PHASE(READ_B(1), HALF(b, 0, after, stage + 32768), 0, 1, )
    PHASE(READ_A(1), HALF(a, 0, after, stage), 1, 0, )
    PHASE(, HALF(b, 1, after, stage + 49152), 1, 1, WAIT_COPIES(6);)
    stage = other;
  }
  if (wave() < 4) {
    BARRIER();
  }
  _Pragma("unroll") for (uint qi = 0; qi < 2; ++qi)
    _Pragma("unroll") for (uint qj = 0; qj < 2; ++qj)
      _Pragma("unroll") for (uint i = 0; i < 4; ++i)
        _Pragma("unroll") for (uint j = 0; j < 2; ++j)
          storeTile(c, n, row + 128 * qi + wm + 16 * i, column + 128 * qj + wn + 16 * j, sum[qi][qj][i][j]);
}
#endif
