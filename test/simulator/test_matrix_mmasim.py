"""Matrix instructions of gfx942 bit for bit against MMA-Sim, whose authors validated it on the chip."""

import re
import shutil
import subprocess
import zlib

import numpy as np
import pytest
import torch

from octavo import _octavo

sim = _octavo.simulator

BITS = {"fp8": 8, "bf8": 8, "f16": 16, "bf16": 16, "xf32": 32, "f32": 32}
DTYPES = {
    "fp8": torch.float8_e4m3fnuz,
    "bf8": torch.float8_e5m2fnuz,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "xf32": torch.float32,
    "f32": torch.float32,
}
INSTRUCTIONS = [
    *(f"f32_{shape}_{a}_{b}" for shape in ("16x16x32", "32x32x16") for a in ("fp8", "bf8") for b in ("fp8", "bf8")),
    *(f"f32_{shape}_{t}" for shape in ("16x16x16", "32x32x8") for t in ("f16", "bf16")),
    *(f"f32_{shape}_{t}" for shape in ("32x32x4_2b", "16x16x4_4b", "4x4x4_16b") for t in ("f16", "bf16")),
    "f32_16x16x8_xf32",
    "f32_32x32x4_xf32",
    "f32_16x16x4_f32",
    "f32_32x32x2_f32",
    "f32_4x4x1_16b_f32",
]


def codes_to_tensor(codes: np.ndarray, kind: str) -> torch.Tensor:
    """Element codes as a torch tensor of the element's type."""
    width = {8: np.uint8, 16: np.int16, 32: np.int32}[BITS[kind]]
    return torch.from_numpy(codes.astype(np.uint32).view(np.int32).astype(width)).view(DTYPES[kind])


def tensor_to_codes(values: torch.Tensor, kind: str) -> np.ndarray:
    width = {8: torch.uint8, 16: torch.int16, 32: torch.int32}[BITS[kind]]
    return values.to(DTYPES[kind]).view(width).numpy().astype(np.int64) & ((1 << BITS[kind]) - 1)


def pack(codes: np.ndarray, kind: str) -> np.ndarray:
    """Registers of an operand from its codes [block, row, k]: CDNA3 manual, 7.1.4."""
    blocks, rows, k_elements = codes.shape
    per_lane = k_elements * rows * blocks // 64
    bits = BITS[kind]
    registers = np.zeros((max(1, per_lane * bits // 32), 64), np.uint32)
    for block, row, k in np.ndindex(codes.shape):
        lane = row + rows * (block + blocks * (k // per_lane))
        at = (k % per_lane) * bits
        registers[at // 32, lane] |= np.uint32(int(codes[block, row, k]) << (at % 32))
    return registers


def result_places(size: int, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """(register, lane) of D[block, i, j]."""
    block, i, j = np.meshgrid(np.arange(blocks), np.arange(size), np.arange(size), indexing="ij")
    if size == 4:
        return i, j + 4 * block
    lanes_down = 64 // size
    register = i % 4 + 4 * (i // (4 * lanes_down)) + size * size // 64 * block
    return register, j + size * (i // 4 % lanes_down)


def random_values(rng: np.random.Generator, shape: tuple[int, ...], kind: str, data: str) -> np.ndarray:
    """Codes of one operand."""
    if data == "codes":
        codes = np.where(rng.random(shape) < 0.25, 0, rng.integers(0, 1 << BITS[kind], shape))
    else:
        spread = 14 if data == "wide" else 0
        scale = np.exp2(rng.integers(-spread, spread + 1, shape).astype(np.float32))
        values = (rng.normal(0, 4, shape) * scale).astype(np.float32)
        codes = tensor_to_codes(torch.from_numpy(values), kind)
    decoded = codes_to_tensor(codes, kind).float().numpy()
    return np.where(np.isfinite(decoded) & (np.abs(decoded) < 2.0**60), codes, 1)


@pytest.mark.parametrize("data", ["usual", "wide", "codes"])
@pytest.mark.parametrize("suffix", INSTRUCTIONS)
def test_gfx942_agrees_with_mmasim(suffix: str, data: str) -> None:
    amd = pytest.importorskip("mmasim.amd")
    match = re.fullmatch(r"f32_(\d+)x\d+x(\d+)_(?:(\d+)b_)?(.*)", suffix)
    assert match
    size, k_elements, blocks = int(match[1]), int(match[2]), int(match[3] or 1)
    kinds = match[4].split("_")
    kind_a, kind_b = kinds[0], kinds[-1]
    rng = np.random.default_rng(zlib.crc32(f"{suffix} {data}".encode()))
    oracle = amd.MFMA("CDNA3", suffix)
    for _ in range(4):
        a = random_values(rng, (blocks, size, k_elements), kind_a, data)
        b = random_values(rng, (blocks, size, k_elements), kind_b, data)
        c = (rng.normal(0, 1, (blocks, size, size)) * np.exp2(rng.integers(-30, 12, (blocks, size, size)))).astype(
            np.float32
        )
        want = np.stack(
            [
                oracle(codes_to_tensor(a[n], kind_a), codes_to_tensor(b[n], kind_b).t(), torch.from_numpy(c[n])).numpy()
                for n in range(blocks)
            ]
        )
        register, lane = result_places(size, blocks)
        c_registers = np.zeros((size * size * blocks // 64, 64), np.uint32)
        c_registers[register, lane] = c.view(np.uint32)
        d = sim.sim_matrix(f"v_mfma_{suffix}", "gfx942", pack(a, kind_a), pack(b, kind_b), c_registers)
        np.testing.assert_array_equal(d[register, lane], want.view(np.uint32))


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_mnemonics_are_those_that_llvm_prints(arch: str) -> None:
    tool = shutil.which("llvm-mc-22") or "/usr/lib/llvm-22/bin/llvm-mc"

    def span(base: int, count: int) -> str:
        return f"v{base}" if count == 1 else f"v[{base}:{base + count - 1}]"

    lines, names = [], []
    for row in sim.sim_matrix_instructions(arch):
        a, b, c = row["registers"]
        line = f"{row['mnemonic']} {span(0, c)}, {span(64, a)}, {span(80, b)}, "
        line += "v100" if row["sparse"] else span(0, c)
        lines.append(line + (", v100, v101" if row["scaled"] else ""))
        names.append(row["mnemonic"])
    target = [tool, "-triple=amdgcn-amd-amdhsa", f"-mcpu={arch}"]
    shown = subprocess.run([*target, "--show-encoding"], input="\n".join(lines), capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    codes = re.findall(r"encoding: \[(.*?)\]", shown.stdout)
    back = subprocess.run(
        [*target, "--disassemble"], input="\n".join(codes).replace(",", " "), capture_output=True, text=True
    )
    printed = [line.split()[0] for line in back.stdout.splitlines() if line.strip().startswith("v_")]
    assert printed == names
