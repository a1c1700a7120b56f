"""The rows as JSON, a table, a page and a picture."""

from __future__ import annotations

import json
import math
import pathlib
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rows import Row

HEAD = (
    "product", "M x N x K", "scaling", "order", "chip", "Octavo us", "Triton us", "ratio", "of the roof", "tile",
    "waves", "registers", "LDS KiB", "waves a SIMD", "bound", "matrix issue",
)  # fmt: skip


def collect(rows: Sequence[Row], folder: pathlib.Path) -> list[dict[str, Any]]:
    """What is kept of the rows; a row that nobody has measured is left out, one that failed has its error."""
    results = []
    for row in rows:
        ours, peer = (folder / f"{row.name}.{which}.json" for which in ("octavo", "peer"))
        if ours.exists():
            results.append(
                _result(row, json.loads(ours.read_text()), json.loads(peer.read_text()) if peer.exists() else {})
            )
    return results


def _result(row: Row, ours: dict[str, Any], peer: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"shape": [row.m, row.n, row.k]}
    result |= {"scaling": row.scaling, "order": row.order, "target": row.target, "kind": row.kind}
    result |= {"octavo_us": ours.get("us"), "peer_us": peer.get("us"), "error": ours.get("error")}
    result |= {
        "peer_error": peer.get("error"),
        "peer_registers": peer.get("registers"),
        "peer_spills": peer.get("spills"),
    }
    facts = next((a["prediction"] for a in (ours, peer) if "prediction" in a), None)
    if facts is not None:
        result["peak_us"] = row.peak_us(_compute_units(row.target), facts["clock_mhz"])
        result["memory_us"] = _memory_us(row, facts)
    if "us" in ours:
        prediction = ours["prediction"]
        roof = result["memory_us"] if row.is_skinny else result["peak_us"]
        result["share_of_peak"] = result["peak_us"] / ours["us"]
        result["share_of_roof"] = roof / ours["us"]
        result |= {
            name: ours[name] for name in ("tile", "waves", "registers", "spills", "lds", "launches", "compile_ms")
        }
        result |= {"occupancy": prediction["waves_per_simd"], "bound": prediction["bound"]}
        result["matrix_issue_share"] = prediction["roofs_us"]["matrix"] / prediction["predicted_us"]
        result["lds_conflict_share"] = prediction["lds_conflict_share"]
        result["roofs_us"], result["stall_cycles"] = prediction["roofs_us"], prediction["stall_cycles"]
    if result["octavo_us"] and result["peer_us"]:
        result["ratio"] = result["peer_us"] / result["octavo_us"]
    return result


def _compute_units(target: str) -> int:
    from octavo import _octavo

    facts = _octavo.target_facts(target)
    assert facts is not None
    return int(facts["compute_units"])


def _memory_us(row: Row, prediction: dict[str, Any]) -> float | None:
    """The time in which the model streams the row's operands and result once."""
    moved = prediction["hbm_read_bytes"] + prediction["hbm_write_bytes"]
    return row.least_bytes() * prediction["roofs_us"]["hbm"] / moved if moved else None


def geometric_mean(values: Iterable[float]) -> float | None:
    """Of some ratios."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else None


def means(results: Sequence[dict[str, Any]]) -> list[tuple[str, str, int, float]]:
    """Chip, scaling, number of rows and mean ratio to the peer of the rows that the matrix cores bound."""
    lines = []
    for target in sorted({r["target"] for r in results}):
        for scaling in sorted({r["scaling"] for r in results}):
            ratios = [
                r["ratio"]
                for r in results
                if (r["target"], r["scaling"]) == (target, scaling) and "ratio" in r and r["shape"][0] > 128
            ]
            mean = geometric_mean(ratios)
            if mean is not None:
                lines.append((target, scaling, len(ratios), mean))
    return lines


def _cells(result: dict[str, Any]) -> list[str]:
    def shown(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    start = [result["kind"], "x".join(map(str, result["shape"])), result["scaling"], result["order"], result["target"]]
    peer = shown(result["peer_us"], ".1f") if not result["peer_error"] else f"failed: {result['peer_error'][:60]}"
    if result["error"]:
        return [*start, f"not yet: {result['error'][:160]}", peer, *["-"] * (len(HEAD) - 7)]
    waves = f"{result['waves']}" + ("" if len(result["launches"]) == 1 else f" ({len(result['launches'])} launches)")
    return [
        *start,
        shown(result["octavo_us"], ".1f"),
        peer,
        shown(result.get("ratio"), ".2f"),
        shown(result["share_of_roof"], ".1%"),
        result["tile"],
        waves,
        f"{result['registers']}" + (f", {result['spills']} spilled" if result["spills"] else ""),
        shown(result["lds"] / 1024, ".0f"),
        str(result["occupancy"]),
        result["bound"],
        shown(result["matrix_issue_share"], ".0%"),
    ]


def show(results: Sequence[dict[str, Any]]) -> None:
    """Prints the table and the means."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*HEAD)
    for result in results:
        table.add_row(*_cells(result))
    console = Console() if sys.stdout.isatty() else Console(width=240)
    console.print(table)
    for target, scaling, count, mean in means(results):
        console.print(f"{target} {scaling}: {mean:.2f} times as fast as Triton (geometric mean of {count})")


PAGE = """# Matrix products against Triton

Predictions of Octavo's **simulator**, at the peak clock and from cold caches; nothing here was measured on a GPU.
Both columns come from one timing model, whose constants have their sources in `lib/Simulator/Timing/Constants.def`.
Triton 3.9 runs at the best configuration that a search found (`tools/bench/gemm/peers.json`). The ratio is Triton's
time divided by Octavo's. The roof is the matrix cores' peak, or for M <= 128 the time in which the model streams the
operands from HBM. N means stored as written (A is M x K, B is K x N), T the other way round. What Octavo cannot do yet
has its error.

    tools/dev bench gemm --write-docs

Made by build `{identity}`; {count} of {wanted} rows.

![share of the roof and ratio to Triton](gemm.svg)

{means}

{table}
"""


def write_docs(
    results: Sequence[dict[str, Any]], rows: Sequence[Row], identity: str, root: pathlib.Path
) -> pathlib.Path:
    """Writes the table as a page, and the picture beside it."""
    page = root / "docs/bench/gemm.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    lines = [_line(cells) for cells in (HEAD, ["---"] * len(HEAD), *map(_cells, results))]
    head = ("chip", "scaling", "rows", "geometric mean of the ratios")
    of_means = [(target, scaling, str(count), f"{mean:.2f}") for target, scaling, count, mean in means(results)]
    table = "\n".join(_line(cells) for cells in (head, ["---"] * len(head), *of_means))
    text = PAGE.format(identity=identity, count=len(results), wanted=len(rows), means=table, table="\n".join(lines))
    page.write_text(text)
    draw(results, page.with_suffix(".svg"))
    return page


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def draw(results: Sequence[dict[str, Any]], path: pathlib.Path) -> None:
    """Share of the roof, Octavo's and Triton's, one line for each row."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "gemm"
    from matplotlib import pyplot

    shown = [r for r in results if "share_of_roof" in r]
    figure, axes = pyplot.subplots(figsize=(10, 1.5 + 0.2 * len(shown)))
    labels = [f"{r['target']} {r['scaling']} {r['order']} {'x'.join(map(str, r['shape']))}" for r in shown]
    ours = [r["share_of_roof"] for r in shown]
    places = list(range(len(shown)))
    axes.barh(places, ours, color="#4477aa", label="Octavo")
    peers = [(i, r["share_of_roof"] * r["octavo_us"] / r["peer_us"]) for i, r in enumerate(shown) if r["peer_us"]]
    axes.plot([share for _, share in peers], [i for i, _ in peers], "D", color="#cc6677", label="Triton", markersize=4)
    axes.set_yticks(places, labels, fontsize=6)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of the roof (simulated)")
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
