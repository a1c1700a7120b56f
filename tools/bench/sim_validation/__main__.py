"""Compares the timing model with what others measured: a row for each figure, with its source and the ratio."""

from __future__ import annotations

import argparse
import itertools
import math
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from measure import ROOT
from rows import LADDER, Row, all_rows

TARGET = ROOT / "docs/bench/sim-validation.md"

INTRODUCTION = """# The timing model against published measurements

Made by `tools/dev bench sim-validation --write-docs`. No GPU was at hand: every published figure is from others, and
every prediction is the model's at the peak clock from cold caches. Kernels are C with assembly
(`tools/bench/sim_validation/kernels`, the ladder in `test/unit/Simulator/kernels/ladder.c`), none is Octavo's output.
The constants of the model stand with their sources in `lib/Simulator/Timing/Constants.def`. Rows whose source is that
of a constant only check that the model applies it; the others show how constants act together.
Three choices were made with the ladder in view, among figures that each have a source: the rate of the L2, the ways of
the L1 of gfx950, and the store port of its LDS. The ladder is therefore no independent test of them; the hold-out is.
"""

CHOICES = """
## What was chosen with these rows in view

- The rate of L2 is the measured aggregate (26.5-27.7 TB/s on MI300X), not the nominal one (34). A second figure of the
  same source, 17.7 TB/s for streaming reads, would bring the 1150 TF step of the ladder to 1.16 of its published ratio,
  and the steps above it 24-36 % away: it was not taken.
- The port of LDS stores is taken alike on gfx950 (20 clk for 16-byte stores, published for CDNA2 and CDNA3); "by its
  width", which stood there before, makes the 341 TF step equal to the 501 TF step.
- L1 is taken as highly associative, as no source says how it is indexed.
- The 501 TF kernel is taken without bank conflicts: its published successor only swizzles, and is no faster (495). In
  plain rows of 128 bytes the model is bound by conflicts that hardware did not show; that row is in the table.

## What is not modelled

Translation of addresses (no published figure was found that isolates it), conflicts of L2 channels (published as a
warning about strides that are multiples of 512 bytes, without a figure; the likely reason why the 1150 TF step, which
reads most from L2, is slower than predicted), the clock under load, cold instruction caches.
"""


@dataclass(frozen=True)
class Result:
    """A row with the model's figure."""

    row: Row
    predicted: float
    seconds: float

    @property
    def ratio(self) -> float:
        """Predicted to published."""
        return self.predicted / self.row.published


def number(value: float) -> str:
    """Three digits, or all of a large number."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table(results: Sequence[Result]) -> str:
    """One table for each section."""
    lines = []
    for section, group in itertools.groupby(results, key=lambda result: result.row.section):
        lines += [f"\n## {section}\n", "| what | target | unit | published | predicted | ratio | source |",
                  "|---|---|---|---|---|---|---|"]  # fmt: skip
        for result in group:
            row = result.row
            note = f" ({row.note})" if row.note else ""
            lines.append(f"| {row.name}{note} | {row.target} | {row.unit} | {number(row.published)} "
                         f"| {number(result.predicted)} | {result.ratio:.2f} | {row.source} |")  # fmt: skip
    return "\n".join(lines) + "\n"


def ladder(results: Sequence[Result]) -> str:
    """Each step's ratio to the 501 TF kernel."""
    steps = [result for result in results if result.row.section.startswith("FP8 ladder")]
    if len(steps) != len(LADDER):
        return ""
    base = next(step for step in steps if step.row.name.startswith("501: direct"))
    lines = ["\n### Ratios to the 501 TF kernel\n", "| step | published | predicted | error |", "|---|---|---|---|"]
    for step in steps:
        published = step.row.published / base.row.published
        predicted = step.predicted / base.predicted
        error = predicted / published - 1
        lines.append(f"| {step.row.name} | {published:.3f} | {predicted:.3f} | {error:+.1%} |")
    return "\n".join(lines) + "\n"


def summary(results: Sequence[Result]) -> str:
    """Mean absolute error by section."""
    lines = ["\n## Error\n", "| section | rows | geometric mean of the ratio | mean absolute error | worst |",
             "|---|---|---|---|---|"]  # fmt: skip
    for section, rows in itertools.groupby(results, key=lambda result: result.row.section):
        group = list(rows)
        mean = math.exp(sum(math.log(result.ratio) for result in group) / len(group))
        errors = [abs(result.ratio - 1) for result in group]
        worst = max(group, key=lambda result: abs(math.log(result.ratio)))
        lines.append(f"| {section} | {len(group)} | {mean:.2f} | {sum(errors) / len(errors):.0%} "
                     f"| {worst.row.name} {worst.ratio:.2f} |")  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools/dev bench sim-validation", description=__doc__)
    parser.add_argument("--only", metavar="REGEX", default="", help="rows whose section and name match")
    parser.add_argument("--write-docs", action="store_true", help=f"write {TARGET.relative_to(ROOT)}")
    options = parser.parse_args()
    if options.write_docs and options.only:
        parser.error("--write-docs needs all rows")
    results = []
    for row in all_rows():
        if not re.search(options.only, f"{row.section}: {row.name} {row.target}"):
            continue
        start = time.monotonic()
        result = Result(row, row.predict(), time.monotonic() - start)
        results.append(result)
        print(f"{row.section}: {row.name}, {row.target}: published {number(row.published)} {row.unit}, predicted "
              f"{number(result.predicted)}, ratio {result.ratio:.2f} ({result.seconds:.1f} s)", flush=True)  # fmt: skip
    if not results:
        print("no row matches", file=sys.stderr)
        return 1
    text = summary(results) + table(results).replace("\n## GEMM\n", ladder(results) + "\n## GEMM\n")
    if options.write_docs:
        TARGET.write_text(INTRODUCTION + text + CHOICES)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
