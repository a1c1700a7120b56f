"""Divisions of integers that round down, as Python and PyTorch mean `//` and `%`."""

import os
import subprocess
import sys

import pytest
import torch


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64])
@pytest.mark.parametrize("divisor", [2, 3, -5])
def test_floor_division(dtype: torch.dtype, divisor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_INTERPRET", "0")
    torch._dynamo.reset()

    def divide(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x // divisor, x % divisor, x // y, torch.div(x, y, rounding_mode="trunc")

    x = torch.arange(-60, 61, dtype=dtype)
    y = torch.where(x % 7 == 0, divisor, x % 7).to(dtype)
    compiled = torch.compile(divide, backend="octavo", dynamic=False, options={"fallback": "error"})
    for ours, theirs in zip(compiled(x, y), divide(x, y), strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.skipif(os.environ.get("OCTAVO_TARGET") == "gfx942", reason="runs on this chip already")
def test_the_other_chip() -> None:
    run = [sys.executable, "-m", "pytest", "-q", "-x", __file__]
    done = subprocess.run(run, env={**os.environ, "OCTAVO_TARGET": "gfx942"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
