"""The rows of the table: what others measured, and how it is asked of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from measure import CHIPS, cycles_of_a_turn, predict

# Where the figures come from; the fact sheets of the project say more.
CALCULATOR = "AMD matrix instruction calculator; origami's instruction map for CDNA4"
TRITON_FORK = "Meta's Triton fork, latency model by s_memtime, gfx950"
PHASES = "bank model of HipKittens' phase solver (MI355X), pyhip (MI300)"
RRZE = "RRZE GPU benchmarks, MI300X at about 2.09 GHz"
AZURE = "Azure ND MI300X v5 guide (BabelStream)"
NOTEBOOK = "gpuaidev notebook fp8_gemm_hip_cdna4, MI355X"
HIPKITTENS = "HipKittens' results, MI355X"
AZURE_GEMM = "hipBLASLt by Azure, MI300X"
TLX = "TLX ladder, MI350X (2.2 GHz; the model has 2.4)"
ENGINE = "Transformer Engine's benchmarks, MI355X"
TORCH = "published row-wise kernels, MI355X"


@dataclass(frozen=True)
class Row:
    """One figure: what was published, and a function that gives the model's."""

    section: str
    name: str
    target: str
    unit: str
    published: float
    source: str
    predict: Callable[[], float]
    note: str = ""


def _matrix() -> Iterator[Row]:
    both = {"fp8_16x16x32": 16, "fp8_32x32x16": 32, "f16_16x16x16": 16, "f16_32x32x8": 32, "i8_16x16x32": 16,
            "f32_16x16x4": 32, "f32_32x32x2": 64}  # fmt: skip
    new = {"f16_16x16x32": 16, "f16_32x32x16": 32, "i8_16x16x64": 16, "fp8_16x16x128": 32, "fp8_32x32x64": 64,
           "fp4_16x16x128": 16, "fp4_32x32x64": 32}  # fmt: skip
    for target, shapes in (("gfx942", {**both, "xf32_16x16x8": 16}), ("gfx950", {**both, **new})):
        for shape, cycles in shapes.items():
            for kind in ("independent", "dependent"):
                measured = (target, shape) == ("gfx950", "f16_16x16x32")
                value = {"independent": 17, "dependent": 18}[kind] if measured else cycles
                yield Row("Matrix instructions", f"{shape} {kind}", target, "clk", value,
                          TRITON_FORK if measured else CALCULATOR,
                          lambda t=target, k=f"{shape}_{kind}": cycles_of_a_turn(t, k) / 64,
                          "" if measured or kind == "independent" else "passes; with forwarding of SrcC")  # fmt: skip


def _vector() -> Iterator[Row]:
    for target in CHIPS:
        yield Row("Vector unit", "v_fma_f32 independent", target, "clk", 4, "wave64 on a SIMD16 (omniperf model)",
                  lambda t=target: cycles_of_a_turn(t, "valu_independent") / 64)  # fmt: skip
        yield Row("Vector unit", "v_exp_f32 independent", target, "clk", 16, "quarter rate (CDNA manuals)",
                  lambda t=target: cycles_of_a_turn(t, "exp_independent") / 64)  # fmt: skip
    yield Row("Vector unit", "v_fma_f32 dependent", "gfx950", "clk", 8, TRITON_FORK,
              lambda: cycles_of_a_turn("gfx950", "valu_dependent") / 64)  # fmt: skip
    yield Row("Vector unit", "v_fma_f32 dependent", "gfx950", "clk", 4, "tinygrad's SQTT trace of gfx950",
              lambda: cycles_of_a_turn("gfx950", "valu_dependent") / 64, "the two sources disagree")  # fmt: skip


def _offsets(pattern: str, width: int) -> np.ndarray:
    """Byte offsets of the 64 lanes."""
    lane = np.arange(64)
    row, chunk = lane % 16, lane // 16
    match pattern:
        case "linear":
            return (lane * width).astype(np.int32)
        case "rows":
            return (128 * row + 16 * chunk).astype(np.int32)
        case "xor":
            return (128 * row + 16 * (chunk ^ row % 8)).astype(np.int32)
        case "padded":
            return (144 * row + 16 * chunk).astype(np.int32)
    raise AssertionError(pattern)


def _lds_cycles(target: str, kernel: str, pattern: str) -> float:
    width = int(kernel.removeprefix("lds_read_b").removeprefix("lds_write_b")) // 8
    turn = cycles_of_a_turn(target, kernel, _offsets(pattern, width), after=("i32:0",), block=1024, lds=16384,
                            few=2, many=6)  # fmt: skip
    return turn / (16 * 64)


def _lds() -> Iterator[Row]:
    yield Row("LDS", "pointer chase, ds_read_b32", "gfx950", "clk", 69, TRITON_FORK,
              lambda: cycles_of_a_turn("gfx950", "lds_chase", after=("i32:0",), lds=1024) / 64)  # fmt: skip
    rates = [("gfx942", "read_b64", 128), ("gfx942", "read_b128", 128), ("gfx950", "read_b64", 256),
             ("gfx950", "read_b96", 96), ("gfx950", "read_b128", 256)]  # fmt: skip
    for target, access, rate in rates:
        width = int(access.split("_b")[1]) // 8
        yield Row("LDS", f"ds_{access} without conflicts", target, "B/clk", rate, PHASES,
                  lambda t=target, a=access, w=width: 64 * w / _lds_cycles(t, f"lds_{a}", "linear"))  # fmt: skip
    for access, cycles in (("write_b32", 8), ("write_b128", 20)):
        yield Row("LDS", f"ds_{access} without conflicts", "gfx942", "clk", cycles, "rpc documentation, CDNA2/3",
                  lambda a=access: _lds_cycles("gfx942", f"lds_{a}", "linear"))  # fmt: skip
    for pattern, slow, fast in (("rows", 32, 16), ("xor", 8, 4), ("padded", 16, 8)):
        for target, cycles in (("gfx942", slow), ("gfx950", fast)):
            yield Row("LDS", f"ds_read_b128, 16 rows of 128 B, {pattern}", target, "clk", cycles, PHASES,
                      lambda t=target, p=pattern: _lds_cycles(t, "lds_read_b128", p))  # fmt: skip


def _chase(bytes_: int, warm: bool) -> float:
    """Cycles of a load in a chain over `bytes_`, in the second pass or in the first."""
    lines = bytes_ // 128
    order = np.random.default_rng(1).permutation(lines).astype(np.uint32)
    table = np.zeros(lines * 32, np.uint32)
    table[order * 32] = np.roll(order, -1) * 128
    loads = (lines, 2 * lines) if warm else (lines // 2, lines)
    times = [predict("gfx942", "micro", "memory_chase", table, f"i32:{count}")["cycles"] for count in loads]
    return (times[1] - times[0]) / (loads[1] - loads[0])


def _cache_rate(bytes_: int, distance: int) -> float:
    """TB/s of all workgroups, one on each compute unit, that read their parts again and again."""
    units, mhz = CHIPS["gfx942"]
    size = bytes_ + distance * (units - 1)
    turn = cycles_of_a_turn("gfx942", "cache_stream", f"i8[{size}]:zeros", f"i32:{bytes_}", f"i32:{distance}",
                            grid=(units,), block=1024, few=2, many=4)  # fmt: skip
    return units * bytes_ / (turn / mhz) / 1e6


def _l1_rate() -> float:
    units, mhz = CHIPS["gfx942"]
    turn = cycles_of_a_turn("gfx942", "l1_stream", f"i8[{units * 16384}]:zeros", grid=(units,), block=1024)
    return units * 8 * 16384 / (turn / mhz) / 1e6


def _stream(target: str, kernel: str, arrays: int, moved: int) -> float:
    """TB/s of a BabelStream kernel; `moved` of its arrays pass memory."""
    count = 1 << 23
    profile = predict(target, "elementwise", kernel, *[f"f64[{count}]:zeros"] * arrays, grid=(count // 1024,),
                      block=1024)  # fmt: skip
    return moved * 8 * count / profile["predicted_us"] / 1e6


def _memory() -> Iterator[Row]:
    for name, bytes_, warm, cycles in (("L1", 1 << 14, True, 119), ("L2", 1 << 21, True, 213),
                                       ("MALL", 1 << 24, True, 490), ("HBM", 1 << 24, False, 880)):  # fmt: skip
        yield Row("Memory", f"latency of {name}", "gfx942", "clk", cycles, RRZE,
                  lambda b=bytes_, w=warm: _chase(b, w))  # fmt: skip
    yield Row("Memory", "L1 read, all compute units", "gfx942", "TB/s", 39, RRZE, _l1_rate)
    yield Row("Memory", "L2 read, all compute units", "gfx942", "TB/s", 27.1, RRZE,
              lambda: _cache_rate(1 << 21, 0))  # fmt: skip
    yield Row("Memory", "MALL read, all compute units", "gfx942", "TB/s", 11.75, RRZE,
              lambda: _cache_rate(1 << 19, 1 << 19))  # fmt: skip
    streams = [("read", "streamRead", 2, 1, 4.20, RRZE), ("write", "streamWrite", 1, 1, 4.80, RRZE),
               ("scale", "streamScale", 2, 2, 4.0, RRZE), ("triad", "streamTriad", 3, 3, 3.9, RRZE),
               ("copy", "streamCopy", 2, 2, 4.11, AZURE), ("mul", "streamScale", 2, 2, 4.26, AZURE),
               ("add", "streamAdd", 3, 3, 4.14, AZURE), ("triad", "streamTriad", 3, 3, 4.09, AZURE)]  # fmt: skip
    for name, kernel, arrays, moved, rate, source in streams:
        yield Row("Memory", f"HBM {name}", "gfx942", "TB/s", rate, source,
                  lambda k=kernel, a=arrays, m=moved: _stream("gfx942", k, a, m))  # fmt: skip
    yield Row("Memory", "large add", "gfx950", "TB/s", 5.80, TORCH, lambda: _stream("gfx950", "streamAdd", 3, 3))


def _ladder(kernel: str, tile: int, waves: int, lds: int, size: int) -> float:
    profile = predict("gfx950", "ladder", kernel, f"f8E4M3FN[{size}x{size}]:zeros", f"f8E4M3FN[{size}x{size}]:zeros",
                      f"bf16[{size}x{size}]:zeros", f"i32:{size}", f"i32:{size}", grid=(size // tile, size // tile),
                      block=64 * waves, lds=lds)  # fmt: skip
    return 2 * size**3 / profile["predicted_us"] / 1e6


LADDER = [("ladder341", 341, 32, 4, 16384, "through registers"), ("ladder501", 501, 32, 4, 16384, "direct to LDS"),
          ("ladder501plain", 501, 32, 4, 16384, "the same in plain rows"),
          ("ladder501", 495, 32, 4, 16384, "swizzled"),
          ("ladder1150", 1150, 64, 4, 32768, "64 x 64, shared operands, two stages"),
          ("ladder1808", 1808, 128, 8, 65536, "128 x 128, 8 waves"),
          ("ladder2003", 2003, 256, 8, 131072, "256 x 256, 8 waves"),
          ("ladder2084", 2003, 256, 16, 131072, "256 x 256, 16 waves"),
          ("ladder2650", 2650, 256, 8, 131072, "ping-pong")]  # fmt: skip


def _ladder_rows() -> Iterator[Row]:
    for kernel, published, tile, waves, lds, what in LADDER:
        yield Row("FP8 ladder, 4096^3", f"{published}: {what}", "gfx950", "TF", published, NOTEBOOK,
                  lambda k=kernel, t=tile, w=waves, b=lds: _ladder(k, t, w, b, 4096))  # fmt: skip


def _gemm942(size: int) -> float:
    profile = predict("gfx942", "gemm_gfx942", "gemm256", f"i8[{size}x{size}]:zeros", f"i8[{size}x{size}]:zeros",
                      f"bf16[{size}x{size}]:zeros", f"i32:{size}", f"i32:{size}", "i32:0",
                      grid=(size // 128, size // 256), block=256, lds=49152)  # fmt: skip
    return 2 * size**3 / profile["predicted_us"] / 1e6


def _gemm() -> Iterator[Row]:
    for size, rate in ((1024, 270), (2048, 1054), (4096, 2741), (8192, 3327)):
        yield Row("GEMM", f"FP8 {size}^3, 256 x 256 ping-pong", "gfx950", "TF", rate, HIPKITTENS,
                  lambda s=size: _ladder("ladder2650", 256, 8, 131072, s),
                  "no XCD remap, which the published kernel has")  # fmt: skip
    for size, rate in ((1024, 53), (2048, 428), (4096, 955), (8192, 1159)):
        yield Row("GEMM", f"FP8 {size}^3, 256 x 128 through registers", "gfx942", "TF", rate, AZURE_GEMM,
                  lambda s=size: _gemm942(s), "hipBLASLt's choice of tile is not published")  # fmt: skip


def _rows(kernel: str, rows: int, columns: int) -> float:
    shape = f"bf16[{rows}x{columns}]:zeros"
    profile = predict("gfx950", "elementwise", kernel, shape, shape, "i32:0", grid=(rows,), block=256, lds=1024)
    return 4 * rows * columns / profile["predicted_us"] / 1e6


def _cast() -> float:
    n = 8192 * 8192
    profile = predict("gfx950", "elementwise", "castMx", f"bf16[{n}]:zeros", f"i8[{n}]:zeros", f"i8[{n // 32}]:zeros",
                      grid=(n // 32 // 256,), block=256)  # fmt: skip
    return (2 * n + n + n / 32) / profile["predicted_us"] / 1e6


def _row_wise() -> Iterator[Row]:
    yield Row("Row-wise kernels", "MXFP8 cast of bf16, 8192^2, along rows", "gfx950", "TB/s", 5.35, ENGINE, _cast)
    yield Row("Row-wise kernels", "softmax of bf16, 8192 columns", "gfx950", "TB/s", 4.0, TORCH,
              lambda: _rows("softmax8192", 8192, 8192), "8192 of the published 32768 rows")  # fmt: skip
    yield Row("Row-wise kernels", "RMS norm of bf16, 4096 rows", "gfx950", "TB/s", 3.17, TORCH,
              lambda: _rows("rmsNorm6144", 4096, 6144), "6144 of the published 7168 columns")  # fmt: skip


def _tlx(kernel: str) -> float:
    """The ladder's kernels with f16: rows of 128 bytes are 64 halves."""
    m, k = 4096, 8192
    profile = predict("gfx950", "ladder", kernel, f"f16[{m}x{k}]:zeros", f"f16[{m}x{k}]:zeros",
                      f"bf16[{m}x{m}]:zeros", f"i32:{m}", f"i32:{2 * k}", grid=(m // 256, m // 256), block=512,
                      lds=131072, options=("-DF16",))  # fmt: skip
    return 2 * m * m * k / profile["predicted_us"] / 1e6


def _hold_out() -> Iterator[Row]:
    steps = [(614, "registers256", "naive, through registers"), (652, "single256", "direct to LDS"),
             (836, "ladder2003", "prefetch, two stages"), (1005, "ladder2650", "warp pipeline")]  # fmt: skip
    for published, kernel, what in steps:
        yield Row("Hold-out: TLX f16 ladder, 4096x4096x8192", f"{published}: {what}", "gfx950", "TF", published, TLX,
                  lambda k=kernel: _tlx(k), "tile 256 x 256 x 64 taken for all steps")  # fmt: skip


def all_rows() -> list[Row]:
    """In the order of the table."""
    parts = (_matrix, _vector, _lds, _memory, _ladder_rows, _gemm, _row_wise, _hold_out)
    return [row for part in parts for row in part()]
