"""Trains the example's model with each seed, recipe and chip, and says how far the losses are from eager PyTorch's.

Each finished run is kept as JSON in runs/bench/BUILD, where BUILD names the compiler, the simulator and the Python code
that made it; a second call goes on with what is missing. The table lists what there is.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]
CHIPS = ("gfx950", "gfx942")
RECIPES = ("bf16", "tensorwise", "rowwise", "rowwise_with_gw_hp", "blockwise", "mxfp8")
# Runs by TorchAO's eager modules that the same recipe is compared with.
WITH_TORCHAO = ("tensorwise", "rowwise")
EARLY, LAST = 12, 20
EARLY_BOUND = {"bf16": 0.001, **dict.fromkeys(RECIPES[1:], 0.008)}
TORCHAO_BOUND, LAST_BOUND = 0.002, 0.02


@dataclass(frozen=True)
class Wanted:
    """One training."""

    seed: int
    recipe: str
    chip: str
    steps: int

    @property
    def name(self) -> str:
        """Of the files."""
        return f"{self.recipe}-{self.chip}-seed{self.seed}-steps{self.steps}"


def build_identity() -> str:
    """A digest of everything that decides the numbers: the two libraries, the package, the example."""
    from octavo import _octavo, _paths

    digest = hashlib.sha256()
    python = sorted([*(ROOT / "python/octavo").rglob("*.py"), *(ROOT / "examples").glob("*.py")])
    for path in (pathlib.Path(_octavo.__file__), _paths.library("libamdhip64.so"), *python):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def chosen(options: argparse.Namespace) -> list[Wanted]:
    """The runs in the order in which they are made: the short ones first, seed by seed."""
    short, long = [], []
    for seed in options.seeds:
        for recipe in options.recipes:
            for chip in options.chips:
                short.append(Wanted(seed, recipe, chip, EARLY))
                if seed == 0 or (recipe, chip) == ("rowwise", CHIPS[0]):
                    long.append(Wanted(seed, recipe, chip, 200))
    return short if options.quick else short + long


def execute(run: Wanted, folder: pathlib.Path) -> None:
    """Makes one run; its report appears when it has ended well.

    Raises:
        SystemExit: the run failed; its log stays beside the reports.
    """
    part, log = folder / f"{run.name}.part", folder / f"{run.name}.log"
    command = [sys.executable, str(ROOT / "examples/train_llama.py"), "--target", run.chip, "--recipe", run.recipe]
    command += ["--seed", str(run.seed), "--steps", str(run.steps), "--report", str(part)]
    command += ["--plot", str(folder / f"{run.name}.png"), "--save", str(folder / f"{run.name}.pt")]
    with log.open("w") as output:
        code = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
    if code:
        raise SystemExit(f"{run.name} failed:\n{log.read_text()[-2000:]}\n(the whole log: {log})")
    part.replace(folder / f"{run.name}.json")


@contextlib.contextmanager
def autocast() -> Iterator[None]:
    """bf16 on the CPU; TorchAO's layers ask for the autocast of GPUs, wherever they run."""
    import torch

    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", torch.bfloat16)
    try:
        with torch.autocast("cpu", torch.bfloat16):
            yield
    finally:
        torch.set_autocast_enabled("cuda", False)


def torchao_losses(recipe: str, seed: int, folder: pathlib.Path) -> list[float]:
    """The first losses by TorchAO's eager modules; kept, because they do not depend on the chip."""
    kept = folder / f"torchao-{recipe}-seed{seed}.json"
    if kept.exists():
        return list(json.loads(kept.read_text()))
    sys.path.insert(0, str(ROOT / "examples"))
    import torch.nn.functional as F
    import train_llama
    from llama import Shape, Text
    from torchao.float8 import Float8LinearConfig, convert_to_float8_training

    run = train_llama.make_run(Shape(), seed, "cpu", None)
    convert_to_float8_training(run.model, config=Float8LinearConfig.from_recipe_name(recipe))

    def forward(tokens: Any, targets: Any) -> Any:
        with autocast():
            return F.cross_entropy(run.model(tokens).float().flatten(0, 1), targets.flatten())

    run.forward, text = forward, Text()
    for step in range(EARLY):
        run.step(*text.batch(seed, step, train_llama.BATCH, Shape.sequence))
    part = kept.with_suffix(".part")
    part.write_text(json.dumps(run.losses))
    part.replace(kept)
    return list(run.losses)


def gap(found: Sequence[float], expected: Sequence[float]) -> float:
    """Largest relative difference."""
    return max(abs(f / e - 1) for f, e in zip(found, expected, strict=True))


def row(run: Wanted, report: dict[str, Any], torchao: list[float] | None) -> list[str]:
    """One line of the table; a number that is over its bound has an exclamation mark."""

    def shown(value: float, bound: float) -> str:
        return f"{value * 100:.3f} %{'' if abs(value) <= bound else ' !'}"

    losses, reference = report["loss"], report["reference_loss"]
    last = "-"
    if len(losses) >= 10 * LAST:
        last = shown(sum(losses[-LAST:]) / sum(reference[-LAST:]) - 1, LAST_BOUND)
        last += f" ({sum(losses[-LAST:]) / LAST:.3f})"
    launches = sum(k["launches"] for k in report["kernels"].values()) / report["steps_here"]
    return [
        str(run.seed),
        run.recipe,
        run.chip,
        str(run.steps),
        shown(gap(losses[:EARLY], reference[:EARLY]), EARLY_BOUND[run.recipe]),
        "-" if torchao is None else shown(gap(losses[:EARLY], torchao[:EARLY]), TORCHAO_BOUND),
        last,
        f"{launches:.0f}",
        f"{report['seconds']:.0f}",
    ]


HEAD = (
    "seed", "recipe", "chip", "steps", "first 12 against eager f32", "first 12 against TorchAO",
    "mean of last 20 against eager f32 (loss)", "launches a step", "seconds",
)  # fmt: skip


PAGE = """# Training in FP8 against eager PyTorch

The model of `tools/dev train` (a Llama over bytes: width 128, 4 layers, batch 8 x 128), trained by kernels that Octavo
generated and Octavo's **simulator** executed; nothing here was measured on a GPU. Each gap is the largest relative
difference of a loss from that of the same seed, weights and data in eager PyTorch: in f32, or with TorchAO's eager
modules for the same recipe. A `!` marks what is over its bound (first 12 losses: 0.1 % for bf16, 0.8 % for FP8, 0.2 %
against TorchAO; mean of the last 20 of 200: 2 %). Seconds are those of a run on this simulator, compilation and the f32
reference included, on a machine that did other work too.

    tools/dev bench train --write-docs

Made by build `{identity}`.{still}

{table}
"""


def rows_of(runs: Sequence[Wanted], folder: pathlib.Path) -> list[list[str]]:
    """The lines of the runs that are there."""
    rows = []
    for run in runs:
        path = folder / f"{run.name}.json"
        if path.exists():
            torchao = torchao_losses(run.recipe, run.seed, folder) if run.recipe in WITH_TORCHAO else None
            rows.append(row(run, json.loads(path.read_text()), torchao))
    return rows


def show(rows: Sequence[Sequence[str]]) -> None:
    """Prints the table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*HEAD)
    for cells in rows:
        table.add_row(*cells)
    Console().print(table)


def write_docs(rows: Sequence[Sequence[str]], missing: int, identity: str) -> pathlib.Path:
    """Writes the table as a page."""
    page = ROOT / "docs/bench/train.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    lines = ["| " + " | ".join(cells) + " |" for cells in (HEAD, ["---"] * len(HEAD), *rows)]
    still = f" {missing} of the runs that the command makes are not in the table yet." if missing else ""
    page.write_text(PAGE.format(identity=identity, still=still, table="\n".join(lines)))
    return page


def make_missing(runs: Sequence[Wanted], folder: pathlib.Path, minutes: float | None) -> None:
    """Makes the runs that are not kept yet; starts none after so many minutes."""
    start = time.monotonic()
    for number, run in enumerate(runs, 1):
        if (folder / f"{run.name}.json").exists():
            continue
        if minutes is not None and time.monotonic() - start > 60 * minutes:
            break
        print(f"{number} of {len(runs)}: {run.name}", flush=True)
        execute(run, folder)


def main() -> None:
    """Makes the runs that are missing, prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"only the runs of {EARLY} steps")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--recipes", nargs="+", choices=RECIPES, default=RECIPES)
    parser.add_argument("--chips", nargs="+", choices=CHIPS, default=CHIPS)
    parser.add_argument("--minutes", type=float, help="start no run after this time")
    parser.add_argument("--build", help="only list what is kept of this build")
    parser.add_argument("--write-docs", action="store_true", help="write the table to docs/bench/train.md")
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "python"), os.environ.get("PYTHONPATH")]))
    identity = options.build or build_identity()
    folder = ROOT / "runs/bench" / identity
    if options.build and not folder.is_dir():
        raise SystemExit(f"there are no runs of build {identity} in {folder.parent}")
    folder.mkdir(parents=True, exist_ok=True)
    runs = chosen(options)
    if not options.build:
        make_missing(runs, folder, options.minutes)
    rows = rows_of(runs, folder)
    show(rows)
    if options.write_docs:
        print(write_docs(rows, len(runs) - len(rows), identity))
    print(f"the reports are in {folder.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
