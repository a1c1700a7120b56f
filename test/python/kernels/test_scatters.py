"""Scatters whose places and indices are too many to compare all pairs of: kernels that go through the indices."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
import torch

OTHER_CHIP = {"OCTAVO_TARGET": "gfx942"}


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("OCTAVO_INTERPRET", "0")
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


def compiled(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    return torch.compile(function, backend="octavo", dynamic=False, options={"fallback": "error"})


def embedding_gradient(rows: int) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    return lambda g, i: torch.ops.aten.embedding_dense_backward(g, i, rows, -1, False)


# Few rows are summed in registers; many, and ragged ones, in memory.
@pytest.mark.parametrize(
    ("rows", "tokens", "width", "dtype"),
    [
        (256, 1024, 128, torch.float32),
        (4999, 1003, 37, torch.bfloat16),
        (130000, 301, 5, torch.float32),
        (3, 40001, 16, torch.float32),
    ],
)
def test_gradient_of_an_embedding(rows: int, tokens: int, width: int, dtype: torch.dtype) -> None:
    indices = torch.randint(0, rows, (tokens,))
    indices[: tokens // 4] = rows - 1
    gradient = torch.randn(tokens, width).to(dtype)
    ours = compiled(embedding_gradient(rows))(gradient, indices)
    exact = embedding_gradient(rows)(gradient.double(), indices)
    assert ours.dtype == dtype
    # One rounding for each token of a row, or one to bf16 at the end.
    unit = 2.0**-8 if dtype == torch.bfloat16 else 2.0**-24 * tokens
    size = embedding_gradient(rows)(gradient.double().abs(), indices)
    assert ((ours.double() - exact).abs() <= unit * size).all()


@pytest.mark.parametrize("accumulate", [False, True])
def test_index_put_with_duplicates_and_negative_indices(accumulate: bool) -> None:
    x, values = torch.randint(-50, 50, (60, 70, 9)).float(), torch.randint(-50, 50, (700, 9)).float()
    i, j = torch.randint(-60, 60, (700,)), torch.randint(-70, 70, (700,))
    i[:30], j[:30] = 5, 6

    def put(x: torch.Tensor, i: torch.Tensor, j: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return x.index_put((i, j), values, accumulate=accumulate)

    # In the order of the indices: eager's order depends on its threads. Sums of small integers are exact.
    expected = x.clone()
    for a, b, row in zip(i, j, values, strict=True):
        expected[a, b] = expected[a, b] + row if accumulate else row
    assert torch.equal(compiled(put)(x, i, j, values), expected)


@pytest.mark.skipif(os.environ.get("OCTAVO_TARGET") == OTHER_CHIP["OCTAVO_TARGET"], reason="runs on this chip already")
def test_the_other_chip() -> None:
    run = [sys.executable, "-m", "pytest", "-q", "-x", __file__, "-k", "gradient or index_put"]
    done = subprocess.run(run, env={**os.environ, **OTHER_CHIP}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_two_runs_are_equal_bit_for_bit() -> None:
    indices, gradient = torch.randint(0, 50, (4096,)), torch.randn(4096, 64)
    run = compiled(embedding_gradient(256))
    assert torch.equal(run(gradient, indices), run(gradient, indices))


# Twice the tokens are twice the work, and more rows are hardly more.
def test_the_cost_is_that_of_the_tokens() -> None:
    from octavo import simulator

    def cost(rows: int, tokens: int) -> int:
        torch._dynamo.reset()
        run = compiled(embedding_gradient(rows))
        simulator.reset()
        run(torch.randn(tokens, 4), torch.randint(0, rows, (tokens,)))
        kernels = simulator.report()["kernels"].values()
        return sum(sum(kernel["instructions"].values()) for kernel in kernels)

    base = cost(16384, 2048)
    assert 0 < cost(16384, 4096) < 2.5 * base
    assert cost(65536, 2048) < 3 * base
