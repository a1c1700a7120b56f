"""tile.dot: every operand type, both transpositions, tiles of any size. Integers, so results are exact."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from octavo.runtime import harness

DTYPES: dict[str, Any] = {
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}
ACCUMULATORS = {"i8": "i32", "f64": "f64"}


@dataclass(frozen=True)
class Product:
    """C = A·B with tiles of `tile` (M, N, K); transposed operands are stored the other way round."""

    sizes: tuple[int, int, int]
    tile: tuple[int, int, int]
    a: str = "bf16"
    b: str = "bf16"
    transpose_a: bool = False
    transpose_b: bool = True
    out: str | None = None
    waves: int = 4

    def text(self) -> str:
        """The kernel; a workgroup computes one tile of C."""
        (m, n, k), (bm, bn, bk) = self.sizes, self.tile
        acc = ACCUMULATORS.get(self.a, "f32")
        out = self.out or acc
        ta, tb = self.transpose_a, self.transpose_b
        view_a = f"!tile.view<{f'{k}x{m}' if ta else f'{m}x{k}'}x{self.a}>"
        view_b = f"!tile.view<{f'{n}x{k}' if tb else f'{k}x{n}'}x{self.b}>"
        tile_a = f"tensor<{f'{bk}x{bm}' if ta else f'{bm}x{bk}'}x{self.a}>"
        tile_b = f"tensor<{f'{bn}x{bk}' if tb else f'{bk}x{bn}'}x{self.b}>"
        at_a, types_a = ("%k, %m", "index, i32") if ta else ("%m, %k", "i32, index")
        at_b, types_b = ("%n, %k", "i32, index") if tb else ("%k, %n", "index, i32")
        flags = ", ".join(name for name, on in (("transpose_a", ta), ("transpose_b", tb)) if on)
        sum_type, view_c = f"tensor<{bm}x{bn}x{acc}>", f"!tile.view<{m}x{n}x{out}>"
        result = f"tensor<{bm}x{bn}x{out}>"
        cast = "" if out == acc else f"%o = arith.truncf %r : {sum_type} to {result}"
        return f"""
tile.func @product(%a: {view_a}, %b: {view_b}, %c: {view_c}) attributes {{tile.waves = {self.waves} : i32}} {{
  %w = tile.workgroup_id 0 : i32
  %columns = arith.constant {-(-n // bn)} : i32
  %bm = arith.constant {bm} : i32
  %bn = arith.constant {bn} : i32
  %wm = arith.divui %w, %columns : i32
  %wn = arith.remui %w, %columns : i32
  %m = arith.muli %wm, %bm : i32
  %n = arith.muli %wn, %bn : i32
  %c0 = arith.constant 0 : index
  %end = arith.constant {k} : index
  %step = arith.constant {bk} : index
  %zero = arith.constant dense<{"0" if acc == "i32" else "0.0"}> : {sum_type}
  %r = scf.for %k = %c0 to %end step %step iter_args(%x = %zero) -> ({sum_type}) {{
    %ta = tile.load %a[{at_a}] : {view_a}, {types_a} -> {tile_a}
    %tb = tile.load %b[{at_b}] : {view_b}, {types_b} -> {tile_b}
    %d = tile.dot %ta, %tb, %x {{{flags}}} : {tile_a}, {tile_b}, {sum_type}
    scf.yield %d : {sum_type}
  }}
  {cast}
  tile.store {"%o" if cast else "%r"}, %c[%m, %n] : {result}, {view_c}, i32, i32
  tile.return
}}"""

    def check(self, target: str) -> None:
        """Runs the kernel and compares with numpy, element for element."""
        (m, n, k), (bm, bn, _) = self.sizes, self.tile
        rng = np.random.default_rng(0)

        def operand(rows: int, dtype: str, transposed: bool) -> np.ndarray[Any, Any]:
            low, high = (-128, 128) if dtype == "i8" else (-8, 9)
            values = rng.integers(low, high, (rows, k)).astype(DTYPES[dtype])
            return np.ascontiguousarray(values.T if transposed else values)

        a = operand(m, self.a, self.transpose_a)
        b = operand(n, self.b, not self.transpose_b)
        out = self.out or ACCUMULATORS.get(self.a, "f32")
        c = np.zeros((m, n), DTYPES[out])
        harness.run_tile(self.text(), [a, b, c], -(-m // bm) * -(-n // bn), target=target)
        left = a.astype(np.float64).T if self.transpose_a else a.astype(np.float64)
        right = b.astype(np.float64).T if self.transpose_b else b.astype(np.float64)
        expected = (left @ right).astype(np.float32 if out == "bf16" else np.float64).astype(DTYPES[out])
        np.testing.assert_array_equal(c.astype(np.float64), expected.astype(np.float64))


def formats(target: str) -> list[str]:
    """The 8-bit floats that the target multiplies."""
    ocp = _octavo_float8(target) == "ocp"
    return ["f8E4M3FN", "f8E5M2"] if ocp else ["f8E4M3FNUZ", "f8E5M2FNUZ"]


def _octavo_float8(target: str) -> str:
    from octavo import _octavo

    facts = _octavo.target_facts(target)
    assert facts is not None
    return str(facts["float8"])


@pytest.mark.parametrize("transposed", list(itertools.product((False, True), repeat=2)))
def test_transposed_operands_and_ragged_edges(target: str, transposed: tuple[bool, bool]) -> None:
    Product((96, 80, 128), (64, 64, 32), transpose_a=transposed[0], transpose_b=transposed[1]).check(target)


@pytest.mark.parametrize("dtype", ["bf16", "f16", "f32", "f64", "i8"])
def test_operand_types(target: str, dtype: str) -> None:
    Product((64, 64, 128), (64, 64, 64), a=dtype, b=dtype).check(target)


def test_mixed_8_bit_floats(target: str) -> None:
    for a, b in itertools.product(formats(target), repeat=2):
        Product((64, 64, 256), (64, 64, 128), a=a, b=b).check(target)


@pytest.mark.parametrize("block_k", [16, 32, 64, 128])
def test_8_bit_floats_with_short_k(target: str, block_k: int) -> None:
    a = formats(target)[0]
    Product((64, 64, 128), (64, 64, block_k), a=a, b=a, transpose_b=False).check(target)


@pytest.mark.parametrize(
    "tile", [(8, 64, 32), (64, 4, 32), (16, 16, 32), (192, 64, 96), (64, 96, 32), (64, 64, 2), (2, 2, 32)]
)
def test_tile_sizes(target: str, tile: tuple[int, int, int]) -> None:
    m, n, k = tile
    Product((m, n, 2 * k), tile).check(target)


@pytest.mark.parametrize("waves", [1, 2, 8])
def test_numbers_of_waves(target: str, waves: int) -> None:
    Product((64, 64, 64), (64, 64, 32), waves=waves).check(target)


def test_large_tile_with_narrow_result(target: str) -> None:
    a = formats(target)[0]
    Product((256, 256, 256), (256, 256, 128), a=a, b=a, out="bf16").check(target)
