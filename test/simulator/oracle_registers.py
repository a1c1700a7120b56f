"""Runs the scalar instructions of oracle_scalar.py and the memory instructions of oracle_memory.py against them."""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import tempfile

import assembly
import numpy as np
import oracle_memory
import oracle_scalar

CORNERS = [0, 1, 2, 31, 32, 63, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFF, 0x8000, 0x10000, 0x00100004, 0x001F0000,
           0x00200008, 0x00400000, 0x000F0F00]


def state(seed: int, mask: int) -> assembly.State:
    """Registers of which many are corners."""
    draw = np.random.default_rng(seed)
    v = draw.integers(0, 1 << 32, (16, 64), dtype=np.uint64).astype(np.uint32)
    s = draw.integers(0, 1 << 32, 16, dtype=np.uint64).astype(np.uint32)
    s = np.where(draw.random(16) < 0.6, draw.choice(np.array(CORNERS, np.uint32), 16), s).astype(np.uint32)
    s[14], s[15] = mask & 0xFFFFFFFF, mask >> 32
    floats = (draw.standard_normal(assembly.LDS_WORDS) * 8).astype(np.float32).view(np.uint32)
    lds = draw.integers(0, 1 << 32, assembly.LDS_WORDS, dtype=np.uint64).astype(np.uint32)
    lds = np.where(np.arange(assembly.LDS_WORDS) % 8 < 4, floats, lds).astype(np.uint32)
    v[0] = np.where(draw.random(64) < 0.3, lds[::4][:64], v[0])
    v[2:4] = np.where(draw.random((2, 64)) < 0.4, lds[:512].reshape(64, 8).T[:2], v[2:4])
    return assembly.State(v, s, lds)


def check(arch: str, seed: int) -> tuple[list[str], int]:
    """What differs, and the number of instructions."""
    scalars = [(scalar, scc) for scalar in oracle_scalar.TABLE for scc in (False, True)]
    memory = [m for m in oracle_memory.TABLE if arch in m.targets]
    bodies = {f"s{i}": oracle_scalar.body(scalar, scc) for i, (scalar, scc) in enumerate(scalars)}
    bodies |= {f"m{i}": m.body() for i, m in enumerate(memory)}
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        module = assembly.assemble(arch, bodies, pathlib.Path(folder))
        for i, (scalar, scc) in enumerate(scalars):
            for turn in range(4):
                before = state(seed + 97 * turn + i, (1 << 64) - 1)
                found = oracle_scalar.problem(scalar, scc, before, assembly.run(module, f"s{i}", before))
                problems += [f"{arch} {found}"] if found else []
        for i, case in enumerate(memory):
            for turn, mask in enumerate((0xFFFFFFFFFFFFFFFF, 0x00FF13579BDF0001)):
                before = state(seed + 89 * turn + i, mask)
                found = oracle_memory.problem(case, before, assembly.run(module, f"m{i}", before))
                problems += [f"{arch} {found}"] if found else []
    return problems, len({s.name for s, _ in scalars}) + len({m.name for m in memory})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", default="gfx950")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.environ["OCTAVO_TARGET"] = options.arch
    problems, count = check(options.arch, options.seed)
    print("\n".join([*problems, f"{count} instructions on {options.arch}: {len(problems)} differences"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
