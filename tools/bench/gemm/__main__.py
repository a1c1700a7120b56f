"""Compares Octavo's matrix products with Triton's in the simulator's timing model, row by row of rows.json.

Each row is kept as JSON in runs/bench/BUILD/gemm, where BUILD names the compiler, the simulator and the Python code
that made it; a second call goes on with what is missing. Triton's best configuration of each row is in peers.json;
`--search` finds those that are missing. Nothing is executed in full: the simulator runs the workgroups that its model
needs.
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
from collections.abc import Sequence
from typing import Any

import report
import search
from peer import Config
from rows import Row, load

ROOT = pathlib.Path(__file__).parents[3]
#: Seconds after which one measurement is given up.
LIMIT = 900


def build_identity() -> str:
    """A digest of everything that decides the numbers: the two libraries, the package, this folder."""
    from octavo import _octavo, _paths

    digest = hashlib.sha256()
    python = sorted([*(ROOT / "python/octavo").rglob("*.py"), *pathlib.Path(__file__).parent.glob("*.py")])
    shown = {"report.py", "__main__.py", "search.py"}
    for path in (pathlib.Path(_octavo.__file__), _paths.library("libamdhip64.so"), *python):
        if path.parent != pathlib.Path(__file__).parent or path.name not in shown:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Worker:
    """A process that measures for one target; another takes its place if it dies or hangs."""

    def __init__(self, target: str) -> None:
        self._environment = os.environ | {"OCTAVO_TARGET": target, "OCTAVO_SIM_TIMING": "only"}
        self._environment |= {"TRITON_DEFAULT_FP_FUSION": "1"}
        self._process: subprocess.Popen[str] | None = None

    def ask(self, row: Row, config: Config | None = None) -> dict[str, Any]:
        """One measurement; a process that ended is an answer too."""
        if self._process is None:
            command = [sys.executable, str(pathlib.Path(__file__).with_name("worker.py"))]
            self._process = subprocess.Popen(
                command, env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        request = {"row": row.as_dict()} | ({"config": config.as_dict()} if config else {})
        process, start = self._process, time.monotonic()
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        line = read_line(process, LIMIT)
        if not line:
            self.close()
            late = time.monotonic() - start >= LIMIT
            return {"error": f"no answer within {LIMIT} s" if late else "the process ended"}
        return dict(json.loads(line)) | {"seconds": round(time.monotonic() - start, 1)}

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def read_line(process: subprocess.Popen[str], seconds: float) -> str:
    """A line of the process's output, or nothing if it ends or takes too long."""
    import select

    assert process.stdout
    ready, _, _ = select.select([process.stdout], [], [], seconds)
    return process.stdout.readline() if ready else ""


def keep(path: pathlib.Path, answer: dict[str, Any]) -> None:
    """Writes an answer in one step."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(answer))
    part.replace(path)


def measure_missing(rows: Sequence[Row], folder: pathlib.Path, options: argparse.Namespace) -> None:
    """Measures both columns of the rows that are not kept yet; starts none after so many minutes."""
    start = time.monotonic()
    workers = {target: Worker(target) for target in {row.target for row in rows}}
    for number, row in enumerate(rows, 1):
        if options.minutes is not None and time.monotonic() - start > 60 * options.minutes:
            break
        worker = workers[row.target]
        ours, peer = folder / f"{row.name}.octavo.json", folder / f"{row.name}.peer.json"
        if not ours.exists():
            answer = worker.ask(row)
            keep(ours, answer)
            print(f"{number} of {len(rows)}: {row.name}: {told(answer)}", flush=True)
        if row.name not in search.known() and options.search:
            entry = search.search(row, lambda config, row=row, worker=worker: worker.ask(row, config), options.search)
            search.record(row.name, entry)
            print(f"{number} of {len(rows)}: {row.name}: Triton's best is {entry}", flush=True)
        entry = search.known().get(row.name, {})
        if "config" in entry and not peer.exists():
            answer = worker.ask(row, Config(**entry["config"]))
            keep(peer, answer)
            print(f"{number} of {len(rows)}: {row.name}: Triton {told(answer)}", flush=True)
    for worker in workers.values():
        worker.close()


def told(answer: dict[str, Any]) -> str:
    """An answer in a few words."""
    said = f"{answer['us']:.1f} us" if "us" in answer else answer["error"][:100]
    return f"{said} ({answer.get('seconds', 0)} s)"


def chosen(options: argparse.Namespace) -> list[Row]:
    """The rows that were asked for, in the order of the file."""
    rows = [row for row in load() if row.target in options.chips]
    if options.quick:
        rows = [row for row in rows if row.quick]
    if options.rows:
        rows = [row for row in rows if any(word in row.name or word in row.kind for word in options.rows)]
    if not rows:
        raise SystemExit(f"no row has {' or '.join(options.rows)} in its name; names are like {load()[0].name}")
    return rows


def main() -> None:
    """Measures what is missing, prints the table."""
    parser = argparse.ArgumentParser(
        prog="tools/dev bench gemm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="only the 40 rows that are marked")
    parser.add_argument("--rows", nargs="+", default=[], help="only rows with one of these in their name or kind")
    parser.add_argument("--chips", nargs="+", choices=sorted(search.LDS), default=sorted(search.LDS))
    parser.add_argument("--json", type=pathlib.Path, help="write the rows to this file")
    parser.add_argument("--search", type=int, default=0, metavar="N", help="find missing peers, N tries a row at most")
    parser.add_argument("--minutes", type=float, help="start no row after this time")
    parser.add_argument("--build", help="only show what is kept of this build")
    parser.add_argument("--write-docs", action="store_true", help="write docs/bench/gemm.md and its picture")
    options = parser.parse_args()
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "python"), os.environ.get("PYTHONPATH")]))
    identity = options.build or build_identity()
    folder = ROOT / "runs/bench" / identity / "gemm"
    if options.build and not folder.is_dir():
        raise SystemExit(f"there are no rows of build {identity} in {folder.parents[1]}")
    folder.mkdir(parents=True, exist_ok=True)
    rows = chosen(options)
    if not options.build:
        measure_missing(rows, folder, options)
    results = report.collect(rows, folder)
    report.show(results)
    if options.json:
        options.json.write_text(json.dumps({"build": identity, "rows": results}, indent=1) + "\n")
    if options.write_docs:
        print(report.write_docs(results, rows, identity, ROOT))
    print(f"the rows are in {folder.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
