"""Metadata that lies, launches of absurd sizes, kernels that never end: errors that say what and where."""

import os
import pathlib
import subprocess

import pytest
from clients import TARGETS
from test_octavo_sim import sim

LLVM = pathlib.Path(os.environ.get("OCTAVO_LLVM_PREFIX", "/usr/lib/llvm-22")) / "bin"
TEXT = """
.amdgcn_target "amdgcn-amd-amdhsa--{arch}"
.amdhsa_code_object_version 5
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
  s_endpgm
.Lend:
.size k, .Lend-k
.rodata
.p2align 6
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 16
  .amdhsa_next_free_sgpr 32
  .amdhsa_accum_offset 16
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: {kernarg}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: {private}
    .wavefront_size: {wave}
    .sgpr_count: {registers}
    .vgpr_count: {registers}
    .max_flat_workgroup_size: {workgroup}
    .args:
      - {{.offset: {offset}, .size: {size}, .value_kind: by_value}}
...
.end_amdgpu_metadata
"""
HONEST = {"kernarg": 8, "lds": 0, "private": 0, "wave": 64, "registers": 16, "workgroup": 256, "offset": 0, "size": 8,
          "body": ""}


def build(folder: pathlib.Path, arch: str, **lies: object) -> pathlib.Path:
    """The code object of a kernel `k` of one 64-bit argument, but for what is said otherwise."""
    source, out = folder / "k.s", folder / "k.hsaco"
    source.write_text(TEXT.format(**{**HONEST, "arch": arch, **lies}))
    target = ["-triple", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj"]
    subprocess.run([LLVM / "llvm-mc", *target, source, "-o", f"{source}.o"], check=True)
    subprocess.run([LLVM / "ld.lld", "-shared", f"{source}.o", "-o", out], check=True)
    return out


RUN = ["--kernel", "k", "--arg", "i64:1"]


def test_an_honest_object_runs(tmp_path: pathlib.Path) -> None:
    assert sim("run", build(tmp_path, "gfx950"), *RUN).returncode == 0


@pytest.mark.parametrize("arch", TARGETS)
@pytest.mark.parametrize(
    ("lies", "says"),
    [
        ({"kernarg": 2**64 - 1}, "kernel k wants 4294967295 bytes of arguments"),
        ({"kernarg": 2**32 + 8}, "bytes of arguments"),
        ({"kernarg": -8}, "bytes of arguments"),
        ({"lds": 2**32 - 256}, "bytes of LDS"),
        ({"lds": 2**64 - 1}, "bytes of LDS"),
        ({"lds": 200000}, "bytes of LDS"),
        ({"private": 2**32 + 16}, "bytes of scratch for a lane"),
        ({"wave": 32}, "waves of 32 lanes"),
        ({"wave": 0}, "waves of 0 lanes"),
        ({"workgroup": 0}, "the kernel allows 0"),
        ({"offset": 2**32 - 4, "size": 8}, "outside its 8 bytes of arguments"),
        ({"offset": 8, "size": 2**32}, "outside its 8 bytes of arguments"),
    ],
)
def test_metadata_that_lies_is_an_error_that_says_so(lies: dict, says: str, arch: str, tmp_path: pathlib.Path) -> None:
    result = sim("run", build(tmp_path, arch, **lies), *RUN, timeout=20)
    assert result.returncode in (1, 2) and says in result.stderr, (result.returncode, result.stderr)


def test_counts_of_registers_that_are_too_large_change_nothing(tmp_path: pathlib.Path) -> None:
    """They are only told: what a wave has stands in the descriptor."""
    assert sim("run", build(tmp_path, "gfx950", registers=2**32 + 5), *RUN).returncode == 0


@pytest.mark.parametrize("size", ["4294967295", "4294967296", "-1", "99999999999999999999"])
@pytest.mark.parametrize("option", ["--grid", "--block", "--lds"])
def test_absurd_sizes_of_a_launch_are_errors(option: str, size: str, tmp_path: pathlib.Path) -> None:
    result = sim("run", build(tmp_path, "gfx950"), *RUN, f"{option}={size}", timeout=20)
    assert result.returncode in (1, 2) and result.stderr, (result.returncode, result.stderr)


def test_a_kernel_that_never_ends_is_told_with_the_place(tmp_path: pathlib.Path) -> None:
    spin = build(tmp_path, "gfx950", body="  s_nop 0\n.Lspin:\n  s_add_i32 s4, s4, 1\n  s_branch .Lspin\n")
    result = sim("run", spin, *RUN, env={**os.environ, "OCTAVO_SIM_LIMIT": "100000"}, timeout=60)
    assert result.returncode == 1, result.stderr
    assert "k: a wave reached the limit of instructions (OCTAVO_SIM_LIMIT)" in result.stderr
    assert "workgroup 0,0,0 wave 0" in result.stderr and ("s_branch" in result.stderr or "s_add_i32" in result.stderr)


def test_an_index_beyond_the_registers_is_an_error(tmp_path: pathlib.Path) -> None:
    body = "  s_movk_i32 s4, 0xff\n  s_set_gpr_idx_on s4, gpr_idx(DST)\n  v_accvgpr_write_b32 a255, 1\n"
    result = sim("run", build(tmp_path, "gfx950", body=body), *RUN, timeout=20)
    assert result.returncode == 1 and "index beyond the last vector register" in result.stderr, result.stderr
