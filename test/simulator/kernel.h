/* What test kernels need of the GPU, without any vendor's headers. The same
   source is compiled for the host, where a loop over work items stands for the
   launch. */
#ifndef OCTAVO_TEST_SIMULATOR_KERNEL_H
#define OCTAVO_TEST_SIMULATOR_KERNEL_H

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long i64;
typedef unsigned long u64;
typedef float f32;
typedef double f64;
typedef _Float16 f16;

#ifdef __AMDGCN__
#define KERNEL __attribute__((amdgpu_kernel, visibility("protected"))) void
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3), loader_uninitialized))
#define LANE ((int)__builtin_amdgcn_workitem_id_x())
#define GROUP ((int)__builtin_amdgcn_workgroup_id_x())
#define GROUP_SIZE ((int)__builtin_amdgcn_workgroup_size_x())
static inline int workItem(void) { return GROUP * GROUP_SIZE + LANE; }
static inline void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
#else
#define KERNEL void
#define GLOBAL
int currentItem;
static inline int workItem(void) { return currentItem; }
#endif

#define CAST(NAME, FROM, TO)                                                   \
  static inline TO NAME(FROM from) {                                           \
    union {                                                                    \
      FROM a;                                                                  \
      TO b;                                                                    \
    } u;                                                                       \
    u.a = from;                                                                \
    return u.b;                                                                \
  }
CAST(f32Bits, f32, u32)
CAST(f64Bits, f64, u64)
CAST(f16Bits, f16, u16)
CAST(asF32, u32, f32)
CAST(asF64, u64, f64)
CAST(asF16, u16, f16)

/* The same value, of which the GPU's compiler knows nothing: for what it
   otherwise folds wrongly. */
#ifdef __AMDGCN__
#define HIDE(X) __asm__("" : "+v"(X))
#else
#define HIDE(X)
#endif
#define OPAQUE(NAME, TYPE, REGISTER)                                           \
  static inline TYPE NAME(TYPE x) {                                            \
    REGISTER held = (REGISTER)x;                                               \
    HIDE(held);                                                                \
    return (TYPE)held;                                                         \
  }
OPAQUE(opaqueF16, f16, f16)
OPAQUE(opaqueF32, f32, f32)
OPAQUE(opaqueF64, f64, f64)
OPAQUE(opaqueI8, i8, i32)
OPAQUE(opaqueU8, u8, u32)
OPAQUE(opaqueI16, i16, i32)
OPAQUE(opaqueU16, u16, u32)
OPAQUE(opaqueI32, i32, i32)
OPAQUE(opaqueU32, u32, u32)
OPAQUE(opaqueI64, i64, i64)
OPAQUE(opaqueU64, u64, u64)

/* NaN payloads are not promised: every NaN counts as one. */
static inline u64 keyF32(f32 x) { return x != x ? 0x7fc00000u : f32Bits(x); }
static inline u64 keyF64(f64 x) {
  return x != x ? 0x7ff8000000000000ul : f64Bits(x);
}
static inline u64 keyF16(f16 x) { return x != x ? 0x7e00u : f16Bits(x); }

/* Conversions to integers where C leaves them undefined. */
static inline i32 toI32(f64 x) {
  return x > -2147483648.0 && x < 2147483647.0 ? (i32)x : 77;
}
static inline u32 toU32(f64 x) {
  return x > -1.0 && x < 4294967295.0 ? (u32)x : 77;
}
static inline i32 toI32f(f32 x) {
  return x > -2147480000.0f && x < 2147480000.0f ? (i32)x : 77;
}
static inline u32 toU32f(f32 x) {
  return x > -1.0f && x < 4294960000.0f ? (u32)x : 77;
}
static inline i64 toI64(f64 x) {
  return x > -9.0e18 && x < 9.0e18 ? (i64)x : 77;
}
static inline u64 toU64f(f32 x) {
  return x > -1.0f && x < 1.8e19f ? (u64)x : 77;
}
static inline i16 toI16(f16 x) {
  return x > (f16)-32000 && x < (f16)32000 ? (i16)x : 77;
}

#include "exchange.h"

#endif
