"""Reductions and scans."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from layouts import make
from oracle import check

FUNCTIONS: dict[str, Callable[[torch.Tensor], Any]] = {
    "sum": lambda x: x.sum(), "sum_last": lambda x: x.sum(-1), "sum_keep": lambda x: x.sum(-1, keepdim=True),
    "sum_f32": lambda x: x.sum(dtype=torch.float32), "mean": lambda x: x.mean(), "mean_last": lambda x: x.mean(-1),
    "logsumexp": lambda x: torch.logsumexp(x, -1), "cumsum": lambda x: x.cumsum(-1),
    "var": lambda x: x.var(-1, correction=0), "std": lambda x: torch.std(x.float() * 2 + 1, -1, correction=0),
    "norm2": lambda x: torch.linalg.vector_norm(x, 2), "norm1": lambda x: torch.linalg.vector_norm(x, 1),
    "norm3": lambda x: torch.linalg.vector_norm(x, 3), "softmax": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1), "cumsum_f32": lambda x: x.cumsum(0, dtype=torch.float32),
}
EXTREMA: dict[str, Callable[[torch.Tensor], Any]] = {
    "amax": lambda x: x.amax(), "amax_last": lambda x: x.amax(-1, keepdim=True), "amin": lambda x: x.amin(-1),
    "max": lambda x: x.max(), "argmax": lambda x: x.argmax(), "argmax_last": lambda x: x.argmax(-1),
    "argmin": lambda x: x.argmin(-1, keepdim=True), "max_dim": lambda x: x.max(-1), "min_dim": lambda x: x.min(-1),
    "norm_inf": lambda x: torch.linalg.vector_norm(x, float("inf")),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_reductions(name: str, layout: str, dtype: torch.dtype) -> None:
    check(FUNCTIONS[name], make(layout, dtype))


@pytest.mark.parametrize("name", EXTREMA)
def test_extrema(name: str, layout: str, dtype: torch.dtype) -> None:
    if layout == "empty":
        pytest.skip("an extremum of nothing is an error in PyTorch")
    check(EXTREMA[name], make(layout, dtype), grad=False)


def test_extrema_keep_nan_and_take_the_first_of_equals() -> None:
    x = torch.tensor([[1.0, 3.0, 3.0, -1.0], [float("nan"), 2.0, float("nan"), 9.0], [-float("inf")] * 4])
    check(lambda x: (x.amax(1), x.amin(1), x.argmax(1), x.argmin(1), x.max(1), x.min(1)), x, grad=False)


@pytest.mark.parametrize("kind", (torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool))
def test_integers(kind: torch.dtype) -> None:
    x = make("ragged", torch.int64).to(kind)
    check(lambda x: (x.sum(), x.sum(1), x.amax(1), x.amin(), x.any(1), x.all(), x.prod(1), x.cumsum(1),
                     torch.count_nonzero(x, 1)), x, grad=False)
    if kind != torch.bool:
        check(lambda x: (x.argmax(1), x.argmin(), x.max(0)), x, grad=False)


def test_the_largest_int64_is_found() -> None:
    x = torch.tensor([torch.iinfo(torch.int64).max, torch.iinfo(torch.int64).min])
    check(lambda x: (x.amax(), x.amin(), x.argmax(), x.argmin()), x, grad=False)


def test_var_mean(dtype: torch.dtype) -> None:
    check(lambda x: (*torch.var_mean(x, (0, 2)), x.var(), x.std(1)), torch.randn(3, 4, 5).to(dtype))


def test_several_dimensions(dtype: torch.dtype) -> None:
    check(lambda x: (x.sum((0, 2)), x.mean((1, -1), keepdim=True), x.amax((0, 1)), torch.any(x > 0, 1)),
          torch.randn(3, 4, 5).to(dtype))


def test_prod(dtype: torch.dtype) -> None:
    check(lambda x: (x.prod(), x.prod(1)), make("ragged", dtype), grad=False)


def test_bf16_sums_are_accumulated_in_f32() -> None:
    """256 ones and more: in bf16 the sum would stay at 256."""
    check(lambda x: (x.sum(), x.mean()), torch.ones(1000, dtype=torch.bfloat16), grad=False, rtol=0, atol=0)
