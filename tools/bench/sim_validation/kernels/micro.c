/* Micro-benchmarks: each kernel repeats one thing `turns` times, 64 to a turn
   unless it says otherwise. Which instruction is measured stands in assembly, so
   that no compiler changes it; registers from v64 up belong to it. */
#include "device.h"

typedef float float4v __attribute__((ext_vector_type(4)));
#define LOCAL __attribute__((address_space(3)))
#define USED                                                                       \
  "v64", "v65", "v66", "v67", "v68", "v69", "v70", "v71", "v72", "v73", "v74", "v75", \
      "v76", "v77", "v78", "v79", "v80", "v127", "memory"
#define WAVES(LANES) __attribute__((amdgpu_flat_work_group_size(LANES, LANES)))

/* One wave. TEXT stands 64 / PER times, PER instructions each. */
#define REPEAT(NAME, PER, TEXT)                                                    \
  KERNEL WAVES(64) NAME(int turns) {                                               \
    for (int i = 0; i < turns; ++i)                                                \
      asm volatile(".rept 64/" #PER "\n" TEXT "\n.endr" : : : USED, "v191");               \
  }

/* A matrix instruction that accumulates into one place, and into four in turn. */
#define MATRIX4(NAME, INST, A, B, MODIFIERS)                                       \
  REPEAT(NAME##_dependent, 1, INST " v[128:131], " A ", " B ", v[128:131]" MODIFIERS) \
  REPEAT(NAME##_independent, 4,                                                    \
         INST " v[128:131], " A ", " B ", v[128:131]" MODIFIERS "\n"               \
         INST " v[132:135], " A ", " B ", v[132:135]" MODIFIERS "\n"               \
         INST " v[136:139], " A ", " B ", v[136:139]" MODIFIERS "\n"               \
         INST " v[140:143], " A ", " B ", v[140:143]" MODIFIERS)
#define MATRIX16(NAME, INST, A, B, MODIFIERS)                                      \
  REPEAT(NAME##_dependent, 1, INST " v[128:143], " A ", " B ", v[128:143]" MODIFIERS) \
  REPEAT(NAME##_independent, 4,                                                    \
         INST " v[128:143], " A ", " B ", v[128:143]" MODIFIERS "\n"               \
         INST " v[144:159], " A ", " B ", v[144:159]" MODIFIERS "\n"               \
         INST " v[160:175], " A ", " B ", v[160:175]" MODIFIERS "\n"               \
         INST " v[176:191], " A ", " B ", v[176:191]" MODIFIERS)

MATRIX4(fp8_16x16x32, "v_mfma_f32_16x16x32_fp8_fp8", "v[64:65]", "v[66:67]", "")
MATRIX16(fp8_32x32x16, "v_mfma_f32_32x32x16_fp8_fp8", "v[64:65]", "v[66:67]", "")
MATRIX4(f16_16x16x16, "v_mfma_f32_16x16x16_f16", "v[64:65]", "v[66:67]", "")
MATRIX16(f16_32x32x8, "v_mfma_f32_32x32x8_f16", "v[64:65]", "v[66:67]", "")
MATRIX4(i8_16x16x32, "v_mfma_i32_16x16x32_i8", "v[64:65]", "v[66:67]", "")
MATRIX4(f32_16x16x4, "v_mfma_f32_16x16x4_f32", "v64", "v66", "")
MATRIX16(f32_32x32x2, "v_mfma_f32_32x32x2_f32", "v64", "v66", "")
#ifdef __gfx942__
MATRIX4(xf32_16x16x8, "v_mfma_f32_16x16x8_xf32", "v[64:65]", "v[66:67]", "")
#endif
#ifdef __gfx950__
MATRIX4(f16_16x16x32, "v_mfma_f32_16x16x32_f16", "v[64:67]", "v[68:71]", "")
MATRIX16(f16_32x32x16, "v_mfma_f32_32x32x16_f16", "v[64:67]", "v[68:71]", "")
MATRIX4(i8_16x16x64, "v_mfma_i32_16x16x64_i8", "v[64:67]", "v[68:71]", "")
MATRIX4(fp8_16x16x128, "v_mfma_f32_16x16x128_f8f6f4", "v[64:71]", "v[72:79]", "")
MATRIX16(fp8_32x32x64, "v_mfma_f32_32x32x64_f8f6f4", "v[64:71]", "v[72:79]", "")
MATRIX4(fp4_16x16x128, "v_mfma_f32_16x16x128_f8f6f4", "v[64:67]", "v[72:75]", " cbsz:4 blgp:4")
MATRIX16(fp4_32x32x64, "v_mfma_f32_32x32x64_f8f6f4", "v[64:67]", "v[72:75]", " cbsz:4 blgp:4")
#endif

REPEAT(valu_dependent, 1, "v_fma_f32 v64, v64, v64, v64")
REPEAT(valu_independent, 4,
       "v_fma_f32 v64, v70, v70, v70\nv_fma_f32 v65, v70, v70, v70\n"
       "v_fma_f32 v66, v70, v70, v70\nv_fma_f32 v67, v70, v70, v70")
REPEAT(exp_independent, 4, "v_exp_f32 v64, v70\nv_exp_f32 v65, v70\nv_exp_f32 v66, v70\nv_exp_f32 v67, v70")

/* LDS. A chain of reads of one wave; the address is 0, and 0 is read. */
KERNEL WAVES(64) lds_chase(int turns, LOCAL int *lds) {
  lds[__builtin_amdgcn_workitem_id_x()] = 0;
  asm volatile("s_waitcnt lgkmcnt(0)\nv_mov_b32 v64, 0" ::: USED);
  for (int i = 0; i < turns; ++i)
    asm volatile(".rept 64\nds_read_b32 v64, v64\ns_waitcnt lgkmcnt(0)\n.endr" ::: USED);
}
/* 16 waves, each 16 times 4 accesses and a wait; lanes use the offsets of a table
   of 64, plus a KB for each wave. */
#define LDS_STREAM(NAME, ACCESS)                                                   \
  KERNEL WAVES(1024) NAME(GLOBAL const int *offsets, int turns, LOCAL int *lds) {  \
    uint lane = __builtin_amdgcn_workitem_id_x() & 63;                             \
    uint at = (uint)(ulong)lds + (uint)offsets[lane];                              \
    for (int i = 0; i < turns; ++i)                                                \
      asm volatile(".rept 16\n" ACCESS "\n" ACCESS "\n" ACCESS "\n" ACCESS         \
                   "\ns_waitcnt lgkmcnt(0)\n.endr" : : "v"(at) : USED);            \
  }
LDS_STREAM(lds_read_b32, "ds_read_b32 v64, %0")
LDS_STREAM(lds_read_b64, "ds_read_b64 v[64:65], %0")
LDS_STREAM(lds_read_b96, "ds_read_b96 v[64:66], %0")
LDS_STREAM(lds_read_b128, "ds_read_b128 v[64:67], %0")
LDS_STREAM(lds_write_b32, "ds_write_b32 %0, v64")
LDS_STREAM(lds_write_b64, "ds_write_b64 %0, v[64:65]")
LDS_STREAM(lds_write_b128, "ds_write_b128 %0, v[64:67]")

/* A chain of loads of one lane through offsets in memory: `loads` of them. */
KERNEL WAVES(64) memory_chase(GLOBAL const uint *next, int loads) {
  uint at = 0;
  for (int i = 0; i < loads; i += 16)
    asm volatile(".rept 16\nglobal_load_dword %0, %0, %1\ns_waitcnt vmcnt(0)\n.endr"
                 : "+v"(at) : "s"(next) : USED);
}

/* Each workgroup of 1024 reads its `bytes` (a multiple of 128 KB) `turns` times;
   its part begins `distance` bytes after that of the one before. */
KERNEL WAVES(1024) cache_stream(GLOBAL const char *from, int bytes, uint distance, int turns) {
  from += (ulong)__builtin_amdgcn_workgroup_id_x() * distance;
  uint lane = __builtin_amdgcn_workitem_id_x();
  for (int turn = 0; turn < turns; ++turn)
    for (int at = 0; at < bytes; at += 131072) {
      uint offset = (uint)at + 16 * lane;
      asm volatile("global_load_dwordx4 v[64:67], %0, %1\n"
                   "v_add_u32 %0, 0x4000, %0\nglobal_load_dwordx4 v[68:71], %0, %1\n"
                   "v_add_u32 %0, 0x4000, %0\nglobal_load_dwordx4 v[72:75], %0, %1\n"
                   "v_add_u32 %0, 0x4000, %0\nglobal_load_dwordx4 v[76:79], %0, %1\n"
                   "v_add_u32 %0, 0x4000, %0\nglobal_load_dwordx4 v[64:67], %0, %1\n"
                   "v_add_u32 %0, 0x4000, %0\nglobal_load_dwordx4 v[68:71], %0, %1\n"
                   "v_add_u32 %0, 0x4000, %0\nglobal_load_dwordx4 v[72:75], %0, %1\n"
                   "v_add_u32 %0, 0x4000, %0\nglobal_load_dwordx4 v[76:79], %0, %1\n"
                   "s_waitcnt vmcnt(0)"
                   : "+v"(offset) : "s"(from) : USED);
    }
}
/* The same from L1: 16 KB of a workgroup, 8 times a turn. */
KERNEL WAVES(1024) l1_stream(GLOBAL const char *from, int turns) {
  from += (ulong)__builtin_amdgcn_workgroup_id_x() * 16384;
  uint offset = 16 * __builtin_amdgcn_workitem_id_x();
  for (int turn = 0; turn < turns; ++turn)
    asm volatile(".rept 8\nglobal_load_dwordx4 v[64:67], %0, %1\n.endr\ns_waitcnt vmcnt(0)"
                 : : "v"(offset), "s"(from) : USED);
}
