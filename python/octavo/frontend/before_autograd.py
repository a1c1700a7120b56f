"""Rewrites of Dynamo's graph, before autograd: attention, linear layers under a recipe, TorchAO's linear layers."""

from __future__ import annotations

import re
from typing import Any

import torch
from torch import fx

from octavo import target
from octavo.frontend.attention import attention
from octavo.frontend.options import Options
from octavo.frontend.recipe import linear, torchao

LINEARS = (torch._C._nn.linear, torch.nn.functional.linear)
ATTENTIONS = (torch._C._nn.scaled_dot_product_attention, torch.nn.functional.scaled_dot_product_attention)


def module_name(node: fx.Node) -> str:
    """The dotted name of the innermost module that `node` came from, as `named_modules()` of the root spells it."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    if not stack:
        return ""
    path = str(list(stack.values())[-1][0])
    path = re.sub(r"^[LG]\['[^']*'\]", "", path)
    path = re.sub(r"\._modules\['([^']+)'\]", r".\1", path)
    path = re.sub(r"\['?([^'\]]+)'?\]", r".\1", path)
    return ".".join(part for part in path.split(".") if part and part != "_orig_mod")


def _argument(node: fx.Node, position: int, name: str) -> Any:
    return node.args[position] if len(node.args) > position else node.kwargs.get(name)


def encoding(options: Options) -> str:
    """How the recipe's numbers are encoded on the chosen target."""
    return "fnuz" if options.fp8_format == "fnuz" else encoding_of_ocp(options)


def encoding_of_ocp(options: Options) -> str:
    """How OCP numbers are encoded on the chosen target."""
    return "ocp" if target.float8_encoding(target.resolve(options.target)) == "ocp" else "ocp_halved"


def rewrite(gm: fx.GraphModule, options: Options) -> None:
    """Changes `gm` and the bodies of its higher-order operators in place."""
    kind = encoding(options) if options.fp8 else ""
    for graph_module in [m for m in gm.modules() if isinstance(m, fx.GraphModule)]:
        changed = False
        for node in graph_module.graph.nodes:
            if node.op != "call_function":
                continue
            if node.target in ATTENTIONS:
                node.target = attention
                changed = True
            elif options.fp8 and node.target in LINEARS and _wanted(node, options):
                node.args = (
                    *(_argument(node, i, n) for i, n in enumerate(("input", "weight", "bias"))),
                    options.fp8,
                    kind,
                )
                node.kwargs = {}
                node.target = linear
                changed = True
            elif torchao.raise_call(node, encoding_of_ocp(options)):
                changed = True
        if changed:
            graph_module.recompile()


def _wanted(node: fx.Node, options: Options) -> bool:
    return options.fp8_filter is None or options.fp8_filter(module_name(node))
