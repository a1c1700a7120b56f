"""The conversions of conversions.py: all inputs of 8 and 16 bits, every boundary of rounding of those of 32."""

import pathlib
import subprocess
import sys

import pytest


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_conversions_agree_with_numpy(arch: str) -> None:
    command = [sys.executable, str(pathlib.Path(__file__).with_name("conversions.py")), "--arch", arch]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr[-4000:]
    assert len(result.stdout.splitlines()) >= 40
