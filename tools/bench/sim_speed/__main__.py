"""How fast the simulator executes: wave instructions a second of one core, and what timing, loading and threads cost.

Rates are of the processor time of launches, so that a busy machine changes them less; the best of some runs counts.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from octavo import _paths, simulator

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[2]
TARGET = ROOT / "docs/bench/sim-speed.md"
CLANG = os.environ.get("OCTAVO_LLVM_PREFIX", "/usr/lib/llvm-22") + "/bin/clang"


@dataclass(frozen=True)
class Figure:
    """One line of the table; `goal` is a least value, or a greatest if `is_cost`."""

    name: str
    value: float
    unit: str
    goal: float | None
    is_cost: bool = False

    @property
    def is_met(self) -> bool | None:
        """None without a goal."""
        if self.goal is None:
            return None
        return self.value <= self.goal if self.is_cost else self.value >= self.goal


def has_avx512() -> bool:
    """The handlers for AVX-512 run on this machine."""
    return "avx512vbmi" in pathlib.Path("/proc/cpuinfo").read_text()


keep: list[tempfile.TemporaryDirectory[str]] = []


@functools.cache
def scratch() -> pathlib.Path:
    """A folder that lives as long as the process."""
    folder = tempfile.TemporaryDirectory()
    keep.append(folder)
    return pathlib.Path(folder.name)



@functools.cache
def build(name: str, target: str) -> pathlib.Path:
    """The code object of kernels/NAME.c at -O3."""
    output = scratch() / f"{name}-{target}.hsaco"
    command = [CLANG, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-O3", "-nogpulib", "-ffreestanding"]
    command += [f"-I{ROOT / 'test/unit/Simulator/kernels'}", str(FOLDER / "kernels" / f"{name}.c"), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


@dataclass(frozen=True)
class Launch:
    """A kernel of kernels/NAME.c; `{n}` in an argument is what grows, the grid or a number of turns."""

    file: str
    target: str
    kernel: str
    size: int
    block: int
    arguments: tuple[str, ...]
    grows: str = "grid"
    lds: int = 0

    def command(self, what: str, n: int) -> list[str]:
        """octavo-sim's command line."""
        out = [str(_paths.tool("octavo-sim")), what, str(build(self.file, self.target)), "--kernel", self.kernel]
        out += ["--grid", str(n if self.grows == "grid" else 1), "--block", str(self.block), "--lds", str(self.lds)]
        for argument in self.arguments:
            out += ["--arg", argument.replace("{n}", str(n))]
        return out

    def report(self, what: str, n: int, **environment: str) -> dict[str, Any]:
        """One run on one thread, as JSON."""
        output = scratch() / "report.json"
        command = [*self.command(what, n), "--json", str(output)]
        environment = {**os.environ, "OCTAVO_SIM_THREADS": "1", **environment}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        return json.loads(output.read_text())

    def rate(self, repeats: int = 5, **environment: str) -> float:
        """Millions of wave instructions a second, the best of some runs."""
        reports = [self.report("run", self.size, **environment) for _ in range(repeats)]
        return max(report["counters"]["wave_instructions"] / report["processor_us"] for report in reports)


@functools.cache
def normal(count: int, dtype: str, seed: int) -> str:
    """A file of normal numbers: f32, or bf16 as its bits."""
    path = scratch() / f"{dtype}-{count}-{seed}.npy"
    values = np.random.default_rng(seed).standard_normal(count, np.float32)
    np.save(path, values if dtype == "f32" else (values.view(np.uint32) >> 16).astype(np.uint16))
    return str(path)


def rows(kernel: str, *extra: str) -> Launch:
    """A row-wise kernel on 4096 columns; arrays have more rows than the grid."""
    arguments = (normal(4096 * 4096, "bf16", 1), *extra, "i32:4096", "i32:0")
    return Launch("plain", "gfx950", kernel, 2816, 256, arguments, lds=64)


@functools.cache
def plain() -> dict[str, Launch]:
    """clang's three."""
    return {
        "norm and quantise, clang -O3": rows(
            "normQuantise", "bf16[4096]:ones", "i8[4096x4096]:zeros", "f32[4096]:zeros"
        ),
        "softmax, clang -O3": rows("softmax", "bf16[4096x4096]:zeros"),
        "AdamW, clang -O3": Launch(
            "plain", "gfx950", "adamw", 32768, 256,
            (normal(1 << 23, "f32", 1), normal(1 << 23, "f32", 2), "f32[8388608]:zeros", "f32[8388608]:ones",
             "f32:0.001", "f32:0.1", "f32:0.9", "f32:0.95", "f32:0.1", "f32:0.05", "i32:8388608")),
    }  # fmt: skip


def matrix(kernel: str, target: str, model: str, turns: int) -> float:
    """Millions of matrix instructions a second, with operands that are ordinary numbers."""
    data = scratch() / "operands.npy"
    if not data.exists():
        # Bytes, halves and bf16 of moderate size alike.
        raw = np.random.default_rng(1).integers(0, 1 << 32, 2048, np.uint32)
        np.save(data, raw & 0xBFBFBFBF | 0x30303030)
    launch = Launch("matrix", target, kernel, turns, 64, (str(data), "i32:{n}"), "turns")
    return launch.rate(OCTAVO_SIM_MFMA=model)


def matrix_figures() -> Iterator[Figure]:
    """Matrix instructions by model."""
    half = 1.0 if has_avx512() else 0.5
    yield Figure("FP8 16x16x32, fma-chain", matrix("fp8", "gfx942", "fma-chain", 8192), "M/s", 2.5 * half)
    fp8 = matrix("fp8", "gfx942", "cdna3", 2048)
    yield Figure("FP8 16x16x32, cdna3", fp8, "M/s", 0.5 * half)
    flops = fp8 * 16384 / 1e3
    yield Figure("FP8 16x16x32, cdna3", flops, "GFLOP/s", None)
    for name, kernel, target, model, work in (
        ("f8f6f4 16x16x128, exact-block", "f8f6f4", "gfx950", "exact-block", 65536),
        ("f16 16x16x16, cdna3", "f16", "gfx942", "cdna3", 8192),
        ("bf16 16x16x16, cdna3", "bf16", "gfx942", "cdna3", 8192),
        ("f16 32x32x8, cdna3", "f16_32", "gfx942", "cdna3", 16384),
        ("bf16 32x32x8, cdna3", "bf16_32", "gfx942", "cdna3", 16384),
    ):
        yield Figure(name, matrix(kernel, target, model, 1024) * work / 1e3, "GFLOP/s", flops)


OURS = '''
import sys, warnings
warnings.simplefilter("ignore")
import torch, octavo
import torch.nn.functional as F
from octavo import simulator
from octavo.frontend.recipe.operators import quantize
torch.manual_seed(0)
which, rows = sys.argv[1], int(sys.argv[2])
x = torch.randn(rows, 4096, dtype=torch.bfloat16)
w = torch.ones(4096, dtype=torch.bfloat16)
if which == "norm":
    function, arguments = (lambda x, w: quantize(F.rms_norm(x, (4096,), w), 1, "e4m3fn", "pow2")), (x, w)
elif which == "softmax":
    function, arguments = (lambda x: torch.softmax(x, -1)), (x,)
else:
    p = torch.nn.Parameter(torch.randn(rows, 4096)); p.grad = torch.randn(rows, 4096)
    optimizer = torch.optim.AdamW([p], lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1, foreach=True, capturable=False)
    optimizer.step()
    function, arguments = (lambda: optimizer.step()), ()
compiled = torch.compile(function, backend="octavo")
simulator.set_timing("off")
with torch.no_grad():
    compiled(*arguments)
    compiled(*arguments)
    best = None
    for _ in range(5):
        simulator.reset()
        compiled(*arguments)
        done = simulator.report()["kernels"]
        rate = sum(k["wave_instructions"] for k in done.values()) / sum(k["processor_us"] for k in done.values())
        best = max(best or 0, rate)
print(best, *done)
'''


def ours(which: str) -> float:
    """Millions of wave instructions a second of Octavo's kernels."""
    command = [sys.executable, "-c", OURS, which, "2048"]
    environment = {**os.environ, "OCTAVO_SIM_THREADS": "1", "OCTAVO_TARGET": "gfx950"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return float(done.stdout.split()[0])


def timing_cost(launch: Launch) -> float:
    """Processor time of a launch whose samples are traced over that without; the replay afterwards is not in it."""
    times = [min(launch.report(what, launch.size)["processor_us"] for _ in range(3)) for what in ("run", "profile")]
    return times[1] / times[0]


def load_milliseconds() -> tuple[float, float]:
    """Loading a kernel of 5,000 instructions into a process that has loaded another, and once more."""
    lines = ["v_fma_f32 v1, v2, v3, v4", "s_add_u32 s4, s5, s6", "ds_read_b128 v[4:7], v1 offset:64",
             "global_load_dwordx4 v[8:11], v[2:3], off", "v_mfma_f32_16x16x32_fp8_fp8 v[4:7], v[8:9], v[10:11], v[4:7]",
             "v_pk_mul_f32 v[2:3], v[4:5], v[6:7]", "s_waitcnt vmcnt(3) lgkmcnt(1)", "v_cvt_pk_fp8_f32 v1, v2, v3",
             "v_add_u32_dpp v1, v2, v3 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", "v_exp_f32 v1, v2"]  # fmt: skip

    def kernel(count: int, start: int) -> bytes:
        body = "\n".join(lines[(start + i * 7 + i // 9) % len(lines)] for i in range(count))
        source = scratch() / f"load{count}.s"
        source.write_text(f""".amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl k
.p2align 8
.type k,@function
k:
{body}
s_endpgm
.size k, .-k
.rodata
.p2align 6
.amdhsa_kernel k
.amdhsa_next_free_vgpr 64
.amdhsa_next_free_sgpr 32
.amdhsa_accum_offset 64
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - {{.name: k, .symbol: k.kd, .kernarg_segment_size: 0, .group_segment_fixed_size: 0, .private_segment_fixed_size: 0,
     .kernarg_segment_align: 4, .wavefront_size: 64, .sgpr_count: 32, .vgpr_count: 64,
     .max_flat_workgroup_size: 256, .args: []}}
...
.end_amdgpu_metadata
""")
        output = source.with_suffix(".hsaco")
        subprocess.run(
            [CLANG, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx950", str(source), "-o", str(output)], check=True
        )
        return output.read_bytes()

    import ctypes

    library = simulator.library()

    def load(code: bytes) -> float:
        module = ctypes.c_void_p()
        start = time.process_time()
        simulator.check(library.hipModuleLoadData(ctypes.byref(module), code), "hipModuleLoadData")
        return (time.process_time() - start) * 1e3

    load(kernel(10, 0))
    first, second = [], []
    for start in range(3):
        code = kernel(5000, start)
        first.append(load(code))
        second.append(load(code))
    return min(first), min(second)


def scaling() -> float:
    """How much faster a launch is with two threads, in elapsed time."""
    launch = plain()["softmax, clang -O3"]
    times = []
    for threads in ("1", "2"):
        best = []
        for _ in range(3):
            done = subprocess.run(
                launch.command("run", launch.size), check=True, capture_output=True, text=True,
                env={**os.environ, "OCTAVO_SIM_THREADS": threads},
            )  # fmt: skip
            best.append(float(done.stdout.split(" wave instructions in ")[1].split()[0]))
        times.append(min(best))
    return times[0] / times[1]


def figures() -> Iterator[Figure]:
    """All lines of the table, each when it is known."""
    goal = 40.0 if has_avx512() else 20.0
    for name, which in (("norm and quantise", "norm"), ("softmax", "softmax"), ("AdamW", "adamw")):
        yield Figure(f"{name}, Octavo", ours(which), "M/s", goal)
    for name, launch in plain().items():
        yield Figure(name, launch.rate(), "M/s", goal)
    yield from matrix_figures()
    for name, launch in plain().items():
        yield Figure(f"cost of tracing for timing: {name}", timing_cost(launch), "times", 5, is_cost=True)
    first, second = load_milliseconds()
    yield Figure("loading 5,000 instructions", first, "ms", 40, is_cost=True)
    yield Figure("loading them again", second, "ms", None)
    yield Figure("two threads over one", scaling(), "times", None)


def table(results: Sequence[Figure]) -> str:
    """The figures as a table."""
    lines = ["| what | value | unit | goal | |", "|---|---|---|---|---|"]
    for figure in results:
        goal = "" if figure.goal is None else f"{'at most' if figure.is_cost else 'at least'} {figure.goal:.3g}"
        verdict = {None: "", True: "met", False: "**missed**"}[figure.is_met]
        lines.append(f"| {figure.name} | {figure.value:.3g} | {figure.unit} | {goal} | {verdict} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools/dev bench sim-speed", description=__doc__)
    parser.add_argument("--write-docs", action="store_true", help=f"write {TARGET.relative_to(ROOT)}")
    options = parser.parse_args()
    results = []
    for figure in figures():
        results.append(figure)
        print(f"{figure.name}: {figure.value:.3g} {figure.unit}", flush=True)
    isa = "AVX-512" if has_avx512() else "AVX2"
    text = f"""# How fast the simulator is

Made by `tools/dev bench sim-speed --write-docs` with {isa} ({platform.machine()}, {os.cpu_count()} threads, a load of
{os.getloadavg()[0]:.0f} by others, which slows what shares caches and cores).
Rates are millions of wave instructions (of matrix instructions, where they are named) a second of processor time on one
core, without timing and checks, on gfx950 unless the model's name says otherwise. The cost of timing is that of
tracing; the replay comes on top, with at most 3 million wave instructions for each distinct launch.

{table(results)}"""
    if options.write_docs:
        TARGET.write_text(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
