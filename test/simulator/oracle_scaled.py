"""Cases of gfx950's conversions with a scale, for oracle_special.py: small numbers, on which every rounding is known.

v14 and v15 are whole numbers from -8 to 7, the scale is 2; codes that are read have no NaN.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
from assembly import State
from oracle_formats import signed

Lane = Callable[[State, int], int]
NARROW = {"fp8": (ml_dtypes.float8_e4m3fn, 8), "bf8": (ml_dtypes.float8_e5m2, 8), "fp4": (ml_dtypes.float4_e2m1fn, 4)}
WIDE = {"f32": (np.float32, 32), "f16": (np.float16, 16), "bf16": (ml_dtypes.bfloat16, 16)}
SCALE = "s_mov_b32 s20, 0x40000000\n "
NUMBERS = ("v_bfe_i32 v14, v0, 0, {bits}\n v_bfe_i32 v15, v2, 0, {bits}\n v_cvt_f32_i32_e32 v14, v14\n "
           "v_cvt_f32_i32_e32 v15, v15\n ")
PACK = {"f32": "", "f16": "v_cvt_pkrtz_f16_f32 v14, v14, v15\n ", "bf16": "v_cvt_pk_bf16_f32 v14, v14, v15\n "}


def code(kind: type, value: float) -> int:
    return int(np.array(value, kind).view(np.uint8 if np.dtype(kind).itemsize == 1 else np.uint16)[()])


def encoded(narrow: str, bits: int, count: int, scale: int = 2) -> Lane:
    """One or two numbers, divided by the scale, in the low bits of v8."""
    kind, width = NARROW[narrow]

    def lane(b: State, i: int) -> int:
        numbers = [signed(int(b.v[r][i]), bits) / scale for r in (0, 2)[:count]]
        low = sum((code(kind, x) & (1 << width) - 1) << width * k for k, x in enumerate(numbers))
        return int(b.v[8][i]) & ~((1 << width * count) - 1) | low

    return lane


def decoded(narrow: str, wide: str, count: int, register: int) -> Lane:
    """Codes of v0, times the scale: f32 one to a register, else two to one; a single half keeps the other."""
    kind, width = NARROW[narrow]
    result, bits = WIDE[wide]

    def lane(b: State, i: int) -> int:
        codes = [(int(b.v[0][i]) & 0xB7B7B7B7) >> width * k & (1 << width) - 1 for k in range(count)]
        values = [float(np.array(c, np.uint8).view(kind)) * 2 for c in codes]
        if bits == 32:
            return int(np.float32(values[register]).view(np.uint32))
        words = sum(code(result, x) << 16 * k for k, x in enumerate(values))
        return words if count == 2 else int(b.v[8][i]) & 0xFFFF0000 | words

    return lane


def cases() -> list[tuple[str, dict[int, Lane]]]:
    """Assembly and lanes."""
    table: list[tuple[str, dict[int, Lane]]] = []
    for narrow in NARROW:
        for wide in WIDE:
            sources = "v14, v15" if wide == "f32" else "v14"
            exact = 3 if narrow == "fp4" else 4  # bits of numbers whose halves have a code
            few, more = NUMBERS.format(bits=exact - 1), NUMBERS.format(bits=4)
            line = f"{SCALE}{more}{PACK[wide]}v_cvt_scalef32_pk_{narrow}_{wide} v8, {sources}, s20"
            table.append((line, {8: encoded(narrow, 4, 2)}))
            pair = "v[14:15]" if wide == "f32" and narrow == "fp4" else "v14"
            name = f"sr_pk_{narrow}" if narrow == "fp4" else f"sr_{narrow}"
            line = f"{SCALE}{few}{PACK[wide]}v_cvt_scalef32_{name}_{wide} v8, {pair}, v1, s20"
            table.append((line, {8: encoded(narrow, exact - 1, 2 if narrow == "fp4" else 1)}))
            for count in (1, 2):
                name = f"pk_{wide}" if count == 2 else wide
                registers = "v[8:9]" if wide == "f32" and count == 2 else "v8"
                masked = f"{SCALE}v_and_b32_e32 v14, 0xb7b7b7b7, v0\n "
                line = f"{masked}v_cvt_scalef32_{name}_{narrow} {registers}, v14, s20"
                lanes = {8 + r: decoded(narrow, wide, count, r) for r in range(count if wide == "f32" else 1)}
                table.append((line, lanes))
    for wide in ("f16", "bf16"):
        kind = WIDE[wide][0]
        table.append((f"{NUMBERS.format(bits=4)}v_cvt_sr_{wide}_f32 v8, v14, v1",
                      {8: lambda b, i, k=kind: int(b.v[8][i]) & 0xFFFF0000 | code(k, signed(int(b.v[0][i]), 4))}))
    table.append(("v_cvt_f32_bf16_e32 v8, v0", {8: lambda b, i: int(b.v[0][i]) << 16}))
    return table
