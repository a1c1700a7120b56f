"""Builds kernels and asks the timing model about them."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
import tempfile
from typing import Any

import numpy as np

from octavo import simulator

FOLDER = pathlib.Path(__file__).parent
ROOT = FOLDER.parents[2]
UNIT_KERNELS = ROOT / "test/unit/Simulator/kernels"
# Compute units, clock in MHz: of the chips that the rows name.
CHIPS = {"gfx942": (304, 2100.0), "gfx950": (256, 2400.0)}


@functools.cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@functools.cache
def build(name: str, target: str, *options: str) -> pathlib.Path:
    """The code object of kernels/NAME.c, or of the ladder that the unit tests have too."""
    source = FOLDER / "kernels" / f"{name}.c"
    source = source if source.exists() else UNIT_KERNELS / f"{name}.c"
    output = pathlib.Path(_scratch().name) / f"{name}-{target}{''.join(options)}.hsaco"
    clang = os.environ.get("OCTAVO_LLVM_PREFIX", "/usr/lib/llvm-22") + "/bin/clang"
    command = [clang, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-O2", "-nogpulib", "-ffreestanding"]
    command += ["-ffp-contract=off", f"-I{UNIT_KERNELS}", *options, str(source), "-o", str(output)]
    subprocess.run(command, check=True)
    return output


def predict(
    target: str,
    name: str,
    kernel: str,
    *arguments: str | np.ndarray,
    grid: tuple[int, ...] = (1,),
    block: int = 64,
    lds: int = 0,
    options: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The profile of one launch."""
    return simulator.profile(
        build(name, target, *options), *arguments, kernel=kernel, grid=grid, block=(block,), lds_bytes=lds
    )


def cycles_of_a_turn(target: str, kernel: str, *before: str | np.ndarray, after: tuple[str, ...] = (),
                     few: int = 4, many: int = 12, **launch: Any) -> float:  # fmt: skip
    """Cycles that one more turn costs a kernel of micro.c: what comes before and after the loop cancels."""
    times = [
        predict(target, "micro", kernel, *before, f"i32:{turns}", *after, **launch)["cycles"] for turns in (few, many)
    ]
    return (times[1] - times[0]) / (many - few)
