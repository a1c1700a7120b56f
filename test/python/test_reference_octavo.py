"""The reference meaning of the octavo dialect agrees with PyTorch, TorchAO's formulas and published vectors."""

import ml_dtypes
import numpy as np
import pytest
import torch

from octavo import reference


def run(body: str, *arrays: np.ndarray, arguments: str, results: str) -> list[np.ndarray]:
    return reference.run(f"func.func @f({arguments}) -> ({results}) {{\n{body}\n}}", list(arrays))


@pytest.mark.parametrize("transposed_a", [False, True])
@pytest.mark.parametrize("transposed_b", [False, True])
def test_matmul_in_all_operand_orders_with_row_scales(transposed_a: bool, transposed_b: bool) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(-8, 8, (2, 5, 7)).astype(np.float32), rng.integers(-8, 8, (2, 7, 3)).astype(np.float32)
    sa, sb = 2.0 ** rng.integers(-2, 3, (2, 5, 1)), 2.0 ** rng.integers(-2, 3, (2, 1, 3))
    operands = [a, sa.astype(np.float32), b, sb.astype(np.float32)]
    expected = (a * sa) @ (b * sb)
    for i, flip in ((0, transposed_a), (1, transposed_a), (2, transposed_b), (3, transposed_b)):
        operands[i] = operands[i].swapaxes(1, 2).copy() if flip else operands[i]
    types = ["tensor<" + "x".join(map(str, x.shape)) + "xf32>" for x in operands]
    (result,) = run(
        f"""%c = octavo.scaled_matmul {"transposed " if transposed_a else ""}%a scaled %sa,
              {"transposed " if transposed_b else ""}%b scaled %sb
              {{granule_a = #octavo.granule<row>, granule_b = #octavo.granule<row>}}
            : {types[0]}, {types[1]}, {types[2]}, {types[3]} -> tensor<2x5x3xf32>
            return %c : tensor<2x5x3xf32>""",
        *operands,
        arguments=", ".join(f"%{n}: {t}" for n, t in zip(("a", "sa", "b", "sb"), types, strict=True)),
        results="tensor<2x5x3xf32>",
    )
    np.testing.assert_array_equal(result, expected.astype(np.float32))


def quantize(x: np.ndarray, attributes: str, result: str, scale: str) -> list[np.ndarray]:
    kind = {"float32": "f32", "bfloat16": "bf16"}[x.dtype.name]
    source = "tensor<" + "x".join(map(str, x.shape)) + f"x{kind}>"
    return run(
        f"""%q, %s = octavo.quantize %x {attributes} : {source} -> {result}, {scale}
            return %q, %s : {result}, {scale}""",
        x, arguments=f"%x: {source}", results=f"{result}, {scale}")


@pytest.mark.parametrize("rule", ["exact", "pow2"])
@pytest.mark.parametrize("axis", [0, 1])
def test_row_quantisation_is_torchaos(rule: str, axis: int) -> None:
    from torchao.float8.config import ScalingGranularity
    from torchao.float8.float8_utils import tensor_to_scale

    x = torch.randn(16, 24, generator=torch.Generator().manual_seed(0)).bfloat16()
    x[0] = 0
    x[1] *= 1e-10
    x[2, 3] = float("inf")
    scale_shape = (16, 1) if axis == 1 else (1, 24)
    q, s = quantize(x.view(torch.int16).numpy().view(ml_dtypes.bfloat16), f"granule<row> axis {axis} rule {rule}",
                    "tensor<16x24xf8E4M3FN>", f"tensor<{scale_shape[0]}x{scale_shape[1]}xf32>")
    encode = tensor_to_scale(x, torch.float8_e4m3fn, scaling_granularity=ScalingGranularity.AXISWISE,
                             axiswise_dim=axis - 2, round_scales_to_power_of_2=rule == "pow2")
    expected = (x.float() * encode).clamp(-448, 448).to(torch.float8_e4m3fn)
    np.testing.assert_array_equal(s, encode.reciprocal().numpy())
    np.testing.assert_array_equal(q.view(np.uint8), expected.view(torch.uint8).numpy())


def test_mx_scales_are_torchaos_floor_and_rceil() -> None:
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torchao.prototype.mx_formats.mx_tensor import to_mx

    x = torch.randn(4, 64, generator=torch.Generator().manual_seed(3)) * 2.0 ** torch.arange(-8, 8, 4).view(4, 1)
    for rule, mode in (("e8m0_floor", ScaleCalculationMode.FLOOR), ("e8m0_rceil", ScaleCalculationMode.RCEIL)):
        q, s = quantize(x.numpy(), f"granule<mx<32>> axis 1 rule {rule}", "tensor<4x64xf8E4M3FN>",
                        "tensor<4x2xf8E8M0FNU>")
        scale, data = to_mx(x, torch.float8_e4m3fn, 32, mode)
        np.testing.assert_array_equal(s.view(np.uint8), scale.view(torch.uint8).numpy(), err_msg=rule)
        np.testing.assert_array_equal(q.view(np.uint8), data.view(torch.uint8).numpy(), err_msg=rule)


def test_random_bits_are_philox() -> None:
    # Known answer of Random123 for philox4x32 with ten rounds, counter 0 and key 0.
    (bits,) = run("""%r = octavo.random bits %s, %o : tensor<i64>, tensor<i64> -> tensor<4xi32>
                     return %r : tensor<4xi32>""",
                  np.array(0), np.array(0), arguments="%s: tensor<i64>, %o: tensor<i64>", results="tensor<4xi32>")
    assert bits.view(np.uint32).tolist() == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]


def test_scatter_add_sums_duplicates() -> None:
    index = np.array([3, 0, 3, -1], np.int64)
    source = np.arange(8, dtype=np.float32).reshape(4, 2)
    (result,) = run("""%r = octavo.scatter_reduce add %x into %z at %i dims [0]
                         : tensor<4x2xf32>, tensor<5x2xf32>, (tensor<4xi64>) -> tensor<5x2xf32>
                       return %r : tensor<5x2xf32>""",
                    source, np.ones((5, 2), np.float32), index, results="tensor<5x2xf32>",
                    arguments="%x: tensor<4x2xf32>, %z: tensor<5x2xf32>, %i: tensor<4xi64>")
    expected = np.ones((5, 2), np.float32)
    np.add.at(expected, index, source)
    np.testing.assert_array_equal(result, expected)


def test_causal_attention_with_shared_heads_is_torchs() -> None:
    g = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, h, 6, 8, generator=g) for h in (4, 2, 2))
    (result, _) = run("""%o, %l = octavo.attention %q, %k, %v {scale = 0.25 : f32}
        : tensor<2x4x6x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x8xf32> -> tensor<2x4x6x8xf32>, tensor<2x4x6xf32>
        score {} mask {
        ^bb0(%b: index, %h: index, %i: index, %j: index):
          %c = arith.cmpi sle, %j, %i : index
          octavo.yield %c : i1
        }
        return %o, %l : tensor<2x4x6x8xf32>, tensor<2x4x6xf32>""",
        q.numpy(), k.numpy(), v.numpy(), results="tensor<2x4x6x8xf32>, tensor<2x4x6xf32>",
        arguments="%q: tensor<2x4x6x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x8xf32>")
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.25, enable_gqa=True)
    np.testing.assert_allclose(result, expected.numpy(), rtol=1e-5, atol=1e-6)
