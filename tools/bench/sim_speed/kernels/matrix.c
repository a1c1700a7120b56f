/* Matrix instructions alone: 64 in a turn, into four places; operands are what
   lies in memory, so that no model can skip a zero. */
#include "device.h"

#define USED                                                                       \
  "v64", "v65", "v66", "v67", "v68", "v69", "v70", "v71", "v72", "v73", "v74", "v75", \
      "v76", "v77", "v78", "v79", "v191", "memory"
#define MATRIX(NAME, INST, A, B, C0, C1, C2, C3)                                   \
  KERNEL __attribute__((amdgpu_flat_work_group_size(64, 64)))                      \
  NAME(GLOBAL const uint *data, int turns) {                                       \
    uint at = 16 * __builtin_amdgcn_workitem_id_x();                               \
    asm volatile("global_load_dwordx4 v[64:67], %0, %1\n"                          \
                 "global_load_dwordx4 v[68:71], %0, %1 offset:1024\n"              \
                 "global_load_dwordx4 v[72:75], %0, %1 offset:2048\n"              \
                 "global_load_dwordx4 v[76:79], %0, %1 offset:3072\n"              \
                 ".set i, 128\n.rept 64\nv_mov_b32 v[i], 0\n.set i, i+1\n.endr\n"  \
                 "s_waitcnt vmcnt(0)"                                              \
                 : : "v"(at), "s"(data) : USED);                                   \
    for (int i = 0; i < turns; ++i)                                                \
      asm volatile(".rept 16\n"                                                    \
                   INST " " C0 ", " A ", " B ", " C0 "\n" INST " " C1 ", " A ", " B ", " C1 "\n" \
                   INST " " C2 ", " A ", " B ", " C2 "\n" INST " " C3 ", " A ", " B ", " C3 "\n" \
                   ".endr" : : : USED);                                            \
  }
#define MATRIX4(NAME, INST, A, B) \
  MATRIX(NAME, INST, A, B, "v[128:131]", "v[132:135]", "v[136:139]", "v[140:143]")
#define MATRIX16(NAME, INST, A, B) \
  MATRIX(NAME, INST, A, B, "v[128:143]", "v[144:159]", "v[160:175]", "v[176:191]")

MATRIX4(fp8, "v_mfma_f32_16x16x32_fp8_fp8", "v[64:65]", "v[66:67]")
MATRIX4(f16, "v_mfma_f32_16x16x16_f16", "v[64:65]", "v[66:67]")
MATRIX4(bf16, "v_mfma_f32_16x16x16_bf16", "v[64:65]", "v[66:67]")
MATRIX16(f16_32, "v_mfma_f32_32x32x8_f16", "v[64:65]", "v[66:67]")
MATRIX16(bf16_32, "v_mfma_f32_32x32x8_bf16", "v[64:65]", "v[66:67]")
#ifdef __gfx950__
MATRIX4(f8f6f4, "v_mfma_f32_16x16x128_f8f6f4", "v[64:71]", "v[72:79]")
MATRIX4(f16_wide, "v_mfma_f32_16x16x32_f16", "v[64:67]", "v[72:75]")
MATRIX4(bf16_wide, "v_mfma_f32_16x16x32_bf16", "v[64:67]", "v[72:75]")
#endif
