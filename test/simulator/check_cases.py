"""The smallest kernel for each finding of `octavo-sim check`, and a twin that is right.

Each kernel gets one array of 256 words in s[4:5] (and v1 = 4 * lane), runs as two waves of one workgroup, and has 1024
bytes of LDS. `finds` is the kind of all findings of `wrong`.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass

import device


@dataclass
class Case:
    """Two bodies that differ in what is wrong."""

    name: str
    finds: str
    wrong: str
    right: str
    targets: tuple[str, ...] = ("gfx942", "gfx950")


HEAD = """
.globl {name}
.p2align 8
.type {name},@function
{name}:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_and_b32_e32 v0, 0x3ff, v0
  v_lshlrev_b32_e32 v1, 2, v0
  v_mov_b32_e32 v2, 0
  v_mov_b32_e32 v3, 0
  v_mov_b32_e32 v4, 0
  v_mov_b32_e32 v5, 0
  v_mov_b32_e32 v6, 0
  v_mov_b32_e32 v7, 0
  v_readfirstlane_b32 s6, v0
  s_lshr_b32 s6, s6, 6
  s_waitcnt lgkmcnt(0)
{body}
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
.Lend_{name}:
.size {name}, .Lend_{name}-{name}
.rodata
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_next_free_vgpr 32
  .amdhsa_next_free_sgpr 32
  .amdhsa_accum_offset 32
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.text
"""

METADATA = """  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 32
    .max_flat_workgroup_size: 128
    .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
"""

MFMA = "v_mfma_f32_16x16x32_fp8_fp8 v[8:11], v[4:5], v[6:7], 0"
LDS_WRITE = "ds_write_b32 v1, v0"
# The neighbour's word: of the other wave for 64 lanes.
OTHER = "v_xor_b32_e32 v8, 0x100, v1"

CASES = [
    Case("vmcnt", "unwaited load", "global_load_dword v2, v1, s[4:5]\nv_add_u32_e32 v3, v2, v2",
         "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_add_u32_e32 v3, v2, v2"),
    Case("vmcnt_of_two", "unwaited load",
         "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v3, v1, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v3",
         "global_load_dword v2, v1, s[4:5]\nglobal_load_dword v3, v1, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2"),
    Case("store_counts", "unwaited load",
         "global_load_dword v2, v1, s[4:5]\nglobal_store_dword v1, v0, s[4:5]\ns_waitcnt vmcnt(2)\nv_mov_b32 v4, v2",
         "global_load_dword v2, v1, s[4:5]\nglobal_store_dword v1, v0, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v4, v2"),
    Case("overwritten", "unwaited load", "global_load_dword v2, v1, s[4:5]\nv_mov_b32_e32 v2, 0",
         "global_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v2, 0"),
    Case("scalar_load", "unwaited load", "s_load_dword s8, s[4:5], 0x0\ns_add_u32 s9, s8, 1",
         "s_load_dword s8, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s9, s8, 1"),
    Case("scalar_loads_end_in_no_order", "unwaited load",
         "s_load_dword s8, s[4:5], 0x0\ns_load_dword s9, s[4:5], 0x4\ns_waitcnt lgkmcnt(1)\ns_add_u32 s10, s8, 1",
         "s_load_dword s8, s[4:5], 0x0\ns_load_dword s9, s[4:5], 0x4\ns_waitcnt lgkmcnt(0)\ns_add_u32 s10, s8, 1"),
    Case("lds_read", "unwaited load",
         f"{LDS_WRITE}\nds_read_b32 v2, v1\nv_mov_b32_e32 v3, v2",
         f"{LDS_WRITE}\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v3, v2"),
    Case("flat_needs_both", "unwaited load",
         "v_mov_b32_e32 v8, s4\nv_mov_b32_e32 v9, s5\nflat_load_dword v2, v[8:9]\ns_waitcnt vmcnt(0)\n"
         "v_mov_b32_e32 v3, v2",
         "v_mov_b32_e32 v8, s4\nv_mov_b32_e32 v9, s5\nflat_load_dword v2, v[8:9]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
         "v_mov_b32_e32 v3, v2"),
    Case("matrix_result", "hazard", f"s_nop 1\n{MFMA}\ns_nop 5\nv_mov_b32_e32 v2, v8",
         f"s_nop 1\n{MFMA}\ns_nop 7\nv_mov_b32_e32 v2, v8"),
    Case("matrix_operand", "hazard", f"v_mov_b32_e32 v4, 0\ns_nop 0\n{MFMA}",
         f"v_mov_b32_e32 v4, 0\ns_nop 1\n{MFMA}"),
    Case("matrix_overwrite", "hazard", f"s_nop 1\n{MFMA}\ns_nop 5\nv_mov_b32_e32 v9, 0",
         f"s_nop 1\n{MFMA}\ns_nop 7\nv_mov_b32_e32 v9, 0"),
    Case("matrix_accumulator", "hazard",
         "s_nop 1\nv_mfma_f32_16x16x32_fp8_fp8 v[12:15], v[4:5], v[6:7], v[4:7]\ns_nop 1\nv_mov_b32_e32 v7, 0",
         "s_nop 1\nv_mfma_f32_16x16x32_fp8_fp8 v[12:15], v[4:5], v[6:7], v[4:7]\ns_nop 2\nv_mov_b32_e32 v7, 0"),
    Case("lane_select", "hazard", "v_readfirstlane_b32 s8, v2\ns_nop 2\nv_readlane_b32 s9, v3, s8",
         "v_readfirstlane_b32 s8, v2\ns_nop 3\nv_readlane_b32 s9, v3, s8"),
    Case("scalar_address", "hazard",
         "s_mov_b64 s[8:9], 0\ns_mov_b64 s[10:11], 0\nv_readfirstlane_b32 s8, v2\ns_nop 3\n"
         "buffer_load_dword v8, v1, s[8:11], 0 offen",
         "s_mov_b64 s[8:9], 0\ns_mov_b64 s[10:11], 0\nv_readfirstlane_b32 s8, v2\ns_nop 4\n"
         "buffer_load_dword v8, v1, s[8:11], 0 offen"),
    Case("dpp", "hazard", "v_mov_b32_e32 v2, v0\nv_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
         "v_mov_b32_e32 v2, v0\ns_nop 1\nv_mov_b32_dpp v3, v2 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"),
    Case("transcendental", "hazard", "v_rcp_f32_e32 v2, v3\nv_mov_b32 v4, v2",
         "v_rcp_f32_e32 v2, v3\ns_nop 0\nv_mov_b32 v4, v2"),
    Case("condition", "hazard", "v_cmp_eq_u32_e32 vcc, 0, v2\nv_cndmask_b32_e32 v3, v4, v5, vcc",
         "v_cmp_eq_u32_e32 vcc, 0, v2\ns_nop 1\nv_cndmask_b32_e32 v3, v4, v5, vcc"),
    Case("wide_store", "hazard", "global_store_dwordx4 v2, v[4:7], s[4:5]\nv_mov_b32_e32 v6, 0",
         "global_store_dwordx4 v2, v[4:7], s[4:5]\ns_nop 1\nv_mov_b32_e32 v6, 0"),
    Case("behind_the_end", "out of bounds", "global_store_dword v1, v0, s[4:5] offset:1024",
         "global_store_dword v1, v0, s[4:5] offset:512"),
    Case("before_the_start", "out of bounds", "global_load_dword v2, v1, s[4:5] offset:-4",
         "global_load_dword v2, v1, s[4:5]"),
    Case("lds_overrun", "out of bounds", "ds_write_b32 v1, v0 offset:516", "ds_write_b32 v1, v0 offset:512"),
    Case("registers", "limit", "v_mov_b32_e32 v32, 0", "v_mov_b32_e32 v31, 0"),
    Case("different_barriers", "barrier divergence",
         "s_cmp_eq_u32 s6, 0\ns_cbranch_scc1 .Lelse_{name}\ns_barrier\ns_branch .Ljoin_{name}\n.Lelse_{name}:\n"
         "s_barrier\n.Ljoin_{name}:",
         "s_cmp_eq_u32 s6, 0\ns_cbranch_scc1 .Lelse_{name}\ns_nop 0\n.Lelse_{name}:\ns_barrier"),
    Case("ended_early", "barrier divergence",
         "s_cmp_eq_u32 s6, 0\ns_cbranch_scc1 .Lwait_{name}\ns_endpgm\n.Lwait_{name}:\ns_barrier",
         "s_cmp_eq_u32 s6, 0\ns_cbranch_scc1 .Lwait_{name}\ns_nop 0\n.Lwait_{name}:\ns_barrier"),
    Case("lds_race", "race", f"{LDS_WRITE}\n{OTHER}\ns_waitcnt lgkmcnt(0)\nds_read_b32 v2, v8",
         f"{LDS_WRITE}\n{OTHER}\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v2, v8"),
    Case("write_under_way_at_a_barrier", "race", f"{LDS_WRITE}\n{OTHER}\ns_barrier\nds_read_b32 v2, v8",
         f"{LDS_WRITE}\n{OTHER}\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v2, v8"),
    Case("memory_race", "race",
         f"global_store_dword v1, v0, s[4:5]\n{OTHER}\ns_barrier\nglobal_load_dword v2, v8, s[4:5]",
         f"global_store_dword v1, v0, s[4:5]\n{OTHER}\ns_waitcnt vmcnt(0)\ns_barrier\n"
         "global_load_dword v2, v8, s[4:5]"),
    Case("direct_to_lds", "race",
         "s_lshl_b32 s8, s6, 8\ns_mov_b32 m0, s8\ns_nop 0\nglobal_load_lds_dword v1, s[4:5]\n"
         f"{OTHER}\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v2, v8",
         "s_lshl_b32 s8, s6, 8\ns_mov_b32 m0, s8\ns_nop 0\nglobal_load_lds_dword v1, s[4:5]\n"
         f"{OTHER}\ns_waitcnt vmcnt(0)\ns_barrier\nds_read_b32 v2, v8"),
    Case("atomic_and_read", "race",
         "v_mov_b32 v2, s6\nv_mov_b32 v3, 0\nds_add_u32 v3, v2\nds_read_b32 v4, v3",
         "v_mov_b32 v2, s6\nv_mov_b32 v3, 0\nds_add_u32 v3, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v4, v3"),
    Case("deadlock", "deadlock",
         ".Lspin_{name}:\ns_cmp_eq_u32 s6, 0\ns_cbranch_scc1 .Lspin_{name}\ns_barrier",
         "s_cmp_eq_u32 s6, 2\ns_cbranch_scc1 .Lspin_{name}\ns_nop 0\n.Lspin_{name}:\ns_barrier"),
    Case("unwritten_register", "uninitialized", "v_add_u32 v2, v20, v0",
         "v_mov_b32 v20, 0\nv_add_u32 v2, v20, v0"),
    Case("unwritten_scalar", "uninitialized", "s_add_u32 s8, s20, 1", "s_mov_b32 s20, 0\ns_add_u32 s8, s20, 1"),
    Case("unwritten_lds", "uninitialized", "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_add_u32_e32 v3, v2, v2",
         f"{LDS_WRITE}\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_add_u32_e32 v3, v2, v2"),
    Case("unwritten_lanes", "uninitialized",
         "s_mov_b64 s[8:9], exec\ns_mov_b64 exec, 1\nv_mov_b32 v20, 0\ns_mov_b64 exec, s[8:9]\n"
         "v_add_u32 v2, v20, v0",
         "s_mov_b64 s[8:9], exec\nv_mov_b32 v20, 0\ns_mov_b64 exec, 1\ns_mov_b64 exec, s[8:9]\n"
         "v_add_u32 v2, v20, v0"),
]


def program(arch: str) -> str:
    """Assembly of two kernels for each case."""
    bodies = {}
    for case in CASES:
        if arch in case.targets:
            for twin in ("wrong", "right"):
                name = f"{case.name}_{twin}"
                bodies[name] = getattr(case, twin).replace("{name}", name)
    kernels = "".join(HEAD.format(name=name, body=body) for name, body in bodies.items())
    metadata = "".join(METADATA.format(name=name) for name in bodies)
    return (f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.amdhsa_code_object_version 5\n.text\n{kernels}\n'
            f".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n{metadata}...\n.end_amdgpu_metadata\n")


def assemble(source: pathlib.Path, arch: str) -> pathlib.Path:
    """A code object, with line tables of the assembly."""
    target = ["-triple", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj", "-g"]
    device.run([str(device.LLVM / "llvm-mc"), *target, str(source), "-o", f"{source}.o"])
    built = source.with_suffix(".hsaco")
    device.run([str(device.LLVM / "ld.lld"), "-shared", f"{source}.o", "-o", str(built)])
    return built
