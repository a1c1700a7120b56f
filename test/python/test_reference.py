"""The reference interpreter agrees with numpy on hand-written modules."""

import numpy as np
import pytest

from octavo import reference


def test_row_sum_of_a_broadcast_product() -> None:
    text = """
    #id = affine_map<(i, j) -> (i, j)>
    #row = affine_map<(i, j) -> (0, j)>
    func.func @f(%a: tensor<3x5xf32>, %b: tensor<1x5xf32>) -> tensor<3xf32> {
      %e = tensor.empty() : tensor<3x5xf32>
      %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<3x5xf32>, tensor<1x5xf32>) outs(%e : tensor<3x5xf32>) {
      ^bb0(%x: f32, %y: f32, %o: f32):
        %m = arith.mulf %x, %y : f32
        linalg.yield %m : f32
      } -> tensor<3x5xf32>
      %c0 = arith.constant 0.0 : f32
      %z = tensor.empty() : tensor<3xf32>
      %init = linalg.fill ins(%c0 : f32) outs(%z : tensor<3xf32>) -> tensor<3xf32>
      %r = linalg.reduce { arith.addf } ins(%p : tensor<3x5xf32>) outs(%init : tensor<3xf32>) dimensions = [1]
      return %r : tensor<3xf32>
    }
    """
    rng = np.random.default_rng(0)
    a, b = rng.integers(-8, 8, (3, 5)).astype(np.float32), rng.integers(-8, 8, (1, 5)).astype(np.float32)
    (result,) = reference.run(text, [a, b])
    np.testing.assert_array_equal(result, (a * b).sum(1))


def test_gather_by_extract_names_an_index_outside() -> None:
    text = """
    #id = affine_map<(i) -> (i)>
    func.func @f(%table: tensor<4xf32>, %at: tensor<3xi64>) -> tensor<3xf32> {
      %e = tensor.empty() : tensor<3xf32>
      %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%at : tensor<3xi64>) outs(%e : tensor<3xf32>) {
      ^bb0(%i: i64, %o: f32):
        %k = arith.index_cast %i : i64 to index
        %v = tensor.extract %table[%k] : tensor<4xf32>
        linalg.yield %v : f32
      } -> tensor<3xf32>
      return %r : tensor<3xf32>
    }
    """
    table = np.array([1, 2, 3, 4], np.float32)
    (result,) = reference.run(text, [table, np.array([3, 0, 3])])
    np.testing.assert_array_equal(result, [4, 1, 4])
    with pytest.raises(RuntimeError, match="index 4 is outside of a dimension of 4"):
        reference.run(text, [table, np.array([0, 4, 1])])


def test_slices_padding_and_concatenation() -> None:
    text = """
    func.func @f(%a: tensor<4x6xi32>) -> tensor<4x5xi32> {
      %s = tensor.extract_slice %a[1, 0] [2, 3] [1, 2] : tensor<4x6xi32> to tensor<2x3xi32>
      %c7 = arith.constant 7 : i32
      %p = tensor.pad %s low[1, 0] high[1, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %c7 : i32
      } : tensor<2x3xi32> to tensor<4x3xi32>
      %l = tensor.extract_slice %a[0, 0] [4, 2] [1, 1] : tensor<4x6xi32> to tensor<4x2xi32>
      %r = tensor.concat dim(1) %p, %l : (tensor<4x3xi32>, tensor<4x2xi32>) -> tensor<4x5xi32>
      return %r : tensor<4x5xi32>
    }
    """
    a = np.arange(24, dtype=np.int32).reshape(4, 6)
    (result,) = reference.run(text, [a])
    padded = np.full((4, 3), 7, np.int32)
    padded[1:3] = a[1:3, 0:6:2]
    np.testing.assert_array_equal(result, np.concatenate([padded, a[:, :2]], 1))


def test_small_floats_round_as_torch_casts() -> None:
    torch = pytest.importorskip("torch")
    for name, dtype in (("f8E4M3FN", torch.float8_e4m3fn), ("f8E5M2", torch.float8_e5m2),
                        ("f8E4M3FNUZ", torch.float8_e4m3fnuz), ("f8E5M2FNUZ", torch.float8_e5m2fnuz)):
        text = f"""
        #id = affine_map<(i) -> (i)>
        func.func @f(%a: tensor<4096xf32>) -> tensor<4096x{name}> {{
          %e = tensor.empty() : tensor<4096x{name}>
          %r = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
            ins(%a : tensor<4096xf32>) outs(%e : tensor<4096x{name}>) {{
          ^bb0(%x: f32, %o: {name}):
            %q = arith.truncf %x : f32 to {name}
            linalg.yield %q : {name}
          }} -> tensor<4096x{name}>
          return %r : tensor<4096x{name}>
        }}
        """
        x = torch.randn(4096, generator=torch.Generator().manual_seed(1)) * 300
        x[:8] = torch.tensor([0.0, 448, 449, 1e9, float("inf"), -1e9, 1e-9, 2**-10])
        (result,) = reference.run(text, [x.numpy()])
        np.testing.assert_array_equal(result.view(np.uint8), x.to(dtype).view(torch.uint8).numpy(), err_msg=name)


def test_an_op_without_meaning_is_named() -> None:
    text = """
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %r = "tensor.dim_that_is_not"(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }
    """
    with pytest.raises(RuntimeError, match="dim_that_is_not"):
        reference.run(text, [np.zeros(4, np.float32)])
