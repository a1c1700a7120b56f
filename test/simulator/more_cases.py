"""Cases of instructions that convert small floats, move data through LDS, compare, or write more than vector registers.

Small floats have ml_dtypes as their oracle.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
from assembly import State
from instruction_cases import BOTH, CASES, Lane, bits16, bits32, case, f16, f32, high, lane_of, low, signed

FNUZ, OCP = ("gfx942",), ("gfx950",)
FP8 = {FNUZ: ml_dtypes.float8_e4m3fnuz, OCP: ml_dtypes.float8_e4m3fn}
BF8 = {FNUZ: ml_dtypes.float8_e5m2fnuz, OCP: ml_dtypes.float8_e5m2}


def registers(asm: str, writes: dict[int, Lane], targets: tuple[str, ...] = BOTH) -> None:
    """A case that writes registers of its choice."""
    CASES.append((asm, writes, targets))


def encode(value: float, kind: type) -> int:
    with np.errstate(all="ignore"):
        return int(np.float32(value).astype(kind).view(np.uint8))


def decode(code: int, kind: type) -> float:
    return float(np.uint8(code & 255).view(kind).astype(np.float32))


def encode_case(asm: str, kind: type, targets: tuple[str, ...], place: int) -> None:
    """Two f32 to bytes of one half, the lower if `place` is 0. What overflows is NaN in both definitions."""

    def compute(a: int, b: int, old: int) -> int:
        pair = encode(f32(a), kind) | encode(f32(b), kind) << 8
        return low(old) | pair << 16 if place else old & 0xFFFF0000 | pair

    case(asm, lane_of(compute, 14, 15, 8), targets=targets)


for targets in (FNUZ, OCP):
    for name, kinds in (("fp8", FP8), ("bf8", BF8)):
        kind = kinds[targets]
        encode_case(f"v_cvt_pk_{name}_f32 v8, v14, v15", kind, targets, 0)
        encode_case(f"v_cvt_pk_{name}_f32 v8, v14, v15 op_sel:[0,0,1]", kind, targets, 1)
        case(f"v_cvt_f32_{name}_sdwa v8, v0 src0_sel:BYTE_2",
             lane_of(lambda a, kind=kind: bits32(decode(a >> 16, kind)), 0), targets=targets)
        case(f"v_cvt_f32_{name}_e32 v8, v0", lane_of(lambda a, kind=kind: bits32(decode(a, kind)), 0), targets=targets)
        case(f"v_cvt_pk_f32_{name}_sdwa v[8:9], v0 src0_sel:WORD_1",
             lane_of(lambda a, kind=kind: bits32(decode(a >> 16, kind)), 0),
             lane_of(lambda a, kind=kind: bits32(decode(a >> 24, kind)), 0), targets=targets)


def scale(word: int) -> float:
    """2^(exponent field - 127), NaN for the last code."""
    field = word >> 23 & 255
    return float("nan") if field == 255 else 2.0 ** (field - 127)


for name, kind in (("fp8", FP8[OCP]), ("bf8", BF8[OCP])):
    case(f"v_cvt_scalef32_pk_{name}_f32 v8, v14, v15, 2.0 op_sel:[0,0,0,1]", lane_of(
        lambda a, b, old, k=kind: low(old) | (encode(f32(a) / 2, k) | encode(f32(b) / 2, k) << 8) << 16, 14, 15, 8),
        targets=OCP)
    case(f"v_cvt_scalef32_pk_f32_{name} v[8:9], v0, s16 op_sel:[1,0,0]",
         lane_of(lambda a, s, kind=kind: bits32(decode(a >> 16, kind) * scale(s)), 0, "s16"),
         lane_of(lambda a, s, kind=kind: bits32(decode(a >> 24, kind) * scale(s)), 0, "s16"), targets=OCP)
    case(f"v_cvt_scalef32_pk_{name}_f16 v8, v4, 1.0", lane_of(
        lambda a, old, k=kind: old & 0xFFFF0000 | encode(f16(a), k) | encode(f16(high(a)), k) << 8, 4, 8), targets=OCP)
for byte, op_sel in enumerate(("", " op_sel:[1,0,0]", " op_sel:[0,1,0]", " op_sel:[1,1,0]")):
    case(f"v_cvt_scalef32_f32_fp8 v8, v0, 4.0{op_sel}",
         lane_of(lambda a, byte=byte: bits32(decode(a >> 8 * byte, FP8[OCP]) * 4), 0), targets=OCP)


def bf16(word: int) -> int:
    if np.isnan(f32(word)):
        return word >> 16 | 0x40
    return int(f32(word).astype(ml_dtypes.bfloat16).view(np.uint16))


case("v_cvt_pk_bf16_f32 v8, v14, v15", lane_of(lambda a, b: bf16(a) | bf16(b) << 16, 14, 15), targets=OCP)
case("v_cvt_pk_f16_f32 v8, v4, v5", lane_of(lambda a, b: bits16(f32(a)) | bits16(f32(b)) << 16, 4, 5), targets=OCP)


def toward_zero(word: int) -> int:
    value = f32(word)
    with np.errstate(all="ignore"):
        half = np.float16(value)
        return int(half.view(np.uint16)) - (1 if abs(np.float32(half)) > abs(value) else 0)


case("v_cvt_pkrtz_f16_f32 v8, v14, v15", lane_of(lambda a, b: toward_zero(a) | toward_zero(b) << 16, 14, 15))

# Comparisons: the mask is read back through a selection.
SHOW = "\n s_mov_b64 exec, s[30:31]\n v_cndmask_b32_e64 v8, 0, 1, {mask}"


def compare(asm: str, mask: str, fn: Lane) -> None:
    case(asm + SHOW.format(mask=mask), fn)


compare("v_cmp_lt_i32_e32 vcc, v0, v1", "vcc", lane_of(lambda a, b: int(a ^ 1 << 31 < b ^ 1 << 31), 0, 1))
compare("v_cmp_ge_u32_e64 s[16:17], v0, s18", "s[16:17]", lane_of(lambda a, b: int(a >= b), 0, "s18"))
compare("v_cmp_nle_f32_e64 s[16:17], |v0|, v1", "s[16:17]", lane_of(lambda a, b: int(not abs(f32(a)) <= f32(b)), 0, 1))
compare("v_cmp_u_f32_e32 vcc, v0, v1", "vcc", lane_of(lambda a, b: int(np.isnan(f32(a)) or np.isnan(f32(b))), 0, 1))
compare("v_cmp_lt_f16_sdwa vcc, v4, v5 src0_sel:WORD_1 src1_sel:WORD_0", "vcc",
        lane_of(lambda a, b: int(f16(high(a)) < f16(b)), 4, 5))
compare("v_cmpx_gt_u32_e32 vcc, v0, v1", "vcc", lane_of(lambda a, b: int(a > b), 0, 1))


def float_class(word: int) -> int:
    """Bits 0..9: sNaN, qNaN, -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf."""
    exponent, fraction, negative = word >> 23 & 255, word & 0x7FFFFF, word >> 31
    if exponent == 255 and fraction:
        return 1 << (fraction >> 22)
    kind = 0 if exponent == 255 else 1 if exponent else 2 if fraction else 3
    return 1 << (2 + kind if negative else 9 - kind)


for bits in (0x003, 0x204, 0x108, 0x090, 0x060, 0x3FF):
    compare(f"s_mov_b32 s18, {bits:#x}\n v_cmp_class_f32_e64 s[16:17], v0, s18", "s[16:17]",
            lane_of(lambda a, bits=bits: int(bool(float_class(a) & bits)), 0))

# Two registers that change places.
registers("v_swap_b32 v0, v1", {0: lane_of(lambda a: a, 1), 1: lane_of(lambda a: a, 0)})


def swapped(rows: int) -> dict[int, Lane]:
    """Odd rows of v0 and even rows of v1; needs all lanes."""
    return {0: lambda s, i: int(s.v[1][i - rows] if i & rows else s.v[0][i]),
            1: lambda s, i: int(s.v[1][i] if i & rows else s.v[0][i + rows])}


FULL = "s_mov_b64 exec, -1\n "
for rows in (16, 32):
    registers(f"{FULL}v_permlane{rows}_swap_b32 v0, v1\n s_mov_b64 exec, s[14:15]", swapped(rows), OCP)

# LDS: 4096 words at byte 0. Addresses are made from v7, whose bytes are below 16.
ADDRESS = "v_and_b32_e32 v13, 0xf0f, v7\n v_lshlrev_b32_e32 v13, 2, v13\n "


def address(state: State, lane: int) -> int:
    return (int(state.v[7][lane]) & 0xF0F) << 2


def lds_word(offset: int) -> Lane:
    return lambda state, lane: int(state.lds[(address(state, lane) + offset) // 4])


def lds_case(asm: str, *writes: Lane) -> None:
    case(ADDRESS + asm + "\n s_waitcnt lgkmcnt(0)", *writes)
    CASES[-1][1][13] = address


lds_case("ds_read_b32 v8, v13 offset:12", lds_word(12))
lds_case("ds_read_b128 v[8:11], v13 offset:16", *[lds_word(16 + 4 * i) for i in range(4)])
lds_case("ds_read2_b32 v[8:9], v13 offset0:3 offset1:7", lds_word(12), lds_word(28))
lds_case("ds_read2st64_b32 v[8:9], v13 offset0:1 offset1:2", lds_word(256), lds_word(512))
lds_case("ds_read2_b64 v[8:11], v13 offset0:1 offset1:4", lds_word(8), lds_word(12), lds_word(32), lds_word(36))
lds_case("ds_read_u8 v8, v13 offset:5", lambda s, i: int(s.lds[address(s, i) // 4 + 1]) >> 8 & 255)
lds_case("ds_read_i16 v8, v13 offset:6", lambda s, i: signed(high(int(s.lds[address(s, i) // 4 + 1])), 16) & 0xFFFFFFFF)
lds_case("ds_read_u16_d16_hi v8, v13", lambda s, i: low(int(s.v[8][i])) | low(int(s.lds[address(s, i) // 4])) << 16)


def transposed(bits: int, part: int) -> Lane:
    """16 lanes read rows; a lane gets a column. Lane l reads 8 bytes at 8 l."""

    def compute(state: State, lane: int) -> int:
        per_lane, result = 64 // bits, 0
        rows = 16 // per_lane
        for e in range(per_lane):
            source = lane // 16 * 16 + rows * e + lane % 16 // per_lane
            words = int(state.lds[2 * source]) | int(state.lds[2 * source + 1]) << 32
            result |= (words >> bits * (lane % per_lane) & (1 << bits) - 1) << bits * e
        return result >> 32 * part & 0xFFFFFFFF

    return compute


for bits in (4, 8, 16):
    registers(f"{FULL}v_lshlrev_b32_e32 v13, 3, v30\n ds_read_b64_tr_b{bits} v[8:9], v13\n s_waitcnt lgkmcnt(0)",
              {8: transposed(bits, 0), 9: transposed(bits, 1), 13: lambda s, i: 8 * i}, OCP)
