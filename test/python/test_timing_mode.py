"""Times without whole launches (`set_timing("only")`)."""

from __future__ import annotations

import numpy as np

from octavo import _octavo, simulator

PRODUCT = """
module attributes {{octavo.target = #octavo.target<"{target}">}} {{
  func.func @product(%a: tensor<256x{k}xbf16>, %b: tensor<256x{k}xbf16>) -> tensor<256x256xf32> {{
    %c = octavo.scaled_matmul %a, transposed %b
      : tensor<256x{k}xbf16>, tensor<256x{k}xbf16> -> tensor<256x256xf32>
    return %c : tensor<256x256xf32>
  }}
}}
"""


def predicted_us(k: int) -> float:
    target = _octavo.simulated_target
    compiled = _octavo.compile(PRODUCT.format(target=target, k=k), target, {}, cache=False)
    a, b, c = (np.zeros(256 * n, np.float32) for n in (k, k, 256))
    simulator.reset()
    program = _octavo.Program(compiled.json, compiled.code)
    workspace = np.zeros(max(program.workspace_bytes, 1), np.uint8)
    program.run([a.ctypes.data, b.ctypes.data], [c.ctypes.data], workspace.ctypes.data, 0)
    launches = simulator.report()["launches"]
    return float(sum(launch["predicted_us"] for launch in launches))


def test_kernels_of_one_name_and_grid_are_predicted_apart() -> None:
    """Nothing but the code differs, and each answer is kept."""
    simulator.set_timing("only")
    try:
        short, long = predicted_us(128), predicted_us(4096)
        assert long > 1.2 * short
        assert (predicted_us(128), predicted_us(4096)) == (short, long)
    finally:
        simulator.set_timing("auto")
