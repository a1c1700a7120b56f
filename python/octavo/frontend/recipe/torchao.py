"""TorchAO's own `Float8Linear` in Dynamo's graph, raised to the same recipe on a plain linear layer.

Dynamo keeps `matmul_with_hp_or_float8_args.apply(x, weight.t(), linear_mm_config, config)` as one call, whose arguments
are built by calls beside it. Its arithmetic for TorchAO's three recipes is that of `RecipeLinear`; written out by
autograd it would be f64 chains for the scales, 8-bit transposed copies, and products with unit scales.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from octavo import _torch_compat
from octavo.frontend.recipe.linear import RecipeLinear

_HOME = "torchao.float8.float8_linear"
_NAMES = ("tensorwise", "rowwise", "rowwise_with_gw_hp")
_CASTS = (
    "cast_config_input",
    "cast_config_input_for_grad_weight",
    "cast_config_weight",
    "cast_config_weight_for_grad_input",
    "cast_config_grad_output",
    "cast_config_grad_output_for_grad_weight",
    "round_scales_to_power_of_2",
)


def linear(x: torch.Tensor, weight_t: torch.Tensor, recipe_name: str, encoding_name: str) -> torch.Tensor:
    """`x @ weight_t` under a recipe: x `...xK`, weight_t `KxN`, the result `...xN`."""
    with torch.autocast(x.device.type, enabled=False):
        out = RecipeLinear.apply(x.reshape(-1, x.shape[-1]), weight_t.t(), recipe_name, encoding_name)
        return out.reshape(*x.shape[:-1], weight_t.shape[1])


def raise_call(node: fx.Node, ocp: str) -> bool:
    """Makes `node` a call of `linear` if it is such a call with one of the three recipes; `ocp` is the encoding of OCP
    numbers on the target.
    """
    function = _torch_compat.autograd_function_of(node.target)
    if function is None or function.__module__ != _HOME or len(node.args) != 4:
        return False
    x, weight_t, mm_config, config = node.args
    recipe = _recipe_name(_evaluate(config), _evaluate(mm_config))
    if recipe is None or not _is_plain(x, torch.bfloat16) or not _is_plain(weight_t):
        return False
    fnuz = "fnuz" in str(_evaluate(config).cast_config_input.target_dtype)
    node.target, node.args = linear, (x, weight_t, recipe, "fnuz" if fnuz else ocp)
    for unread in (mm_config, config):
        _erase(unread)
    return True


def _is_plain(argument: Any, dtype: torch.dtype | None = None) -> bool:
    """A tensor that is no subclass with a meaning of its own (FSDP's 8-bit weight is one)."""
    value = argument.meta.get("example_value") if isinstance(argument, fx.Node) else None
    return _torch_compat.is_fake(value) and value is not None and dtype in (None, value.dtype)


def _evaluate(argument: Any) -> Any:
    """The object that calls of TorchAO's configuration classes build; None for anything else."""
    if not isinstance(argument, fx.Node):
        return argument
    home = str(getattr(argument.target, "__module__", ""))
    if argument.op != "call_function" or not isinstance(argument.target, type) or not home.startswith("torchao.float8"):
        return None
    args = [_evaluate(a) for a in argument.args]
    return argument.target(*args, **{name: _evaluate(a) for name, a in argument.kwargs.items()})


def _recipe_name(config: Any, mm_config: Any) -> str | None:
    if config is None or mm_config is None or config.emulate or config.enable_fsdp_float8_all_gather:
        return None
    for name in _NAMES:
        known = type(config).from_recipe_name(name)
        if all(getattr(config, field) == getattr(known, field) for field in _CASTS):
            return name
    return None


def _erase(node: Any) -> None:
    """Removes a call that built a configuration, and what only it read."""
    if not isinstance(node, fx.Node) or node.users:
        return
    operands = node.all_input_nodes
    node.graph.erase_node(node)
    for operand in operands:
        _erase(operand)
