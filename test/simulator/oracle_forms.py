"""Every way to write a vector instruction (encodings, operands, modifiers), and what each does to one lane.

A `Form` is one line of assembly with the operation behind it; `expected` computes its result from the registers before
it. Sources are v0, v2, v4 (or pairs), scalars s18, s20, s22; the result goes to v8, a mask to s[16:17] or VCC.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from assembly import State
from oracle_formats import BITS, FLOATS, Value, decode, encode, signed
from oracle_operations import Operation

PARTS = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
UNUSED = ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")
REGISTERS = (0, 2, 4)
SCALARS = (18, 20, 22)
INLINE = {"-16": -16, "-1": -1, "0": 0, "1": 1, "64": 64}
FLOAT_INLINE = {"0.5": 0.5, "-0.5": -0.5, "1.0": 1.0, "-2.0": -2.0, "4.0": 4.0}


@dataclass(frozen=True)
class Source:
    """One operand: a register (v or s) or a constant's bits."""

    file: str  # "v", "s" or "" for a constant
    index: int = 0
    bits: int = 0
    text: str = ""
    neg: bool = False
    abs: bool = False
    sext: bool = False
    part: int = 6

    def write(self, kind: str) -> str:
        """As assembly."""
        name = self.text
        if self.file:
            wide = BITS[kind] == 64
            name = f"{self.file}[{self.index}:{self.index + 1}]" if wide else f"{self.file}{self.index}"
        name = f"sext({name})" if self.sext else name
        name = f"|{name}|" if self.abs else name
        return f"-{name}" if self.neg else name


@dataclass(frozen=True)
class Form:
    """One line of assembly."""

    operation: Operation
    suffix: str
    sources: tuple[Source, ...]
    clamp: bool = False
    select: int = 0  # op_sel, the destination's bit behind the sources
    select_high: int = 7
    neg_low: int = 0
    neg_high: int = 0
    sdwa: tuple[int, int] | None = None  # dst_sel, dst_unused
    dpp: tuple[str, int, int, bool] | None = None  # control, row mask, bank mask, bound_ctrl
    mask: str = ""  # where a comparison goes

    def line(self) -> str:
        """The assembly."""
        op = self.operation
        kinds = op.sources[:-1] if op.tied else op.sources
        wide = "v[8:9]" if BITS[op.result] == 64 else "v8"
        operands = [self.mask or wide, *[s.write(k) for s, k in zip(self.sources, kinds, strict=True)]]
        words = [f"{op.name}{self.suffix} {', '.join(operands)}"]
        count = len(kinds)

        def bits(value: int, width: int) -> str:
            return "[" + ",".join(str(value >> i & 1) for i in range(width)) + "]"

        if op.packed:
            words += [f"op_sel:{bits(self.select, count)}", f"op_sel_hi:{bits(self.select_high, count)}"]
            if self.neg_low or self.neg_high:
                words += [f"neg_lo:{bits(self.neg_low, count)}", f"neg_hi:{bits(self.neg_high, count)}"]
        elif self.select:
            words.append(f"op_sel:{bits(self.select, count + 1)}")
        if self.clamp:
            words.append("clamp")
        if self.sdwa:
            if not self.mask:
                words += [f"dst_sel:{PARTS[self.sdwa[0]]}", f"dst_unused:{UNUSED[self.sdwa[1]]}"]
            words += [f"src{i}_sel:{PARTS[s.part]}" for i, s in enumerate(self.sources)]
        if self.dpp:
            control, rows, banks, bound = self.dpp
            words += [control, f"row_mask:{rows:#x}", f"bank_mask:{banks:#x}", *["bound_ctrl:0"] * bound]
        return " ".join(words)


def dpp_source(control: str, lane: int) -> int | None:
    """The lane that is read, or nothing."""
    name, _, value = control.partition(":")
    row, column = lane // 16 * 16, lane % 16
    if name == "quad_perm":
        return lane // 4 * 4 + [int(v) for v in value.strip("[]").split(",")][lane % 4]
    if name in ("row_mirror", "row_half_mirror"):
        size = 16 if name == "row_mirror" else 8
        return lane // size * size + size - 1 - lane % size
    n = int(value)
    if name in ("row_shl", "row_shr"):
        at = column + n if name == "row_shl" else column - n
        return row + at if 0 <= at < 16 else None
    if name == "row_ror":
        return row + (column - n) % 16
    if name == "row_newbcast":
        return row + n
    if name == "row_bcast":
        below = lane // (n + 1) * (n + 1) - 1
        return below if below >= 0 else None
    step = {"wave_shl": 1, "wave_rol": 1, "wave_shr": -1, "wave_ror": -1}[name]
    at = lane + step
    return at % 64 if "ro" in name else at if 0 <= at < 64 else None


@dataclass
class Lane:
    """One lane of one execution."""

    form: Form
    before: State
    lane: int
    written: bool = field(init=False, default=True)

    def raw(self, i: int, source: Source, kind: str) -> int:
        """The register's or constant's bits, up to 64."""
        if not source.file:
            return source.bits
        if source.file == "s":
            low, high = int(self.before.s[source.index - 16]), int(self.before.s[source.index - 15])
        else:
            lane = self.lane
            if self.form.dpp and i == 0:
                found = dpp_source(self.form.dpp[0], lane)
                if found is None or not self.before.exec >> found & 1:
                    self.written &= self.form.dpp[3]
                    return 0
                lane = found
            low, high = int(self.before.v[source.index][lane]), int(self.before.v[source.index + 1][lane])
        return low | high << 32 if BITS[kind] == 64 else low

    def value(self, i: int, high: bool = False) -> Value:
        """A source with all of its modifiers; `high` is the half that a packed instruction computes."""
        form, op = self.form, self.form.operation
        kind = op.sources[i]
        if op.tied and i == len(op.sources) - 1:
            old = int(self.before.v[8][self.lane]) | int(self.before.v[9][self.lane]) << 32
            return decode(kind, old)
        source = form.sources[i]
        bits = self.raw(i, source, kind)
        if form.sdwa and source.part != 6:
            width, shift = (8, 8 * source.part) if source.part < 4 else (16, 16 * (source.part - 4))
            bits = bits >> shift & (1 << width) - 1
            if source.sext:
                bits = signed(bits, width) & 0xFFFFFFFF
        chosen = form.select_high if high else form.select
        if chosen >> i & 1 and BITS[kind] == 16 and (source.file or op.packed):
            bits >>= 16
        sign = 1 << BITS[kind] - 1
        if source.abs:
            bits &= ~sign
        if source.neg or (form.neg_high if high else form.neg_low) >> i & 1:
            bits ^= sign
        return decode(kind, bits)

    def computed(self, high: bool = False) -> int:
        """The bits of the result before they are placed."""
        op = self.form.operation
        value = op.compute(*[self.value(i, high) for i in range(len(op.sources))])
        if self.form.clamp and op.result in FLOATS:
            value = type(value)(0) if np.isnan(value) or value <= 0 else min(value, type(value)(1))
        elif self.form.clamp:
            width, sign = BITS[op.result], op.result[0] == "i"
            low, top = (-(1 << width - 1), (1 << width - 1) - 1) if sign else (0, (1 << width) - 1)
            value = min(max(int(value), low), top)
        return encode(op.result, value)

    def result(self) -> int:
        """The destination's bits afterwards."""
        form, op = self.form, self.form.operation
        old = int(self.before.v[8][self.lane])
        bits = self.computed()
        if op.packed:
            bits |= self.computed(high=True) << 16
        elif form.sdwa and form.sdwa[0] != 6:
            bits = self.placed(bits, old)
        elif BITS[op.result] == 16 and form.select >> len(form.sources) & 1:
            bits = old & 0xFFFF | bits << 16
        elif BITS[op.result] == 16 and op.keeps:
            bits |= old & 0xFFFF0000
        if form.dpp:
            rows, banks = form.dpp[1:3]
            self.written &= bool(rows >> self.lane // 16 & 1 and banks >> self.lane // 4 % 4 & 1)
        return bits

    def placed(self, bits: int, old: int) -> int:
        """SDWA's destination."""
        assert self.form.sdwa
        part, unused = self.form.sdwa
        width, shift = (8, 8 * part) if part < 4 else (16, 16 * (part - 4))
        mask = (1 << width) - 1
        inner = (bits & mask) << shift
        if unused == 2:
            return old & ~(mask << shift) | inner
        return (signed(bits, width) << shift) & 0xFFFFFFFF if unused == 1 else inner


CONTROLS = ("quad_perm:[3,1,0,2]", "quad_perm:[0,0,2,2]", "row_shl:1", "row_shl:15", "row_shr:4", "row_ror:3",
            "row_mirror", "row_half_mirror", "row_bcast:15", "row_bcast:31", "row_newbcast:9", "wave_shl:1",
            "wave_shr:1", "wave_rol:1", "wave_ror:1")


class Writer:
    """Makes the forms of one operation, those with many choices by chance."""

    def __init__(self, operation: Operation, seed: str) -> None:
        self.operation = operation
        self.random = random.Random(f"{seed}/{operation.name}")
        kinds = operation.sources[:-1] if operation.tied else operation.sources
        self.kinds = kinds
        self.plain = tuple(Source("v", r) for r in REGISTERS[: len(kinds)])
        if operation.literal >= 0:
            at = operation.literal
            bits = 0x40490FDB if kinds[at] == "f32" else 0x4248
            order = [*self.plain]
            order[at] = Source("", bits=bits, text=f"{bits:#x}")
            self.plain = tuple(order)

    def constant(self, kind: str) -> Source:
        """An inline constant."""
        if kind in FLOATS and self.random.random() < 0.7:
            text, value = self.random.choice([*FLOAT_INLINE.items()])
            return Source("", bits=encode(kind, FLOATS[kind](value)), text=text)
        text, number = self.random.choice([*INLINE.items()])
        return Source("", bits=number & (1 << BITS[kind]) - 1, text=text)

    def signs(self, source: Source, kind: str) -> Source:
        """With a sign modifier, by chance."""
        if kind not in FLOATS:
            return source
        return replace(source, neg=self.random.random() < 0.5, abs=self.random.random() < 0.5)

    def __iter__(self) -> Iterator[Form]:
        op = self.operation
        masks = {"_e32": "vcc", "_e64": "s[16:17]", "": "s[16:17]", "_sdwa": "vcc"} if op.result == "bit" else {}
        for suffix in ("_e32", "_e64", ""):
            yield Form(op, suffix, self.plain, mask=masks.get(suffix, ""))
        if op.packed:
            yield from self.packed()
            return
        wide = [s for s in ("_e64", "") if s]
        for suffix in [*wide, ""]:
            mask = masks.get(suffix, "")
            for i, kind in enumerate(self.kinds):
                if op.literal == i:
                    continue
                for other in (Source("s", SCALARS[i]), self.constant(kind)):
                    yield Form(op, suffix, self.put(i, other), mask=mask)
                if kind in FLOATS:
                    for neg, absolute in ((True, False), (False, True), (True, True)):
                        changed = self.put(i, replace(self.plain[i], neg=neg, abs=absolute))
                        yield Form(op, suffix, changed, mask=mask)
            if op.result != "bit":
                yield Form(op, suffix, self.plain, clamp=True)
                yield Form(op, suffix, tuple(self.signs(s, k) for s, k in zip(self.plain, self.kinds, strict=True)),
                           clamp=True)
            if 16 in (BITS[k] for k in (*self.kinds, op.result)) and op.result != "bit":
                for select in self.random.sample(range(1, 2 << len(self.kinds)), 3):
                    yield Form(op, suffix, self.plain, select=select)
        if len(self.kinds) <= 2 and op.literal < 0:
            literal = self.random.choice([0x12345678, 0x80000001, 0x4B000123])
            if BITS[self.kinds[0]] == 32:
                sources = self.put(0, Source("", bits=literal, text=f"{literal:#x}"))
                yield Form(op, "_e32", sources, mask=masks.get("_e32", ""))
            yield from self.sdwa(masks.get("_sdwa", ""))
            if op.result != "bit":
                yield from self.dpp()

    def put(self, i: int, source: Source) -> tuple[Source, ...]:
        return tuple(source if k == i else s for k, s in enumerate(self.plain))

    def packed(self) -> Iterator[Form]:
        """Choices of halves and signs."""
        limit = 1 << len(self.kinds)
        for _ in range(6):
            signs = [self.random.randrange(limit) if self.kinds[0] in FLOATS else 0 for _ in range(2)]
            yield Form(self.operation, "", self.plain, self.random.random() < 0.3, self.random.randrange(limit),
                       self.random.randrange(limit), signs[0], signs[1])
        yield Form(self.operation, "", self.plain, clamp=True)
        yield Form(self.operation, "", self.put(0, Source("s", SCALARS[0])), select_high=self.random.randrange(limit))

    def sdwa(self, mask: str) -> Iterator[Form]:
        """Parts of the sources and of the result."""
        if max(BITS[k] for k in (*self.kinds, self.operation.result)) > 32 or self.operation.tied:
            return
        for i in range(7):
            sources = []
            for source, kind in zip(self.plain, self.kinds, strict=True):
                chosen = replace(self.signs(source, kind), part=self.random.randrange(7))
                sext = kind not in FLOATS and self.random.random() < 0.5
                sources.append(replace(chosen, sext=sext))
            yield Form(self.operation, "_sdwa", tuple(sources), sdwa=(i, self.random.randrange(3)), mask=mask)

    def dpp(self) -> Iterator[Form]:
        """Lanes that the first source comes from."""
        if max(BITS[k] for k in (*self.kinds, self.operation.result)) > 32:
            return
        for control in self.random.sample(CONTROLS, 4):
            rows, banks = self.random.choice([(15, 15), (15, 15), (10, 15), (15, 6)])
            sources = tuple(self.signs(s, k) for s, k in zip(self.plain, self.kinds, strict=True))
            yield Form(self.operation, "_dpp", sources, dpp=(control, rows, banks, self.random.random() < 0.5))
