"""Products of matrices, scaled ones and attention."""

import pytest
import torch
import torch.nn.functional as F
from layouts import make
from oracle import TARGET, check, execute, lowered
from torch.fx.experimental.proxy_tensor import make_fx

from octavo.frontend.importer import import_graph


def test_mm(dtype: torch.dtype) -> None:
    check(lambda a, b: a @ b, make("ragged", dtype), torch.randn(7, 4).to(dtype))
    check(lambda a, b: a @ b, make("transposed", dtype), torch.randn(4, 5).to(dtype).t())
    check(lambda a, b: a @ b, make("empty", dtype), torch.randn(0, 4).to(dtype))
    check(lambda a, b: a @ b, make("sliced", dtype), torch.randn(4, 0).to(dtype))


def test_addmm(dtype: torch.dtype) -> None:
    a, b = torch.randn(3, 5).to(dtype), torch.randn(5, 4).to(dtype)
    check(lambda c, a, b: torch.addmm(c, a, b), torch.randn(4).to(dtype), a, b)
    check(lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), torch.randn(3, 1).to(dtype), a, b)
    check(lambda c, a, b: torch.addmm(c, a, b, beta=0), torch.full((4,), float("nan"), dtype=dtype), a, b, grad=False)


def test_bmm(dtype: torch.dtype) -> None:
    a, b = torch.randn(2, 3, 5).to(dtype), torch.randn(2, 4, 5).to(dtype)
    check(lambda a, b: torch.bmm(a, b.mT), a, b)
    check(lambda c, a, b: torch.baddbmm(c, a, b.mT, beta=0.5), torch.randn(3, 4).to(dtype), a, b)


def test_linear(dtype: torch.dtype) -> None:
    check(F.linear, torch.randn(2, 3, 5).to(dtype), torch.randn(4, 5).to(dtype), torch.randn(4).to(dtype))


def test_bf16_products_are_rounded_once() -> None:
    check(lambda a, b: a @ b, torch.ones(2, 300).bfloat16(), torch.ones(300, 2).bfloat16(), grad=False, rtol=0, atol=0)


@pytest.mark.parametrize("rows", (False, True))
@pytest.mark.parametrize("out", (torch.bfloat16, torch.float32))
def test_scaled_mm(rows: bool, out: torch.dtype) -> None:
    a, b = torch.randn(16, 32).to(torch.float8_e4m3fn), torch.randn(16, 32).to(torch.float8_e4m3fn).t()
    scales = (torch.rand(16, 1), torch.rand(1, 16)) if rows else (torch.tensor(0.5), torch.tensor(3.0))
    bias = None if rows or out == torch.float32 else torch.randn(16).to(out)
    check(lambda a, b, x, y: torch._scaled_mm(a, b, x, y, bias=bias, out_dtype=out), a, b, *scales, grad=False)


def meaning(a, b, scale_a, scale_b, block_a, block_b):
    """The product of what the numbers stand for; scales are [rows, K] divided by their blocks."""

    def values(x, scale, block):
        every = scale.float().repeat_interleave(block[0], 0).repeat_interleave(block[1], 1)
        return x.float() * every[: x.shape[0], : x.shape[1]]

    return values(a, scale_a, block_a) @ values(b.t(), scale_b, block_b).t()


def e8m0(*shape: int) -> torch.Tensor:
    return torch.randint(120, 134, shape, dtype=torch.uint8).view(torch.float8_e8m0fnu)


def f8(*shape: int) -> torch.Tensor:
    return torch.randn(shape).to(torch.float8_e4m3fn)


@pytest.mark.parametrize("out", (torch.bfloat16, torch.float32, torch.float16))
@pytest.mark.parametrize("blocks", (((1, 128), (128, 128)), ((1, 128), (1, 128)), ((128, 128), (1, 128))))
def test_scaled_mm_in_blocks(out: torch.dtype, blocks: tuple[tuple[int, int], tuple[int, int]]) -> None:
    a, b = f8(144, 272), f8(160, 272).t()
    scale_a, scale_b = (torch.rand(-(-rows // block[0]), 3) for rows, block in zip((144, 160), blocks, strict=True))
    if blocks[0] == (1, 128):
        scale_a = scale_a.t().contiguous().t()  # as kernels of other libraries want it
    inputs = a, b, scale_a, scale_b.t()
    got = own_graph(lambda a, b, x, y: torch._scaled_mm(a, b, x, y, out_dtype=out), *inputs)[0]
    assert got.dtype == out
    expected = meaning(a, b, scale_a, scale_b, *blocks)
    torch.testing.assert_close(got.float(), expected, rtol=1e-2 if out == torch.bfloat16 else 2e-3, atol=1e-3)


@pytest.mark.parametrize("padded", (False, True))
def test_scaled_mm_with_e8m0_scales(padded: bool) -> None:
    m, n, k = (160, 144, 288) if padded else (128, 256, 256)
    a, b = f8(m, k), f8(n, k).t()
    scale_a, scale_b = e8m0(-(-m // 128) * 128, -(-k // 128) * 4), e8m0(-(-n // 128) * 128, -(-k // 128) * 4)
    function = lambda a, b, x, y: torch._scaled_mm(a, b, x, y, out_dtype=torch.float32)  # noqa: E731
    got = own_graph(function, a, b, scale_a, scale_b)[0]
    expected = meaning(a, b, scale_a[:m, : k // 32], scale_b[:n, : k // 32], (1, 32), (1, 32))
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-2)


S = F.ScalingType


@pytest.mark.parametrize("kind", ("tensor", "rows", "rows by squares", "rows by rows", "mx"))
@pytest.mark.parametrize("out", (torch.bfloat16, torch.float32))
def test_scaled_mm_by_named_scalings(kind: str, out: torch.dtype) -> None:
    m, n, k = 40, 144, 288
    a, b, bias = f8(m, k), f8(n, k).t(), torch.randn(n).to(out)
    rows, squares, mx = S.BlockWise1x128, S.BlockWise128x128, S.BlockWise1x32
    of_a, of_b, scale_a, scale_b = {
        "tensor": (S.TensorWise, S.TensorWise, torch.rand(1), torch.rand(1)),
        "rows": (S.RowWise, S.RowWise, torch.rand(m, 1), torch.rand(1, n)),
        "rows by squares": (rows, squares, torch.rand(m, 3), torch.rand(4, 2)),  # padded to 4 along K
        "rows by rows": (rows, rows, torch.rand(m, 3), torch.rand(n, 3)),
        "mx": (mx, mx, e8m0(m, 9), e8m0(n, 9)),
    }[kind]

    def function(a, b, x, y, bias):
        return F.scaled_mm(a, b, x, of_a, y, of_b, bias=bias, output_dtype=out)

    got = own_graph(function, a, b, scale_a, scale_b, bias)[0]
    expected = {
        "tensor": lambda: meaning(a, b, scale_a.view(1, 1), scale_b.view(1, 1), (m, k), (n, k)),
        "rows": lambda: meaning(a, b, scale_a, scale_b.t(), (1, k), (1, k)),
        "rows by squares": lambda: meaning(a, b, scale_a, scale_b[:3].t(), (1, 128), (128, 128)),
        "rows by rows": lambda: meaning(a, b, scale_a, scale_b, (1, 128), (1, 128)),
        "mx": lambda: meaning(a, b, scale_a, scale_b, (1, 32), (1, 32)),
    }[kind]()
    torch.testing.assert_close(
        got.float(), expected + bias.float(), rtol=1e-2 if out == torch.bfloat16 else 1e-4, atol=1e-2
    )


def test_an_8_bit_result_of_scaled_mm_saturates() -> None:
    a, b = torch.full((16, 32), 448.0).to(torch.float8_e4m3fn), torch.full((16, 32), 2.0).to(torch.float8_e4m3fn).t()
    one = torch.tensor(1.0)
    function = lambda a, b, x: torch._scaled_mm(a, b, x, x, out_dtype=torch.float8_e4m3fn)  # noqa: E731
    assert torch.equal(own_graph(function, a, b, one)[0].float(), torch.full((16, 16), 448.0))


@pytest.mark.parametrize(
    ("scale_a", "recipe", "reason"),
    (
        ((40, 5, torch.float32), S.BlockWise1x128, "expected scales of shape (40, 3), got (40, 5)"),
        ((40, 8, torch.float8_e8m0fnu), S.BlockWise1x32, "expected 360 scales of shape (40, 9), got shape (40, 8)"),
        ((40, 18, torch.float8_e4m3fn), S.BlockWise1x16, "only scales of float32 and float8_e8m0fnu are lowered"),
        ((40, 9, torch.float32), S.BlockWise1x32, "expected float8_e8m0fnu scales exactly for blocks of 32"),
    ),
)
def test_scales_that_are_refused_say_why(scale_a: tuple, recipe: S, reason: str) -> None:
    inputs = f8(40, 288), f8(144, 288).t(), torch.ones(scale_a[:2]).to(scale_a[2]), torch.rand(1, 144)
    function = lambda a, b, x, y: F.scaled_mm(a, b, x, recipe, y, S.RowWise)  # noqa: E731
    gm = make_fx(function, tracing_mode="fake")(*inputs)
    text = lowered(import_graph(gm, inputs, target=TARGET, name="graph"), whole=False)
    assert f'octavo.reason = "{reason}"' in text


def own_graph(function, *inputs):
    """The operator itself, which the front end's own path takes apart before."""
    gm = make_fx(function, tracing_mode="fake")(*inputs)
    graph = import_graph(gm, inputs, target=TARGET, name="graph")
    return execute(graph, lowered(graph), inputs)


@pytest.mark.parametrize("causal", (False, True))
@pytest.mark.parametrize("heads", (2, 4))
def test_attention_for_cpu(causal: bool, heads: int, dtype: torch.dtype) -> None:
    forward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
    backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default
    q, k, v, grad = (torch.randn(2, h, 6, 8).to(dtype) for h in (4, heads, heads, 4))
    group = 4 // heads
    many = [t.repeat_interleave(group, 1).float().requires_grad_() for t in (k, v)]
    wide = q.float().requires_grad_()
    expected = F.scaled_dot_product_attention(wide, *many, is_causal=causal)
    out, sums = own_graph(lambda q, k, v: forward(q, k, v, 0.0, causal), q, k, v)
    tolerance = {"rtol": 2e-2, "atol": 2e-2} if dtype == torch.bfloat16 else {"rtol": 1e-5, "atol": 1e-5}
    torch.testing.assert_close(out.float(), expected, **tolerance)
    gq, gk, gv = torch.autograd.grad(expected, (wide, *many), grad.float())
    back = own_graph(lambda g, q, k, v, o, s: backward(g, q, k, v, o, s, 0.0, causal), grad, q, k, v, out, sums)
    folded = [t.view(2, heads, group, 6, 8).sum(2) for t in (gk, gv)]
    for got, want in zip(back, (gq, *folded), strict=True):
        torch.testing.assert_close(got.float(), want, rtol=tolerance["rtol"], atol=3 * tolerance["atol"])


def test_attention_with_a_mask_that_hides_a_row() -> None:
    forward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
    q, k, v = (torch.randn(1, 2, 3, 4) for _ in range(3))
    mask = torch.zeros(3, 3)
    mask[0] = -float("inf")
    mask[2, 1] = 0.5
    out, sums = own_graph(lambda q, k, v, m: forward(q, k, v, attn_mask=m, scale=0.7), q, k, v, mask)
    expected = F.scaled_dot_product_attention(q[:, :, 1:], k, v, attn_mask=mask[1:], scale=0.7)
    torch.testing.assert_close(out[:, :, 1:], expected)
    assert torch.equal(out[:, :, 0], torch.zeros(1, 2, 4))
    assert torch.isneginf(sums[:, :, 0]).all()
