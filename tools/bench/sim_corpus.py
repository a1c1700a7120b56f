"""Runs the simulator's whole corpus: every generated program on each target against the host, every conversion of
32 bits over all 2^32 inputs. With `--write-docs` the result is written to docs/bench/sim-corpus.md.

Finished jobs are kept in runs/bench/sim-corpus-BUILD, where BUILD names the simulator and the generator; a second call
goes on with what is missing, and the page lists what there is.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

ROOT = pathlib.Path(__file__).parents[2]
TESTS = ROOT / "test/simulator"
PAGE = ROOT / "docs/bench/sim-corpus.md"
sys.path.insert(0, str(TESTS))
CHIPS = ("gfx942", "gfx950")
HEAD = """# The simulator's corpus

Written by `tools/dev bench sim-corpus --write-docs`. Every kernel is C, made from a seed, compiled by clang for a chip
at {levels} and for the host; the simulator's results must be the host's, bit for bit. Nothing here ran on a
GPU. Two kernels of each family are in a program: {families}.

Build `{build}`.
"""
CONVERSIONS = """
Conversions over all 2^32 inputs, against numpy and ml_dtypes (CI: every boundary of rounding +-2 ulp, and all inputs of
8 and 16 bits). {missing} are not in the table yet.
"""


@dataclass(frozen=True)
class Job:
    """One process, and the name under which its result is kept."""

    name: str
    command: tuple[str, ...]


def jobs(kind: str) -> list[Job]:
    """All jobs of a kind."""
    import corpus
    from conversions import TABLE

    if kind == "programs":
        return [Job(f"program-{arch}-{seed}", (str(TESTS / "corpus.py"), "--arch", arch, "--seed", str(seed)))
                for seed in range(corpus.PROGRAMS) for arch in CHIPS]
    return [Job(f"conversion-{c.targets[-1]}-{c.name}",
                (str(TESTS / "conversions.py"), "--all", "--arch", c.targets[-1], "--only", c.name))
            for c in TABLE if c.bits == 32]


def build_identity() -> str:
    """A digest of the simulator and of what makes and judges the programs."""
    from octavo import _paths

    digest = hashlib.sha256(_paths.library("libamdhip64.so").read_bytes())
    for name in ("corpus.py", "corpus_lanes.py", "kernel.h", "exchange.h", "conversions.py", "device.py"):
        digest.update((TESTS / name).read_bytes())
    return digest.hexdigest()[:16]


def run(job: Job, folder: pathlib.Path) -> dict[str, Any]:
    """The result of a job, from an earlier call if there is one."""
    kept = folder / f"{job.name}.json"
    if kept.exists():
        return dict(json.loads(kept.read_text()))
    start = time.monotonic()
    process = subprocess.run([sys.executable, *job.command], capture_output=True, text=True)
    result = {"name": job.name, "code": process.returncode, "output": process.stdout, "errors": process.stderr[-4000:],
              "seconds": time.monotonic() - start}
    kept.write_text(json.dumps(result))
    print(f"{job.name}: {'agrees' if process.returncode == 0 else 'DIFFERS'} ({result['seconds']:.0f} s)", flush=True)
    return result


def page(results: dict[str, list[dict[str, Any]]], build: str) -> str:
    """The page as Markdown."""
    import corpus

    lines = [HEAD.format(levels=", ".join(corpus.LEVELS), build=build, families=", ".join(corpus.FAMILIES)),
             "| chip | programs | kernels | builds executed | programs that differ |",
             "| --- | --- | --- | --- | --- |"]
    for arch in CHIPS:
        mine = [r for r in results["programs"] if r["name"].startswith(f"program-{arch}-")]
        kernels = len(mine) * corpus.KERNELS
        wrong = [r["name"].rsplit("-", 1)[1] for r in mine if r["code"]]
        lines.append(f"| {arch} | {len(mine)} of {corpus.PROGRAMS} | {kernels} | {kernels * len(corpus.LEVELS)} | "
                     f"{', '.join(wrong) or 'none'} |")
    missing = len(jobs("conversions")) - len(results["conversions"])
    lines += [CONVERSIONS.format(missing=missing), "| chip | instruction | inputs | wrong |",
              "| --- | --- | --- | --- |"]
    for result in results["conversions"]:
        for line in result["output"].splitlines():
            lines.append(f"| {' | '.join(line.split())} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", choices=("programs", "conversions"), help="run one kind")
    parser.add_argument("--limit", type=int, help="run so many jobs of each kind")
    parser.add_argument("--list", action="store_true", help="run nothing: only tell what there is")
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    build = build_identity()
    folder = ROOT / "runs/bench" / f"sim-corpus-{build}"
    folder.mkdir(parents=True, exist_ok=True)
    results: dict[str, list[dict[str, Any]]] = {}
    for kind in ("programs", "conversions"):
        wanted = jobs(kind)
        if not options.list and options.only in (None, kind):
            with ThreadPoolExecutor(options.jobs) as pool:
                list(pool.map(lambda job: run(job, folder), wanted[: options.limit]))
        results[kind] = [json.loads(f.read_text()) for job in wanted if (f := folder / f"{job.name}.json").exists()]
    text = page(results, build)
    print(text)
    if options.write_docs:
        PAGE.write_text(text)
    failed = [r for kind in results.values() for r in kind if r["code"]]
    for result in failed:
        print(f"{result['name']}:\n{result['output']}{result['errors']}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
