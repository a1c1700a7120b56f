"""The recipes' kernels against TorchAO's eager modules, at sizes where reductions take many rounds."""

import contextlib
import copy
from collections.abc import Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torchao.float8 import Float8LinearConfig, convert_to_float8_training


@pytest.fixture(autouse=True)
def kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is run by torch."""
    monkeypatch.setenv("OCTAVO_INTERPRET", "0")
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


@contextlib.contextmanager
def autocast() -> Iterator[None]:
    """bf16 on the CPU; TorchAO's layers ask for the autocast of GPUs, wherever they run."""
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", torch.bfloat16)
    try:
        with torch.autocast("cpu", torch.bfloat16):
            yield
    finally:
        torch.set_autocast_enabled("cuda", False)


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
