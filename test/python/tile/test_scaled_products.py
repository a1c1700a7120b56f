"""tile.dot_scaled on both chips: E8M0 scales per 32 of K, in registers or by exact conversion. Sums are exact."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest

from octavo import reference
from octavo.runtime import harness

TYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
}


def kernel(m: int, n: int, k: int, a: str, b: str, ta: bool, tb: bool, scale: str, steps: int = 1) -> str:
    """C = A·B of one tile that is summed in `steps` steps along K."""
    whole, blocks = k * steps, k // 32
    view_a, view_b = (
        f"{whole}x{m}" if ta else f"{m}x{whole}",
        f"{n}x{whole}" if tb else f"{whole}x{n}",
    )
    tile_a, tile_b = (f"{k}x{m}" if ta else f"{m}x{k}", f"{n}x{k}" if tb else f"{k}x{n}")
    at_a, at_b = ("%k, %z" if ta else "%z, %k"), ("%z, %k" if tb else "%k, %z")
    flags = ", ".join(name for name, on in (("transpose_a", ta), ("transpose_b", tb)) if on)
    return f"""
tile.func @product(%a: !tile.view<{view_a}x{a}>, %sa: !tile.view<{m}x{whole // 32}x{scale}>,
                   %b: !tile.view<{view_b}x{b}>, %sb: !tile.view<{n}x{whole // 32}x{scale}>,
                   %c: !tile.view<{m}x{n}xf32>) attributes {{tile.waves = 4 : i32}} {{
  %z = arith.constant 0 : i32
  %end = arith.constant {whole} : i32
  %step = arith.constant {k} : i32
  %block = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<{m}x{n}xf32>
  %r = scf.for %k = %z to %end step %step iter_args(%acc = %zero) -> (tensor<{m}x{n}xf32>) : i32 {{
    %s = arith.divui %k, %block : i32
    %x = tile.load %a[{at_a}] : !tile.view<{view_a}x{a}>, i32, i32 -> tensor<{tile_a}x{a}>
    %y = tile.load %b[{at_b}] : !tile.view<{view_b}x{b}>, i32, i32 -> tensor<{tile_b}x{b}>
    %u = tile.load %sa[%z, %s] : !tile.view<{m}x{whole // 32}x{scale}>, i32, i32 -> tensor<{m}x{blocks}x{scale}>
    %v = tile.load %sb[%z, %s] : !tile.view<{n}x{whole // 32}x{scale}>, i32, i32 -> tensor<{n}x{blocks}x{scale}>
    %p = tile.dot_scaled %x scaled %u, %y scaled %v, %acc {{{flags}}}
       : tensor<{tile_a}x{a}>, tensor<{m}x{blocks}x{scale}>, tensor<{tile_b}x{b}>, tensor<{n}x{blocks}x{scale}>,
         tensor<{m}x{n}xf32>
    scf.yield %p : tensor<{m}x{n}xf32>
  }}
  tile.store %r, %c[%z, %z] : tensor<{m}x{n}xf32>, !tile.view<{m}x{n}xf32>, i32, i32
  tile.return
}}"""


def run(target: str, m: int, n: int, k: int, a: str, b: str, ta: bool, tb: bool, scale: str = "i8") -> set[str]:
    rng = np.random.default_rng(m + n + k)
    steps = 2
    operands = [rng.integers(-4, 5, s).astype(TYPES[t]) for s, t in (((m, k * steps), a), ((n, k * steps), b))]
    scales = [rng.integers(124, 131, (rows, k * steps // 32)).astype(np.uint8) for rows in (m, n)]
    scales = [s.view(np.int8 if scale == "i8" else ml_dtypes.float8_e8m0fnu) for s in scales]
    operands[0] = np.ascontiguousarray(operands[0].T) if ta else operands[0]
    operands[1] = operands[1] if tb else np.ascontiguousarray(operands[1].T)
    text = kernel(m, n, k, a, b, ta, tb, scale, steps)
    inputs = [operands[0], scales[0], operands[1], scales[1]]
    expected, got = np.zeros((m, n), np.float32), np.zeros((m, n), np.float32)
    reference.run_tile(text, [*inputs, expected], (1,))
    compiled = harness.run_tile(text, [*inputs, got], target=target)
    np.testing.assert_array_equal(got, expected)
    assert np.abs(expected).max() > 0
    return {i for i in compiled.launches[0].counters["instructions"] if i.startswith("v_mfma")}


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize(("ta", "tb"), itertools.product([False, True], repeat=2))
@pytest.mark.parametrize(("a", "b"), [("f8E4M3FN", "f8E4M3FN"), ("f8E5M2", "f8E4M3FN")])
def test_every_order_of_operands(target: str, ta: bool, tb: bool, a: str, b: str) -> None:
    executed = run(target, 64, 32, 128, a, b, ta, tb)
    assert all(("scale" in i) == (target == "gfx950") for i in executed)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize("sizes", [(16, 16, 64), (32, 128, 256), (256, 256, 64), (16, 64, 32)])
@pytest.mark.parametrize("scale", ["i8", "f8E8M0FNU"])
def test_sizes_of_tiles_and_types_of_scales(target: str, sizes: tuple[int, int, int], scale: str) -> None:
    executed = run(target, *sizes, "f8E4M3FN", "f8E4M3FN", False, True, scale)
    assert all(("scale" in i) == (target == "gfx950" and sizes[2] >= 64) for i in executed)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize(("a", "b"), [("bf16", "f8E5M2"), ("f16", "f8E4M3FN"), ("bf16", "bf16")])
def test_wider_operands_are_converted(target: str, a: str, b: str) -> None:
    run(target, 32, 48, 64, a, b, False, True)


def test_integers_are_refused_by_name() -> None:
    text = kernel(32, 32, 64, "i8", "i8", False, True, "i8")
    with pytest.raises(RuntimeError, match="dot_scaled' op expected floats of at most 32 bits, got 'i8'"):
        harness.compile_text(text, "gfx942")
