"""The recipes' kernels against TorchAO's eager modules, at sizes where reductions take many rounds."""

import copy
from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torchao.float8 import Float8LinearConfig, convert_to_float8_training
from torchao_autocast import autocast


@pytest.fixture(autouse=True)
def kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is run by torch."""
    monkeypatch.setenv("OCTAVO_INTERPRET", "0")
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


# The quantised gradient of a loss over few and many tokens: its scales are reductions along both axes.
@pytest.mark.parametrize("recipe", ["tensorwise", "rowwise", "rowwise_with_gw_hp"])
@pytest.mark.parametrize(("tokens", "width", "classes"), [(128, 64, 256), (1008, 32, 48), (1024, 128, 256)])
def test_gradients_of_a_loss_are_torchaos(recipe: str, tokens: int, width: int, classes: int) -> None:
    ours = nn.Linear(width, classes, bias=False)
    theirs = convert_to_float8_training(
        nn.Sequential(copy.deepcopy(ours)), config=Float8LinearConfig.from_recipe_name(recipe)
    )
    x, targets = torch.randn(8, tokens // 8, width), torch.randint(0, classes, (8, tokens // 8))

    def loss(head: nn.Module, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            logits = head(x)
            return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())

    def gradient(function: object) -> torch.Tensor:
        point = x.clone().requires_grad_()
        with autocast():
            value = function(point)  # type: ignore[operator]
        value.backward()
        return point.grad

    compiled = torch.compile(
        lambda x: loss(ours, x), backend="octavo", dynamic=False, options={"fp8": recipe, "fallback": "error"}
    )
    pairs = {"x": (gradient(compiled), gradient(lambda x: loss(theirs, x)))}
    pairs["weight"] = ours.weight.grad, theirs[0].weight.grad
    for name, (found, expected) in pairs.items():
        # exp differs by an ulp, so a few codes of 8 bits are neighbours; a wrong scale costs 0.3.
        assert (found.float() - expected.float()).norm() <= 0.01 * expected.float().norm(), name


@pytest.mark.parametrize("dynamic", [None, True])
def test_token_counts_that_differ_need_no_fallback(dynamic: bool | None) -> None:
    """Sizes that become symbols after a second count, and those that are from the start."""
    head = nn.Linear(32, 48, bias=False)

    def loss(x: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return F.cross_entropy(head(x).float().flatten(0, 1), targets.flatten())

    def gradients(function: object, tokens: int) -> list[torch.Tensor]:
        torch.manual_seed(tokens)
        x = torch.randn(2, tokens, 32, requires_grad=True)
        value = function(x, torch.randint(0, 48, (2, tokens)))  # type: ignore[operator]
        return [value, *torch.autograd.grad(value, (x, head.weight))]

    torch._dynamo.utils.counters.clear()
    options = {"fp8": "rowwise", "fallback": "error"}
    compiled = torch.compile(loss, backend="octavo", fullgraph=True, dynamic=dynamic, options=options)
    for tokens in (24, 40, 7):
        for found, expected in zip(gradients(compiled, tokens), gradients(loss, tokens), strict=True):
            # 8 bits against bf16.
            assert (found - expected).norm() <= 0.12 * expected.norm()
    # One graph for all sizes that are symbols from the start; one more for the first size otherwise.
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == (1 if dynamic else 2)
