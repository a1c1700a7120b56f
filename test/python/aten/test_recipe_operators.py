"""The recipe's operators mean what their eager forms compute."""

import pytest
import torch
from oracle import TARGET, execute, lowered
from torch.fx.experimental.proxy_tensor import make_fx

from octavo.frontend import randomness
from octavo.frontend.importer import import_graph
from octavo.frontend.recipe.operators import quantize, scaled_matmul


def run(function, *inputs):
    gm = make_fx(function, tracing_mode="fake")(*inputs)
    graph = import_graph(gm, inputs, target=TARGET, name="graph")
    return execute(graph, lowered(graph), inputs)


@pytest.mark.parametrize("format", ("e4m3fn", "e5m2", "e4m3fnuz"))
@pytest.mark.parametrize("rule", ("exact", "pow2"))
@pytest.mark.parametrize("axis", (None, 0, -1))
def test_quantize(format: str, rule: str, axis: int | None, dtype: torch.dtype) -> None:
    x = torch.randn(8, 16).to(dtype)
    x[2] = 0
    got = run(lambda x: quantize(x, axis, format, rule), x)
    for ours, theirs in zip(got, quantize(x, axis, format, rule), strict=True):
        assert torch.equal(ours.float(), theirs.float())


def test_quantize_to_a_smaller_bound() -> None:
    x = torch.randn(8, 16)
    got = run(lambda x: quantize(x, -1, "e4m3fnuz", "exact", 224.0), x)
    for ours, theirs in zip(got, quantize(x, -1, "e4m3fnuz", "exact", 224.0), strict=True):
        assert torch.equal(ours.float(), theirs.float())


@pytest.mark.parametrize("transpose_a", (False, True))
@pytest.mark.parametrize("transpose_b", (False, True))
@pytest.mark.parametrize("row", (False, True))
def test_scaled_matmul(transpose_a: bool, transpose_b: bool, row: bool) -> None:
    a, b = torch.randn(8, 16), torch.randn(16, 4)
    a, b = (a.t().contiguous() if transpose_a else a), (b.t().contiguous() if transpose_b else b)
    axis_a, axis_b = (0 if transpose_a else 1), (1 if transpose_b else 0)
    (qa, sa), (qb, sb) = (
        quantize(x, axis if row else None, "e4m3fn", "exact") for x, axis in ((a, axis_a), (b, axis_b))
    )

    def function(qa, sa, qb, sb, bias):
        return scaled_matmul(qa, qb, sa, sb, bias, transpose_a=transpose_a, transpose_b=transpose_b,
                             out_dtype=torch.float32)

    inputs = qa, sa, qb, sb, torch.randn(4)
    torch.testing.assert_close(run(function, *inputs)[0], function(*inputs))


BLOCKS = (((1, 128), (128, 128), "exact"), ((1, 128), (1, 128), "pow2"), ((1, 32), (1, 32), "e8m0_rceil"))


@pytest.mark.parametrize("axis", (0, 1, -1))
@pytest.mark.parametrize(
    ("block", "rule"),
    (
        ((1, 128), "exact"),
        ((128, 128), "pow2"),
        ((1, 32), "e8m0_rceil"),
        ((1, 32), "e8m0_floor"),
        ((1, 32), "e8m0_even"),
    ),
)
@pytest.mark.parametrize("format", ("e4m3fn", "e5m2", "e4m3fnuz"))
def test_quantize_in_blocks(axis: int, block: tuple[int, int], rule: str, format: str) -> None:
    x = torch.randn(150, 140).mul(torch.logspace(-8, 8, 150).unsqueeze(1)).bfloat16()
    x[40:75], x[0, 3], x[1, 139] = 0, float("inf"), float("nan")
    got = run(lambda x: quantize(x, axis, format, rule, block=block), x)
    for ours, theirs in zip(got, quantize(x, axis, format, rule, block=block), strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        torch.testing.assert_close(ours.float(), theirs.float(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("transpose_a", (False, True))
@pytest.mark.parametrize("transpose_b", (False, True))
@pytest.mark.parametrize(("block_a", "block_b", "rule"), BLOCKS)
def test_scaled_matmul_in_blocks(
    transpose_a: bool, transpose_b: bool, block_a: tuple[int, int], block_b: tuple[int, int], rule: str
) -> None:
    a = torch.randn(160, 9) if transpose_a else torch.randn(9, 160)
    b = torch.randn(130, 160) if transpose_b else torch.randn(160, 130)
    qa, sa = quantize(a, 0 if transpose_a else 1, "e4m3fn", rule, block=block_a)
    qb, sb = quantize(b, 1 if transpose_b else 0, "e4m3fn", rule, block=block_b)

    def function(qa, sa, qb, sb):
        return scaled_matmul(qa, qb, sa, sb, transpose_a=transpose_a, transpose_b=transpose_b,
                             out_dtype=torch.float32, block_a=block_a, block_b=block_b)  # fmt: skip

    inputs = qa, sa, qb, sb
    torch.testing.assert_close(run(function, *inputs)[0], function(*inputs), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    (
        ({"rule": "e8m0_ceil"}, "unknown rule 'e8m0_ceil'"),
        ({"rule": "e8m0_rceil"}, "needs a block"),
        ({"rule": "exact", "block": [128]}, "a block is two positive sizes"),
        ({"rule": "exact", "block": [0, 128]}, "a block is two positive sizes"),
    ),
)
def test_what_has_no_meaning_is_named(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quantize(torch.randn(8, 16), 1, "e4m3fn", **arguments)


def test_scales_of_another_shape_are_named() -> None:
    def function(a, b, s):
        return scaled_matmul(a, b, s, out_dtype=torch.float32, block_a=[1, 128])

    with pytest.raises(RuntimeError, match=r"expected scale_a of shape \[8, 2\], got \[8, 3\]"):
        make_fx(function, tracing_mode="fake")(torch.randn(8, 256), torch.randn(256, 8), torch.rand(8, 3))


def test_batches_of_products(dtype: torch.dtype) -> None:
    a, b = torch.randn(3, 4, 5).to(dtype), torch.randn(3, 6, 5).to(dtype)
    function = lambda a, b: scaled_matmul(a, b, transpose_b=True, out_dtype=torch.float32)  # noqa: E731
    torch.testing.assert_close(run(function, a, b)[0], function(a, b))


@pytest.mark.parametrize("kind", ("uniform", "normal"))
def test_random_numbers_depend_on_seed_offset_and_element(kind: str) -> None:
    assert randomness.STREAM
    random = torch.ops.octavo.random.default
    seed, offset = torch.tensor(1234567890123), torch.tensor(2**40 + 17)
    got = run(lambda s, o: random(s, o, [3, 5], kind, torch.float32), seed, offset)[0]
    torch.testing.assert_close(got, random(seed, offset, [3, 5], kind, torch.float32))
