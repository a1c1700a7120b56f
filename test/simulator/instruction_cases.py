"""What single instructions compute, written a second time in Python: one lane at a time, from the documented formula.

A case is the assembly and, per register that it writes, a function of (state, lane); see assembly.py for registers.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from assembly import State

Lane = Callable[[State, int], int]
BOTH = ("gfx942", "gfx950")
CASES: list[tuple[str, dict[int, Lane], tuple[str, ...]]] = []


def case(asm: str, *writes: Lane, targets: tuple[str, ...] = BOTH) -> None:
    """Adds an instruction whose results go to v8, v9, ..."""
    CASES.append((asm, {8 + i: lane for i, lane in enumerate(writes)}, targets))


def lane_of(fn: Callable[..., int], *registers: int | str) -> Lane:
    """A function of registers of the lane; "sN" is a scalar."""

    def get(state: State, lane: int, register: int | str) -> int:
        return int(state.s[int(register[1:]) - 16]) if isinstance(register, str) else int(state.v[register][lane])

    return lambda state, lane: fn(*[get(state, lane, r) for r in registers]) & 0xFFFFFFFF


def f32(bits: int) -> np.float32:
    return np.uint32(bits & 0xFFFFFFFF).view(np.float32)


def bits32(value: float | np.floating) -> int:
    with np.errstate(all="ignore"):
        return int(np.float32(value).view(np.uint32))


def f16(bits: int) -> np.float16:
    return np.uint16(bits & 0xFFFF).view(np.float16)


def bits16(value: float | np.floating) -> int:
    with np.errstate(all="ignore"):
        return int(np.float16(value).view(np.uint16))


def low(x: int) -> int:
    return x & 0xFFFF


def high(x: int) -> int:
    return x >> 16 & 0xFFFF


def signed(x: int, bits: int = 32) -> int:
    return (x & (1 << bits) - 1) - (1 << bits if x >> bits - 1 & 1 else 0)


def fma(a: float, b: float, c: float) -> np.float32:
    """One rounding: float64 holds the product; the sum is rounded to odd."""
    with np.errstate(all="ignore"):
        product, addend = np.float64(a) * np.float64(b), np.float64(c)
        total = product + addend
        if not np.isfinite(total) or total == 0:
            return np.float32(total)
        back = total - product
        error = (product - (total - back)) + (addend - back)
        raw = total.view(np.uint64)
        if error != 0 and not int(raw) & 1:
            raw = np.uint64(int(raw) + (1 if (error > 0) == (total > 0) else -1))
        return np.float32(raw.view(np.float64))


def clamp(x: np.floating) -> float:
    return 0.0 if np.isnan(x) or x <= 0 else min(float(x), 1.0)


def f32op(fn: Callable[..., float | np.floating], *registers: int | str) -> Lane:
    """A function of f32 values."""

    def compute(*words: int) -> int:
        with np.errstate(all="ignore"):
            return bits32(fn(*[f32(w) for w in words]))

    return lane_of(compute, *registers)


# Modifiers of f32 instructions.
case("v_add_f32_e32 v8, v0, v1", f32op(lambda a, b: a + b, 0, 1))
case("v_sub_f32_e64 v8, |v0|, -v1", f32op(lambda a, b: abs(a) + b, 0, 1))
case("v_fma_f32 v8, -v0, |v1|, v2", f32op(lambda a, b, c: fma(-a, abs(b), c), 0, 1, 2))
case("v_fma_f32 v8, v0, s16, -|v2|", f32op(lambda a, b, c: fma(a, b, -abs(c)), 0, "s16", 2))
case("v_fmac_f32_e32 v8, v0, v1", f32op(fma, 0, 1, 8))
case("v_fmamk_f32 v8, v0, 0x40490fdb, v1", f32op(lambda a, c: fma(a, f32(0x40490FDB), c), 0, 1))
case("v_fmaak_f32 v8, v0, v1, 0x40490fdb", f32op(lambda a, b: fma(a, b, f32(0x40490FDB)), 0, 1))
case("v_mul_f32_e64 v8, v0, v1 clamp", f32op(lambda a, b: clamp(a * b), 0, 1))
case("v_max_f32_e64 v8, v0, v0 clamp", f32op(clamp, 0))
case("v_mul_f32_e64 v8, v0, v1 mul:2", f32op(lambda a, b: a * b, 0, 1))  # ignored: denormals are kept
case("v_mul_legacy_f32 v8, v0, v1", f32op(lambda a, b: np.float32(0) if a == 0 or b == 0 else a * b, 0, 1))
case("v_mul_f32_e32 v8, 0.5, v1", f32op(lambda a: np.float32(0.5) * a, 1))
case("v_mul_f32_e32 v8, 0.15915494, v1", f32op(lambda a: f32(0x3E22F983) * a, 1))


def is_signaling(a: np.float32) -> bool:
    return bool(np.isnan(a)) and not int(a.view(np.uint32)) >> 22 & 1


def minimum(a: np.float32, b: np.float32) -> np.float32:
    """IEEE mode: a signalling NaN gives a quiet one, a quiet one the other operand."""
    if is_signaling(a) or is_signaling(b):
        return np.float32("nan")
    if np.isnan(a) or np.isnan(b):
        return b if np.isnan(a) else a
    return (a if np.signbit(a) else b) if a == b else min(a, b)


def maximum(a: np.float32, b: np.float32) -> np.float32:
    if is_signaling(a) or is_signaling(b):
        return np.float32("nan")
    if np.isnan(a) or np.isnan(b):
        return b if np.isnan(a) else a
    return (b if np.signbit(a) else a) if a == b else max(a, b)


def median(a: np.float32, b: np.float32, c: np.float32) -> np.float32:
    if np.isnan(a) or np.isnan(b) or np.isnan(c):
        return minimum(minimum(a, b), c)
    return maximum(minimum(a, b), minimum(maximum(a, b), c))


case("v_min_f32_e32 v8, v0, v1", f32op(minimum, 0, 1))
case("v_max_f32_e32 v8, v0, v1", f32op(maximum, 0, 1))
case("v_max3_f32 v8, v0, |v1|, v2", f32op(lambda a, b, c: maximum(maximum(a, abs(b)), c), 0, 1, 2))
case("v_min3_f32 v8, v0, v1, v2", f32op(lambda a, b, c: minimum(minimum(a, b), c), 0, 1, 2))
case("v_med3_f32 v8, v0, v1, v2", f32op(median, 0, 1, 2))
case("v_maximum3_f32 v8, v0, v1, v2",
     f32op(lambda a, b, c: np.float32("nan") if any(np.isnan([a, b, c])) else maximum(maximum(a, b), c), 0, 1, 2),
     targets=("gfx950",))
case("v_rcp_f32_e32 v8, v0", f32op(lambda a: np.float32(1) / a, 0))
case("v_sqrt_f32_e32 v8, v0", f32op(np.sqrt, 0))
case("v_fract_f32_e32 v8, v0", f32op(lambda a: min(a - np.floor(a), f32(0x3F7FFFFF)) if np.isfinite(a) else np.nan, 0))
case("v_ldexp_f32 v8, v0, v3", lane_of(
    lambda a, e: bits32(math.ldexp(float(f32(a)), signed(e)) if np.isfinite(f32(a)) else f32(a)), 0, 3))

# DPP: which lane is read, and which lanes are written.
DPP: dict[str, Callable[[int], int]] = {
    "quad_perm:[3,1,0,2]": lambda i: (i & ~3) | (3, 1, 0, 2)[i & 3],
    "row_shl:3": lambda i: i + 3 if i % 16 < 13 else -1,
    "row_shr:1": lambda i: i - 1 if i % 16 else -1,
    "row_ror:5": lambda i: (i & ~15) | (i - 5) & 15,
    "row_mirror": lambda i: i ^ 15,
    "row_half_mirror": lambda i: i ^ 7,
    "row_newbcast:9": lambda i: (i & ~15) | 9,
    "row_bcast:15": lambda i: (i & ~15) - 1,
    "row_bcast:31": lambda i: 31 if i > 31 else -1,
    "wave_shl:1": lambda i: i + 1 if i < 63 else -1,
    "wave_rol:1": lambda i: (i + 1) % 64,
    "wave_shr:1": lambda i: i - 1,
    "wave_ror:1": lambda i: (i - 1) % 64,
}


def dpp(source: Callable[[int], int], rows: int, banks: int, bound: bool) -> Lane:
    """v8 = v1 + DPP(v0)."""

    def compute(state: State, lane: int) -> int:
        from_lane = source(lane)
        valid = from_lane >= 0 and state.exec >> from_lane & 1
        if not (rows >> lane // 16 & 1 and banks >> lane // 4 % 4 & 1) or not (valid or bound):
            return int(state.v[8][lane])
        return (int(state.v[1][lane]) + (int(state.v[0][from_lane]) if valid else 0)) & 0xFFFFFFFF

    return compute


for control, source in DPP.items():
    case(f"v_add_u32_dpp v8, v0, v1 {control} row_mask:0xf bank_mask:0xf", dpp(source, 15, 15, False))
    case(f"v_add_u32_dpp v8, v0, v1 {control} row_mask:0x5 bank_mask:0xa bound_ctrl:0", dpp(source, 5, 10, True))

# SDWA: parts of sources and of the result.
case("v_add_u32_sdwa v8, v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_1",
     lane_of(lambda a, b: (a >> 16 & 255) + high(b), 0, 1))
case("v_add_u32_sdwa v8, sext(v0), v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3 src1_sel:DWORD",
     lane_of(lambda a, b, old: low(old) | low(signed(a >> 24, 8) + b) << 16, 0, 1, 8))
case("v_add_u32_sdwa v8, v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_0 src1_sel:BYTE_1",
     lane_of(lambda a, b: signed((a & 255) + (b >> 8 & 255), 8) << 8, 0, 1))
case("v_cvt_f32_f16_sdwa v8, -v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1",
     lane_of(lambda a: bits32(-f16(high(a))), 0))
case("v_mov_b32_sdwa v8, v0 dst_sel:BYTE_3 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1",
     lane_of(lambda a, old: old & 0xFFFFFF | (a >> 16 & 255) << 24, 0, 8))

# Integers.
case("v_add_u32_e64 v8, v0, v1 clamp", lane_of(lambda a, b: min(a + b, 0xFFFFFFFF), 0, 1))
case("v_sub_u32_e64 v8, v0, v1 clamp", lane_of(lambda a, b: max(a - b, 0), 0, 1))
case("v_add_i32 v8, v0, v1 clamp", lane_of(lambda a, b: max(min(signed(a) + signed(b), 2**31 - 1), -(2**31)), 0, 1))
case("v_add_u16_e32 v8, v0, v1", lane_of(lambda a, b: low(a + b), 0, 1))
case("v_add_i16 v8, v0, v1 op_sel:[1,0,1]", lane_of(lambda a, b, old: low(old) | low(high(a) + low(b)) << 16, 0, 1, 8))
case("v_mad_u16 v8, v0, v1, v2",
     lane_of(lambda a, b, c, old: old & 0xFFFF0000 | low(low(a) * low(b) + low(c)), 0, 1, 2, 8))
case("v_bfe_u32 v8, v0, v1, v2", lane_of(lambda a, b, c: a >> (b & 31) & (1 << (c & 31)) - 1, 0, 1, 2))
case("v_bfe_i32 v8, v0, 5, 9", lane_of(lambda a: signed(a >> 5 & 511, 9), 0))
case("v_bfi_b32 v8, v0, v1, v2", lane_of(lambda a, b, c: a & b | ~a & c, 0, 1, 2))
case("v_alignbit_b32 v8, v0, v1, v2", lane_of(lambda a, b, c: (a << 32 | b) >> (c & 31), 0, 1, 2))
case("v_alignbyte_b32 v8, v0, v1, v2", lane_of(lambda a, b, c: (a << 32 | b) >> 8 * (c & 3), 0, 1, 2))
case("v_mul_i32_i24_e32 v8, v0, v1", lane_of(lambda a, b: signed(a, 24) * signed(b, 24), 0, 1))
case("v_mul_hi_i32_i24_e32 v8, v0, v1", lane_of(lambda a, b: signed(a, 24) * signed(b, 24) >> 32, 0, 1))
case("v_mul_hi_i32 v8, v0, v1", lane_of(lambda a, b: signed(a) * signed(b) >> 32, 0, 1))
case("v_lshl_add_u32 v8, v0, v1, v2", lane_of(lambda a, b, c: (a << (b & 31)) + c, 0, 1, 2))
case("v_xad_u32 v8, v0, v1, v2", lane_of(lambda a, b, c: (a ^ b) + c, 0, 1, 2))
case("v_and_or_b32 v8, v0, s16, v2", lane_of(lambda a, b, c: a & b | c, 0, "s16", 2))
case("v_ffbh_i32_e32 v8, v0", lane_of(
    lambda a: next((i for i in range(1, 32) if a >> 31 - i & 1 != a >> 31), -1), 0))
case("v_med3_i32 v8, v0, v1, v2", lane_of(lambda a, b, c: sorted([signed(a), signed(b), signed(c)])[1], 0, 1, 2))
case("v_sad_u8 v8, v0, v1, v2", lane_of(
    lambda a, b, c: c + sum(abs((a >> 8 * i & 255) - (b >> 8 * i & 255)) for i in range(4)), 0, 1, 2))
case("v_dot4_i32_i8 v8, v0, v1, v2", lane_of(
    lambda a, b, c: c + sum(signed(a >> 8 * i, 8) * signed(b >> 8 * i, 8) for i in range(4)), 0, 1, 2))



def bitop3(table: int, a: int, b: int, c: int) -> int:
    return sum((table >> 4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1) & 1) << i for i in range(32))


case("v_bitop3_b32 v8, v0, v1, v2 bitop3:0x5c", lane_of(lambda *w: bitop3(0x5C, *w), 0, 1, 2), targets=("gfx950",))


def perm(a: int, b: int, c: int) -> int:
    data, result = a << 32 | b, 0
    for i in range(4):
        s = c >> 8 * i & 255
        byte = (0xFF if s >= 13 else 0 if s == 12 else 0xFF * (data >> 8 * (2 * (s - 8) + 1) + 7 & 1) if s >= 8
                else data >> 8 * s & 255)
        result |= byte << 8 * i
    return result


case("v_perm_b32 v8, v0, v1, v2", lane_of(perm, 0, 1, 2))
case("v_perm_b32 v8, v0, v1, v7", lane_of(perm, 0, 1, 7))
case("v_mbcnt_lo_u32_b32 v8, v0, v1",
     lambda s, i: (bin(int(s.v[0][i]) & (1 << min(i, 32)) - 1).count("1") + int(s.v[1][i])) & 0xFFFFFFFF)
case("v_mbcnt_hi_u32_b32 v8, v0, v1",
     lambda s, i: (bin(int(s.v[0][i]) & (1 << max(i - 32, 0)) - 1).count("1") + int(s.v[1][i])) & 0xFFFFFFFF)
case("v_cndmask_b32_e64 v8, v0, -v1, vcc",
     lambda s, i: int(s.v[1][i]) ^ 0x80000000 if s.vcc >> i & 1 else int(s.v[0][i]))
case("v_addc_co_u32_e32 v8, vcc, v0, v1, vcc",
     lambda s, i: (int(s.v[0][i]) + int(s.v[1][i]) + (s.vcc >> i & 1)) & 0xFFFFFFFF)
case("v_subbrev_co_u32_e32 v8, vcc, v0, v1, vcc",
     lambda s, i: (int(s.v[1][i]) - int(s.v[0][i]) - (s.vcc >> i & 1)) & 0xFFFFFFFF)


def wide(fn: Callable[..., int], part: int, *registers: int | str) -> Lane:
    """Word `part` of a 64-bit result."""
    return lane_of(lambda *w: fn(*w) >> 32 * part, *registers)


def pair(case_asm: str, fn: Callable[..., int], *registers: int | str) -> None:
    case(case_asm, wide(fn, 0, *registers), wide(fn, 1, *registers))


pair("v_mad_u64_u32 v[8:9], vcc, v0, v1, v[2:3]", lambda a, b, c, d: a * b + (c | d << 32), 0, 1, 2, 3)
pair("v_mad_i64_i32 v[8:9], vcc, v0, v1, v[2:3]", lambda a, b, c, d: signed(a) * signed(b) + (c | d << 32), 0, 1, 2, 3)
pair("v_lshl_add_u64 v[8:9], v[0:1], 3, v[2:3]", lambda a, b, c, d: ((a | b << 32) << 3) + (c | d << 32), 0, 1, 2, 3)
pair("v_ashrrev_i64 v[8:9], v2, v[0:1]", lambda a, b, c: signed(a | b << 32, 64) >> (c & 63), 0, 1, 2)
pair("v_mov_b64_e32 v[8:9], s[16:17]", lambda a, b: a | b << 32, "s16", "s17")

# Packed.
case("v_pk_add_u16 v8, v0, v1 op_sel:[1,0] op_sel_hi:[0,1]",
     lane_of(lambda a, b: low(high(a) + low(b)) | low(low(a) + high(b)) << 16, 0, 1))
case("v_pk_lshlrev_b16 v8, v0, v1", lane_of(
    lambda a, b: low(low(b) << (a & 15)) | low(high(b) << (a >> 16 & 15)) << 16, 0, 1))
case("v_pk_mul_f16 v8, v4, v5 neg_lo:[1,0] neg_hi:[0,1]", lane_of(
    lambda a, b: bits16(-f16(a) * f16(b)) | bits16(f16(high(a)) * -f16(high(b))) << 16, 4, 5))
case("v_pk_fma_f32 v[8:9], v[0:1], v[2:3], v[4:5] op_sel:[1,0,0] op_sel_hi:[0,1,1] neg_lo:[0,1,0]",
     f32op(lambda a, b, c: fma(a, -b, c), 1, 2, 4), f32op(fma, 0, 3, 5))
case("v_pk_mul_f32 v[8:9], v[0:1], s[16:17]", f32op(lambda a, b: a * b, 0, "s16"), f32op(lambda a, b: a * b, 1, "s17"))
case("v_pk_add_f32 v[8:9], v[0:1], 1.0 op_sel_hi:[1,0]", f32op(lambda a: a + np.float32(1), 0),
     f32op(lambda a: a + np.float32(1), 1))
case("v_pk_mov_b32 v[8:9], v[0:1], v[2:3] op_sel:[1,0]", lane_of(lambda a: a, 1), lane_of(lambda a: a, 2))
case("v_fma_mix_f32 v8, v0, -v4, |v5| op_sel:[0,0,1] op_sel_hi:[0,1,1]", lane_of(
    lambda a, b, c: bits32(fma(f32(a), -float(f16(b)), abs(float(f16(high(c)))))), 0, 4, 5))

# Lanes.
case("v_readlane_b32 s16, v0, 37\n v_mov_b32_e32 v8, s16", lambda s, i: int(s.v[0][37]))
case("v_readfirstlane_b32 s16, v0\n v_mov_b32_e32 v8, s16",
     lambda s, i: int(s.v[0][(s.exec & -s.exec).bit_length() - 1]))
case("ds_bpermute_b32 v8, v0, v1\n s_waitcnt lgkmcnt(0)", lambda s, i: int(s.v[1][j]) if s.exec >> (
    j := int(s.v[0][i]) // 4 % 64) & 1 else 0)
case("ds_swizzle_b32 v8, v0 offset:swizzle(BITMASK_PERM,\"01pi0\")\n s_waitcnt lgkmcnt(0)",
     lambda s, i: int(s.v[0][j]) if s.exec >> (j := i & 32 | ((i & 0b00110 | 0b01000) ^ 0b00010)) & 1 else 0)
