"""Runs the simulator's tests with OCTAVO_SIM_COVERAGE and lists each instruction and modifier that the simulator knows
with the tests that execute it. With `--write-docs` the result is written to docs/bench/sim-coverage.md.

The exit code is 1 if something is known that no test executes. `--keep FOLDER` keeps the counts, `--from FOLDER` reads
those of an earlier run and runs nothing.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs/bench/sim-coverage.md"
BUILD = pathlib.Path(os.environ.get("OCTAVO_BUILD_DIR", ROOT / "build/dev"))
PARTS = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
# What BindModifiers.cpp accepts, by the words of Coverage.cpp; op_sel, op_sel_hi and neg_* count with any value.
MODIFIERS = {
    "encoding": ("plain", "e32", "e64", "dpp", "sdwa"),
    "operands": ("neg", "abs", "sext", "agpr"),
    "result": ("clamp", "mul:2", "mul:4", "div:2"),
    "DPP": ("quad_perm", "row_shl", "row_shr", "row_ror", "wave_shl", "wave_rol", "wave_shr", "wave_ror", "row_mirror",
            "row_half_mirror", "row_bcast:15", "row_bcast:31", "row_newbcast", "row_mask", "bank_mask", "bound_ctrl"),
    "SDWA": (*[f"{name}_sel:{part}" for name in ("dst", "src0", "src1") for part in PARTS],
             *[f"dst_unused:{how}" for how in ("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")]),
    "halves": ("op_sel", "op_sel_hi", "neg_lo", "neg_hi"),
    "matrix": (*[f"cbsz:{i}" for i in range(1, 5)], *[f"blgp:{i}" for i in range(1, 8)], "abid"),
    "other": ("bitop3", "swizzle:BITMASK_PERM", "swizzle:QUAD_PERM", "swizzle:BROADCAST", "swizzle:SWAP",
              "swizzle:REVERSE"),
    "memory": ("offset", "offset0", "offset1", "offen", "idxen", "lds", "sc0", "sc1", "nt"),
}
# Instructions that are not executed but skipped or refused where they are reached; the test of each.
NOT_COUNTED = {
    "s_nop": "skipped but under an observer: test/unit/Simulator/Timing",
    "s_waitcnt": "skipped but under an observer: test/unit/Simulator/Timing",
}
Counts = dict[str, dict[str, set[str]]]


def run_tests(folder: pathlib.Path) -> None:
    """Every test that executes kernels."""
    environment = {**os.environ, "OCTAVO_SIM_COVERAGE": str(folder)}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(ROOT / "test/simulator")]
    subprocess.run(pytest, env=environment, cwd=ROOT, check=True)
    for binary in sorted((BUILD / "unit").glob("Simulator*Tests")):
        named = {**environment, "PYTEST_CURRENT_TEST": f"test/unit/{binary.name}"}
        subprocess.run([str(binary), "--gtest_brief=1"], env=named, check=True)


def read(folder: pathlib.Path) -> tuple[Counts, Counts]:
    """Instruction and modifier to chip to tests."""
    instructions: Counts = defaultdict(lambda: defaultdict(set))
    modifiers: Counts = defaultdict(lambda: defaultdict(set))
    for path in sorted(folder.glob("*.tsv")):
        for line in path.read_text().splitlines():
            chip, mnemonic, word, test, _ = line.split("\t")
            name = test.split("[")[0].removeprefix("test/simulator/")
            instructions[mnemonic][chip].add(name)
            bare = word.split(":")[0]
            word = bare if bare in MODIFIERS["halves"] else word
            if not word.endswith(":0"):
                modifiers[word][chip].add(name)
    return instructions, modifiers


def row(name: str, known: dict[str, set[str]]) -> str:
    """A line of the table: the chips, how many tests, one of them."""
    tests = sorted(set().union(*known.values()))
    return f"| `{name}` | {', '.join(sorted(known))} | {len(tests)} | {tests[0] if tests else '**none**'} |"


def page(instructions: Counts, modifiers: Counts, kept: bool) -> tuple[str, list[str]]:
    """The page, and what no test executes."""
    tool = [str(BUILD / "bin/octavo-sim"), "isa"]
    names = subprocess.run(tool, capture_output=True, text=True, check=True).stdout.split()
    missing = [n for n in names if n not in instructions and n not in NOT_COUNTED]
    words = [word for group in MODIFIERS.values() for word in group]
    missing += [f"modifier {word}" for word in words if word not in modifiers]
    head = ["# What the simulator's tests execute", "",
            "Written by `tools/dev bench sim-coverage --write-docs`: each instruction and modifier that the simulator",
            "knows, the chips on which tests execute it, the number of those tests, one of them. Skipped instructions",
            "(`s_nop`, `s_waitcnt`) are executed under an observer only.", "",
            *(["Made with `--from`, of counts that were kept: some tests may not be among them.", ""] if kept else []),
            f"{len(names)} instructions, {len(words)} modifiers; without a test: {', '.join(missing) or 'none'}.", ""]
    columns = ["| | chips | tests | one of them |", "| --- | --- | --- | --- |"]
    for group, group_words in MODIFIERS.items():
        head += [f"## Modifiers: {group}", "", *columns, *[row(w, modifiers.get(w, {})) for w in group_words], ""]
    head += ["## Instructions", "", *columns]
    for name in names:
        head.append(f"| `{name}` | - | - | {NOT_COUNTED[name]} |" if name in NOT_COUNTED and name not in instructions
                    else row(name, instructions.get(name, {})))
    return "\n".join(head) + "\n", missing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write-docs", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--from", dest="source", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.source or options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not options.source:
            run_tests(folder)
        text, missing = page(*read(folder), bool(options.source))
    if options.write_docs:
        PAGE.write_text(text)
    print("\n".join(f"no test executes {name}" for name in missing) or "every instruction and modifier has a test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
