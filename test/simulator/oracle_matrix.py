"""Every matrix instruction executed by a kernel, with small integers, on which all models of arithmetic agree.

Operand maps are those of the CDNA manuals (matrix instructions, element layouts); the product is a sum in Python.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import assembly
import device
import ml_dtypes
import numpy as np

KERNEL = """
.globl {name}
.p2align 8
.type {name},@function
{name}:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_lshlrev_b32_e32 v127, 8, v0
  s_waitcnt lgkmcnt(0)
{loads}
  s_waitcnt vmcnt(0)
  s_nop 7
  {line}
  s_nop 15
  s_nop 15
{stores}
  s_endpgm
.Lend_{name}:
.size {name}, .Lend_{name}-{name}
.rodata
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_next_free_vgpr 128
  .amdhsa_next_free_sgpr 96
  .amdhsa_accum_offset 128
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
.end_amdhsa_kernel
.text
"""
LOADS = "\n".join(f"  global_load_dwordx4 v[{r}:{r + 3}], v127, s[4:5] offset:{4 * r}" for r in range(0, 64, 4))
STORES = "\n".join(f"  global_store_dwordx4 v127, v[{64 + r}:{67 + r}], s[6:7] offset:{4 * r}" for r in range(0, 32, 4))
FNUZ = {"fp8": ml_dtypes.float8_e4m3fnuz, "bf8": ml_dtypes.float8_e5m2fnuz}
OCP = {"fp8": ml_dtypes.float8_e4m3fn, "bf8": ml_dtypes.float8_e5m2}
SMALL = {0: (ml_dtypes.float8_e4m3fn, 8), 1: (ml_dtypes.float8_e5m2, 8), 2: (ml_dtypes.float6_e2m3fn, 6),
         3: (ml_dtypes.float6_e3m2fn, 6), 4: (ml_dtypes.float4_e2m1fn, 4)}
WIDE = {"f32": (np.float32, 32), "xf32": (np.float32, 32), "f16": (np.float16, 16), "bf16": (ml_dtypes.bfloat16, 16),
        "i8": (np.int8, 8), "f64": (np.float64, 64)}


@dataclass(frozen=True)
class Matrix:
    """A matrix instruction: D[m, n] = C[m, n] + sum over k of A[m, k] B[k, n], in each block."""

    name: str
    m: int
    n: int
    k: int
    blocks: int
    out: str
    kinds: tuple[str, str]
    sparse: bool = False
    scaled: bool = False
    formats: tuple[int, int] = (0, 0)  # cbsz and blgp of f8f6f4

    def kind(self, operand: int, arch: str) -> tuple[type, int]:
        """Element type and bits."""
        name = self.kinds[operand]
        if name == "f8f6f4":
            return SMALL[self.formats[operand]]
        if name in WIDE:
            return WIDE[name]
        return (FNUZ if arch == "gfx942" else OCP)[name], 8


def parse(name: str) -> Matrix | None:
    """The shape that a mnemonic says."""
    found = re.fullmatch(r"v_(smfmac|mfma)(_scale)?_(\w\d+)_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?_(\w+)", name)
    if not found:
        return None
    kinds = tuple(found[8].split("_")) if found[8].count("_") else (found[8], found[8])
    m, n, k = (int(found[i]) for i in (4, 5, 6))
    return Matrix(name, m, n, k, int(found[7] or 1), found[3], kinds, found[1] == "smfmac",  # type: ignore[arg-type]
                  bool(found[2]))


def codes(values: np.ndarray, kind: type, bits: int) -> np.ndarray:
    """Integers as element codes."""
    stored = values.astype(kind).view(f"u{max(bits, 8) // 8}").astype(np.uint64)
    return stored & np.uint64((1 << bits) - 1)


def packed(values: np.ndarray, kind: type, bits: int, halves: bool = False) -> np.ndarray:
    """Registers of an operand [block, row, k]: a lane holds neighbours in k of one row.

    8-bit operands of f8f6f4 come in two halves of K (CDNA4 manual): 16 neighbours of each.
    """
    blocks, rows, depth = values.shape
    each = depth * rows * blocks // 64
    result = np.zeros((max(1, each * bits // 32), 64), np.uint64)
    for (block, row, k), code in np.ndenumerate(codes(values, kind, bits)):
        lane, at = row + rows * (block + blocks * (k // each)), k % each * bits
        if halves and bits == 8:
            inside_half = k % (depth // 2)
            lane, at = row + rows * (inside_half // 16), (16 * (k // (depth // 2)) + k % 16) * bits
        for shift in range(0, bits, 32) if bits == 64 else [0]:
            word, inside = (at + shift) // 32, at % 32
            part = int(code) >> shift << inside
            result[word, lane] |= np.uint64(part & 0xFFFFFFFF)
            if part >> 32 and bits < 32:
                result[word + 1, lane] |= np.uint64(part >> 32)
    return result.astype(np.uint32)


def place(matrix: Matrix, block: int, row: int, column: int) -> tuple[int, int]:
    """Register and lane of an element of C and D; registers of f64 are pairs."""
    if matrix.m == 4:
        if matrix.out == "f64":
            return 0, column + 4 * row + 16 * block
        return row, column + 4 * block
    if matrix.out == "f64":
        return row // 4, column + 16 * (row % 4)
    if matrix.m == 16:
        return 4 * block + row % 4, column + 16 * (row // 4)
    return 16 * block + row // 8 * 4 + row % 4, column + 32 * (row // 4 % 2)


def registers(first: int, count: int) -> str:
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


@dataclass
class Problem:
    """One execution: the line, the 64 input registers, the wanted results as numbers."""

    matrix: Matrix
    line: str
    inputs: np.ndarray
    wanted: np.ndarray

    def difference(self, out: np.ndarray) -> str:
        """What is wrong with the 32 output registers, or nothing."""
        m = self.matrix
        kind = {"f32": np.float32, "i32": np.int32, "f64": np.float64}[m.out]
        for (block, row, column), want in np.ndenumerate(self.wanted):
            register, lane = place(m, block, row, column)
            words = out[[register]] if m.out != "f64" else out[[2 * register, 2 * register + 1]]
            got = np.ascontiguousarray(words[:, lane]).view(kind)[0]
            if got != want:
                return f"{self.line!r} block {block} row {row} column {column}: {got}, not {want}"
        return ""


def make(matrix: Matrix, arch: str, draw: np.random.Generator) -> Problem:
    """Random small integers."""
    m = matrix
    depth = m.k // 2 if m.sparse else m.k
    a = draw.integers(-2, 3, (m.blocks, m.m, depth))
    b = draw.integers(-2, 3, (m.blocks, m.n, m.k))
    c = draw.integers(-8, 9, (m.blocks, m.m, m.n))
    regs = [packed(x, *m.kind(i, arch), m.kinds[0] == "f8f6f4") for i, x in enumerate((a, b))]
    inputs = draw.integers(0, 1 << 32, (64, 64), dtype=np.uint64).astype(np.uint32)
    inputs[: len(regs[0])], inputs[8 : 8 + len(regs[1])] = regs
    doubles = 2 if m.out == "f64" else 1
    size = m.m * m.n * m.blocks // 64 * doubles
    kind = {"f32": np.float32, "i32": np.int32, "f64": np.float64}[m.out]
    for (block, row, column), value in np.ndenumerate(c):
        register, lane = place(m, block, row, column)
        words = np.array([value]).astype(kind).view(np.uint32)
        inputs[16 + doubles * register : 16 + doubles * (register + 1), lane] = words
    scale_a, scale_b = np.ones((m.m, m.k)), np.ones((m.n, m.k))
    tail = ""
    if m.scaled:
        for register, scale, rows in ((48, scale_a, m.m), (49, scale_b, m.n)):
            exponents = draw.integers(-1, 3, (rows, m.k // 32))
            for (row, part), exponent in np.ndenumerate(exponents):
                inputs[register, row + rows * part] = 0x55667700 | (127 + int(exponent))
                scale[row, 32 * part : 32 * part + 32] = 2.0**exponent
        tail = ", v48, v49 op_sel_hi:[0,0,0]"
    if m.sparse:
        a, inputs[48] = dense(m, a, draw)
        operands = f"{registers(16, size)}, {registers(0, len(regs[0]))}, {registers(8, len(regs[1]))}, v48"
        copies = "\n  ".join(f"v_mov_b32_e32 v{64 + i}, v{16 + i}" for i in range(size))
        line = f"{m.name} {operands}\n  s_nop 15\n  s_nop 15\n  {copies}"
    else:
        operands = f"{registers(64, size)}, {registers(0, len(regs[0]))}, {registers(8, len(regs[1]))}"
        formats = f" cbsz:{m.formats[0]} blgp:{m.formats[1]}" if m.kinds[0] == "f8f6f4" else ""
        line = f"{m.name} {operands}, {registers(16, size)}{tail}{formats}"
    wanted = c + np.einsum("bmk,bnk->bmn", a * scale_a, b * scale_b)
    return Problem(m, line, inputs, wanted)


def dense(m: Matrix, a: np.ndarray, draw: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A with its zeros, and the register of indices: two of each four neighbours in k are stored."""
    each = m.k // 2 * m.m // 64
    whole = np.zeros((1, m.m, m.k), a.dtype)
    indices = np.zeros(64, np.uint32)
    for lane in range(64):
        row, part = lane % m.m, lane // m.m
        for group in range(each // 2):
            chosen = sorted(draw.choice(4, 2, replace=False))
            for i, index in enumerate(chosen):
                element = 2 * group + i
                indices[lane] |= np.uint32(int(index) << 2 * element)
                whole[0, row, 2 * each * part + 4 * group + int(index)] = a[0, row, each * part + element]
    return whole, indices


def accepted(arch: str, lines: list[str]) -> list[bool]:
    """Which lines the assembler takes."""
    text = f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n' + "\n".join(line.split("\n")[0] for line in lines) + "\n"
    command = [str(device.LLVM / "llvm-mc"), "-triple", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=null", "-"]
    errors = subprocess.run(command, input=text, capture_output=True, text=True).stderr
    bad = {int(number) - 2 for number in re.findall(r"^<stdin>:(\d+):\d+: error", errors, re.MULTILINE)}
    return [i not in bad for i in range(len(lines))]


def check(arch: str, names: list[str]) -> tuple[list[str], set[str]]:
    """What differs, and the instructions executed."""
    draw = np.random.default_rng(1)
    wanted = []
    for name in names:
        matrix = parse(name)
        if matrix and matrix.kinds[0] == "f8f6f4":
            for pair in [(i, j) for i in range(5) for j in range(5)]:
                wanted.append(Matrix(**{**matrix.__dict__, "formats": pair}))
        elif matrix:
            wanted.append(matrix)
    problems = [make(matrix, arch, draw) for matrix in wanted]
    problems = [p for p, good in zip(problems, accepted(arch, [p.line for p in problems]), strict=True) if good]
    kernels = "".join(KERNEL.format(name=f"m{i}", line=p.line, loads=LOADS, stores=STORES)
                      for i, p in enumerate(problems))
    metadata = "".join(assembly.METADATA.format(name=f"m{i}", lds=0) for i in range(len(problems)))
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "m.s"
        source.write_text(f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n.amdhsa_code_object_version 5\n.text\n'
                          f"{kernels}\n.amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.kernels:\n"
                          f"{metadata}...\n.end_amdgpu_metadata\n")
        target = ["-triple", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj"]
        device.run([str(device.LLVM / "llvm-mc"), *target, str(source), "-o", f"{source}.o"])
        device.run([str(device.LLVM / "ld.lld"), "-shared", f"{source}.o", "-o", f"{source}.hsaco"])
        module = device.Module(pathlib.Path(f"{source}.hsaco"))
        for i, problem in enumerate(problems):
            out = np.zeros((64, 64), np.uint32)
            module.launch(f"m{i}", [np.ascontiguousarray(problem.inputs.T), out, out, out], 64, 64)
            found = problem.difference(np.ascontiguousarray(out.T))
            differences += [f"{arch} {found}"] if found else []
    return differences, {p.matrix.name for p in problems}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="gfx950")
    options = parser.parse_args()
    os.environ["OCTAVO_TARGET"] = options.arch
    tool = [str(device.BUILD / "bin/octavo-sim"), "isa"]
    listed = subprocess.run(tool, capture_output=True, text=True, check=True)
    differences, executed = check(options.arch, listed.stdout.split())
    told = f"{len(executed)} matrix instructions on {options.arch}: {len(differences)} differ"
    print("\n".join([*differences, told]))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
