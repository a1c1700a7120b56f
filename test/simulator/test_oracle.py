"""Vector instructions (a share of their forms, by a printed seed), scalar and memory ones against slow formulas."""

import os
import pathlib
import random
import re
import subprocess
import sys

import pytest

ORACLE = pathlib.Path(__file__).with_name("oracle.py")
# Compilers saturate sums, products with a sum, distances and dot products; elsewhere `clamp` of integers is refused.
REFUSED = re.compile(r"v_(mov|mul|mqsad|qsad|cvt|frexp|min|max|med|pack|pk_(min|max|mul|lshl|lshr|ashr)|prng|sat|align|"
                     r"bf|ash|lsh|and|or|xor|xnor|not|add3|add_lshl|perm|lerp|xad|bcnt|ffb|dot\dc)\w* clamp")


@pytest.mark.parametrize(("arch", "instructions"), [("gfx942", 370), ("gfx950", 380)])
def test_vector_instructions_equal_the_scalar_oracle(arch: str, instructions: int) -> None:
    seed = int(os.environ.get("OCTAVO_TEST_SEED", random.randrange(1 << 32)))
    print(f"OCTAVO_TEST_SEED={seed}")
    command = [sys.executable, str(ORACLE), "--arch", arch, "--seed", str(seed), "--share", "0.1"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-4000:]
    *refused, last = (line for line in result.stdout.splitlines() if line)
    executed = re.match(r"(\d+) forms of (\d+) instructions", last)
    assert executed and int(executed[2]) >= instructions, last
    for line in refused:
        assert REFUSED.fullmatch(line.removeprefix("refused: ")), line


@pytest.mark.parametrize(("arch", "instructions"), [("gfx942", 390), ("gfx950", 390)])
def test_scalar_and_memory_instructions_equal_their_formulas(arch: str, instructions: int) -> None:
    seed = int(os.environ.get("OCTAVO_TEST_SEED", random.randrange(1 << 32)))
    print(f"OCTAVO_TEST_SEED={seed}")
    command = [sys.executable, str(ORACLE.with_name("oracle_registers.py")), "--arch", arch, "--seed", str(seed)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-4000:]
    executed = re.search(r"(\d+) instructions on", result.stdout)
    assert executed and int(executed[1]) >= instructions, result.stdout


@pytest.mark.parametrize(("arch", "instructions"), [("gfx942", 46), ("gfx950", 68)])
def test_matrix_instructions_multiply_small_integers_exactly(arch: str, instructions: int) -> None:
    command = [sys.executable, str(ORACLE.with_name("oracle_matrix.py")), "--arch", arch]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-4000:]
    assert f"{instructions} matrix instructions" in result.stdout, result.stdout


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_special_instructions_equal_their_formulas(arch: str) -> None:
    command = [sys.executable, str(ORACLE.with_name("oracle_special.py")), "--arch", arch]
    result = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-4000:]
    executed = re.search(r"(\d+) cases on", result.stdout)
    assert executed and int(executed[1]) >= 130, result.stdout
