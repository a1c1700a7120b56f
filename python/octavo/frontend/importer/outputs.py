"""Which values of a graph are views of others: decides what is a result and what is rebuilt from one."""

from __future__ import annotations

import operator
from collections.abc import Iterable

import torch

# Views in their schema, but with a bit in place of a computation: their value has to be computed.
_LAZY = ("aten::_conj", "aten::_neg_view")


def view_base(node: torch.fx.Node) -> torch.fx.Node:
    """The node whose memory `node` shows, through any chain of views; `node` itself if it has memory of its own."""
    while (source := _viewed(node)) is not None:
        node = source
    return node


def _viewed(node: torch.fx.Node) -> torch.fx.Node | None:
    if node.op != "call_function":
        return None
    if node.target is operator.getitem:
        outer = node.args[0]
        return _viewed(outer) if isinstance(outer, torch.fx.Node) else None
    if not isinstance(node.target, torch._ops.OpOverload) or node.target._schema.name in _LAZY:
        return None
    aliases = [r.alias_info for r in node.target._schema.returns]
    if not aliases or any(alias is None or alias.is_write for alias in aliases):
        return None
    source = node.args[0] if node.args else node.kwargs.get("self")
    return source if isinstance(source, torch.fx.Node) else None


def is_dense(tensor: torch.Tensor, sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether the strides are a permutation of a contiguous tensor's: each element once, no gap."""
    if tensor.numel() == 0:
        return True
    expected = 1
    for stride, size in sorted((stride, size) for stride, size in zip(strides, sizes, strict=True) if size != 1):
        if stride != expected:
            return False
        expected *= size
    return True


def shared_bases(nodes: Iterable[torch.fx.Node]) -> set[torch.fx.Node]:
    """Bases that more than one of the distinct `nodes` show: such a base is the result, the rest are its views."""
    count: dict[torch.fx.Node, int] = {}
    for node in dict.fromkeys(nodes):
        base = view_base(node)
        count[base] = count.get(base, 0) + 1
    return {base for base, times in count.items() if times > 1}
