"""Views and shapes, and the aliases that outputs are."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from layouts import make
from oracle import check

from octavo.frontend.importer import InputOutput, ResultOutput, ViewOutput

SHAPES: dict[str, Callable[[torch.Tensor], Any]] = {
    "view": lambda x: (x * 1).view(-1), "view_apart": lambda x: (x * 1).view(2, 3, 20), "t": lambda x: x[0].t() * 1,
    "permute": lambda x: x.permute(2, 0, 1) + 0, "expand": lambda x: x[:, :1].expand(6, 7, 5) * 1,
    "slice": lambda x: x[1:5:2, :, -3:] * 1, "select": lambda x: x[:, -2] * 1,
    "unsqueeze": lambda x: x.unsqueeze(1) * 2,
    "squeeze": lambda x: x[:1].squeeze(0) * 2, "cat": lambda x: torch.cat((x, x[:2] * 2), 0),
    "cat_last": lambda x: torch.cat((x[..., :2], -x), -1), "stack": lambda x: torch.stack((x, x * 2), 1),
    "split": lambda x: [p * 1 for p in x.split(2, 1)], "split_sizes": lambda x: [p * 1 for p in x.split((1, 3), 1)],
    "chunk": lambda x: [p * i for i, p in enumerate(x.chunk(3, 0))], "unbind": lambda x: [p * 2 for p in x.unbind(1)],
    "pad": lambda x: F.pad(x, (1, 2, 0, 3), value=1.5), "pad_negative": lambda x: F.pad(x, (-1, 2)),
    "flip": lambda x: x.flip(0, 2), "roll": lambda x: x.roll((1, -2), (0, 2)), "roll_flat": lambda x: x.roll(7),
    "repeat": lambda x: x.repeat(2, 1, 3), "repeat_interleave": lambda x: x.repeat_interleave(3, 1),
    "diagonal": lambda x: x.diagonal(1, 1, 2) * 1, "tril": lambda x: x.tril(-1), "triu": lambda x: x.triu(1),
    "movedim": lambda x: x.movedim(0, -1) * 1, "unfold": lambda x: x.unfold(2, 3, 2) * 1,
    "as_strided": lambda x: (x * 1).as_strided((3, 4), (7, 2), 5) * 1, "flatten": lambda x: x.flatten(1) * 1,
    "clone": lambda x: x.clone(), "contiguous": lambda x: x.mT.contiguous(),
    "diag_embed": lambda x: torch.diag_embed(x[0]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str, dtype: torch.dtype) -> None:
    check(SHAPES[name], torch.randn(6, 4, 5).to(dtype))


@pytest.mark.parametrize("name", ("permute", "slice", "cat", "pad", "flip", "repeat", "flatten"))
def test_shapes_of_a_transposed_input(name: str) -> None:
    check(SHAPES[name], torch.randn(5, 4, 6).permute(2, 1, 0))


def test_0d_and_empty() -> None:
    check(lambda x: (x.view(1), x.expand(3) * 1, x.unsqueeze(0) * 1, x.reshape(1, 1) * 2), make("0-d"))
    check(lambda x: (x.view(0, 3) * 1, x.t() * 1, torch.cat((x, x), 1), F.pad(x, (1, 1)), x.sum(1)), make("empty"))


def test_in_place_writes_to_parts() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = x.clone()
        z[1:4:2] = y[:2]
        z[:, 2] = 7.0
        z.diagonal().fill_(3.0)
        z[..., -1] += 1
        return z

    check(function, torch.randn(5, 6), torch.randn(4, 6))


def test_a_view_of_an_input_costs_no_kernel() -> None:
    (graph,) = check(lambda x, y: (x.t(), x[1:], x * y), torch.randn(3, 4), torch.randn(4), grad=False)
    assert [type(o) for o in graph.outputs] == [ViewOutput, ViewOutput, ResultOutput]
    assert len(graph.results) == 1


def test_views_of_one_result_are_one_result() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x + 1
        return y, y.view(-1), y[:, 1:].t()

    (graph,) = check(function, torch.randn(3, 4), grad=False)
    assert len(graph.results) == 1
    assert sum(isinstance(o, ViewOutput) for o in graph.outputs) <= 2


def test_the_same_output_twice_and_an_input_as_output() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x * 2
        return y, x, y

    (graph,) = check(function, torch.randn(3), grad=False)
    assert len(graph.results) == 1
    assert all(isinstance(o, ResultOutput | InputOutput | ViewOutput) for o in graph.outputs)


def test_inputs_are_updated_in_place() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        old = x * 3
        x.add_(y)
        y.copy_(x[0])
        return old + x

    (graph,) = check(function, torch.randn(3, 4), torch.randn(4), grad=False)
    assert [w.placeholder for w in graph.writes] == [0, 1]


def test_an_input_is_overwritten_by_another() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.copy_(y)
        return y + 1

    check(function, torch.randn(3, 4), torch.randn(4), grad=False)
    check(function, torch.randn(3, 4).bfloat16(), torch.randn(3, 4), grad=False)
