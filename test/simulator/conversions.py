"""Conversions of the chip against numpy and ml_dtypes: kernels of one instruction over many inputs.

`conversions.py --arch gfx950` runs what CI runs: all 8- and 16-bit inputs, and every boundary of rounding +-2 ulp.
With `--all` each conversion of 32 bits sees all 2^32 inputs.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import ml_dtypes
import numpy as np

BOTH = ("gfx942", "gfx950")
OCP = ("gfx950",)
Words = np.ndarray  # uint32 in, uint64 out
EACH = 64  # inputs of a work item


@dataclass(frozen=True)
class Conversion:
    """One instruction: `%0` is the result, zero before; `%1` the input word."""

    asm: str
    oracle: Callable[[Words], np.ndarray]
    result: np.dtype  # as what the result is compared: floats up to the payload of NaN
    bits: int = 32  # of the input
    targets: tuple[str, ...] = BOTH
    wide: bool = False  # two registers

    @property
    def name(self) -> str:
        return self.asm.split()[0]


def f32(x: Words) -> np.ndarray:
    return x.astype(np.uint32).view(np.float32)


def f16(x: Words) -> np.ndarray:
    return x.astype(np.uint16).view(np.float16)


def to_integer(kind: type, bits: int = 32) -> Callable[[np.ndarray], np.ndarray]:
    """Towards zero, saturated; NaN gives zero."""
    low, high = np.iinfo(kind).min, np.iinfo(kind).max

    def convert(x: np.ndarray) -> np.ndarray:
        whole = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=1e30, neginf=-1e30))
        return np.clip(whole, low, high).astype(np.int64).astype(kind)

    return convert


def toward_zero(x: np.ndarray) -> np.ndarray:
    """f16, never away from zero."""
    nearest = x.astype(np.float16)
    up = np.abs(nearest.astype(np.float32)) > np.abs(x)
    return (nearest.view(np.uint16) - up.astype(np.uint16)).view(np.float16)


def normalised(x: np.ndarray, low: float, scale: int) -> np.ndarray:
    """Clamped to [low, 1], times `scale`, nearest even; NaN gives zero. The product is rounded to f32."""
    clamped = np.clip(np.nan_to_num(x.astype(np.float32), nan=0.0), np.float32(low), np.float32(1))
    return np.rint(clamped * np.float32(scale)).astype(np.int32)


def fraction(x: np.ndarray) -> np.ndarray:
    """x - floor(x), below 1; NaN of an infinity."""
    return np.minimum(x - np.floor(x), np.array(np.nextafter(x.dtype.type(1), x.dtype.type(0))))


def mantissa(x: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(x), np.frexp(x)[0], x)


def exponent(x: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(x), np.frexp(x)[1], 0)


F16, F32, F64, I32, U32 = (np.dtype(t) for t in ("f2", "f4", "f8", "i4", "u4"))
I16, U16, U8 = (np.dtype(t) for t in ("i2", "u2", "u1"))
TABLE = [
    Conversion("v_cvt_f16_f32 %0, %1", lambda x: f32(x).astype(np.float16), F16),
    Conversion("v_cvt_pkrtz_f16_f32 %0, %1, 0", lambda x: toward_zero(f32(x)), F16),
    Conversion("v_cvt_i32_f32 %0, %1", lambda x: to_integer(np.int32)(f32(x)), I32),
    Conversion("v_cvt_u32_f32 %0, %1", lambda x: to_integer(np.uint32)(f32(x)), U32),
    Conversion("v_cvt_flr_i32_f32 %0, %1", lambda x: to_integer(np.int32)(np.floor(f32(x))), I32),
    Conversion("v_cvt_rpi_i32_f32 %0, %1",
               lambda x: to_integer(np.int32)(np.floor(f32(x).astype(np.float64) + 0.5)), I32),
    Conversion("v_cvt_pknorm_i16_f32 %0, %1, 0", lambda x: normalised(f32(x), -1, 32767), I16),
    Conversion("v_cvt_pknorm_u16_f32 %0, %1, 0", lambda x: normalised(f32(x), 0, 65535), U16),
    Conversion("v_cvt_f64_f32 %0, %1", lambda x: f32(x).astype(np.float64), F64, wide=True),
    Conversion("v_cvt_f32_i32 %0, %1", lambda x: x.view(np.int32).astype(np.float32), F32),
    Conversion("v_cvt_f32_u32 %0, %1", lambda x: x.astype(np.float32), F32),
    Conversion("v_cvt_f64_i32 %0, %1", lambda x: x.view(np.int32).astype(np.float64), F64, wide=True),
    Conversion("v_cvt_f64_u32 %0, %1", lambda x: x.astype(np.float64), F64, wide=True),
    Conversion("v_rndne_f32 %0, %1", lambda x: np.rint(f32(x)), F32),
    Conversion("v_floor_f32 %0, %1", lambda x: np.floor(f32(x)), F32),
    Conversion("v_ceil_f32 %0, %1", lambda x: np.ceil(f32(x)), F32),
    Conversion("v_trunc_f32 %0, %1", lambda x: np.trunc(f32(x)), F32),
    Conversion("v_fract_f32 %0, %1", lambda x: fraction(f32(x)), F32),
    Conversion("v_frexp_mant_f32 %0, %1", lambda x: mantissa(f32(x)), F32),
    Conversion("v_frexp_exp_i32_f32 %0, %1", lambda x: exponent(f32(x)), I32),
    Conversion("v_cvt_f32_f16 %0, %1", lambda x: f16(x).astype(np.float32), F32, 16),
    Conversion("v_cvt_i16_f16 %0, %1", lambda x: to_integer(np.int16)(f16(x)), I16, 16),
    Conversion("v_cvt_u16_f16 %0, %1", lambda x: to_integer(np.uint16)(f16(x)), U16, 16),
    Conversion("v_cvt_f16_i16 %0, %1", lambda x: x.astype(np.uint16).view(np.int16).astype(np.float16), F16, 16),
    Conversion("v_cvt_f16_u16 %0, %1", lambda x: x.astype(np.float32).astype(np.float16), F16, 16),
    Conversion("v_cvt_norm_i16_f16 %0, %1", lambda x: normalised(f16(x), -1, 32767), I16, 16),
    Conversion("v_cvt_norm_u16_f16 %0, %1", lambda x: normalised(f16(x), 0, 65535), U16, 16),
    Conversion("v_rndne_f16 %0, %1", lambda x: np.rint(f16(x)), F16, 16),
    Conversion("v_floor_f16 %0, %1", lambda x: np.floor(f16(x)), F16, 16),
    Conversion("v_ceil_f16 %0, %1", lambda x: np.ceil(f16(x)), F16, 16),
    Conversion("v_trunc_f16 %0, %1", lambda x: np.trunc(f16(x)), F16, 16),
    Conversion("v_fract_f16 %0, %1", lambda x: fraction(f16(x)), F16, 16),
    Conversion("v_frexp_mant_f16 %0, %1", lambda x: mantissa(f16(x)), F16, 16),
    Conversion("v_frexp_exp_i16_f16 %0, %1", lambda x: exponent(f16(x)), I16, 16),
    *[Conversion(f"v_cvt_f32_ubyte{i} %0, %1", lambda x, i=i: (x >> 8 * i & 255).astype(np.float32), F32)
      for i in range(4)],
    Conversion("v_cvt_off_f32_i4 %0, %1", lambda x: ((x.astype(np.int32) & 15 ^ 8) - 8) / np.float32(16), F32, 8),
    Conversion("v_cvt_pk_bf16_f32 %0, %1, 0", lambda x: f32(x).astype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.bfloat16),
               targets=OCP),
]


def eight_bit(target: str, name: str, dtype: type) -> None:
    """To and from an 8-bit float: what overflows is NaN or infinite, as FP16_OVFL is off."""
    TABLE.append(Conversion(f"v_cvt_pk_{name}_f32 %0, %1, 0", lambda x: f32(x).astype(dtype), np.dtype(dtype),
                            targets=(target,)))
    TABLE.append(Conversion(f"v_cvt_f32_{name} %0, %1", lambda x: x.astype(np.uint8).view(dtype).astype(np.float32),
                            F32, 8, targets=(target,)))
    if target == "gfx950":
        TABLE.append(Conversion(f"v_cvt_scalef32_pk_{name}_f32 %0, %1, 0, 1.0", lambda x: f32(x).astype(dtype),
                                np.dtype(dtype), targets=(target,)))


eight_bit("gfx942", "fp8", ml_dtypes.float8_e4m3fnuz)
eight_bit("gfx942", "bf8", ml_dtypes.float8_e5m2fnuz)
eight_bit("gfx950", "fp8", ml_dtypes.float8_e4m3fn)
eight_bit("gfx950", "bf8", ml_dtypes.float8_e5m2)


def source(conversions: list[Conversion]) -> str:
    """C with a kernel c0, c1, ... for each."""
    kernels = []
    for i, conversion in enumerate(conversions):
        kind = "u64" if conversion.wide else "u32"
        kernels.append(f'KERNEL c{i}(GLOBAL const u32 *in, GLOBAL u64 *out, u32 items) {{ '
                       f'for (u32 k = 0; k < {EACH}; ++k) {{ u32 at = k * items + workItem(); {kind} r = 0; '
                       f'__asm__("{conversion.asm}" : "+v"(r) : "v"(in[at])); out[at] = r; }} }}')
    return "\n".join(kernels)


def boundaries(conversion: Conversion) -> Words:
    """Inputs around which the result of a conversion of 32 bits changes, each +-2 ulp, with both signs."""
    powers = np.float64(2) ** np.arange(-149, 128)
    values = [np.outer(powers, [0, 1, 1.5, 1 + 2.0**-23, 2 - 2.0**-23]).reshape(-1), np.arange(0, 600) / 2,
              2.0**31 + np.arange(-4, 4) * 64.0, 2.0**32 + np.arange(-4, 4) * 128.0]
    result = conversion.result
    if result.kind in "iu" and result.itemsize == 2:  # what pknorm rounds
        values.append((np.arange(1 << 15 if result == I16 else 1 << 16) + 0.5) / np.iinfo(result).max)
    if result.itemsize <= 2 and result.kind in "fV":
        codes = np.arange(1 << 8 * result.itemsize, dtype=f"u{result.itemsize}")
        with np.errstate(all="ignore"):
            numbers = codes.view(result).astype(np.float64)
        numbers = np.unique(numbers[np.isfinite(numbers)])
        values += [numbers, (numbers[1:] + numbers[:-1]) / 2, numbers[-1:] * 1.5 - numbers[-2:-1] / 2]
    with np.errstate(all="ignore"):
        centres = np.unique(np.abs(np.concatenate(values)).astype(np.float32)).view(np.uint32).astype(np.int64)
    special = [0x7F800000, 0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0x7F7FFFFF]
    near = (np.concatenate([centres, special])[:, None] + np.arange(-2, 3)).reshape(-1)
    near = np.concatenate([near, near ^ (1 << 31)])
    return np.unique(near & 0xFFFFFFFF).astype(np.uint32)


def inputs(conversion: Conversion, everything: bool) -> Iterator[Words]:
    """Blocks of inputs."""
    if conversion.bits < 32:
        yield np.arange(1 << conversion.bits, dtype=np.uint32)
    elif not everything:
        yield boundaries(conversion)
    else:
        block = 1 << 22
        for start in range(0, 1 << 32, block):
            yield np.arange(start, start + block, dtype=np.uint64).astype(np.uint32)


def differs(conversion: Conversion, got: np.ndarray, x: Words) -> np.ndarray:
    """Positions where the chip's result is not the oracle's; every NaN is one."""
    with np.errstate(all="ignore"):
        want = conversion.oracle(x).astype(conversion.result, copy=False)
    storage = np.dtype(f"u{conversion.result.itemsize}")
    codes = got.astype(storage)
    wrong = np.nonzero(codes != want.view(storage))[0]
    if wrong.size and conversion.result.kind in "fV":
        with np.errstate(all="ignore"):
            both = np.stack([codes[wrong].view(conversion.result), want[wrong]]).astype(np.float64)
        wrong = wrong[~np.isnan(both).all(axis=0)]
    return wrong


def check(arch: str, conversions: list[Conversion], everything: bool, folder: pathlib.Path) -> list[str]:
    """Runs conversions on a target and prints target, name, inputs and failures of each; returns what differs."""
    import device

    text = folder / f"conversions-{arch}.c"
    text.write_text(source(conversions))
    module = device.Module(device.compile_gpu(text, arch, ["-O2"], folder / f"conversions-{arch}.hsaco"))
    problems = []
    for i, conversion in enumerate(conversions):
        seen = failed = 0
        for x in inputs(conversion, everything):
            items = -(-x.size // (64 * EACH)) * 64
            padded = np.resize(x, items * EACH)
            out = np.zeros(padded.size, np.uint64)
            module.launch(f"c{i}", [padded, out, ctypes.c_uint32(items)], items, 64)
            wrong = differs(conversion, out[: x.size], x)
            seen, failed = seen + x.size, failed + wrong.size
            if wrong.size and failed == wrong.size:
                at = int(wrong[0])
                with np.errstate(all="ignore"):
                    want = conversion.oracle(x[at : at + 1])[0]
                problems.append(f"{arch} {conversion.asm}: {int(x[at]):#x} gives {int(out[at]):#x}, not {want}")
        print(arch, conversion.name, seen, failed, flush=True)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="gfx950")
    parser.add_argument("--all", action="store_true", help="all 2^32 inputs")
    parser.add_argument("--only", nargs="*", help="names of conversions")
    options = parser.parse_args()
    os.environ["OCTAVO_TARGET"] = options.arch
    with tempfile.TemporaryDirectory() as folder:
        conversions = [c for c in TABLE if options.arch in c.targets and (not options.only or c.name in options.only)]
        problems = check(options.arch, conversions, options.all, pathlib.Path(folder))
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
