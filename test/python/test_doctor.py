"""`octavo doctor`: its ten kernels run, and its comparison with the simulator tells equal from unequal."""

import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from octavo import target
from octavo.cli import comparison
from octavo.cli.kernels import KERNELS
from octavo.runtime import harness

CHIP = os.environ.get("OCTAVO_TARGET", "gfx950")


@pytest.mark.parametrize("case", KERNELS, ids=lambda case: case[0])
def test_a_device_is_compared_with_the_simulator(case: comparison.Case) -> None:
    """Here the device is the simulator behind HIP, the other side the simulator without HIP."""
    target.prepare(CHIP, "cpu")
    found = comparison.compare(case, CHIP, torch.device("cpu"))
    assert found.same_bits
    assert 0.5 < found.predicted_us < 100 and found.measured_us > 0


def test_other_bits_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    target.prepare(CHIP, "cpu")
    right = harness.run_program

    def wrong(compiled: harness.Compiled, inputs: list[np.ndarray]) -> list[np.ndarray]:
        results = right(compiled, inputs)
        results[0][-1] ^= 1
        return results

    monkeypatch.setattr(harness, "run_program", wrong)
    assert not comparison.compare(KERNELS[0], CHIP, torch.device("cpu")).same_bits


def test_the_report_has_a_line_for_each_part() -> None:
    done = subprocess.run([sys.executable, "-m", "octavo.cli", "doctor"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert {"python", "torch", "torchao", "compiler", "HIP", "cache", "kernels", "GPU"} <= set(lines)
    assert "10 agree with PyTorch" in lines["kernels"] and "no AMD GPU" in lines["GPU"]
