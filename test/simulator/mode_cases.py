"""Cases under other modes: denormals flushed, other rounding, saturating conversions, register indexing, VSKIP."""

from __future__ import annotations

import numpy as np
from instruction_cases import Lane, bits32, case, f32, lane_of
from more_cases import BF8, FNUZ, FP8, OCP


def mode(offset: int, size: int, value: int, asm: str, after: int) -> str:
    """The instruction with a field of MODE changed around it."""
    register = f"hwreg(HW_REG_MODE, {offset}, {size})"
    before = f"s_setreg_imm32_b32 {register}, {value}\n s_nop 4"
    return f"{before}\n {asm}\n s_nop 4\n s_setreg_imm32_b32 {register}, {after}"


def flushed(word: int) -> int:
    return word if word & 0x7F800000 else word & 0x80000000


def flush(fn: object, *registers: int) -> Lane:
    """Subnormal sources and results are zero."""

    def compute(*words: int) -> int:
        with np.errstate(all="ignore"):
            return flushed(bits32(fn(*[f32(flushed(w)) for w in words])))  # type: ignore[operator]

    return lane_of(compute, *registers)


case(mode(4, 2, 0, "v_mul_f32_e32 v8, v0, v1", 3), flush(lambda a, b: a * b, 0, 1))
case(mode(4, 2, 0, "v_add_f32_e64 v8, -v0, |v1|", 3), flush(lambda a, b: -a + abs(b), 0, 1))
# Output modifiers work only with denormals flushed and IEEE mode off (bit 9).
case(mode(9, 1, 0, mode(4, 2, 0, "v_mul_f32_e64 v8, v0, v1 mul:4", 3), 1),
     flush(lambda a, b: a * b * np.float32(4), 0, 1))
case(mode(9, 1, 0, mode(4, 2, 0, "v_add_f32_e64 v8, v0, v1 div:2", 3), 1),
     flush(lambda a, b: (a + b) / np.float32(2), 0, 1))


def rounded(direction: str, a: int, b: int) -> int:
    """The product, which float64 holds exactly, rounded to f32 in one direction."""
    with np.errstate(all="ignore"):
        exact = np.float64(f32(a)) * np.float64(f32(b))
        nearest = np.float32(exact)
        if not np.isfinite(exact):
            return bits32(nearest)
        below = np.float64(nearest) < exact
        if np.float64(nearest) == exact:
            return bits32(nearest)
        up = direction == "up" or (direction == "zero" and exact < 0)
        if up == bool(below):
            nearest = np.nextafter(nearest, np.float32("inf") if up else np.float32("-inf"))
        return bits32(nearest)


for code, direction in ((1, "up"), (2, "down"), (3, "zero")):
    case(mode(0, 2, code, "v_mul_f32_e32 v8, v0, v1", 0), lane_of(lambda a, b, d=direction: rounded(d, a, b), 0, 1))

# FP16_OVFL: what is too large saturates instead of turning into NaN or infinity.
for targets, maxima in ((FNUZ, (240.0, 57344.0)), (OCP, (448.0, 57344.0))):
    for (name, kinds), top in zip((("fp8", FP8), ("bf8", BF8)), maxima, strict=True):

        def saturate(a: int, b: int, old: int, kind: type = kinds[targets], top: float = top) -> int:
            codes = []
            for word in (a, b):
                value = f32(word)
                keep = np.isnan(value) or np.isinf(value)
                limited = value if keep else np.clip(value, -np.float32(top), np.float32(top))
                with np.errstate(all="ignore"):
                    codes.append(int(np.float32(limited).astype(kind).view(np.uint8)))
            return old & 0xFFFF0000 | codes[0] | codes[1] << 8

        case(mode(23, 1, 1, f"v_cvt_pk_{name}_f32 v8, v0, v1", 0), lane_of(saturate, 0, 1, 8), targets=targets)

case("s_movk_i32 s12, 3\n s_set_gpr_idx_on s12, gpr_idx(SRC0)\n v_mov_b32_e32 v8, v0\n s_set_gpr_idx_off",
     lane_of(lambda a: a, 3))
case("s_movk_i32 s12, 2\n s_set_gpr_idx_on s12, gpr_idx(SRC1,DST)\n v_add_u32_e32 v6, v0, v1\n s_set_gpr_idx_off",
     lane_of(lambda a, b: a + b, 0, 3))
case("s_movk_i32 s12, 1\n s_setvskip s12, 0\n v_mov_b32_e32 v8, 0\n s_setvskip s12, 1", lane_of(lambda a: a, 8))

# Functions whose bits the hardware does not document: here correctly rounded; 2^x and log2 flush subnormals.
case("v_exp_f32_e32 v8, v0", flush(lambda a: np.float32(np.exp2(np.float64(a))), 0))
case("v_log_f32_e32 v8, v0", flush(lambda a: np.float32(np.log2(np.float64(a))), 0))
case("v_rsq_f32_e32 v8, v0", lane_of(lambda a: reciprocal_root(a), 0))


def reciprocal_root(word: int) -> int:
    with np.errstate(all="ignore"):
        return bits32(np.float32(np.float64(1) / np.sqrt(np.float64(f32(word)))))
