"""Models that TorchAO converted, compiled: raised to the recipe's operators, and trained as TorchAO trains them."""

import copy
import os
import pathlib
import re
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torchao.float8 import Float8LinearConfig, convert_to_float8_training

from octavo import simulator

RECIPES = ("tensorwise", "rowwise", "rowwise_with_gw_hp")
# Products of one layer in 8 bits: forward, gradient of the input, gradient of the weight.
PRODUCTS = {"tensorwise": 3, "rowwise": 3, "rowwise_with_gw_hp": 2}


def converted(recipe: str, **changes: Any) -> nn.Module:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.SiLU(), nn.Linear(128, 48, bias=False)).bfloat16()
    config = Float8LinearConfig.from_recipe_name(recipe)
    for name, value in changes.items():
        object.__setattr__(config, name, value)
    return convert_to_float8_training(model, config=config)


def train(model: nn.Module, run: Any, steps: int) -> tuple[list[float], list[torch.Tensor]]:
    """Losses of some steps of SGD and the first gradients."""
    generator = torch.Generator().manual_seed(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses: list[float] = []
    first: list[torch.Tensor] = []
    for _ in range(steps):
        x = torch.randn(3, 20, 64, generator=generator).bfloat16()
        target = torch.randint(0, 48, (60,), generator=generator)
        loss = F.cross_entropy(run(x).float().flatten(0, 1), target)
        loss.backward()
        losses.append(float(loss.detach()))
        first = first or [p.grad.clone() for p in model.parameters() if p.grad is not None]
        optimizer.step()
        optimizer.zero_grad()
    return losses, first


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_converted_model_trains_as_in_eager_torchao(recipe: str) -> None:
    model = converted(recipe)
    twin = copy.deepcopy(model)
    wanted = train(twin, twin, 4)
    simulator.reset()
    compiled = torch.compile(model, backend="octavo", fullgraph=True, options={"fallback": "error"})
    found = train(model, compiled, 4)
    for ours, theirs in zip(found[1], wanted[1], strict=True):
        # The operands have the same bits; sums in another order may round to another bf16 number.
        assert (ours.float() - theirs.float()).norm() <= 2**-8 * theirs.float().norm()
    # Later steps begin with weights that such a rounding may have moved by one bf16.
    assert max(abs(a / b - 1) for a, b in zip(found[0], wanted[0], strict=True)) <= 0.002
    executed = {n for kernel in simulator.report()["kernels"].values() for n in kernel["instructions"]}
    narrow = r"v_mfma_f32_.*_(fp8|bf8)" if os.environ.get("OCTAVO_TARGET") == "gfx942" else r"v_mfma_.*_f8f6f4"
    assert any(re.match(narrow, name) for name in executed)
    assert any("_bf16" in name and name.startswith("v_mfma") for name in executed) == (PRODUCTS[recipe] == 2)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_converted_model_is_raised_to_the_recipes_operators(recipe: str, tmp_path: pathlib.Path) -> None:
    model = converted(recipe)
    options = {"fallback": "error", "dump": str(tmp_path)}
    train(model, torch.compile(model, backend="octavo", fullgraph=True, options=options), 1)
    text = "".join(path.read_text() for path in tmp_path.glob("*.aten.mlir"))
    calls = re.findall(r'aten\.call "([^"]+)"', text)
    # The gradient of the model's input is not wanted.
    assert calls.count("octavo.scaled_matmul.default") == 2 * PRODUCTS[recipe] - 1
    assert calls.count("aten._scaled_mm.default") == 0
    assert "f64" not in text, "no chain of scales in f64"
    assert not [c for c in calls if "clone" in c], "no transposed copy"
    plain = [line for line in text.splitlines() if '"aten.mm.default"' in line]
    assert len(plain) == 2 * (3 - PRODUCTS[recipe])


def test_other_configurations_keep_their_own_meaning(tmp_path: pathlib.Path) -> None:
    """An emulated product multiplies in f32: it is not a recipe of the matrix cores."""
    model = converted("tensorwise", emulate=True)
    x = torch.randn(5, 64).bfloat16()
    with torch.no_grad():
        wanted = model(x)
        found = torch.compile(model, backend="octavo", options={"dump": str(tmp_path)})(x)
    assert "scaled_matmul" not in "".join(path.read_text() for path in tmp_path.glob("*.aten.mlir"))
    torch.testing.assert_close(found, wanted)
