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


def attention_graph(function, *inputs):
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
    out, sums = attention_graph(lambda q, k, v: forward(q, k, v, 0.0, causal), q, k, v)
    tolerance = {"rtol": 2e-2, "atol": 2e-2} if dtype == torch.bfloat16 else {"rtol": 1e-5, "atol": 1e-5}
    torch.testing.assert_close(out.float(), expected, **tolerance)
    gq, gk, gv = torch.autograd.grad(expected, (wide, *many), grad.float())
    back = attention_graph(
        lambda g, q, k, v, o, s: backward(g, q, k, v, o, s, 0.0, causal), grad, q, k, v, out, sums
    )
    folded = [t.view(2, heads, group, 6, 8).sum(2) for t in (gk, gv)]
    for got, want in zip(back, (gq, *folded), strict=True):
        torch.testing.assert_close(got.float(), want, rtol=tolerance["rtol"], atol=3 * tolerance["atol"])


def test_attention_with_a_mask_that_hides_a_row() -> None:
    forward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
    q, k, v = (torch.randn(1, 2, 3, 4) for _ in range(3))
    mask = torch.zeros(3, 3)
    mask[0] = -float("inf")
    mask[2, 1] = 0.5
    out, sums = attention_graph(lambda q, k, v, m: forward(q, k, v, attn_mask=m, scale=0.7), q, k, v, mask)
    expected = F.scaled_dot_product_attention(q[:, :, 1:], k, v, attn_mask=mask[1:], scale=0.7)
    torch.testing.assert_close(out[:, :, 1:], expected)
    assert torch.equal(out[:, :, 0], torch.zeros(1, 2, 4))
    assert torch.isneginf(sums[:, :, 0]).all()
