"""Runs instructions in all their forms on the simulator and compares every lane with the slow scalar oracle.

`oracle.py --arch gfx950 --seed 7` prints what differs; operations stand in oracle_operations.py, forms (encodings and
modifiers) in oracle_forms.py.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zlib

import assembly
import device
import numpy as np
from oracle_formats import BITS, encode, is_nan
from oracle_forms import Form, Lane, Writer
from oracle_operations import COMPARE, TABLE

MASKS = (0xFFFFFFFFFFFFFFFF, 0x00FF13579BDF0001, 1 << 63, 0)
INTEGERS = [0, 1, 2, 3, 7, 31, 32, 63, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFF, 0x800000, 0xFFFFFF,
            0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0xFFFFFFF0, 0x55555555, 0x01020304, 0x80FF7F00]
FLOAT32 = [0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x3F000000, 0x3FC00000,
           0x40200000, 0xC0200000, 0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x4F800000, 0x477FE000, 0x477FF000,
           0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC12345, 0x7F800001, 0x4B000001, 0x33000000]
FLOAT16 = [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x3800, 0x3E00, 0x4100, 0xC100, 0x7BFF, 0xFBFF, 0x7C00,
           0xFC00, 0x7E00, 0x7C01, 0x7800, 0x5640]
FLOAT64 = [0, 1 << 63, 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x3FF0000000000000, 0xBFF8000000000000,
           0x3FE0000000000000, 0x41DFFFFFFFFFFFFF, 0x41E0000000000000, 0xC1E0000000000001, 0x41F0000000000000,
           0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001,
           0x380FFFFFFFFFFFFF, 0x3810000000000000, 0x47EFFFFFF0000000, 0x3690000000000000]


def words(kind: str, count: int, draw: np.random.Generator) -> np.ndarray:
    """Values of a type, half of them corners, as 64 bits; halves come in pairs."""
    if kind == "f64":
        corners, width = FLOAT64, 64
    elif BITS[kind] == 16:
        small = FLOAT16 if kind == "f16" else [i & 0xFFFF for i in INTEGERS]
        low, high = (draw.choice(np.array(small, np.uint64), count) for _ in range(2))
        any_bits = draw.integers(0, 1 << 32, count, dtype=np.uint64)
        return np.where(draw.random(count) < 0.6, low | high << np.uint64(16), any_bits)
    else:
        corners, width = (FLOAT32 if kind == "f32" else INTEGERS), BITS[kind]
    chosen = draw.choice(np.array(corners, np.uint64), count)
    if kind in ("u64", "i64"):
        chosen |= draw.choice(np.array(INTEGERS, np.uint64), count) << np.uint64(32)
    free = draw.integers(0, 1 << 64, count, dtype=np.uint64) & np.uint64((1 << width) - 1)
    if kind[0] == "f":
        normal = draw.standard_normal(count) * 10.0 ** draw.integers(-3, 4, count)
        view = normal.astype(np.float64).view(np.uint64) if kind == "f64" else (
            normal.astype(np.float32).view(np.uint32).astype(np.uint64))
        free = np.where(draw.random(count) < 0.6, view, free)
    return np.where(draw.random(count) < 0.5, chosen, free)


def state(form: Form, seed: int, mask: int) -> assembly.State:
    """Registers with values of the types that the form reads."""
    draw = np.random.default_rng(seed)
    v = draw.integers(0, 1 << 32, (16, 64), dtype=np.uint64).astype(np.uint32)
    s = draw.integers(0, 1 << 32, 16, dtype=np.uint64).astype(np.uint32)
    kinds = form.operation.sources
    for i, kind in enumerate(kinds):
        register = 8 if form.operation.tied and i == len(kinds) - 1 else 2 * i
        lanes = words(kind, 64, draw)
        v[register] = lanes.astype(np.uint32)
        scalar = int(words(kind, 1, draw)[0])
        s[2 + 2 * i] = scalar & 0xFFFFFFFF
        if BITS[kind] == 64:
            v[register + 1] = (lanes >> np.uint64(32)).astype(np.uint32)
            s[3 + 2 * i] = scalar >> 32
    s[14], s[15] = mask & 0xFFFFFFFF, mask >> 32
    return assembly.State(v, s, np.zeros(assembly.LDS_WORDS, np.uint32))


def equal(kind: str, actual: int, expected: int) -> bool:
    """Equal bits, or a NaN where a NaN is expected: payloads are not promised."""
    if actual == expected:
        return True
    shifts = (0, 16) if kind == "f16" else (0,)
    width = (1 << BITS[kind]) - 1

    def same(shift: int) -> bool:
        a, e = actual >> shift & width, expected >> shift & width
        return a == e or (is_nan(kind, a) and is_nan(kind, e))

    return kind[0] == "f" and all(same(shift) for shift in shifts)


def differences(form: Form, before: assembly.State, after: assembly.State) -> list[str]:
    """What is wrong after one execution."""
    op = form.operation
    if op.result == "bit":
        want = sum(Lane(form, before, lane).computed() << lane for lane in range(64) if before.exec >> lane & 1)
        got = after.pair(12 if form.mask == "vcc" else 0)
        wrong = [f"mask {got:#x}, not {want:#x}"] if got != want else []
        ends = after.pair(14)
        exec_after = want if op.name.startswith("v_cmpx") else before.exec
        return wrong + ([f"EXEC {ends:#x}, not {exec_after:#x}"] if ends != exec_after else [])
    registers = 2 if BITS[op.result] == 64 else 1
    for lane in range(64):
        one = Lane(form, before, lane)
        expected = one.result() if before.exec >> lane & 1 else 0
        old, actual = (sum(int(s.v[8 + r][lane]) << 32 * r for r in range(registers)) for s in (before, after))
        if not (before.exec >> lane & 1 and one.written):
            expected = old
        # A part of a NaN shows bits of its payload.
        if form.sdwa and is_nan(op.result, one.computed()):
            continue
        if not equal(op.result, actual, expected):
            inputs = [hex(encode(k, one.value(i))) for i, k in enumerate(op.sources)]
            return [f"lane {lane}: {actual:#x}, not {expected:#x}; sources {', '.join(inputs)}"]
    changed = np.nonzero((after.v != before.v).any(axis=1))[0]
    return [f"v{r} is changed" for r in changed if r not in range(8, 8 + registers)]


def assembled(arch: str, forms: list[Form]) -> list[Form]:
    """Those that the assembler accepts for the target, each line once."""
    lines = {form.line(): form for form in forms}
    text = f'.amdgcn_target "amdgcn-amd-amdhsa--{arch}"\n' + "\n".join(lines) + "\n"
    command = [str(device.LLVM / "llvm-mc"), "-triple", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=null", "-"]
    errors = subprocess.run(command, input=text, capture_output=True, text=True).stderr
    bad = {int(number) - 2 for number in re.findall(r"^<stdin>:(\d+):\d+: error", errors, re.MULTILINE)}
    return [form for i, form in enumerate(lines.values()) if i not in bad]


def load(arch: str, forms: list[Form], folder: pathlib.Path) -> tuple[device.Module, list[Form], list[str]]:
    """The code object, the forms in it, and what the simulator refuses."""
    refused: list[str] = []
    while True:
        bodies = {f"k{i}": form.line() for i, form in enumerate(forms)}
        try:
            return assembly.assemble(arch, bodies, folder), forms, refused
        except RuntimeError as error:
            listed = re.search(r"does not know these instructions of \w+: (.*)", str(error))
            if not listed:
                raise
            names = [re.match(r"(\w+)(?:: modifier (\w+))?", entry) for entry in listed[1].split(", ")]
            pairs = {(m[1], m[2] or "") for m in names if m}
            refused += sorted(f"{name} {modifier}".strip() for name, modifier in pairs)
            kept = [form for form in forms if not any(
                form.operation.name == name and modifier in form.line() for name, modifier in pairs)]
            assert len(kept) < len(forms), error
            forms = kept


def check(arch: str, seed: str, share: float, names: list[str]) -> tuple[list[str], list[str], list[Form]]:
    """Runs a share of the forms of a seed; what differs, what was refused, and what was executed."""
    table = {**TABLE, **COMPARE}
    forms = [form for name, op in table.items() if not names or name in names for form in Writer(op, seed)]
    forms = assembled(arch, forms)
    if share < 1:  # at least one form of each instruction
        chosen = random.Random(seed)
        first = {form.operation.name: i for i, form in reversed([*enumerate(forms)])}
        forms = [form for i, form in enumerate(forms)
                 if first[form.operation.name] == i or chosen.random() < share]
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        module, forms, refused = load(arch, forms, pathlib.Path(folder))
        for i, form in enumerate(forms):
            for turn in range(2):
                mask = MASKS[0] if turn == 0 else MASKS[1 + i % 3]
                before = state(form, zlib.crc32(f"{seed}/{form.line()}/{turn}".encode()), mask)
                wrong = differences(form, before, assembly.run(module, f"k{i}", before))
                problems += [f"{arch} {form.line()!r} EXEC {mask:#x}: {text}" for text in wrong]
                if wrong:
                    break
    return problems, refused, forms


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="gfx950")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--share", type=float, default=1, help="of the forms, chosen by the seed")
    parser.add_argument("names", nargs="*", help="mnemonics; all without")
    options = parser.parse_args()
    os.environ["OCTAVO_TARGET"] = options.arch
    problems, refused, forms = check(options.arch, options.seed, options.share, options.names)
    print("\n".join(problems))
    for name in refused:
        print(f"refused: {name}")
    print(f"{len(forms)} forms of {len({f.operation.name for f in forms})} instructions on {options.arch}, "
          f"seed {options.seed}: {len(problems)} differ")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
