"""The reference meaning of tile kernels agrees with numpy."""

import ml_dtypes
import numpy as np
import pytest

from octavo import reference


def test_masked_row_softmax_with_a_ragged_edge() -> None:
    text = """
    tile.func @softmax(%x: !tile.view<6x5xf32>, %y: !tile.view<6x5xf32>) {
      %w = tile.workgroup_id 0 : i32
      %c4 = arith.constant 4 : i32
      %first = arith.muli %w, %c4 : i32
      %r = tile.range 0 to 4 : tensor<4xi32>
      %fs = tile.splat %first : i32 -> tensor<4xi32>
      %rows = arith.addi %r, %fs : tensor<4xi32>
      %rows1 = tile.expand_dims %rows {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
      %rows2 = tile.broadcast %rows1 : tensor<4x1xi32> -> tensor<4x8xi32>
      %c = tile.range 0 to 8 : tensor<8xi32>
      %cols1 = tile.expand_dims %c {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
      %cols = tile.broadcast %cols1 : tensor<1x8xi32> -> tensor<4x8xi32>
      %n = arith.constant dense<5> : tensor<4x8xi32>
      %m = arith.constant dense<6> : tensor<4x8xi32>
      %scaled = arith.muli %rows2, %n : tensor<4x8xi32>
      %off = arith.addi %scaled, %cols : tensor<4x8xi32>
      %inC = arith.cmpi slt, %cols, %n : tensor<4x8xi32>
      %inR = arith.cmpi slt, %rows2, %m : tensor<4x8xi32>
      %in = arith.andi %inC, %inR : tensor<4x8xi1>
      %low = arith.constant dense<0xFF800000> : tensor<4x8xf32>
      %v = tile.gather %x[%off] mask %in other %low : !tile.view<6x5xf32>, tensor<4x8xi32> -> tensor<4x8xf32>
      %most = tile.reduce %v {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4xf32> {
      ^bb0(%a: f32, %b: f32):
        %k = arith.maximumf %a, %b : f32
        tile.yield %k : f32
      }
      %most1 = tile.expand_dims %most {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
      %most2 = tile.broadcast %most1 : tensor<4x1xf32> -> tensor<4x8xf32>
      %d = arith.subf %v, %most2 : tensor<4x8xf32>
      %e = math.exp %d : tensor<4x8xf32>
      %sum = tile.reduce %e {axis = 1 : i32} : tensor<4x8xf32> -> tensor<4xf32> {
      ^bb0(%a: f32, %b: f32):
        %k = arith.addf %a, %b : f32
        tile.yield %k : f32
      }
      %sum1 = tile.expand_dims %sum {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
      %sum2 = tile.broadcast %sum1 : tensor<4x1xf32> -> tensor<4x8xf32>
      %p = arith.divf %e, %sum2 : tensor<4x8xf32>
      tile.scatter %p, %y[%off] mask %in : tensor<4x8xf32>, !tile.view<6x5xf32>, tensor<4x8xi32>
      tile.return
    }
    """
    x = np.random.default_rng(0).standard_normal((6, 5)).astype(np.float32)
    y = np.zeros_like(x)
    reference.run_tile(text, [x, y], [2])
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-6)


def test_matmul_loop_over_blocks_that_overhang() -> None:
    text = """
    tile.func @matmul(%a: !tile.view<20x24xf8E4M3FN>, %b: !tile.view<9x24xf8E4M3FN>, %c: !tile.view<20x9xf32>) {
      %i = tile.workgroup_id 0 : i32
      %c16 = arith.constant 16 : i32
      %m = arith.muli %i, %c16 : i32
      %c0 = arith.constant 0 : i32
      %c24 = arith.constant 24 : i32
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      %r = scf.for %k = %c0 to %c24 step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
        %x = tile.load %a[%m, %k] : !tile.view<20x24xf8E4M3FN>, i32, i32 -> tensor<16x16xf8E4M3FN>
        %y = tile.load %b[%c0, %k] : !tile.view<9x24xf8E4M3FN>, i32, i32 -> tensor<16x16xf8E4M3FN>
        %d = tile.dot %x, %y, %acc {transpose_b}
           : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E4M3FN>, tensor<16x16xf32>
        scf.yield %d : tensor<16x16xf32>
      }
      tile.store %r, %c[%m, %c0] : tensor<16x16xf32>, !tile.view<20x9xf32>, i32, i32
      tile.return
    }
    """
    rng = np.random.default_rng(0)
    a = rng.integers(-4, 5, (20, 24)).astype(ml_dtypes.float8_e4m3fn)
    b = rng.integers(-4, 5, (9, 24)).astype(ml_dtypes.float8_e4m3fn)
    c = np.zeros((20, 9), np.float32)
    reference.run_tile(text, [a, b, c], [2])
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)


def test_scan_join_and_atomics() -> None:
    text = """
    tile.func @f(%y: !tile.view<8xi32>, %n: i32) {
      %r = tile.range 1 to 5 : tensor<4xi32>
      %s = tile.scan %r {axis = 0 : i32, reverse} : tensor<4xi32> -> tensor<4xi32> {
      ^bb0(%a: i32, %b: i32):
        %k = arith.addi %a, %b : i32
        tile.yield %k : i32
      }
      %j = tile.join %r, %s : tensor<4xi32> -> tensor<4x2xi32>
      %f = tile.reshape %j : tensor<4x2xi32> -> tensor<8xi32>
      %at = tile.range 0 to 8 : tensor<8xi32>
      %ns = tile.splat %n : i32 -> tensor<8xi32>
      %old = tile.atomic_rmw add %f, %y[%at] : tensor<8xi32>, !tile.view<8xi32>, tensor<8xi32>
      %new = tile.atomic_rmw max %ns, %y[%at] : tensor<8xi32>, !tile.view<8xi32>, tensor<8xi32>
      tile.return
    }
    """
    y = np.zeros(8, np.int32)
    reference.run_tile(text, [y, 5], [2])
    # The second workgroup adds to what the first one left.
    pair = np.stack([np.arange(1, 5), np.array([10, 9, 7, 4])], 1).reshape(-1)
    np.testing.assert_array_equal(y, np.maximum(np.maximum(pair, 5) + pair, 5))


def test_an_access_outside_of_the_memory_is_an_error() -> None:
    text = """
    tile.func @f(%y: !tile.view<?xi32, strides = [?]>) {
      %at = tile.range 0 to 8 : tensor<8xi32>
      tile.scatter %at, %y[%at] : tensor<8xi32>, !tile.view<?xi32, strides = [?]>, tensor<8xi32>
      tile.return
    }
    """
    with pytest.raises(RuntimeError, match="accesses element 4 of a buffer of 4"):
        reference.run_tile(text, [np.zeros(4, np.int32)], [1])
