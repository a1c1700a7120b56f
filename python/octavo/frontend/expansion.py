"""Operators of ours that stay whole through autograd and the cut, and are taken apart before import."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from octavo import _torch_compat
from octavo.frontend import attention, decompositions

EXPANSIONS: dict[Any, Callable[..., Any]] = {
    torch.ops.octavo.attention.default: attention.forward,
    torch.ops.octavo.attention_backward.default: attention.backward,
}


def expand(gm: fx.GraphModule) -> None:
    """Replaces such operators in `gm` by what they mean, in place."""
    nodes = [n for n in gm.graph.nodes if n.op == "call_function" and n.target in EXPANSIONS]
    for node in nodes:
        _inline(gm.graph, node)
    if nodes:
        gm.graph.eliminate_dead_code()
        gm.graph.lint()
        gm.recompile()


def _inline(graph: fx.Graph, node: fx.Node) -> None:
    leaves, spec = torch.utils._pytree.tree_flatten((node.args, node.kwargs))
    tensors = [a for a in leaves if isinstance(a, fx.Node)]
    meaning = EXPANSIONS[node.target]

    def call(*values: torch.Tensor) -> Any:
        given = iter(values)
        args, kwargs = torch.utils._pytree.tree_unflatten(
            [next(given) if isinstance(a, fx.Node) else a for a in leaves], spec
        )
        return meaning(*args, **kwargs)

    values = [a.meta["val"] for a in tensors]
    with values[0].fake_mode, torch.no_grad():
        traced = _torch_compat.make_fx(call, decomposition_table=decompositions.table())(*values)
    places = iter(tensors)
    copies: dict[fx.Node, fx.Node] = {}
    results: Any = None
    with graph.inserting_before(node):
        for inner in traced.graph.nodes:
            if inner.op == "placeholder":
                copies[inner] = next(places)
            elif inner.op == "output":
                results = fx.map_arg(inner.args[0], lambda n: copies[n])
            else:
                copies[inner] = _copied(graph, inner, node, copies)
    _replace(graph, node, results)


def _copied(graph: fx.Graph, inner: fx.Node, node: fx.Node, copies: dict[fx.Node, fx.Node]) -> fx.Node:
    if inner.op != "call_function":
        raise AssertionError(f"the expansion of {node.target} holds a {inner.op}")
    copy = graph.node_copy(inner, lambda n: copies[n])
    for key in ("stack_trace", "nn_module_stack", "fwd_nn_module_stack", "seq_nr"):
        if key in node.meta:
            copy.meta[key] = node.meta[key]
    return copy


def _replace(graph: fx.Graph, node: fx.Node, results: Any) -> None:
    """Readers of the operator's results take the results themselves."""
    if isinstance(results, fx.Node):
        node.replace_all_uses_with(results)
    else:
        for user in list(node.users):
            user.replace_all_uses_with(results[user.args[1]])
            graph.erase_node(user)
    graph.erase_node(node)
