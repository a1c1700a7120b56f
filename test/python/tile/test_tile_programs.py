"""Elementwise work, memory, reductions, scans and control flow on tiles."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from octavo.runtime import harness

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}


def matrix_offsets(m: int, n: int, stride_m: int, stride_n: int, name: str = "off") -> str:
    """Offsets i·stride_m + j·stride_n of an MxN tile."""
    shape = f"tensor<{m}x{n}xi32>"
    return f"""
  %{name}_r = tile.range 0 to {m} : tensor<{m}xi32>
  %{name}_c = tile.range 0 to {n} : tensor<{n}xi32>
  %{name}_sm = arith.constant dense<{stride_m}> : tensor<{m}xi32>
  %{name}_sn = arith.constant dense<{stride_n}> : tensor<{n}xi32>
  %{name}_rm = arith.muli %{name}_r, %{name}_sm : tensor<{m}xi32>
  %{name}_cn = arith.muli %{name}_c, %{name}_sn : tensor<{n}xi32>
  %{name}_re = tile.expand_dims %{name}_rm {{axis = 1 : i32}} : tensor<{m}xi32> -> tensor<{m}x1xi32>
  %{name}_ce = tile.expand_dims %{name}_cn {{axis = 0 : i32}} : tensor<{n}xi32> -> tensor<1x{n}xi32>
  %{name}_rb = tile.broadcast %{name}_re : tensor<{m}x1xi32> -> {shape}
  %{name}_cb = tile.broadcast %{name}_ce : tensor<1x{n}xi32> -> {shape}
  %{name} = arith.addi %{name}_rb, %{name}_cb : {shape}"""


@pytest.mark.parametrize("dtype", list(DTYPES))
@pytest.mark.parametrize("n", [1, 100, 2048])
def test_masked_copy_of_every_type(target: str, dtype: str, n: int) -> None:
    size = 2048
    text = f"""
tile.func @copy(%x: !tile.view<{size}x{dtype}>, %y: !tile.view<{size}x{dtype}>, %n: i32) {{
  %off = tile.range 0 to {size} : tensor<{size}xi32>
  %b = tile.splat %n : i32 -> tensor<{size}xi32>
  %m = arith.cmpi slt, %off, %b : tensor<{size}xi32>
  %v = tile.gather %x[%off] mask %m : !tile.view<{size}x{dtype}>, tensor<{size}xi32> -> tensor<{size}x{dtype}>
  tile.scatter %v, %y[%off] mask %m : tensor<{size}x{dtype}>, !tile.view<{size}x{dtype}>, tensor<{size}xi32>
  tile.return
}}"""
    x = np.random.default_rng(0).integers(0, 2, size).astype(DTYPES[dtype])
    y = np.zeros_like(x)
    harness.run_tile(text, [x, y, n], target=target)
    expected = np.where(np.arange(size) < n, x, np.zeros_like(x))
    np.testing.assert_array_equal(y.view(np.uint8), expected.view(np.uint8))


def test_masked_elements_are_other(target: str) -> None:
    text = """
tile.func @other(%x: !tile.view<8xf32>, %y: !tile.view<64xf32>) attributes {tile.waves = 1 : i32} {
  %off = tile.range 0 to 64 : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %m = arith.cmpi slt, %off, %eight : tensor<64xi32>
  %o = arith.constant dense<5.0> : tensor<64xf32>
  %v = tile.gather %x[%off] mask %m other %o : !tile.view<8xf32>, tensor<64xi32> -> tensor<64xf32>
  tile.scatter %v, %y[%off] : tensor<64xf32>, !tile.view<64xf32>, tensor<64xi32>
  tile.return
}"""
    x, y = np.arange(8, dtype=np.float32), np.zeros(64, np.float32)
    harness.run_tile(text, [x, y], target=target)
    np.testing.assert_array_equal(y, np.concatenate([x, np.full(56, 5.0, np.float32)]))


@pytest.mark.parametrize("dtype", ["i8", "bf16", "f32", "f64"])
@pytest.mark.parametrize("shape", [(64, 64), (128, 32), (96, 64)])
def test_transposition_passes_lds(target: str, dtype: str, shape: tuple[int, int]) -> None:
    m, n = shape
    tile, view = f"tensor<{m}x{n}x{dtype}>", f"!tile.view<{m * n}x{dtype}>"
    text = f"""
tile.func @transpose(%x: {view}, %y: {view}) {{
  {matrix_offsets(m, n, n, 1, "a")}
  {matrix_offsets(m, n, 1, m, "b")}
  %v = tile.gather %x[%a] : {view}, tensor<{m}x{n}xi32> -> {tile}
  tile.scatter %v, %y[%b] : {tile}, {view}, tensor<{m}x{n}xi32>
  tile.return
}}"""
    x = np.random.default_rng(0).integers(-100, 100, (m, n)).astype(DTYPES[dtype])
    y = np.zeros((n, m), DTYPES[dtype])
    harness.run_tile(text, [x, y], target=target)
    np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(4, 512), (512, 4), (1, 4096), (2, 3), (64, 96)])
def test_reductions(target: str, shape: tuple[int, int], axis: int) -> None:
    (m, n), rest = shape, shape[1 - axis]
    text = f"""
tile.func @sum(%x: !tile.view<{m}x{n}xi32>, %y: !tile.view<{rest}xi32>) {{
  {matrix_offsets(m, n, n, 1)}
  %v = tile.gather %x[%off] : !tile.view<{m}x{n}xi32>, tensor<{m}x{n}xi32> -> tensor<{m}x{n}xi32>
  %s = tile.reduce %v {{axis = {axis} : i32}} : tensor<{m}x{n}xi32> -> tensor<{rest}xi32> {{
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }}
  %o = tile.range 0 to {rest} : tensor<{rest}xi32>
  tile.scatter %s, %y[%o] : tensor<{rest}xi32>, !tile.view<{rest}xi32>, tensor<{rest}xi32>
  tile.return
}}"""
    x = np.random.default_rng(0).integers(-1000, 1000, shape).astype(np.int32)
    y = np.zeros(rest, np.int32)
    harness.run_tile(text, [x, y], target=target)
    np.testing.assert_array_equal(y, x.sum(axis, dtype=np.int32))


@pytest.mark.parametrize("n", [64, 1024])
def test_reduction_of_pairs(target: str, n: int) -> None:
    text = f"""
tile.func @argmax(%x: !tile.view<{n}xf64>, %y: !tile.view<1xi64>) {{
  %off = tile.range 0 to {n} : tensor<{n}xi32>
  %i = arith.extsi %off : tensor<{n}xi32> to tensor<{n}xi64>
  %v = tile.gather %x[%off] : !tile.view<{n}xf64>, tensor<{n}xi32> -> tensor<{n}xf64>
  %m, %p = tile.reduce %v, %i {{axis = 0 : i32}} : tensor<{n}xf64>, tensor<{n}xi64> -> tensor<f64>, tensor<i64> {{
  ^bb0(%a: f64, %ai: i64, %b: f64, %bi: i64):
    %g = arith.cmpf ogt, %a, %b : f64
    %e = arith.cmpf oeq, %a, %b : f64
    %l = arith.cmpi slt, %ai, %bi : i64
    %el = arith.andi %e, %l : i1
    %take = arith.ori %g, %el : i1
    %r = arith.select %take, %a, %b : f64
    %ri = arith.select %take, %ai, %bi : i64
    tile.yield %r, %ri : f64, i64
  }}
  %z = arith.constant dense<0> : tensor<1xi32>
  %q = tile.reshape %p : tensor<i64> -> tensor<1xi64>
  tile.scatter %q, %y[%z] : tensor<1xi64>, !tile.view<1xi64>, tensor<1xi32>
  tile.return
}}"""
    x = np.random.default_rng(1).integers(0, 50, n).astype(np.float64)
    y = np.zeros(1, np.int64)
    harness.run_tile(text, [x, y], target=target)
    assert y[0] == np.argmax(x)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape,axis", [((1024,), 0), ((8, 64), 1), ((192, 4), 0), ((4,), 0)])
def test_scans(target: str, shape: tuple[int, ...], axis: int, reverse: bool) -> None:
    dims, size = "x".join(map(str, shape)), int(np.prod(shape))
    way = f"axis = {axis} : i32" + (", reverse" if reverse else "")
    text = f"""
tile.func @scan(%x: !tile.view<{dims}xi32>, %y: !tile.view<{dims}xi32>) {{
  %i = tile.range 0 to {size} : tensor<{size}xi32>
  %off = tile.reshape %i : tensor<{size}xi32> -> tensor<{dims}xi32>
  %v = tile.gather %x[%off] : !tile.view<{dims}xi32>, tensor<{dims}xi32> -> tensor<{dims}xi32>
  %s = tile.scan %v {{{way}}} : tensor<{dims}xi32> -> tensor<{dims}xi32> {{
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }}
  tile.scatter %s, %y[%off] : tensor<{dims}xi32>, !tile.view<{dims}xi32>, tensor<{dims}xi32>
  tile.return
}}"""
    x = np.random.default_rng(0).integers(-100, 100, shape).astype(np.int32)
    y = np.zeros_like(x)
    harness.run_tile(text, [x, y], target=target)
    expected = np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("n", [8, 512])
def test_join_split_and_cat(target: str, n: int) -> None:
    text = f"""
tile.func @pairs(%x: !tile.view<{n}xf32>, %y: !tile.view<{5 * n}xf32>) {{
  %off = tile.range 0 to {n} : tensor<{n}xi32>
  %v = tile.gather %x[%off] : !tile.view<{n}xf32>, tensor<{n}xi32> -> tensor<{n}xf32>
  %w = arith.negf %v : tensor<{n}xf32>
  %j = tile.join %v, %w : tensor<{n}xf32> -> tensor<{n}x2xf32>
  %f = tile.reshape %j : tensor<{n}x2xf32> -> tensor<{2 * n}xf32>
  %a, %b = tile.split %j : tensor<{n}x2xf32> -> tensor<{n}xf32>
  %c = tile.cat %b, %a {{axis = 0 : i32}} : tensor<{n}xf32>, tensor<{n}xf32> -> tensor<{2 * n}xf32>
  %d = tile.cat %v, %c {{axis = 0 : i32}} : tensor<{n}xf32>, tensor<{2 * n}xf32> -> tensor<{3 * n}xf32>
  %o2 = tile.range 0 to {2 * n} : tensor<{2 * n}xi32>
  %o3 = tile.range {2 * n} to {5 * n} : tensor<{3 * n}xi32>
  tile.scatter %f, %y[%o2] : tensor<{2 * n}xf32>, !tile.view<{5 * n}xf32>, tensor<{2 * n}xi32>
  tile.scatter %d, %y[%o3] : tensor<{3 * n}xf32>, !tile.view<{5 * n}xf32>, tensor<{3 * n}xi32>
  tile.return
}}"""
    x, y = np.arange(1, n + 1, dtype=np.float32), np.zeros(5 * n, np.float32)
    harness.run_tile(text, [x, y], target=target)
    np.testing.assert_array_equal(y, np.concatenate([np.stack([x, -x], 1).ravel(), x, -x, x]))


def test_loops_and_branches_carry_tiles(target: str) -> None:
    # Collatz steps of 1 … 256, and a branch on the workgroup.
    text = """
tile.func @collatz(%y: !tile.view<2x256xi32>) {
  %off = tile.range 0 to 256 : tensor<256xi32>
  %one = arith.constant dense<1> : tensor<256xi32>
  %two = arith.constant dense<2> : tensor<256xi32>
  %three = arith.constant dense<3> : tensor<256xi32>
  %zero = arith.constant dense<0> : tensor<256xi32>
  %n = arith.addi %off, %one : tensor<256xi32>
  %r:2 = scf.while (%x = %n, %c = %zero) : (tensor<256xi32>, tensor<256xi32>) -> (tensor<256xi32>, tensor<256xi32>) {
    %max = tile.reduce %x {axis = 0 : i32} : tensor<256xi32> -> tensor<i32> {
    ^bb0(%a: i32, %b: i32):
      %m = arith.maxsi %a, %b : i32
      tile.yield %m : i32
    }
    %s = tile.to_scalar %max : tensor<i32> -> i32
    %c1 = arith.constant 1 : i32
    %go = arith.cmpi sgt, %s, %c1 : i32
    scf.condition(%go) %x, %c : tensor<256xi32>, tensor<256xi32>
  } do {
  ^bb0(%x: tensor<256xi32>, %c: tensor<256xi32>):
    %odd = arith.remsi %x, %two : tensor<256xi32>
    %isodd = arith.cmpi eq, %odd, %one : tensor<256xi32>
    %x3 = arith.muli %x, %three : tensor<256xi32>
    %x31 = arith.addi %x3, %one : tensor<256xi32>
    %half = arith.divsi %x, %two : tensor<256xi32>
    %next = arith.select %isodd, %x31, %half : tensor<256xi1>, tensor<256xi32>
    %done = arith.cmpi sle, %x, %one : tensor<256xi32>
    %nx = arith.select %done, %x, %next : tensor<256xi1>, tensor<256xi32>
    %inc = arith.addi %c, %one : tensor<256xi32>
    %nc = arith.select %done, %c, %inc : tensor<256xi1>, tensor<256xi32>
    scf.yield %nx, %nc : tensor<256xi32>, tensor<256xi32>
  }
  %w = tile.workgroup_id 0 : i32
  %c0 = arith.constant 0 : i32
  %first = arith.cmpi eq, %w, %c0 : i32
  %v = scf.if %first -> (tensor<256xi32>) {
    scf.yield %r#1 : tensor<256xi32>
  } else {
    %neg = arith.subi %zero, %r#1 : tensor<256xi32>
    scf.yield %neg : tensor<256xi32>
  }
  %c256 = arith.constant 256 : i32
  %base = arith.muli %w, %c256 : i32
  %bs = tile.splat %base : i32 -> tensor<256xi32>
  %o = arith.addi %off, %bs : tensor<256xi32>
  tile.scatter %v, %y[%o] : tensor<256xi32>, !tile.view<2x256xi32>, tensor<256xi32>
  tile.return
}"""

    def steps(n: int) -> int:
        count = 0
        while n > 1:
            n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
        return count

    y = np.zeros((2, 256), np.int32)
    harness.run_tile(text, [y], 2, target=target)
    expected = np.array([steps(i + 1) for i in range(256)], np.int32)
    np.testing.assert_array_equal(y, np.stack([expected, -expected]))


@pytest.mark.parametrize("dtype,kind", [("i32", "add"), ("f32", "add"), ("i32", "max"), ("i64", "xor")])
def test_atomics_happen_once_per_element(target: str, dtype: str, kind: str) -> None:
    # Eight elements in 256 lanes, four workgroups.
    text = f"""
tile.func @atomic(%x: !tile.view<8x{dtype}>, %y: !tile.view<4x{dtype}>) {{
  %off = tile.range 0 to 8 : tensor<8xi32>
  %four = arith.constant dense<4> : tensor<8xi32>
  %to = arith.remui %off, %four : tensor<8xi32>
  %v = tile.gather %x[%off] : !tile.view<8x{dtype}>, tensor<8xi32> -> tensor<8x{dtype}>
  %old = tile.atomic_rmw {kind} %v, %y[%to] : tensor<8x{dtype}>, !tile.view<4x{dtype}>, tensor<8xi32>
  tile.return
}}"""
    x = np.arange(1, 9).astype(DTYPES[dtype])
    y = np.zeros(4, DTYPES[dtype])
    harness.run_tile(text, [x, y], 4, target=target)
    pairs = x.reshape(2, 4)
    expected = {"add": 4 * pairs.sum(0), "max": pairs.max(0), "xor": np.zeros(4)}[kind]
    np.testing.assert_array_equal(y, expected.astype(DTYPES[dtype]))


def test_view_beyond_2_gib_uses_64_bit_addresses(target: str) -> None:
    # The view claims more memory than is touched.
    view = "!tile.view<3000000000xf32>"
    text = f"""
tile.func @wide(%x: {view}, %y: {view}) attributes {{tile.waves = 1 : i32}} {{
  %i = tile.range 0 to 256 : tensor<256xi64>
  %end = arith.constant dense<200> : tensor<256xi64>
  %m = arith.cmpi slt, %i, %end : tensor<256xi64>
  %v = tile.gather %x[%i] mask %m : {view}, tensor<256xi64> -> tensor<256xf32>
  tile.scatter %v, %y[%i] mask %m : tensor<256xf32>, {view}, tensor<256xi64>
  tile.return
}}"""
    x, y = np.arange(256, dtype=np.float32), np.full(256, -1, np.float32)
    harness.run_tile(text, [x, y], target=target)
    np.testing.assert_array_equal(y, np.where(np.arange(256) < 200, x, -1))
