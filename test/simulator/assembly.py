"""Kernels of one instruction, written in assembly: every lane loads its registers, the instruction runs under a mask,
and the registers are stored.

Registers before the instruction: v0..v7 and v8..v15 are inputs (v8.. are meant as old values of a result), s16..s31 are
inputs too, VCC = s[28:29], EXEC = s[30:31], M0 = s27. LDS holds 4096 words of input.
"""

from __future__ import annotations

import pathlib
from dataclasses import dataclass, field

import device
import numpy as np

VECTORS = 16
SCALARS = 16
LDS_WORDS = 4096

KERNEL = """
.globl {name}
.p2align 8
.type {name},@function
{name}:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx4 s[8:11], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_load_dwordx16 s[16:31], s[6:7], 0x0
  v_lshlrev_b32_e32 v31, 6, v0
  v_mov_b32_e32 v30, v0
  v_lshlrev_b32_e32 v29, 2, v0
  s_mov_b32 s12, 64
.Lfill_{name}:
  global_load_dword v28, v29, s[10:11]
  s_waitcnt vmcnt(0)
  ds_write_b32 v29, v28
  v_add_u32_e32 v29, 0x100, v29
  s_add_i32 s12, s12, -1
  s_cmp_lg_u32 s12, 0
  s_cbranch_scc1 .Lfill_{name}
  global_load_dwordx4 v[0:3], v31, s[4:5]
  global_load_dwordx4 v[4:7], v31, s[4:5] offset:16
  global_load_dwordx4 v[8:11], v31, s[4:5] offset:32
  global_load_dwordx4 v[12:15], v31, s[4:5] offset:48
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_mov_b32 m0, s27
  s_mov_b64 vcc, s[28:29]
  s_mov_b64 s[14:15], exec
  s_mov_b64 exec, s[30:31]
  s_nop 4
  {body}
  s_nop 7
  s_cselect_b32 s27, 1, 0
  s_mov_b64 s[30:31], exec
  s_mov_b64 exec, s[14:15]
  s_mov_b64 s[28:29], vcc
  s_nop 7
  s_nop 7
  s_waitcnt vmcnt(0) lgkmcnt(0)
  global_store_dwordx4 v31, v[0:3], s[8:9]
  global_store_dwordx4 v31, v[4:7], s[8:9] offset:16
  global_store_dwordx4 v31, v[8:11], s[8:9] offset:32
  global_store_dwordx4 v31, v[12:15], s[8:9] offset:48
  v_mov_b32_e32 v29, 0x1000
{scalars}
  s_endpgm
.Lend_{name}:
.size {name}, .Lend_{name}-{name}
.rodata
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset 64
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_float_denorm_mode_32 3
.end_amdhsa_kernel
.text
"""

METADATA = """  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 96
    .vgpr_count: 64
    .max_flat_workgroup_size: 64
    .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 24, .size: 8, .value_kind: global_buffer, .address_space: global}}
"""


@dataclass
class State:
    """Registers of a wave: `v[r][lane]`, `s[i]` is s(16+i), LDS words."""

    v: np.ndarray
    s: np.ndarray
    lds: np.ndarray
    scc: int = 0
    exec: int = field(init=False)
    vcc: int = field(init=False)

    def __post_init__(self) -> None:
        self.vcc, self.exec = self.pair(12), self.pair(14)

    def pair(self, i: int) -> int:
        """64 bits of s(16+i) and the next."""
        return int(self.s[i]) | int(self.s[i + 1]) << 32


def program(arch: str, bodies: dict[str, str]) -> str:
    """Assembly of one kernel per body."""
    lds = LDS_WORDS * 4
    store = "  v_mov_b32_e32 v28, s{register}\n  global_store_dword v29, v28, s[8:9] offset:{offset}\n"
    stores = "".join(store.format(register=16 + i, offset=4 * i) for i in range(SCALARS))
    kernels = "".join(KERNEL.format(name=name, body=body, scalars=stores, lds=lds) for name, body in bodies.items())
    metadata = "".join(METADATA.format(name=name, lds=lds) for name in bodies)
    return (f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.amdhsa_code_object_version 5\n.text\n{kernels}\n'
            f".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n{metadata}...\n.end_amdgpu_metadata\n")


def assemble(arch: str, bodies: dict[str, str], folder: pathlib.Path) -> device.Module:
    """Loads a code object with one kernel per body."""
    source = folder / f"{arch}.s"
    source.write_text(program(arch, bodies))
    target = ["-triple", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj"]
    device.run([str(device.LLVM / "llvm-mc"), *target, str(source), "-o", f"{source}.o"])
    device.run([str(device.LLVM / "ld.lld"), "-shared", f"{source}.o", "-o", f"{source}.hsaco"])
    return device.Module(pathlib.Path(f"{source}.hsaco"))


def run(module: device.Module, name: str, before: State) -> State:
    """Registers after the instruction. LDS is not read back."""
    vectors = np.ascontiguousarray(before.v.T)
    out = np.zeros(64 * VECTORS + SCALARS, np.uint32)
    module.launch(name, [vectors, before.s.copy(), out, before.lds.copy()], 64, 64)
    after = State(out[: 64 * VECTORS].reshape(64, VECTORS).T.copy(), out[64 * VECTORS :].copy(), before.lds)
    after.scc = int(after.s[11])
    return after
