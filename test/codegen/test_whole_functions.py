"""The harness: one kernel of the tile level, and whole functions from PyTorch's operators to launches."""

from __future__ import annotations

import numpy as np

from octavo import _octavo
from octavo.runtime import harness

TILE = """
tile.func @add(%a: !tile.view<64x128xf32, strides = [128, 1]>, %b: !tile.view<64x128xf32, strides = [128, 1]>, %n: f32)
    attributes {tile.waves = 4 : i32} {
  %zero = arith.constant 0 : i32
  %x = tile.load %a[%zero, %zero] : !tile.view<64x128xf32, strides = [128, 1]>, i32, i32 -> tensor<64x128xf32>
  %s = tile.splat %n : f32 -> tensor<64x128xf32>
  %y = arith.addf %x, %s : tensor<64x128xf32>
  tile.store %y, %b[%zero, %zero] : tensor<64x128xf32>, !tile.view<64x128xf32, strides = [128, 1]>, i32, i32
  tile.return
}
"""

FUNCTION = """
func.func @forward(%a: tensor<64x128xf32> {octavo.strides = array<i64: 1, 64>})
    -> (tensor<64x128xf32>, tensor<64xf32>) {
  %0 = aten.call "aten.mul.Tensor"(%a, %a) {args = {self = #aten.operand<0>, other = #aten.operand<1>}}
     : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = aten.call "aten.exp.default"(%0) {args = {self = #aten.operand<0>}} : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = aten.call "aten.sum.dim_IntList"(%1) {args = {self = #aten.operand<0>, dim = [1], keepdim = false,
       dtype = #aten.none}} : (tensor<64x128xf32>) -> tensor<64xf32>
  return %1, %2 : tensor<64x128xf32>, tensor<64xf32>
}
"""


def test_a_tile_function_runs(target: str) -> None:
    """Arrays by address, a float by value; the second array is written."""
    a, b = np.random.default_rng(0).random((64, 128), np.float32), np.zeros((64, 128), np.float32)
    compiled = harness.run_tile(TILE, [a, b, 0.5], target=target)
    np.testing.assert_array_equal(b, a + np.float32(0.5))
    assert compiled.launches[0].counters["wave_instructions"] > 0


def test_a_function_of_pytorchs_operators_runs(target: str) -> None:
    """A transposed argument, two results."""
    a = np.asfortranarray(np.random.default_rng(1).random((64, 128), np.float32))
    full, sums = harness.run_octavo(FUNCTION, [a], target=target)
    expected = np.exp(a.astype(np.float64) ** 2)
    np.testing.assert_allclose(full.view(np.float32).reshape(64, 128), expected, rtol=1e-6)
    np.testing.assert_allclose(sums.view(np.float32), expected.sum(1), rtol=1e-6)


def test_every_stage_can_be_printed(target: str) -> None:
    """Each name that `stages` gives; text of one phase is accepted by the next."""
    texts = {stage: _octavo.emit(FUNCTION, target, stage) for stage in _octavo.stages()}
    assert "octavo.launch" in texts["tile"] and "gpu.func" in texts["lane"] and "s_endpgm" in texts["asm"]
    again = harness.compile_text(texts["lane"], target)
    whole = harness.compile_text(FUNCTION, target)
    assert again.code == whole.code
    assert again.program == whole.program


def test_threads_of_code_generation_give_the_same_numbers(target: str) -> None:
    """Kernels in two code objects."""
    a = np.asfortranarray(np.random.default_rng(2).random((64, 128), np.float32))
    results = []
    for threads in ("1", "2"):
        compiled = harness.compile_text(FUNCTION, target, {"threads": threads})
        results.append(harness.run_program(compiled, [a]))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)
