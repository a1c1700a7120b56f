"""Cuts a graph at the nodes that PyTorch runs: what lies between becomes programs."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import fx

_aten = torch.ops.aten
_VIEW_NAMES = (
    "view _unsafe_view permute transpose t expand slice select unsqueeze squeeze alias detach as_strided diagonal "
    "split split_with_sizes unbind view_as_real view_as_complex"
)
_VIEWS = frozenset(getattr(_aten, name) for name in _VIEW_NAMES.split())


@dataclass(frozen=True)
class Segment:
    """A part of a graph that becomes one program; `inputs` and `outputs` are nodes of the whole graph."""

    module: fx.GraphModule
    inputs: tuple[fx.Node, ...]
    outputs: tuple[fx.Node, ...]


Piece: TypeAlias = Segment | fx.Node


def is_view(node: fx.Node) -> bool:
    """Whether the node only looks at its operand's memory in another way."""
    return getattr(node.target, "overloadpacket", None) in _VIEWS


def _phases(nodes: list[fx.Node], eager: Container[fx.Node]) -> dict[fx.Node, int]:
    """Phase p is the program p and then the eager nodes p; a node stands in the first phase where its operands
    exist.
    """
    phase: dict[fx.Node, int] = {}
    for node in nodes:
        found = 0
        for operand in node.all_input_nodes:
            if operand in phase:
                crossing = operand in eager and node not in eager
                found = max(found, phase[operand] + crossing)
        phase[node] = found
    last = max(phase.values(), default=0)
    for node in nodes:
        # An input is overwritten after everybody has read it.
        if node.target is _aten.copy_.default:
            phase[node] = last
    return phase


def split(gm: fx.GraphModule, eager: set[fx.Node]) -> list[Piece]:
    """The pieces of `gm` in the order in which they run; `eager` are the nodes that PyTorch has to run."""
    nodes = [n for n in gm.graph.nodes if n.op not in ("placeholder", "output", "get_attr")]
    eager = eager | _views_between(nodes, eager)
    phase = _phases(nodes, eager)
    pieces: list[Piece] = []
    for number in range(max(phase.values(), default=-1) + 1):
        compiled = [n for n in nodes if phase[n] == number and n not in eager]
        if compiled:
            pieces.append(_segment(gm, compiled))
        pieces += [n for n in nodes if phase[n] == number and n in eager]
    return pieces


def _views_between(nodes: list[fx.Node], eager: set[fx.Node]) -> set[fx.Node]:
    """Views and `getitem` of what PyTorch computes, for readers that it runs too: nothing for a kernel to do."""
    found: set[fx.Node] = set()
    for node in nodes:
        host = is_view(node) or getattr(node.target, "__module__", "") == "_operator"
        if node in eager or not host:
            continue
        sources = [n for n in node.all_input_nodes if n.op != "placeholder"]
        if sources and all(n in eager or n in found for n in sources):
            found.add(node)
    return found


def _segment(gm: fx.GraphModule, nodes: list[fx.Node]) -> Segment:
    inside = set(nodes)
    graph = fx.Graph()
    copies: dict[fx.Node, fx.Node] = {}
    inputs: list[fx.Node] = []
    for node in nodes:
        for operand in node.all_input_nodes:
            if operand in inside or operand in copies or operand.op == "get_attr":
                continue
            copies[operand] = graph.placeholder(operand.name)
            copies[operand].meta = dict(operand.meta)
            inputs.append(operand)
    for node in nodes:
        for operand in node.all_input_nodes:
            if operand.op == "get_attr" and operand not in copies:
                copies[operand] = graph.node_copy(operand)
        copies[node] = graph.node_copy(node, lambda n: copies[n])
    outputs = tuple(n for n in nodes if any(user not in inside for user in n.users))
    graph.output(tuple(copies[n] for n in outputs))
    return Segment(fx.GraphModule(_attributes(gm, nodes), graph), tuple(inputs), outputs)


def _attributes(gm: fx.GraphModule, nodes: list[fx.Node]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for node in nodes:
        for operand in node.all_input_nodes:
            if operand.op == "get_attr":
                value: Any = gm
                for part in str(operand.target).split("."):
                    value = getattr(value, part)
                found[str(operand.target)] = value
    return found
