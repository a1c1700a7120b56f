"""How long importing octavo takes after torch: at most 0.3 s, in fresh processes.

tools/dev bench import [--runs N]
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

BOUND = 0.3
# What torch.compile(backend="octavo") imports when the name is first used, besides what a user imports.
WORK = """
import time
import torch
times = []
for name in ("octavo", "octavo.torch_backend"):
    start = time.perf_counter(), time.process_time()
    __import__(name)
    times += [time.perf_counter() - start[0], time.process_time() - start[1]]
print(*times)
"""


def main() -> int:
    """Prints medians; 1 where the bound is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="processes")
    runs = parser.parse_args().runs
    rows = []
    for _ in range(runs):
        done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=True)
        rows.append([float(x) for x in done.stdout.split()])
    wall, cpu, backend_wall, backend_cpu = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"import octavo after torch: {wall:.3f} s ({cpu:.3f} s of CPU), median of {runs} processes")
    print(f"and octavo.torch_backend:  {backend_wall:.3f} s ({backend_cpu:.3f} s of CPU)")
    kept = wall + backend_wall <= BOUND
    print(f"bound {BOUND} s for both: {'kept' if kept else 'NOT kept'}")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
