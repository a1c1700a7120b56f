"""Memory instructions against their formulas: loads, stores and atomics in LDS and through global, flat and buffer
addresses, each lane at a place of its own.

The place of a lane begins `stride` bytes after that of the lane before, in LDS or at s[10:11]. Data are v0..v3 (the
second operand v2), results go to v8..v11 (buffer atomics: v0), and v12..v15 are 16 bytes of the place read back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from assembly import State
from oracle_formats import signed

Act = Callable[["Place"], None]
BOTH = ("gfx942", "gfx950")
RESOURCE = ("s_mov_b32 s20, s10\n s_mov_b32 s21, s11\n s_movk_i32 s22, 0x4000\n s_mov_b32 s23, 0x27000\n ")
FLAT = ("v_mov_b32_e32 v7, s11\n v_add_co_u32_e32 v6, vcc, s10, v6\n v_addc_co_u32_e32 v7, vcc, 0, v7, vcc\n ")
BACK = {"ds": "ds_read_b128 v[12:15], v6", "global": "global_load_dwordx4 v[12:15], v6, s[10:11]",
        "flat": "flat_load_dwordx4 v[12:15], v[6:7]", "buffer": "buffer_load_dwordx4 v[12:15], v6, s[20:23], 0 offen"}
WAIT = "\n s_waitcnt vmcnt(0) lgkmcnt(0)\n "


@dataclass
class Place:
    """What an instruction of one lane sees; `registers` are those that it writes."""

    memory: bytearray
    at: int
    before: State
    lane: int
    registers: dict[int, int]

    def v(self, register: int, bits: int = 32) -> int:
        low = int(self.before.v[register][self.lane])
        return low | int(self.before.v[register + 1][self.lane]) << 32 if bits == 64 else low

    def read(self, offset: int, size: int) -> int:
        return int.from_bytes(self.memory[self.at + offset : self.at + offset + size], "little")

    def write(self, offset: int, size: int, value: int) -> None:
        cut = value & (1 << 8 * size) - 1
        self.memory[self.at + offset : self.at + offset + size] = cut.to_bytes(size, "little")

    def give(self, register: int, value: int, size: int) -> None:
        """Into one register or several."""
        for i in range((size + 3) // 4):
            self.registers[register + i] = value >> 32 * i & 0xFFFFFFFF


@dataclass(frozen=True)
class Memory:
    """One instruction as written."""

    line: str
    space: str
    act: Act
    stride: int = 64
    targets: tuple[str, ...] = BOTH
    number: str = ""  # kind of float of the results, of which every NaN is one

    @property
    def name(self) -> str:
        return self.line.split()[0]

    def body(self) -> str:
        prepare = f"v_mul_u32_u24_e32 v6, {self.stride:#x}, v30\n "
        prepare += {"flat": FLAT, "buffer": RESOURCE}.get(self.space, "")
        return f"{prepare}{self.line}{WAIT}{BACK[self.space]}{WAIT}"


TABLE: list[Memory] = []


def add(line: str, space: str, act: Act, **more: object) -> None:
    TABLE.append(Memory(line, space, act, **more))  # type: ignore[arg-type]


def registers(first: int, size: int) -> str:
    count = (size + 3) // 4
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def written(space: str, name: str, data: str, offset: int, result: str = "", flags: str = "") -> str:
    """The line of one access."""
    place = {"ds": "v6", "global": "v6", "flat": "v[6:7]", "buffer": "v6, s[20:23], 0 offen"}[space]
    tail = ", s[10:11]" if space == "global" else ""
    if space == "buffer":
        operands = [data or result, place]
    else:
        operands = [*[result] * bool(result), place, *[data] * bool(data)]
    return f"{name} {', '.join(operands)}{tail}{f' offset:{offset}' if offset else ''}{flags}"


def load(size: int, sign: bool, half: str, offset: int) -> Act:
    def act(p: Place) -> None:
        value = p.read(offset, size)
        if sign:
            value = signed(value, 8 * size) & 0xFFFFFFFF
        if half:
            old = p.v(8)
            value = old & 0xFFFF0000 | value & 0xFFFF if half == "low" else old & 0xFFFF | (value & 0xFFFF) << 16
        p.give(8, value, max(size, 4))

    return act


def store(size: int, high: bool, offset: int) -> Act:
    def act(p: Place) -> None:
        words = [p.v(0) >> 16] if high else [p.v(i) for i in range((size + 3) // 4)]
        p.write(offset, size, sum(w << 32 * i for i, w in enumerate(words)))

    return act


WIDE = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16}
DS_WIDE = {"b32": 4, "b64": 8, "b96": 12, "b128": 16}
for space in ("global", "flat", "buffer"):
    narrow = {"ubyte": (1, False), "sbyte": (1, True), "ushort": (2, False), "sshort": (2, True)}
    for name, (size, sign) in narrow.items():
        for offset in (0, 5 - size % 2 if size == 2 else 5):
            line = written(space, f"{space}_load_{name}", "", offset, "v8")
            add(line, space, load(size, sign, "", offset))
    for name, size, sign in (("ubyte_d16", 1, False), ("sbyte_d16", 1, True), ("short_d16", 2, False)):
        for suffix, half in (("", "low"), ("_hi", "high")):
            add(written(space, f"{space}_load_{name}{suffix}", "", 2, "v8"), space, load(size, sign, half, 2))
    for name, size in WIDE.items():
        for flags in ("", " sc0", " sc1", " nt", " sc0 sc1 nt"):
            offset = 4 if flags else 0
            line = written(space, f"{space}_load_{name}", "", offset, registers(8, size), flags)
            add(line, space, load(size, False, "", offset))
        line = written(space, f"{space}_store_{name}", registers(0, size), 0, "", " sc0 sc1")
        add(line, space, store(size, False, 0))
    for name, size, high in (("byte", 1, False), ("short", 2, False), ("byte_d16_hi", 1, True),
                             ("short_d16_hi", 2, True)):
        add(written(space, f"{space}_store_{name}", "v0", 6), space, store(size, high, 6))
for name, (size, sign) in {"u8": (1, False), "i8": (1, True), "u16": (2, False), "i16": (2, True)}.items():
    add(written("ds", f"ds_read_{name}", "", 6, "v8"), "ds", load(size, sign, "", 6))
    if name != "i16":
        for suffix, half in (("", "low"), ("_hi", "high")):
            add(written("ds", f"ds_read_{name}_d16{suffix}", "", 4, "v8"), "ds", load(size, sign, half, 4))
for name, size in DS_WIDE.items():
    add(written("ds", f"ds_read_{name}", "", 32, registers(8, size)), "ds", load(size, False, "", 32))
    add(written("ds", f"ds_write_{name}", registers(0, size), 0), "ds", store(size, False, 0))
for name, size, high in (("b8", 1, False), ("b16", 2, False), ("b8_d16_hi", 1, True), ("b16_d16_hi", 2, True)):
    add(written("ds", f"ds_write_{name}", "v0", 2), "ds", store(size, high, 2))


def two(size: int, step: int, reads: bool, first: int, second: int) -> Act:
    """Two elements at offsets that count elements, or 64 of them."""

    def act(p: Place) -> None:
        for i, offset in enumerate((first * step, second * step)):
            if reads:
                p.give(8 + i * size // 4, p.read(offset, size), size)
            else:
                p.write(offset, size, p.v(2 * i, 8 * size))

    return act


for size in (4, 8):
    for name, step, stride in ((f"2_b{8 * size}", size, 64), (f"2st64_b{8 * size}", 64 * size, size)):
        line = f"ds_read{name} {registers(8, 2 * size)}, v6 offset0:1 offset1:3"
        add(line, "ds", two(size, step, True, 1, 3), stride=stride)
        data = f"{registers(0, size)}, {registers(2, size)}"
        add(f"ds_write{name} v6, {data} offset1:1", "ds", two(size, step, False, 0, 1), stride=max(stride, size))

# Atomics: a function of the old value, the data and the second operand.
New = Callable[[int, int, int], int]


def of_signed(choose: Callable[[int, int], int], bits: int) -> New:
    return lambda old, data, _: choose(signed(old, bits), signed(data, bits))


def integers(bits: int) -> dict[str, New]:
    return {"add": lambda old, data, _: old + data, "sub": lambda old, data, _: old - data,
            "inc": lambda old, data, _: 0 if old >= data else old + 1,
            "dec": lambda old, data, _: data if old == 0 or old > data else old - 1,
            "smin": of_signed(min, bits), "smax": of_signed(max, bits), "umin": lambda old, data, _: min(old, data),
            "umax": lambda old, data, _: max(old, data), "and": lambda old, data, _: old & data,
            "or": lambda old, data, _: old | data, "xor": lambda old, data, _: old ^ data,
            "swap": lambda old, data, _: data, "rsub": lambda old, data, _: data - old}


def atomic(bits: int, new: New, result: int, offset: int, second: int = 2) -> Act:
    """`result` is the register of the old value, or none."""

    def act(p: Place) -> None:
        old = p.read(offset, bits // 8)
        p.write(offset, bits // 8, new(old, p.v(0, bits), p.v(second, bits)))
        if result >= 0:
            p.give(result, old, bits // 8)

    return act


DS_NAMES = {"add": "add{}_u", "sub": "sub{}_u", "rsub": "rsub{}_u", "inc": "inc{}_u", "dec": "dec{}_u",
            "smin": "min{}_i", "smax": "max{}_i", "umin": "min{}_u", "umax": "max{}_u", "and": "and{}_b",
            "or": "or{}_b", "xor": "xor{}_b"}
for bits in (32, 64):
    size = bits // 8
    data, compare, found = registers(0, size), registers(2, size), registers(8, size)
    for name, new in integers(bits).items():
        if name in DS_NAMES:
            for rtn, result in (("", -1), ("_rtn", 8)):
                full = f"ds_{DS_NAMES[name].format(rtn)}{bits}"
                add(written("ds", full, data, 8, found if rtn else ""), "ds", atomic(bits, new, result, 8))
        if name == "rsub":
            continue
        for space in ("global", "flat", "buffer"):
            full = f"{space}_atomic_{name}{'_x2' if bits == 64 else ''}"
            add(written(space, full, data, 0), space, atomic(bits, new, -1, 0))
            result, register = (found, 8) if space != "buffer" else ("", 0)
            add(written(space, full, data, 8, result, " sc0"), space, atomic(bits, new, register, 8))
            add(written(space, full, data, 8, result, " sc0 sc1 nt"), space, atomic(bits, new, register, 8))
    add(f"ds_wrxchg_rtn_b{bits} {found}, v6, {data}", "ds", atomic(bits, lambda old, data, _: data, 8, 0))
    for rtn, register in (("", -1), ("_rtn", 8)):
        first = f"{found}, " if rtn else ""
        swap: New = lambda old, compare, value: value if old == compare else old  # noqa: E731
        add(f"ds_cmpst{rtn}_b{bits} {first}v6, {data}, {compare}", "ds", atomic(bits, swap, register, 0))
        mask: New = lambda old, clear, put: old & ~clear | put  # noqa: E731
        add(f"ds_mskor{rtn}_b{bits} {first}v6, {data}, {compare}", "ds", atomic(bits, mask, register, 0))
    for space in ("global", "flat", "buffer"):
        full, pair = f"{space}_atomic_cmpswap{'_x2' if bits == 64 else ''}", registers(0, 2 * size)
        second = size // 4
        swap = lambda old, value, compare: value if old == compare else old  # noqa: E731
        add(written(space, full, pair, 0), space, atomic(bits, swap, -1, 0, second))
        result, register = (found, 8) if space != "buffer" else ("", 0)
        add(written(space, full, pair, 0, result, " sc0"), space, atomic(bits, swap, register, 0, second))
add("ds_wrap_rtn_b32 v8, v6, v0, v2", "ds",
    atomic(32, lambda old, a, b: old - a if old >= a else old + b, 8, 0))


def exchange_two(size: int, step: int) -> Act:
    def act(p: Place) -> None:
        for i in range(2):
            p.give(8 + i * size // 4, p.read(i * step, size), size)
            p.write(i * step, size, p.v(2 * i, 8 * size))

    return act


for size in (4, 8):
    for name, step, stride in ((f"2_rtn_b{8 * size}", size, 64), (f"2st64_rtn_b{8 * size}", 64 * size, size)):
        add(f"ds_wrxchg{name} {registers(8, 2 * size)}, v6, {registers(0, size)}, {registers(2, size)} offset1:1", "ds",
            exchange_two(size, step), stride=stride)


def floats(kind: type, choose: Callable[[np.floating, np.floating], np.floating], bits: int) -> New:
    """On each element of a word."""
    width = np.dtype(kind).itemsize * 8

    def new(old: int, data: int, _: int) -> int:
        result = 0
        for shift in range(0, bits, width):
            a, b = (np.array(x >> shift & (1 << width) - 1, f"u{width // 8}").view(kind)[()] for x in (old, data))
            with np.errstate(all="ignore"):
                value = np.array(choose(a, b), kind)
            result |= int(value.view(f"u{width // 8}")) << shift
        return result

    return new


def extreme(better: Callable[[float, float], bool]) -> Callable[[np.floating, np.floating], np.floating]:
    """The old value stays unless the other is better or it is NaN."""
    return lambda a, b: b if math.isnan(a) else a if math.isnan(b) else b if better(b, a) else a


SUM = lambda a, b: type(a)(np.float64(a) + np.float64(b))  # noqa: E731
LESS, MORE = extreme(lambda a, b: a < b), extreme(lambda a, b: a > b)
FLOATS = {"add_f32": (np.float32, SUM, 32), "pk_add_f16": (np.float16, SUM, 32), "add_f64": (np.float64, SUM, 64),
          "pk_add_bf16": (ml_dtypes.bfloat16, lambda a, b: ml_dtypes.bfloat16(np.float32(a) + np.float32(b)), 32),
          "min_f64": (np.float64, LESS, 64), "max_f64": (np.float64, MORE, 64),
          "min_f32": (np.float32, LESS, 32), "max_f32": (np.float32, MORE, 32)}
for name, (kind, choose, bits) in FLOATS.items():
    size = bits // 8
    data, found, number = registers(0, size), registers(8, size), np.dtype(kind).name
    for space in ("global", "flat", "buffer"):
        if name in ("min_f32", "max_f32"):
            continue
        chips = ("gfx950",) if name == "pk_add_bf16" and space == "buffer" else BOTH
        add(written(space, f"{space}_atomic_{name}", data, 0), space, atomic(bits, floats(kind, choose, bits), -1, 0),
            number=number, targets=chips)
        result, register = (found, 8) if space != "buffer" else ("", 0)
        add(written(space, f"{space}_atomic_{name}", data, 0, result, " sc0"), space,
            atomic(bits, floats(kind, choose, bits), register, 0), number=number, targets=chips)
    operation, suffix = name.rsplit("_", 1)
    for rtn, register in (("", -1), ("_rtn", 8)):
        add(written("ds", f"ds_{operation}{rtn}_{suffix}", data, 0, found if rtn else ""), "ds",
            atomic(bits, floats(kind, choose, bits), register, 0), number=number)
    if name.startswith("add"):
        same = {32: np.float32, 64: np.float64}[bits]

        def equal(a: int, b: int, same: type = same, size: int = size) -> bool:
            x, y = (np.array(v, f"u{size}").view(same)[()] for v in (a, b))
            return bool(x == y)

        put: New = lambda old, compare, value, e=equal: value if e(old, compare) else old  # noqa: E731
        for rtn, register in (("", -1), ("_rtn", 8)):
            first = f"{found}, " if rtn else ""
            add(f"ds_cmpst{rtn}_f{bits} {first}v6, {data}, {registers(2, size)}", "ds", atomic(bits, put, register, 0))


def same_word(number: str, actual: list[int], expected: list[int]) -> bool:
    """Equal, but for payloads of NaN."""
    if actual == expected:
        return True
    if not number:
        return False
    kind = ml_dtypes.bfloat16 if number == "bfloat16" else np.dtype(number)
    a, e = (np.array(w, np.uint32).view(kind).astype(np.float64) for w in (actual, expected))
    bits = np.array(actual, np.uint32).view(f"u{np.dtype(kind).itemsize}")
    wanted = np.array(expected, np.uint32).view(f"u{np.dtype(kind).itemsize}")
    return bool(((bits == wanted) | (np.isnan(a) & np.isnan(e))).all())


def problem(case: Memory, before: State, after: State) -> str:
    """What is wrong after it, or nothing."""
    memory = bytearray(before.lds.tobytes())
    places = [Place(memory, case.stride * lane, before, lane, {}) for lane in range(64)]
    for place in places:
        if before.exec >> place.lane & 1:
            case.act(place)
    for place in places:
        active = before.exec >> place.lane & 1
        expected = [int(before.v[r][place.lane]) for r in range(16)]
        for register, value in place.registers.items():
            expected[register] = value
        if active:
            expected[12:16] = [place.read(4 * i, 4) for i in range(4)]
        actual = [int(after.v[r][place.lane]) for r in range(16)]
        groups = (slice(0, 4), slice(8, 12), slice(12, 16))
        if not all(same_word(case.number, actual[g], expected[g]) for g in groups):
            show = [[hex(w) for w in actual[g]] + ["not"] + [hex(w) for w in expected[g]] for g in groups]
            return f"{case.line!r} EXEC {before.exec:#x} lane {place.lane}: {show}"
    return ""
