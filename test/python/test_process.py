"""What else may live in a process that runs kernels."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("order", ("kernels first", "triton first"))
def test_triton_and_the_simulator_in_either_order(order: str) -> None:
    """Both bring LLVM; the simulator's must not replace the symbols of Triton's."""
    lines = ["from octavo import _octavo; _octavo.hip_library()", "import triton.knobs"]
    code = "; ".join(lines if order == "kernels first" else reversed(lines))
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:] or f"signal {-result.returncode}"
