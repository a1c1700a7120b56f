"""Gathers, scatters, embeddings and their gradients; duplicates count."""

import pytest
import torch
import torch.nn.functional as F
from oracle import check

INDEX = torch.tensor([[0, 2, 2, 4], [1, 0, 4, 4]])


def test_embedding(dtype: torch.dtype) -> None:
    check(lambda w: F.embedding(INDEX, w), torch.randn(5, 3).to(dtype))
    check(lambda w: F.embedding(INDEX, w, padding_idx=2), torch.randn(5, 3).to(dtype))


def test_index(dtype: torch.dtype) -> None:
    x = torch.randn(5, 6, 4).to(dtype)
    i, j = torch.tensor([0, -1, 3, 3]), torch.tensor([[1], [-2]])
    check(lambda x: (x[i], x[:, i], x[i, :, i], x[i, j], x[:, i, i - 1]), x)


def test_gather_and_select(dtype: torch.dtype) -> None:
    x = torch.randn(3, 5).to(dtype)
    index = torch.tensor([[0, 4, 4], [1, 1, 0]])
    check(lambda x, i: (x.gather(1, i), x.gather(0, i.clamp_max(2)), x.index_select(1, i[0])), x, index)


def test_gather_of_a_0d_tensor() -> None:
    check(lambda x: x.gather(0, torch.tensor(0)), torch.tensor(2.5))


@pytest.mark.parametrize("accumulate", (False, True))
def test_index_put(accumulate: bool, dtype: torch.dtype) -> None:
    x, i, j = torch.randn(5, 6, 4).to(dtype), torch.tensor([0, -1, 3]), torch.tensor([2, 1, -6])
    values = torch.randn(3, 4).to(dtype)
    check(lambda x, v: x.index_put((i, j), v, accumulate), x, values)
    check(lambda x, v: x.index_put((i,), v[0], accumulate), x, values)


def test_writes_behind_a_slice(dtype: torch.dtype) -> None:
    i = torch.tensor([0, -1, 3])

    def function(x: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[:, i] = v
        y[1, :, i] += v[:, :, 0].sum()
        return y

    check(function, torch.randn(5, 6, 4).to(dtype), torch.randn(3, 4).to(dtype).expand(5, 3, 4))


def test_duplicates_add_up(dtype: torch.dtype) -> None:
    i = torch.tensor([1, 1, 1, 0, 4])
    check(lambda x, v: x.index_put((i,), v, accumulate=True), torch.randn(5, 3).to(dtype), torch.randn(5, 3).to(dtype))
    check(lambda x, v: x.scatter_add(0, i.unsqueeze(1).expand(5, 3), v),
          torch.randn(5, 3).to(dtype), torch.randn(5, 3).to(dtype))
    check(lambda x, v: x.scatter_add(0, i.unsqueeze(1).expand(5, 2), v),
          torch.randn(5, 3).to(dtype), torch.randn(5, 3).to(dtype), grad=False)
    check(lambda x, v: x.index_add(0, i, v), torch.randn(5, 3).to(dtype), torch.randn(5, 3).to(dtype))


def test_masks(dtype: torch.dtype) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[x > 0] = 2.0
        return y

    check(function, torch.randn(3, 5).to(dtype))


def test_scatter(dtype: torch.dtype) -> None:
    index = torch.tensor([[0, 4, 2], [1, 3, 0]])
    x, source = torch.randn(4, 5).to(dtype), torch.randn(3, 4).to(dtype)
    check(lambda x, i: (x.scatter(1, i, 1.5), x.scatter(1, i[:, :1], -1.0)), x, index)
    check(lambda x, s, i: (x.scatter(1, i, s), x.scatter_add(1, i, s)), x, source[:2, :3], index)
    check(lambda x, s, i: (x.scatter(1, i, s), x.scatter_add(1, i, s)), x, source, index, grad=False)


@pytest.mark.parametrize("kind", ("sum", "prod", "amax", "amin"))
@pytest.mark.parametrize("include_self", (True, False))
def test_scatter_reduce(kind: str, include_self: bool) -> None:
    index = torch.tensor([[0, 4, 0], [1, 1, 1]])
    check(lambda x, s: x.scatter_reduce(1, index, s, kind, include_self=include_self),
          torch.randn(2, 5), torch.randn(2, 3), grad=False)


def test_scatter_of_nothing() -> None:
    index = torch.empty((0, 3), dtype=torch.int64)
    check(lambda x, s: (x.scatter(1, index, 1.0), x.scatter_add(1, index, s)), torch.randn(2, 3), torch.randn(2, 3),
          grad=False)


@pytest.mark.parametrize("reduction", ("mean", "sum", "none"))
def test_cross_entropy(reduction: str, dtype: torch.dtype) -> None:
    target = torch.tensor([0, 3, -100, 1])
    check(lambda x: F.cross_entropy(x.float(), target, reduction=reduction), torch.randn(4, 7).to(dtype))


def test_cross_entropy_with_weights_and_smoothing() -> None:
    target, weight = torch.tensor([0, 3, -100, 1]), torch.rand(7)
    check(lambda x, t, w: F.cross_entropy(x, t, w.detach(), label_smoothing=0.1), torch.randn(4, 7), target, weight)
