"""Right kernels are silent under full checks; each of them broken at one place is reported.

Mutants that are not reported must be proved harmless: a wait by mutation_proof.py, a bound by the same results and no
access outside of memory. The others stand in mutation_exceptions.txt, each group with its argument.
`OCTAVO_MUTATION_SEED` and `OCTAVO_MUTATION_COUNT` (all: 0) choose the sample.
"""

from __future__ import annotations

import fnmatch
import os
import pathlib
import random
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import mutation_kernels
import mutation_proof
import mutations
import pytest
from clients import HERE, TARGETS

SEED = int(os.environ.get("OCTAVO_MUTATION_SEED", "4"))
COUNT = int(os.environ.get("OCTAVO_MUTATION_COUNT", "320"))
FOUND = 3  # exit code of `octavo-sim check`


@dataclass
class Mutant:
    """One broken kernel."""

    kernel: mutation_kernels.Kernel
    mutation: mutations.Mutation
    code: int = 0
    output: str = ""

    def __str__(self) -> str:
        return f"{self.kernel} {self.mutation}"


def tool() -> pathlib.Path:
    from octavo import _paths

    return pathlib.Path(_paths.tool("octavo-sim"))


def simulate(command: str, path: pathlib.Path, kernel: mutation_kernels.Kernel, *more: str) -> tuple[int, str]:
    """Exit code and output of octavo-sim on a code object."""
    full = [str(tool()), command, str(path), "--kernel", kernel.name, *kernel.options, *more]
    done = subprocess.run(full, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def kernels(tmp_path_factory, environment) -> list[mutation_kernels.Kernel]:
    folder = tmp_path_factory.mktemp("kernels")
    found = []
    for target in TARGETS:
        found += mutation_kernels.clang_kernels(target, folder)
        found += mutation_kernels.triton_kernels(target, folder, environment(target))
        found += mutation_kernels.octavo_kernels(target, folder)
    return found


def test_right_kernels_are_silent(kernels):
    with ThreadPoolExecutor(mutation_kernels.cores()) as pool:
        for kernel, (code, output) in zip(
            kernels, pool.map(lambda k: simulate("check", k.path, k), kernels), strict=True
        ):
            assert code == 0, f"{kernel}: {output}"


def results(path: pathlib.Path, kernel: mutation_kernels.Kernel, folder: pathlib.Path) -> list[bytes]:
    """The arrays after a run."""
    arguments = [kernel.options[i + 1] for i, option in enumerate(kernel.options) if option == "--arg"]
    arrays = [i for i, argument in enumerate(arguments) if "[" in argument]
    saves = [part for i in arrays for part in ("--save", f"{i}={folder / f'{i}.npy'}")]
    code, output = simulate("run", path, kernel, *saves)
    assert code == 0, output
    return [(folder / f"{i}.npy").read_bytes() for i in arrays]


def is_proved(mutant: Mutant, path: pathlib.Path, folder: pathlib.Path) -> bool:
    """True if a program shows that the mutant is as good as the right kernel."""
    if mutant.mutation.text.startswith("s_waitcnt"):
        code = mutations.disassemble(tool(), mutant.kernel.path, mutant.kernel.name)
        return mutation_proof.is_harmless_wait(code, mutant.mutation)
    if "bound" in mutant.mutation.kind or "true" in mutant.mutation.kind:
        return results(path, mutant.kernel, folder) == results(mutant.kernel.path, mutant.kernel, folder)
    return False


def exceptions() -> list[str]:
    """Patterns of the mutants that are listed with an argument."""
    lines = (HERE / "mutation_exceptions.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_mutants_are_reported(kernels, tmp_path):
    mutants = [
        Mutant(kernel, mutation)
        for kernel in kernels
        for mutation in mutations.mutations(mutations.disassemble(tool(), kernel.path, kernel.name))
    ]
    assert len(mutants) >= 300
    chosen = random.Random(SEED).sample(mutants, min(COUNT or len(mutants), len(mutants)))
    files = {id(mutant): tmp_path / f"{i}.hsaco" for i, mutant in enumerate(chosen)}

    def run(mutant: Mutant) -> None:
        path = files[id(mutant)]
        path.write_bytes(mutations.patch(mutant.kernel.path.read_bytes(), mutant.mutation))
        mutant.code, mutant.output = simulate("check", path, mutant.kernel)

    with ThreadPoolExecutor(mutation_kernels.cores()) as pool:
        list(pool.map(run, chosen))
    silent = [mutant for mutant in chosen if mutant.code != FOUND]
    proved = [mutant for mutant in silent if is_proved(mutant, files[id(mutant)], tmp_path)]
    listed = exceptions()
    open_ = [
        mutant for mutant in silent
        if mutant not in proved and not any(fnmatch.fnmatchcase(str(mutant), line) for line in listed)
    ]
    print(f"seed {SEED}: {len(chosen)} mutants of {len(mutants)}, {len(silent)} silent, {len(proved)} proved harmless")
    assert not open_, "\n".join(f"{mutant} {mutant.output[:200]}" for mutant in open_)
    assert len(proved) <= len(chosen) / 4
