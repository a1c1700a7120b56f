"""A sample of the random kernels of corpus.py on each target; `corpus.py --count` runs more."""

import pathlib
import subprocess
import sys

import pytest

CORPUS = pathlib.Path(__file__).with_name("corpus.py")


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_random_kernels_agree_with_the_host(arch: str) -> None:
    command = [sys.executable, str(CORPUS), "--arch", arch, "--seed", "1", "--count", "3"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]
    assert result.stdout == f"3 programs agree on {arch}\n"
