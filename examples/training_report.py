"""What a training run leaves: the JSON report, the plot, the tables at the end."""

from __future__ import annotations

import json
import pathlib
from typing import Any

from rich.console import Console
from rich.table import Table

from octavo.runtime.statistics import statistics


class Launches:
    """Kernels of the run as the simulator counts them; empty on a GPU, where nothing counts."""

    def __init__(self, simulated: bool) -> None:
        self.simulated = simulated
        self.steps = 0
        self._step_us: float | None = None
        if simulated:
            from octavo import simulator

            simulator.reset()

    def note_step(self) -> None:
        """Says that a step has ended; after the second one its predicted time is known."""
        self.steps += 1
        if self.simulated and self.steps <= 2:
            from octavo import simulator

            times = [launch["predicted_us"] for launch in simulator.report()["launches"]]
            known = [t for t in times if t is not None]
            self._step_us = sum(known) / self.steps if known else None

    def predicted_step(self) -> str:
        """A piece of the progress bar's text."""
        return "" if self._step_us is None else f", {self._step_us:,.0f} us/step predicted"

    def report(self) -> dict[str, Any]:
        """The simulator's totals of each kernel."""
        if not self.simulated:
            return {"kernels": {}}
        from octavo import simulator

        return simulator.report()


def collect(
    target: str, recipe: str, losses: list[float], reference: list[float], launches: Launches
) -> dict[str, Any]:
    """All fields of the report but the total time."""
    totals = statistics()
    kernels: dict[str, dict[str, Any]] = {}
    instructions: dict[str, int] = {}
    for name, kernel in launches.report()["kernels"].items():
        kernels[name] = {"launches": kernel["launches"], "predicted_us": kernel["predicted_us"]}
        for mnemonic, count in kernel["instructions"].items():
            instructions[mnemonic] = instructions.get(mnemonic, 0) + count
    return {
        "target": target,
        "recipe": recipe,
        "steps": len(losses),
        "steps_here": launches.steps,
        "loss": losses,
        "reference_loss": reference,
        "fallback_nodes": totals.fallback_nodes,
        "graphs": totals.graphs,
        "kernels": kernels,
        "instructions": instructions,
        "compile_seconds": totals.compile_seconds,
    }


def write_json(path: pathlib.Path, result: dict[str, Any]) -> pathlib.Path:
    """Writes the report."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
    return path


def write_plot(path: pathlib.Path, result: dict[str, Any]) -> pathlib.Path:
    """Draws both loss curves."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    path.parent.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(figsize=(7, 4))
    axes.plot(result["reference_loss"], label="eager f32", color="0.6", linewidth=2.5)
    axes.plot(result["loss"], label=f"{result['recipe']} on {result['target'].split(':')[0]}", linewidth=1.2)
    axes.set_xlabel("step")
    axes.set_ylabel("loss (nats per byte)")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
    return path


def _losses(result: dict[str, Any]) -> Table:
    table = Table("step", "loss", "eager f32", "gap")
    count = len(result["loss"])
    for step in sorted({*range(min(4, count)), *range(0, count, max(1, count // 8)), count - 1}):
        ours, theirs = result["loss"][step], result["reference_loss"][step]
        table.add_row(str(step + 1), f"{ours:.4f}", f"{theirs:.4f}", f"{(ours / theirs - 1) * 100:+.3f} %")
    if count >= 40:
        ours, theirs = (sum(result[k][-20:]) / 20 for k in ("loss", "reference_loss"))
        table.add_row("mean of last 20", f"{ours:.4f}", f"{theirs:.4f}", f"{(ours / theirs - 1) * 100:+.3f} %")
    return table


def _kernels(result: dict[str, Any]) -> Table:
    table = Table("kernel", "launches", "predicted us in all")
    rows = sorted(result["kernels"].items(), key=lambda kv: -(kv[1]["predicted_us"] or 0))
    for name, kernel in rows[:12]:
        time = kernel["predicted_us"]
        table.add_row(name, str(kernel["launches"]), "-" if time is None else f"{time:,.1f}")
    return table


def _matrix_instructions(result: dict[str, Any]) -> Table:
    table = Table("matrix instruction", "executed")
    for name, count in sorted(result["instructions"].items(), key=lambda kv: -kv[1]):
        if name.startswith(("v_mfma", "v_smfmac", "v_wmma")):
            table.add_row(name, f"{count:,}")
    return table


def show(result: dict[str, Any], written: str, paths: dict[str, pathlib.Path]) -> None:
    """Prints the tables, the sample and where the files are."""
    console = Console()
    console.print(_losses(result))
    if result["kernels"]:
        console.print(_kernels(result))
        console.print(_matrix_instructions(result))
    per_step = sum(k["launches"] for k in result["kernels"].values()) / max(result["steps_here"], 1)
    console.print(
        f"{result['graphs']} graphs, {result['fallback_nodes']} nodes run by PyTorch, {per_step:.0f} launches a step; "
        f"compiled in {result['compile_seconds']:.1f} s, {result['seconds']:.1f} s in all"
    )
    console.rule("sample")
    console.print(written, markup=False, highlight=False)
    console.rule()
    for name, path in paths.items():
        console.print(f"{name}: {path}", markup=False, highlight=False)
