"""Random C kernels, compiled by clang for a GPU at several optimisation levels and for the host: bits must agree.

A seed names a program: `corpus.py --arch gfx950 --seed 7 --count 20` runs seeds 7 to 26 and tells what differs.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import pathlib
import random
import sys
import tempfile
from collections.abc import Callable

import numpy as np
from corpus_lanes import CELLS, LaneFamilies

WORDS = 16  # input words of a work item
OUTPUTS = 6  # 64-bit results of a work item
ITEMS = 256
LEVELS = ("-O0", "-O1", "-O2", "-O3")
INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
FLOATS = ("f32", "f64", "f16")
BITS = {"i8": 8, "u8": 8, "i16": 16, "u16": 16, "i32": 32, "u32": 32, "i64": 64, "u64": 64}
FAMILIES = ("integer", "float", "half", "mixed", "control", "array", "call", "vector", "shift", "divide", "convert",
            "packed", "cross", "lds", "atomic")
KERNELS = 2 * len(FAMILIES)  # of one program
PROGRAMS = 68  # seeds of the whole corpus: at least 2,000 kernels


class Writer(LaneFamilies):
    """Writes one kernel as C. Every expression is defined in C, so both compilers must agree."""

    def __init__(self, seed: int, family: str, name: str) -> None:
        self.random = random.Random(f"{seed}/{family}/{name}")
        self.family = family
        self.name = name
        self.lines: list[str] = []
        self.variables: list[tuple[str, str]] = []
        self.helpers: list[str] = []
        self.exchanges = 0
        self.types = {"integer": INTEGERS, "float": ("f32", "f64"), "half": ("f16", "f16", "f32"),
                      "vector": ("f32", "i32", "u16", "f16"), "packed": ("f16", "i16", "u16", "i8"),
                      "shift": ("i32", "u32", "i64", "u64", "u16"), "divide": ("i32", "u32", "i64", "u64", "f32"),
                      "cross": ("u32", "i32", "f32"), "lds": ("u32", "u64", "u8", "i16"),
                      "atomic": ("u32", "u64", "i32")}.get(family, INTEGERS + FLOATS)

    def pick(self, kind: str) -> str:
        """A variable of this type, or an input of it."""
        names = [name for name, of in self.variables if of == kind]
        if names and self.random.random() < 0.8:
            return self.random.choice(names)
        word = f"in[{self.random.randrange(WORDS)}]"
        if kind == "f32":
            return f"asF32({word})"
        if kind == "f64":
            return f"(f64)asF32({word})" if self.random.random() < 0.7 else f"asF64((u64){word} << 32 | in[1])"
        if kind == "f16":
            return f"asF16((u16){word})"
        if BITS[kind] == 64:
            return f"({kind})((u64){word} << 32 | in[{self.random.randrange(WORDS)}])"
        return f"({kind}){word}"

    def expression(self, kind: str, depth: int) -> str:
        """An expression of type `kind`."""
        if depth == 0 or self.random.random() < 0.1:
            return self.pick(kind) if self.random.random() < 0.85 else self.constant(kind)
        return f"({kind})({self.floating(kind, depth) if kind in FLOATS else self.integral(kind, depth)})"

    def constant(self, kind: str) -> str:
        if kind in FLOATS:
            # LLVM 22 takes a constant -0 in a vector of halves for +0.
            zero = "0.0" if kind == "f16" else "-0.0"
            value = self.random.choice(["0.5", "1.0", "-2.0", "3.25", "1e-3", zero, "100.0", "0.15915494"])
            return f"({kind}){value}"
        value = self.random.choice([0, 1, 2, 3, 7, 63, 64, 255, 1000, 65535, 0x12345, 0x7FFFFFFF, -1, -16, -17])
        return f"({kind})({value})"

    def integral(self, kind: str, depth: int) -> str:
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        wide = BITS[kind] == 64
        special = self.random.random() < 0.6
        if special and self.family == "divide":
            return self.division(kind, a, b)
        if special and self.family == "shift":
            return self.shift(kind, a, b)
        if special and self.family == "convert":
            return self.convert(kind, depth)
        choices: list[Callable[[], str]] = [
            *[lambda op=op: f"{a} {op} {b}" for op in ("+", "-", "*", "&", "|", "^")],
            lambda: self.shift(kind, a, b),
            lambda: self.shift(kind, a, b),
            lambda: self.division(kind, a, b),
            lambda: f"~{a}",
            lambda: f"-{a}",
            lambda: f"{self.comparison(depth)} ? {a} : {b}",
            lambda: f"{a} < {b} ? {a} : {b}",
            lambda: f"{a} > {b} ? {a} : {b}",
            lambda: f"__builtin_popcount{'l' if wide else ''}({a})",
            lambda: f"__builtin_bitreverse{BITS[kind]}({a})",
            lambda: f"({a} ? __builtin_{self.random.choice(['clz', 'ctz'])}{'l' if wide else ''}"
                    f"(({'u64' if wide else 'u32'}){a} | 1) : 5)",
            lambda: f"(({'u64' if wide else 'u32'}){a} << 7 | ({'u64' if wide else 'u32'}){a} >> {57 if wide else 25})",
            lambda: f"({a} >> 3 & 31) + ({b} >> 5 & 7)",
            lambda: f"({'i64' if wide else 'i32'}){a} * (i32)(i16){b}",
            # LLVM 22 loses the carry of a saturating 64-bit sum of a product.
            lambda: f"{a} + {b}" if wide else f"__builtin_elementwise_add_sat({a}, {b})",
            lambda: f"{a} - {b}" if wide else f"__builtin_elementwise_sub_sat({a}, {b})",
            lambda: self.convert(kind, depth),
        ]
        if BITS[kind] >= 16:
            choices.append(lambda: f"__builtin_bswap{BITS[kind]}({a})")
        return self.random.choice(choices)()

    def shift(self, kind: str, a: str, b: str) -> str:
        """By less than the width: by a variable or a constant, also out of or into a field."""
        bits = BITS[kind]
        n = self.random.randrange(1, bits)
        return self.random.choice([f"{a} << ({b} & {bits - 1})", f"{a} >> ({b} & {bits - 1})", f"{a} << {n}",
                                   f"{a} >> {n}", f"({kind})({a} << {n}) >> {self.random.randrange(bits)}",
                                   f"({a} >> {n} & 255) | {b} << {bits - n}"])

    def division(self, kind: str, a: str, b: str) -> str:
        """No division by zero, nor of the smallest number by -1."""
        op = self.random.choice("/%")
        unsigned = "u" + kind[1:]
        return f"({unsigned}){a} {op} (({unsigned}){b} | 1)" if kind[0] == "u" else f"({a} >> 1) {op} (({b} & 127) + 1)"

    def floating(self, kind: str, depth: int) -> str:
        a, b, c = (self.expression(kind, depth - 1) for _ in range(3))
        suffix = {"f32": "f", "f64": "", "f16": "f"}[kind]
        unary = self.random.choice(["floor", "ceil", "trunc", "rint", "fabs"])
        choices: list[Callable[[], str]] = [
            # LLVM 22 takes 0 - x, also when folding makes that 0, for -x where an operand may be negated.
            *[lambda op=op: f"{self.opaque(kind)}({a} {op} {b})" for op in ("+", "-")],
            *[lambda op=op: f"{a} {op} {b}" for op in ("*", "*", "/")],
            lambda: f"-{a}",
            lambda: self.smaller(kind, a, b),
            lambda: f"{self.comparison(depth)} ? {a} : {b}",
            lambda: f"__builtin_{unary}{suffix}({a})",
            lambda: self.fused(kind, a, b, c),
            lambda: (f"__builtin_sqrt{suffix}({a} < ({kind})0 ? -{a} : {a})" if kind != "f16"
                     else f"{self.opaque(kind)}({a} + {b})"),
            # The sign of a NaN is not promised.
            lambda: f"__builtin_copysign{suffix}({a}, {b} == {b} ? {b} : ({kind})1)",
            lambda: self.convert(kind, depth),
        ]
        return self.random.choice(choices)()

    def smaller(self, kind: str, a: str, b: str) -> str:
        """LLVM 22 takes x < 0 ? x : 0 of halves for v_min_f16, whose result for x = -0 is another zero."""
        if kind == "f16" and "0.0" in a + b:
            a, b = f"{self.opaque(kind)}({a})", f"{self.opaque(kind)}({b})"
        return f"{a} < {b} ? {a} : {b}"

    @staticmethod
    def opaque(kind: str) -> str:
        """The function of kernel.h through which the compiler does not see this value."""
        return f"opaque{kind.upper()}"

    def fused(self, kind: str, a: str, b: str, c: str) -> str:
        if kind == "f16":
            return f"(f16)__builtin_fmaf({a}, {b}, {c})"
        return f"__builtin_fma{'f' if kind == 'f32' else ''}({a}, {b}, {c})"

    def comparison(self, depth: int) -> str:
        kind = self.random.choice(self.types)
        a, b = self.expression(kind, max(0, depth - 2)), self.expression(kind, max(0, depth - 2))
        return f"({a} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {b})"

    def convert(self, kind: str, depth: int) -> str:
        source = self.random.choice(self.types)
        value = self.expression(source, depth - 1)
        if kind == "f16" and source == "f32":
            return f"{self.opaque(source)}({value})"  # LLVM 22 rounds a product of -0 through v_fma_mixlo with +0
        if kind in FLOATS or source in INTEGERS:
            return value
        return {"f32": self.random.choice([f"toI32f({value})", f"toU32f({value})", f"toU64f({value})"]),
                "f64": self.random.choice([f"toI32({value})", f"toU32({value})", f"toI64({value})"]),
                "f16": f"toI16({value})"}[source]

    def declare(self) -> None:
        kind = self.random.choice(self.types)
        name = f"x{len(self.variables)}"
        self.lines.append(f"{kind} {name} = {self.expression(kind, 3)};")
        self.variables.append((name, kind))

    def assign(self) -> str:
        name, kind = self.random.choice(self.variables)
        # LLVM 22 hoists what costs nothing out of a branch and gives it to others of three or more branches that meet
        # (llvm-project pull request 183792).
        return f"{name} = {self.opaque(kind)}({self.expression(kind, 2)});"

    def statement(self, depth: int) -> str:
        """Control flow that depends on the lane's data and always ends."""
        roll = self.random.random()
        if depth == 0 or roll < 0.3:
            return self.assign()
        body = " ".join(self.statement(depth - 1) for _ in range(self.random.randint(1, 3)))
        if roll < 0.5:
            other = f" else {{ {self.statement(depth - 1)} }}" if self.random.random() < 0.6 else ""
            return f"if ({self.comparison(2)}) {{ {body} }}{other}"
        counter = f"k{self.random.randrange(1 << 30)}"
        bound = f"({self.expression('i32', 1)} & {self.random.choice([3, 7, 15])})"
        if roll < 0.8:
            leave = f"if ({self.comparison(1)}) {self.random.choice(['break', 'continue'])};"
            return f"for (i32 {counter} = 0; {counter} < {bound}; ++{counter}) {{ {body} {leave} }}"
        cases = " ".join(f"case {i}: {self.assign()} {self.random.choice(['break;', ''])}" for i in range(4))
        return f"switch ({self.expression('i32', 1)} & 7) {{ {cases} default: {self.assign()} }}"

    def array(self) -> None:
        """An array of the lane, indexed by data."""
        self.lines.append(f"u32 t[8] = {{{', '.join(self.expression('u32', 1) for _ in range(8))}}};")
        mixed = f"t[(t[i] ^ i) & 7] += t[(t[i + 1] >> 3) & 7] * {self.pick('u32')};"
        self.lines.append(f"for (i32 i = 0; i < 6; ++i) {mixed}")
        self.variables.append(("t[3]", "u32"))
        self.variables.append((f"t[{self.pick('u32')} & 7]", "u32"))

    def call(self) -> None:
        """A function that is not inlined, with a pointer to the caller's stack."""
        helper = f"{self.name}_helper"
        saved, self.variables = self.variables, [("p", "u32"), ("q", "i64"), ("r", "f32")]
        body = self.expression("u32", 3)
        self.variables = saved
        self.helpers.append(
            f"static __attribute__((noinline)) u32 {helper}(u32 p, i64 q, f32 r, u32 *more, GLOBAL const u32 *in) {{"
            f" more[p & 3] += (u32)q; return {body} + more[1]; }}")
        self.lines.append(f"u32 m[4] = {{1, {self.pick('u32')}, 3, 4}};")
        for _ in range(2):
            self.lines.append(f"m[2] ^= {helper}({self.pick('u32')}, {self.pick('i64')}, {self.pick('f32')}, m, in);")
        self.variables += [("m[0]", "u32"), ("m[2]", "u32")]

    def packed(self) -> None:
        """Pairs of 16-bit values."""
        self.vectors((("f16", 2), ("i16", 2), ("u16", 2), ("f16", 4), ("i8", 4)))

    def vector(self) -> None:
        """Short vectors: wide loads, packed arithmetic, shuffles."""
        self.vectors((("f32", 4), ("f16", 2), ("u16", 4), ("i32", 3)))

    def vectors(self, kinds: tuple[tuple[str, int], ...]) -> None:
        """Arithmetic on two vectors of each kind."""
        for kind, width in kinds:
            name = f"v{len(self.variables)}"
            self.lines.append(f"typedef {kind} T{name} __attribute__((ext_vector_type({width})));")
            for part in "ab":
                elements = [self.expression(kind, 1) for _ in range(width)]
                if part == "a" and kind in FLOATS:  # see the sums of floating()
                    elements = [f"{self.opaque(kind)}({element})" for element in elements]
                values = ", ".join(elements)
                self.lines.append(f"T{name} {name}{part} = {{{values}}};")
            ops = self.random.choices("+-*", k=2)
            order = {2: "yx", 3: "yxz", 4: "yxzw"}[width]
            self.lines.append(f"{name}a = ({name}a {ops[0]} {name}b) {ops[1]} {name}a.{order};")
            self.variables += [(f"{name}a.x", kind), (f"{name}a.y", kind)]

    def write(self) -> str:
        """The whole kernel."""
        for _ in range(4):
            self.declare()
        if self.family in ("array", "call", "vector", "packed", "cross", "lds", "atomic"):
            getattr(self, self.family)()
        for _ in range(3):
            self.declare()
        if self.family in ("control", "array", "call"):
            self.lines += [self.statement(3) for _ in range(3)]
        results = [self.random.choice(self.variables) for _ in range(OUTPUTS)]
        keys = [f"key{k.upper()}({n})" if k in FLOATS else f"(u64)({n})" for n, k in results]
        stores = [f"out[{i}] = {key};" for i, key in enumerate(keys)]
        body = "\n  ".join([*self.lines, *stores])
        header = f"KERNEL {self.name}(GLOBAL const u32 *inputs, GLOBAL u64 *outputs, GLOBAL u64 *cells) {{"
        source = f"GLOBAL const u32 *in = inputs + workItem() * {WORDS};"
        target = f"GLOBAL u64 *out = outputs + workItem() * {OUTPUTS};"
        return "\n".join([*self.helpers, f"{header}\n  {source}\n  {target}\n  {body}\n}}\n"])


def inputs(seed: int) -> np.ndarray:
    """Words that are small, special or random, also as floats."""
    generator = np.random.default_rng(seed)
    count = ITEMS * WORDS
    words = generator.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32)
    small = generator.integers(-20, 1000, count).astype(np.int32).view(np.uint32)
    scaled = generator.standard_normal(count) * 10.0 ** generator.integers(-3, 4, count)
    floats = scaled.astype(np.float32).view(np.uint32)
    corners = [0, 1, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 1 << 23, 0xFFFFFFFF, 0x3C003C00, 0x7BFF0001, 0x400,
               0x3F800000]
    special = np.array(corners, np.uint32)[generator.integers(0, len(corners), count)]
    choice = generator.integers(0, 8, count)
    return np.select([choice < 2, choice < 4, choice < 7], [words, small, floats], special).astype(np.uint32)


def program(seed: int) -> tuple[str, list[Writer]]:
    """The C text of a seed and its kernels."""
    writers = [Writer(seed, family, f"{family}{i}") for family in FAMILIES for i in range(2)]
    return "\n".join(writer.write() for writer in writers), writers


def expected_results(host: ctypes.CDLL, writer: Writer, data: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the host computes: outputs and cells, after as many passes as exchanges need."""
    import device

    for _ in range(2):
        host.nextPass()  # forgets what other kernels left
    for _ in range(writer.exchanges + 1):
        outputs, cells = np.zeros(ITEMS * OUTPUTS, np.uint64), np.zeros(CELLS + ITEMS, np.uint64)
        device.launch_host(host, writer.name, [data, outputs, cells], ITEMS)
        host.nextPass()
    return outputs, cells


def check(seed: int, arch: str, folder: pathlib.Path, levels: tuple[str, ...] = LEVELS) -> list[str]:
    """Runs one program; returns what differs."""
    import device

    text, writers = program(seed)
    source = folder / f"seed{seed}.c"
    source.write_text(text)
    host = device.compile_host(source, folder / f"seed{seed}.so")
    data = inputs(seed)
    expected = {writer.name: expected_results(host, writer, data) for writer in writers}
    problems = []
    for level in levels:
        module = device.Module(device.compile_gpu(source, arch, [level], folder / f"seed{seed}{level}.hsaco"))
        for name, (outputs, cells) in expected.items():
            actual, own = np.zeros_like(outputs), np.zeros_like(cells)
            module.launch(name, [data, actual, own], ITEMS, 128)
            wrong = np.nonzero(actual != outputs)[0]
            where = f"seed {seed} {arch} {level} {name}"
            if wrong.size:
                at = int(wrong[0])
                problems.append(f"{where}: {wrong.size} differ, item {at // OUTPUTS} output {at % OUTPUTS}: "
                                f"{int(actual[at]):#x}, host {int(outputs[at]):#x}")
            elif (own != cells).any():
                at = int(np.nonzero(own != cells)[0][0])
                problems.append(f"{where}: cell {at}: {int(own[at]):#x}, host {int(cells[at]):#x}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="gfx950")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for sources and code objects")
    options = parser.parse_args()
    os.environ["OCTAVO_TARGET"] = options.arch
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        problems = [p for i in range(options.count) for p in check(options.seed + i, options.arch, folder)]
    print("\n".join(problems) if problems else f"{options.count} programs agree on {options.arch}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
