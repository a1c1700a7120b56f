"""What each instruction computes for one lane, from the ISA documents of CDNA3 and CDNA4, without its modifiers.

A row is the mnemonic, the type of the result, the types of the sources and a function of the sources' values. Integer
results are exact: they are cut to the type, or saturated where the instruction has `clamp`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from oracle_formats import BITS, FLOATS, Value, extreme, fma, quiet, signalling, signed


@dataclass(frozen=True)
class Operation:
    """One mnemonic."""

    name: str
    result: str
    sources: tuple[str, ...]
    compute: Callable[..., Value]
    tied: bool = False  # the last source is the destination
    keeps: bool = False  # a result of 16 bits leaves the other half as it is
    packed: bool = False  # on both halves
    literal: int = -1  # the source that is always a literal


TABLE: dict[str, Operation] = {}


def op(names: str, result: str, sources: str, fn: Callable[..., Value], **more: bool | int) -> None:
    """Adds mnemonics; sources are types with commas between."""
    for name in names.split():
        TABLE[name] = Operation(name, result, tuple(sources.split(",")), quiet(fn), **more)  # type: ignore[arg-type]


def first_bit(x: int, bits: int) -> int:
    """Zeros above the highest one; -1 without any."""
    return bits - x.bit_length() if x else -1


def lowest_bit(x: int) -> int:
    return (x & -x).bit_length() - 1 if x else -1


def median(a: Value, b: Value, c: Value) -> Value:
    return sorted([a, b, c])[1]


def field(x: int, offset: int, width: int) -> int:
    return x >> (offset & 31) & (1 << (width & 31)) - 1


def parts(x: int, bits: int, count: int, sign: bool = False) -> list[int]:
    """Neighbouring fields from the low end."""
    fields = [x >> bits * i & (1 << bits) - 1 for i in range(count)]
    return [signed(f, bits) for f in fields] if sign else fields


def joined(fields: list[int], bits: int) -> int:
    return sum((f & (1 << bits) - 1) << bits * i for i, f in enumerate(fields))


def clipped(x: int, low: int, high: int) -> int:
    return min(max(x, low), high)


# Moves and logic.
op("v_mov_b32", "u32", "u32", lambda a: a)
op("v_mov_b64", "u64", "u64", lambda a: a)
op("v_not_b32", "u32", "u32", lambda a: ~a)
op("v_and_b32", "u32", "u32,u32", lambda a, b: a & b)
op("v_or_b32", "u32", "u32,u32", lambda a, b: a | b)
op("v_xor_b32", "u32", "u32,u32", lambda a, b: a ^ b)
op("v_xnor_b32", "u32", "u32,u32", lambda a, b: ~(a ^ b))
op("v_bfrev_b32", "u32", "u32", lambda a: int(f"{a:032b}"[::-1], 2))
op("v_ffbh_u32", "u32", "u32", lambda a: first_bit(a, 32))
op("v_ffbl_b32", "u32", "u32", lowest_bit)
op("v_ffbh_i32", "u32", "i32", lambda a: first_bit(a if a >= 0 else ~a, 32))
op("v_bcnt_u32_b32", "u32", "u32,u32", lambda a, b: a.bit_count() + b)
op("v_or3_b32", "u32", "u32,u32,u32", lambda a, b, c: a | b | c)
op("v_and_or_b32", "u32", "u32,u32,u32", lambda a, b, c: a & b | c)
op("v_bfi_b32", "u32", "u32,u32,u32", lambda a, b, c: a & b | ~a & c)
op("v_bfm_b32", "u32", "u32,u32", lambda a, b: (1 << (a & 31)) - 1 << (b & 31))
op("v_bfe_u32", "u32", "u32,u32,u32", field)
op("v_bfe_i32", "i32", "i32,u32,u32",
   lambda a, b, c: signed(a >> (b & 31), c & 31) if c & 31 else 0)
op("v_alignbit_b32", "u32", "u32,u32,u32", lambda a, b, c: (a << 32 | b) >> (c & 31))
op("v_alignbyte_b32", "u32", "u32,u32,u32", lambda a, b, c: (a << 32 | b) >> 8 * (c & 3))


def permuted(a: int, b: int, c: int) -> int:
    """Bytes of a and b as c says; 8 to 11 the sign of a word, 12 zero, above ones."""
    data = a << 32 | b

    def byte(select: int) -> int:
        if select > 12:
            return 255
        if select == 12:
            return 0
        return 255 * (data >> 16 * (select - 8) + 15 & 1) if select >= 8 else data >> 8 * select

    return joined([byte(s) for s in parts(c, 8, 4)], 8)


op("v_perm_b32", "u32", "u32,u32,u32", permuted)

# Integers.
op("v_add_u32", "u32", "u32,u32", lambda a, b: a + b)
op("v_sub_u32", "u32", "u32,u32", lambda a, b: a - b)
op("v_subrev_u32", "u32", "u32,u32", lambda a, b: b - a)
op("v_add_i32", "i32", "i32,i32", lambda a, b: a + b)
op("v_sub_i32", "i32", "i32,i32", lambda a, b: a - b)
op("v_add_u16", "u16", "u16,u16", lambda a, b: a + b)
op("v_sub_u16", "u16", "u16,u16", lambda a, b: a - b)
op("v_subrev_u16", "u16", "u16,u16", lambda a, b: b - a)
op("v_add_i16", "i16", "i16,i16", lambda a, b: a + b, keeps=True)
op("v_sub_i16", "i16", "i16,i16", lambda a, b: a - b, keeps=True)
op("v_mul_lo_u16", "u16", "u16,u16", lambda a, b: a * b)
for kind in ("i32", "u32", "i16", "u16"):
    op(f"v_min_{kind}", kind, f"{kind},{kind}", min)
    op(f"v_max_{kind}", kind, f"{kind},{kind}", max)
    three, keeps = f"{kind},{kind},{kind}", BITS[kind] == 16
    op(f"v_min3_{kind}", kind, three, lambda a, b, c: min(a, b, c), keeps=keeps)
    op(f"v_max3_{kind}", kind, three, lambda a, b, c: max(a, b, c), keeps=keeps)
    op(f"v_med3_{kind}", kind, three, median, keeps=keeps)
op("v_lshlrev_b32", "u32", "u32,u32", lambda a, b: b << (a & 31))
op("v_lshrrev_b32", "u32", "u32,u32", lambda a, b: b >> (a & 31))
op("v_ashrrev_i32", "i32", "u32,i32", lambda a, b: b >> (a & 31))
op("v_lshlrev_b16", "u16", "u16,u16", lambda a, b: b << (a & 15))
op("v_lshrrev_b16", "u16", "u16,u16", lambda a, b: b >> (a & 15))
op("v_ashrrev_i16", "i16", "u16,i16", lambda a, b: b >> (a & 15))
op("v_lshlrev_b64", "u64", "u32,u64", lambda a, b: b << (a & 63))
op("v_lshrrev_b64", "u64", "u32,u64", lambda a, b: b >> (a & 63))
op("v_ashrrev_i64", "i64", "u32,i64", lambda a, b: b >> (a & 63))
op("v_lshl_add_u64", "u64", "u64,u32,u64", lambda a, b, c: (a << (b & 7)) + c)
op("v_mul_i32_i24", "i32", "u32,u32", lambda a, b: signed(a, 24) * signed(b, 24))
op("v_mul_hi_i32_i24", "i32", "u32,u32", lambda a, b: signed(a, 24) * signed(b, 24) >> 32)
op("v_mul_u32_u24", "u32", "u32,u32", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF))
op("v_mul_hi_u32_u24", "u32", "u32,u32", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32)
op("v_mad_i32_i24", "i32", "u32,u32,i32", lambda a, b, c: signed(a, 24) * signed(b, 24) + c)
op("v_mad_u32_u24", "u32", "u32,u32,u32", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c)
op("v_mul_lo_u32", "u32", "u32,u32", lambda a, b: a * b)
op("v_mul_hi_u32", "u32", "u32,u32", lambda a, b: a * b >> 32)
op("v_mul_hi_i32", "i32", "i32,i32", lambda a, b: a * b >> 32)
op("v_mad_u16", "u16", "u16,u16,u16", lambda a, b, c: a * b + c, keeps=True)
op("v_mad_i16", "i16", "i16,i16,i16", lambda a, b, c: a * b + c, keeps=True)
op("v_mad_legacy_u16", "u16", "u16,u16,u16", lambda a, b, c: a * b + c)
op("v_mad_legacy_i16", "i16", "i16,i16,i16", lambda a, b, c: a * b + c)
op("v_mad_u32_u16", "u32", "u16,u16,u32", lambda a, b, c: a * b + c)
op("v_mad_i32_i16", "i32", "i16,i16,i32", lambda a, b, c: a * b + c)
op("v_xad_u32", "u32", "u32,u32,u32", lambda a, b, c: (a ^ b) + c)
op("v_lshl_add_u32", "u32", "u32,u32,u32", lambda a, b, c: (a << (b & 31)) + c)
op("v_add_lshl_u32", "u32", "u32,u32,u32", lambda a, b, c: a + b << (c & 31))
op("v_add3_u32", "u32", "u32,u32,u32", lambda a, b, c: a + b + c)
op("v_lshl_or_b32", "u32", "u32,u32,u32", lambda a, b, c: a << (b & 31) | c)


def byte_distance(a: int, b: int, masked: bool = False) -> int:
    """Sum of distances of bytes; with a mask those whose byte of b is zero do not count."""
    return sum(abs(x - y) for x, y in zip(parts(a, 8, 4), parts(b, 8, 4), strict=True) if y or not masked)


op("v_sad_u8", "u32", "u32,u32,u32", lambda a, b, c: byte_distance(a, b) + c)
op("v_sad_hi_u8", "u32", "u32,u32,u32", lambda a, b, c: (byte_distance(a, b) << 16) + c)
op("v_sad_u16", "u32", "u32,u32,u32",
   lambda a, b, c: sum(abs(x - y) for x, y in zip(parts(a, 16, 2), parts(b, 16, 2), strict=True)) + c)
op("v_sad_u32", "u32", "u32,u32,u32", lambda a, b, c: abs(a - b) + c)
op("v_msad_u8", "u32", "u32,u32,u32", lambda a, b, c: byte_distance(a, b, True) + c)
op("v_lerp_u8", "u32", "u32,u32,u32",
   lambda a, b, c: joined([x + y + (z & 1) >> 1 for x, y, z in zip(parts(a, 8, 4), parts(b, 8, 4), parts(c, 8, 4),
                                                                   strict=True)], 8))
op("v_qsad_pk_u16_u8", "u64", "u64,u32,u64",
   lambda a, b, c: joined([byte_distance(a >> 8 * i, b) + (c >> 16 * i & 0xFFFF) for i in range(4)], 16))
op("v_mqsad_pk_u16_u8", "u64", "u64,u32,u64",
   lambda a, b, c: joined([byte_distance(a >> 8 * i, b, True) + (c >> 16 * i & 0xFFFF) for i in range(4)], 16))
op("v_sat_pk_u8_i16", "u32", "u32", lambda a: joined([clipped(x, 0, 255) for x in parts(a, 16, 2, True)], 8))


def dot(bits: int, sign: bool) -> Callable[[int, int, int], int]:
    count = 32 // bits
    return lambda a, b, c: c + sum(x * y for x, y in zip(parts(a, bits, count, sign), parts(b, bits, count, sign),
                                                         strict=True))


for bits in (16, 8, 4):
    count = 32 // bits
    op(f"v_dot{count}_i32_i{bits}", "i32", "u32,u32,i32", dot(bits, True))
    op(f"v_dot{count}_u32_u{bits}", "u32", "u32,u32,u32", dot(bits, False))
    op(f"v_dot{count}c_i32_i{bits}", "i32", "u32,u32,i32", dot(bits, True), tied=True)
op("v_ashr_pk_i8_i32", "u32", "i32,i32,u32",
   lambda a, b, c: joined([clipped(x >> (c & 31), -128, 127) for x in (a, b)], 8))
op("v_ashr_pk_u8_i32", "u32", "i32,i32,u32",
   lambda a, b, c: joined([clipped(x >> (c & 31), 0, 255) for x in (a, b)], 8))
op("v_cvt_pk_u16_u32", "u32", "u32,u32", lambda a, b: joined([min(x, 65535) for x in (a, b)], 16))
op("v_cvt_pk_i16_i32", "u32", "i32,i32", lambda a, b: joined([clipped(x, -32768, 32767) for x in (a, b)], 16))
op("v_pack_b32_f16", "u32", "f16,f16", lambda a, b: int(a.view(np.uint16)) | int(b.view(np.uint16)) << 16)
op("v_prng_b32", "u32", "u32", lambda a: a << 1 ^ (197 if a >> 31 else 0))

# Halves, twice.
for kind in ("u16", "i16"):
    two = f"{kind},{kind}"
    op(f"v_pk_min_{kind}", kind, two, min, packed=True)
    op(f"v_pk_max_{kind}", kind, two, max, packed=True)
    op(f"v_pk_add_{kind}", kind, two, lambda a, b: a + b, packed=True)
    op(f"v_pk_sub_{kind}", kind, two, lambda a, b: a - b, packed=True)
    op(f"v_pk_mad_{kind}", kind, f"{two},{kind}", lambda a, b, c: a * b + c, packed=True)
op("v_pk_mul_lo_u16", "u16", "u16,u16", lambda a, b: a * b, packed=True)
op("v_pk_lshlrev_b16", "u16", "u16,u16", lambda a, b: b << (a & 15), packed=True)
op("v_pk_lshrrev_b16", "u16", "u16,u16", lambda a, b: b >> (a & 15), packed=True)
op("v_pk_ashrrev_i16", "i16", "u16,i16", lambda a, b: b >> (a & 15), packed=True)

# Floats.
smaller, larger = extreme(False), extreme(True)


def median_float(a: np.floating, b: np.floating, c: np.floating) -> np.floating:
    """Of three numbers the middle one; with a NaN the smallest of all."""
    if any(np.isnan(x) for x in (a, b, c)):
        return smaller(smaller(a, b), c)
    top = larger(larger(a, b), c)
    if top == a:
        return larger(b, c)
    return larger(a, c) if top == b else larger(a, b)


def scaled(x: np.floating, by: int) -> np.floating:
    """x * 2^by, rounded once."""
    if not np.isfinite(x) or x == 0:
        return x
    limited = clipped(by, -4000, 4000)
    return fma(type(x))(x, type(x)(1), type(x)(0)) if limited == 0 else exact_scale(x, limited)


def exact_scale(x: np.floating, by: int) -> np.floating:
    from fractions import Fraction

    from oracle_formats import MANTISSA, rounded

    if by > 2200:
        return type(x)(math.copysign(math.inf, x))
    exact = Fraction(float(x)) * Fraction(2) ** by
    largest = Fraction(2) ** (2 - MANTISSA[type(x)][1])
    return type(x)(math.copysign(math.inf, x)) if abs(exact) >= largest else rounded(exact, type(x))


def fraction(x: np.floating) -> np.floating:
    below = np.nextafter(type(x)(1), type(x)(0))
    part = x - np.floor(x)
    return part if np.isnan(part) else min(part, below)


def quieted(x: np.floating) -> np.floating:
    return type(x)(np.nan) if signalling(x) else x


for kind, scalar in FLOATS.items():
    one, two, three = kind, f"{kind},{kind}", f"{kind},{kind},{kind}"
    op(f"v_add_{kind}", kind, two, lambda a, b: a + b)
    op(f"v_mul_{kind}", kind, two, lambda a, b: a * b)
    op(f"v_min_{kind}", kind, two, smaller)
    op(f"v_max_{kind}", kind, two, larger)
    op(f"v_fma_{kind}", kind, three, fma(scalar), keeps=kind == "f16")
    op(f"v_fmac_{kind}", kind, three, fma(scalar), tied=True)
    op(f"v_trunc_{kind}", kind, one, np.trunc)
    op(f"v_ceil_{kind}", kind, one, np.ceil)
    op(f"v_floor_{kind}", kind, one, np.floor)
    op(f"v_rndne_{kind}", kind, one, np.rint)
    op(f"v_fract_{kind}", kind, one, fraction)
    op(f"v_frexp_mant_{kind}", kind, one, lambda a: np.frexp(a)[0] if np.isfinite(a) else a)
    exponent = "i16" if kind == "f16" else "i32"
    op(f"v_frexp_exp_{exponent}_{kind}", exponent, one, lambda a: int(np.frexp(a)[1]) if np.isfinite(a) else 0)
    op(f"v_ldexp_{kind}", kind, f"{kind},{'i16' if kind == 'f16' else 'i32'}", scaled)
for kind in ("f16", "f32"):
    two, three = f"{kind},{kind}", f"{kind},{kind},{kind}"
    op(f"v_sub_{kind}", kind, two, lambda a, b: a - b)
    op(f"v_subrev_{kind}", kind, two, lambda a, b: b - a)
    op(f"v_min3_{kind}", kind, three, lambda a, b, c: smaller(smaller(a, b), c), keeps=kind == "f16")
    op(f"v_max3_{kind}", kind, three, lambda a, b, c: larger(larger(a, b), c), keeps=kind == "f16")
    op(f"v_med3_{kind}", kind, three, median_float, keeps=kind == "f16")
    op(f"v_fmaak_{kind}", kind, three, fma(FLOATS[kind]), literal=2)
    op(f"v_fmamk_{kind}", kind, f"{kind},{kind},{kind}", fma(FLOATS[kind]), literal=1)
op("v_mul_legacy_f32", "f32", "f32,f32", lambda a, b: np.float32(0) if a == 0 or b == 0 else a * b)
op("v_pk_add_f16", "f16", "f16,f16", lambda a, b: a + b, packed=True)
op("v_pk_mul_f16", "f16", "f16,f16", lambda a, b: a * b, packed=True)
op("v_pk_fma_f16", "f16", "f16,f16,f16", fma(np.float16), packed=True)
op("v_pk_min_f16", "f16", "f16,f16", smaller, packed=True)
op("v_pk_max_f16", "f16", "f16,f16", larger, packed=True)


def to_integer(kind: str) -> Callable[[np.floating], int]:
    """Towards zero, saturated; NaN gives zero."""
    bits, sign = BITS[kind], kind[0] == "i"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign else (0, (1 << bits) - 1)

    def convert(x: np.floating) -> int:
        if np.isnan(x):
            return 0
        return (high if x > 0 else low) if np.isinf(x) else clipped(int(x), low, high)

    return convert


for target, source in (("i32", "f32"), ("u32", "f32"), ("i32", "f64"), ("u32", "f64"), ("i16", "f16"), ("u16", "f16")):
    op(f"v_cvt_{target}_{source}", target, source, to_integer(target))
for target, source in (("f32", "i32"), ("f32", "u32"), ("f64", "i32"), ("f64", "u32"), ("f16", "i16"), ("f16", "u16")):
    scalar = FLOATS[target]
    op(f"v_cvt_{target}_{source}", target, source, lambda a, scalar=scalar: scalar(np.float64(a)))
for target, source in (("f16", "f32"), ("f32", "f16"), ("f64", "f32"), ("f32", "f64")):
    op(f"v_cvt_{target}_{source}", target, source, lambda a, scalar=FLOATS[target]: scalar(a))

# Masks.
COMPARE: dict[str, Operation] = {}
INTEGER_TESTS = {"f": lambda a, b: False, "lt": lambda a, b: a < b, "eq": lambda a, b: a == b,
                 "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ne": lambda a, b: a != b,
                 "ge": lambda a, b: a >= b, "t": lambda a, b: True}
FLOAT_TESTS = {"f": lambda a, b: False, "lt": lambda a, b: a < b, "eq": lambda a, b: a == b, "le": lambda a, b: a <= b,
               "gt": lambda a, b: a > b, "lg": lambda a, b: a < b or a > b, "ge": lambda a, b: a >= b,
               "o": lambda a, b: a == a and b == b, "u": lambda a, b: a != a or b != b,
               "nge": lambda a, b: not a >= b, "nlg": lambda a, b: not (a < b or a > b), "ngt": lambda a, b: not a > b,
               "nle": lambda a, b: not a <= b, "neq": lambda a, b: a != b, "nlt": lambda a, b: not a < b,
               "tru": lambda a, b: True}
for kind in ("i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"):
    for name, test in (FLOAT_TESTS if kind in FLOATS else INTEGER_TESTS).items():
        for prefix in ("v_cmp", "v_cmpx"):
            full = f"{prefix}_{name}_{kind}"
            COMPARE[full] = Operation(full, "bit", (kind, kind), test)
