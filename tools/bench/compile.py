"""How long the default model's forward, backward, clipping and update compile, beside `backend="aot_eager"`.

Three processes: aot_eager, octavo with an empty cache, octavo with the cache that this left. The time of compilation is
that of the first step less that of the second. Bounds: cold at most 45 s more than aot_eager, cached at most 1.5 s.

    tools/dev bench compile [--target gfx950] [--recipe rowwise] [--write-docs]
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs/bench/compile.md"
COLD_BOUND, CACHED_BOUND = 45.0, 1.5


def work(backend: str, target: str, recipe: str) -> dict[str, Any]:
    """Two steps of training; the difference, and where octavo says that its time went."""
    sys.path.insert(0, str(ROOT / "examples"))
    import torch
    import train_llama
    from llama import Shape, Text

    compile_by = torch.compile
    if backend != "octavo":
        torch.compile = lambda function, fullgraph, **_: compile_by(function, fullgraph=fullgraph, backend=backend)
    options = {"target": target, "fallback": "error", **({} if recipe == "bf16" else {"fp8": recipe})}
    run = train_llama.make_run(Shape(), 0, "cpu", options)
    batch = Text(limit=1 << 20).batch(0, 0, train_llama.BATCH, Shape.sequence)
    wall, cpu = [], []
    for _ in range(2):
        start = time.perf_counter(), time.process_time()
        run.step(*batch)
        wall.append(time.perf_counter() - start[0])
        cpu.append(time.process_time() - start[1])
    result: dict[str, Any] = {"wall": wall[0] - wall[1], "cpu": cpu[0] - cpu[1]}
    if backend == "octavo":
        from octavo.runtime import statistics

        totals = statistics.statistics()
        result |= {"stages": totals.stages, "cache_hits": totals.cache_hits, "graphs": totals.graphs}
    return result


def measure(backend: str, options: argparse.Namespace, cache: str) -> dict[str, Any]:
    """`work` in a process of its own."""
    command = [sys.executable, __file__, "--work", backend, "--target", options.target, "--recipe", options.recipe]
    own = {"OCTAVO_CACHE_DIR": cache, "OCTAVO_TARGET": options.target}
    done = subprocess.run(command, env=os.environ | own, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def table(eager: dict[str, Any], cold: dict[str, Any], cached: dict[str, Any]) -> tuple[list[str], bool]:
    """Lines of the page, and whether the bounds are kept."""
    lines = ["| | wall s | CPU s | CPU s more than aot_eager | bound |", "| --- | --- | --- | --- | --- |"]
    kept = True
    for name, found, bound in (
        ("aot_eager", eager, None),
        ("octavo, cold", cold, COLD_BOUND),
        ("octavo, cached", cached, CACHED_BOUND),
    ):
        more = found["cpu"] - eager["cpu"]
        good = bound is None or more <= bound
        kept &= good
        end = "- | -" if bound is None else f"{more:.1f}{'' if good else ' !'} | {bound}"
        lines.append(f"| {name} | {found['wall']:.1f} | {found['cpu']:.1f} | {end} |")
    lines += [
        "",
        f"{cold['graphs']} graphs, {cached['cache_hits']} from the cache in the third process. "
        "Stages of octavo (wall s; `graph` holds the others):",
        "",
    ]
    lines += ["| stage | cold | cached |", "| --- | --- | --- |"]
    for stage, seconds in sorted(cold["stages"].items(), key=lambda item: -item[1]):
        lines.append(f"| {stage} | {seconds:.2f} | {cached['stages'].get(stage, 0.0):.2f} |")
    return lines, kept


def main() -> int:
    """Measures, prints, and writes the page where asked; 1 where a bound is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="gfx950", help="GPU to compile for")
    parser.add_argument("--recipe", default="rowwise", help="bf16 or a recipe")
    parser.add_argument("--write-docs", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        print(json.dumps(work(options.work, options.target, options.recipe)))
        return 0
    with tempfile.TemporaryDirectory() as cache:
        found = [measure(backend, options, cache) for backend in ("aot_eager", "octavo", "octavo")]
    lines, kept = table(*found)
    print("\n".join(lines))
    if options.write_docs:
        what = f"The default model of `tools/dev train`, {options.recipe}, {options.target}"
        head = f"# Compile time\n\n{what}: forward, backward, clipping and update.\n"
        machine = f"Measured on {os.cpu_count()} cores with a load of {os.getloadavg()[0]:.0f}"
        load = f"{machine}; CPU seconds are what other work changes least.\n"
        PAGE.write_text(f"{head}{load}\n    tools/dev bench compile --write-docs\n\n" + "\n".join(lines) + "\n")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
