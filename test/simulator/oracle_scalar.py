"""Scalar instructions against their formulas: sources s[16:17] and s[18:19], result s[20:21], SCC before and after.

A row: mnemonic, bits of the result and of the sources, and a function that gives the result and SCC (None: unchanged).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assembly import State
from oracle_formats import signed

Result = tuple[int, bool | None]


@dataclass(frozen=True)
class Scalar:
    """One instruction; `immediate` is the constant of SOPK, whose register is source and result."""

    name: str
    result: int
    sources: tuple[int, ...]
    compute: Callable[..., Result]
    carry: bool = False  # SCC is the last argument
    old: bool = False  # the result's old value is the first argument
    immediate: int | None = None


TABLE: list[Scalar] = []


def op(name: str, result: int, sources: str, fn: Callable[..., Result], **more: bool) -> None:
    TABLE.append(Scalar(name, result, tuple(int(s) for s in sources.split()), fn, **more))


def cut(x: int, bits: int) -> int:
    return x & (1 << bits) - 1


def logic(name: str, fn: Callable[[int, int], int]) -> None:
    """Both widths; SCC says that the result is not zero."""
    for bits in (32, 64):
        op(f"s_{name}_b{bits}", bits, f"{bits} {bits}", lambda a, b, bits=bits: (r := cut(fn(a, b), bits), r != 0))


for name, fn in {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
                 "andn2": lambda a, b: a & ~b, "orn2": lambda a, b: a | ~b, "nand": lambda a, b: ~(a & b),
                 "nor": lambda a, b: ~(a | b), "xnor": lambda a, b: ~(a ^ b)}.items():
    logic(name, fn)
for bits in (32, 64):
    one, two, shift = f"{bits}", f"{bits} {bits}", f"{bits} 32"
    low = bits - 1

    def shifted(fn: Callable[[int, int], int], bits: int = bits) -> Callable[[int, int], Result]:
        return lambda a, b: (r := cut(fn(a, b & bits - 1), bits), r != 0)

    op(f"s_not_b{bits}", bits, one, lambda a, bits=bits: (r := cut(~a, bits), r != 0))
    op(f"s_mov_b{bits}", bits, one, lambda a: (a, None))
    op(f"s_lshl_b{bits}", bits, shift, shifted(lambda a, n: a << n))
    op(f"s_lshr_b{bits}", bits, shift, shifted(lambda a, n: a >> n))
    op(f"s_ashr_i{bits}", bits, shift, shifted(lambda a, n, bits=bits: signed(a, bits) >> n))
    op(f"s_bfm_b{bits}", bits, "32 32",
       lambda a, b, bits=bits: (cut((1 << (a & bits - 1)) - 1 << (b & bits - 1), bits), None))
    op(f"s_brev_b{bits}", bits, one, lambda a, bits=bits: (int(f"{a:0{bits}b}"[::-1], 2), None))
    op(f"s_bcnt1_i32_b{bits}", 32, one, lambda a: (a.bit_count(), a != 0))
    op(f"s_bcnt0_i32_b{bits}", 32, one, lambda a, bits=bits: (r := bits - a.bit_count(), r != 0))
    op(f"s_ff1_i32_b{bits}", 32, one, lambda a: ((a & -a).bit_length() - 1 if a else -1, None))
    op(f"s_ff0_i32_b{bits}", 32, one,
       lambda a, bits=bits: ((b & -b).bit_length() - 1 if (b := cut(~a, bits)) else -1, None))
    op(f"s_flbit_i32_b{bits}", 32, one, lambda a, bits=bits: (bits - a.bit_length() if a else -1, None))
    sign = "s_flbit_i32" if bits == 32 else "s_flbit_i32_i64"
    op(sign, 32, one, lambda a, bits=bits: (bits - b.bit_length() if (b := a ^ (cut(-1, bits) if a >> bits - 1 else 0))
                                            else -1, None))
    op(f"s_bitset0_b{bits}", bits, "32", lambda d, a, bits=bits: (d & ~(1 << (a & bits - 1)), None), old=True)
    op(f"s_bitset1_b{bits}", bits, "32", lambda d, a, bits=bits: (d | 1 << (a & bits - 1), None), old=True)
    op(f"s_bitcmp0_b{bits}", 0, shift, lambda a, b, bits=bits: (0, not a >> (b & bits - 1) & 1))
    op(f"s_bitcmp1_b{bits}", 0, shift, lambda a, b, bits=bits: (0, bool(a >> (b & bits - 1) & 1)))
    op(f"s_cselect_b{bits}", bits, two, lambda a, b, scc: (a if scc else b, None), carry=True)
    op(f"s_cmov_b{bits}", bits, one, lambda d, a, scc: (a if scc else d, None), carry=True, old=True)

    def quads(a: int, bits: int = bits) -> list[bool]:
        return [bool(a >> i & 15) for i in range(0, bits, 4)]

    op(f"s_quadmask_b{bits}", bits, one, lambda a, q=quads: (r := sum(x << i for i, x in enumerate(q(a))), r != 0))
    op(f"s_wqm_b{bits}", bits, one, lambda a, q=quads: (r := sum(15 * x << 4 * i for i, x in enumerate(q(a))), r != 0))

    def extract(a: int, b: int, sign: bool, bits: int = bits) -> Result:
        offset, width = b & bits - 1, b >> 16 & 127
        if width == 0:
            return 0, False
        whole = signed(a, bits) if sign else a
        part = whole >> offset & (1 << width) - 1
        r = cut(signed(part, width) if sign else part, bits)
        return r, r != 0

    op(f"s_bfe_u{bits}", bits, shift, lambda a, b, e=extract: e(a, b, False))
    op(f"s_bfe_i{bits}", bits, shift, lambda a, b, e=extract: e(a, b, True))


def overflow(value: int) -> Result:
    return value, not -(1 << 31) <= value < 1 << 31


def s32(x: int) -> int:
    return signed(x, 32)


op("s_add_u32", 32, "32 32", lambda a, b: (a + b, a + b >= 1 << 32))
op("s_sub_u32", 32, "32 32", lambda a, b: (a - b, a < b))
op("s_add_i32", 32, "32 32", lambda a, b: overflow(s32(a) + s32(b)))
op("s_sub_i32", 32, "32 32", lambda a, b: overflow(s32(a) - s32(b)))
op("s_addc_u32", 32, "32 32", lambda a, b, scc: (a + b + scc, a + b + scc >= 1 << 32), carry=True)
op("s_subb_u32", 32, "32 32", lambda a, b, scc: (a - b - scc, a < b + scc), carry=True)
op("s_mul_i32", 32, "32 32", lambda a, b: (a * b, None))
op("s_mul_hi_u32", 32, "32 32", lambda a, b: (a * b >> 32, None))
op("s_mul_hi_i32", 32, "32 32", lambda a, b: (s32(a) * s32(b) >> 32, None))
op("s_min_i32", 32, "32 32", lambda a, b: (min(s32(a), s32(b)), s32(a) < s32(b)))
op("s_max_i32", 32, "32 32", lambda a, b: (max(s32(a), s32(b)), s32(a) > s32(b)))
op("s_min_u32", 32, "32 32", lambda a, b: (min(a, b), a < b))
op("s_max_u32", 32, "32 32", lambda a, b: (max(a, b), a > b))
op("s_abs_i32", 32, "32", lambda a: (abs(s32(a)), a != 0))
op("s_absdiff_i32", 32, "32 32", lambda a, b: (r := cut(abs(s32(cut(a - b, 32))), 32), r != 0))
op("s_sext_i32_i8", 32, "32", lambda a: (signed(a, 8), None))
op("s_sext_i32_i16", 32, "32", lambda a: (signed(a, 16), None))
op("s_bitreplicate_b64_b32", 64, "32", lambda a: (sum(3 << 2 * i for i in range(32) if a >> i & 1), None))
op("s_pack_ll_b32_b16", 32, "32 32", lambda a, b: (a & 0xFFFF | (b & 0xFFFF) << 16, None))
op("s_pack_lh_b32_b16", 32, "32 32", lambda a, b: (a & 0xFFFF | b >> 16 << 16, None))
op("s_pack_hh_b32_b16", 32, "32 32", lambda a, b: (a >> 16 | b >> 16 << 16, None))
for n in range(1, 5):
    op(f"s_lshl{n}_add_u32", 32, "32 32", lambda a, b, n=n: ((a << n) + b, (a << n) + b >= 1 << 32))
TESTS = {"eq": lambda a, b: a == b, "lg": lambda a, b: a != b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
         "lt": lambda a, b: a < b, "le": lambda a, b: a <= b}
for name, test in TESTS.items():
    op(f"s_cmp_{name}_i32", 0, "32 32", lambda a, b, t=test: (0, t(s32(a), s32(b))))
    op(f"s_cmp_{name}_u32", 0, "32 32", lambda a, b, t=test: (0, t(a, b)))
    for k in (-32768, -1, 0, 5, 32767):
        TABLE.append(Scalar(f"s_cmpk_{name}_i32", 0, (), lambda a, k=k, t=test: (0, t(s32(a), k)), immediate=k))
        u = k & 0xFFFF
        TABLE.append(Scalar(f"s_cmpk_{name}_u32", 0, (), lambda a, k=u, t=test: (0, t(a, k)), immediate=u))
for name in ("eq", "lg"):
    op(f"s_cmp_{name}_u64", 0, "64 64", lambda a, b, t=TESTS[name]: (0, t(a, b)))
for k in (-32768, -1, 0, 77, 32767):
    TABLE.append(Scalar("s_movk_i32", 32, (), lambda a, k=k: (k, None), immediate=k))
    TABLE.append(Scalar("s_addk_i32", 32, (), lambda a, k=k: overflow(s32(a) + k), immediate=k))
    TABLE.append(Scalar("s_mulk_i32", 32, (), lambda a, k=k: (s32(a) * k, None), immediate=k))
    TABLE.append(Scalar("s_cmovk_i32", 32, (), lambda a, scc, k=k: (k if scc else a, None), carry=True, immediate=k))


def body(scalar: Scalar, scc: bool) -> str:
    """The assembly: SCC is set first."""
    set_scc = f"s_cmp_{'eq' if scc else 'lg'}_u32 s16, s16\n "
    if scalar.immediate is not None:
        return f"{set_scc}{scalar.name} s20, {scalar.immediate:#x}"

    def register(at: int, bits: int) -> str:
        return f"s[{at}:{at + 1}]" if bits == 64 else f"s{at}"

    operands = [register(20, scalar.result)] if scalar.result else []
    operands += [register(16 + 2 * i, bits) for i, bits in enumerate(scalar.sources)]
    return f"{set_scc}{scalar.name} {', '.join(operands)}"


def problem(scalar: Scalar, scc: bool, before: State, after: State) -> str:
    """What is wrong after it, or nothing."""
    values = [cut(before.pair(2 * i), bits) for i, bits in enumerate(scalar.sources)]
    if scalar.old or scalar.immediate is not None:
        values.insert(0, cut(before.pair(4), scalar.result or 32))
    value, flag = scalar.compute(*values, *[int(scc)] * scalar.carry)
    if scalar.result and cut(after.pair(4), scalar.result) != cut(value, scalar.result):
        return f"{scalar.name} {[hex(v) for v in values]}: {after.pair(4):#x}, not {cut(value, scalar.result):#x}"
    want = scc if flag is None else bool(flag)
    return f"{scalar.name} {[hex(v) for v in values]}: SCC {after.scc}" if after.scc != want else ""
