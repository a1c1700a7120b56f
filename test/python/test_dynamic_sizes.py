"""Sizes that change: one graph of Dynamo, one program for each set of sizes that occurs, kept."""

import pathlib

import pytest
import torch
from torch import nn
from torch._dynamo.utils import counters

from octavo import _octavo
from octavo.runtime import statistics

SIZES = (8, 8, 3, 5, 8, 3)


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()
    counters.clear()
    torch.manual_seed(0)


@pytest.mark.parametrize("how", ("dynamic", "mark_dynamic"))
def test_each_size_is_compiled_once_and_dynamo_traces_once(how: str, tmp_path: pathlib.Path) -> None:
    net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))
    options = {"fallback": "error", "dump": str(tmp_path)}
    run = torch.compile(
        net, backend="octavo", fullgraph=True, dynamic=True if how == "dynamic" else None, options=options
    )
    before = statistics.statistics().graphs
    for number, size in enumerate(SIZES):
        x = torch.randn(size, 16)
        if how == "mark_dynamic":
            torch._dynamo.mark_dynamic(x, 0)
        grads = []
        for module in (run, net):
            net.zero_grad()
            out = module(x)
            out.square().mean().backward()
            grads.append([out.detach(), *(p.grad for p in net.parameters())])
        for a, b in zip(*grads, strict=True):
            torch.testing.assert_close(a, b)
        seen = len(set(SIZES[: number + 1]))
        assert statistics.statistics().graphs - before == 2 * seen, "forward and backward of each size"
    assert counters["stats"]["unique_graphs"] == 1
    for kind in ("forward", "backward"):
        (symbolic,) = tmp_path.glob(f"graph_?_{kind}.aten.mlir")
        text = symbolic.read_text()
        assert "tensor<?x16xf32>" in text and "tensor<8x16xf32>" not in text
        _octavo.run_pipeline(text, "builtin.module(cse)")
        assert len(list(tmp_path.glob(f"graph_?_{kind}_?.aten.mlir"))) == len(set(SIZES))


def test_two_sizes_that_change_at_once() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x @ y.t(), -1) * x.shape[0] + y.sum()

    run = torch.compile(function, backend="octavo", fullgraph=True, dynamic=True, options={"fallback": "error"})
    for m, n in ((4, 6), (7, 6), (4, 9), (11, 10)):
        x, y = torch.randn(m, 8), torch.randn(n, 8)
        torch.testing.assert_close(run(x, y), function(x, y))
    assert counters["stats"]["unique_graphs"] == 1


def test_a_recipe_with_a_batch_that_changes() -> None:
    net = nn.Linear(32, 48).bfloat16()
    options = {"fallback": "error", "fp8": "rowwise"}
    run = torch.compile(net, backend="octavo", fullgraph=True, dynamic=True, options=options)
    whole = torch.randn(24, 32).bfloat16()
    rows = run(whole)
    for size in (3, 17):
        # Each row has its own scale: what is beside it in the batch changes nothing.
        torch.testing.assert_close(run(whole[:size].clone()), rows[:size], rtol=2**-7, atol=1e-3)
    assert counters["stats"]["unique_graphs"] == 1
