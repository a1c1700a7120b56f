"""Which nodes of a graph the compiler can lower, and why not the others."""

from __future__ import annotations

import operator
import threading
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Any

from torch import fx

from octavo import _octavo, _torch_compat, env, target
from octavo.errors import OctavoError, SourceLine, user_line
from octavo.frontend import expansion, segments
from octavo.frontend.before_autograd import module_name
from octavo.frontend.importer import import_graph
from octavo.frontend.options import Options

# Run by Python between kernels by nature: it draws the seed of the graph's random numbers.
HOST = ("octavo.seed.default",)
# The importer itself resolves these.
RESOLVED = ("aten.copy_.default", "aten.lift_fresh_copy.default", "aten.lift_fresh.default")

_warned: set[str] = set()
_lock = threading.Lock()


@dataclass(frozen=True)
class Refusal:
    """An operator that has no kernel."""

    operator: str
    reason: str
    where: SourceLine | None
    count: int = 1


def name_of(node: fx.Node) -> str:
    """The overload's name as the dialect spells it, such as `aten.add.Tensor`."""
    return str(node.target)


def is_host(node: fx.Node) -> bool:
    """Whether the node only moves Python values; arithmetic on symbolic sizes too."""
    if node.op != "call_function" or _torch_compat.is_symbol(node.meta.get("val")):
        return True
    module = getattr(node.target, "__module__", "")
    return node.target is operator.getitem or name_of(node) in HOST or module == "_operator"


@cache
def _lowered() -> frozenset[str]:
    return frozenset(_octavo.lowered_operators()) | {str(o) for o in expansion.EXPANSIONS} | set(RESOLVED)


def _has_rule(node: fx.Node) -> bool:
    return is_host(node) or segments.is_view(node) or name_of(node) in _lowered()


def _summary(nodes: dict[fx.Node, str]) -> list[Refusal]:
    """One entry for each operator and reason, with the first line that asks for it."""
    places: dict[tuple[str, str], SourceLine | None] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for node, reason in nodes.items():
        key = name_of(node), reason
        counts[key] += 1
        if places.get(key) is None:
            places[key] = user_line(node.meta.get("stack_trace"), module_name(node))
    return [Refusal(*key, where, counts[key]) for key, where in places.items()]


def without_rule(gm: fx.GraphModule) -> list[Refusal]:
    """Operators of a graph (of forward and backward together, sizes may be symbols) that have no rule at all."""
    if env.interpret():
        return []
    return _summary({n: "no kernel is written for it" for n in gm.graph.nodes if not _has_rule(n)})


def refused_nodes(gm: fx.GraphModule, example_inputs: list[Any], options: Options, name: str) -> dict[fx.Node, str]:
    """Nodes that PyTorch has to run, with the reason: what has no rule, and what the rules refuse for its arguments.

    Raises:
        OctavoError: there are some, and `fallback` is `error` or `strict` is set.
    """
    found = {n: "no kernel is written for it" for n in gm.graph.nodes if not _has_rule(n)}
    host = {n: "" for n in gm.graph.nodes if name_of(n) in HOST}
    graph = import_graph(gm, example_inputs, target=target.resolve(options.target), name=name)
    by_name = {n.name: n for n in gm.graph.nodes}
    for node_name, overload, reason in _octavo.refused_calls(graph.text):
        node = by_name.get(node_name)
        if node is None:
            raise OctavoError(f"{name}: the compiler refuses {overload} at {node_name!r}, which is no node: {reason}")
        if node not in host:
            found.setdefault(node, reason)
    if found and _forbidden(options):
        raise error(_summary(found), options)
    # What has no rule at all was shown before the first step.
    if by_argument := {n: reason for n, reason in found.items() if _has_rule(n)}:
        _warn(warning(_summary(by_argument)))
    return found | host


def _forbidden(options: Options) -> bool:
    return options.fallback == "error" or options.strict


def error(refused: list[Refusal], options: Options) -> OctavoError:
    """For `fallback="error"` and `strict`: names each operator, shows the line of the first."""
    choice = 'options={"strict": False}' if options.fallback == "eager" else 'options={"fallback": "eager"}'
    names = "; ".join(f"{r.operator} ({r.count}x: {r.reason})" for r in refused)
    return OctavoError(
        f"no kernel for {names}",
        where=next((r.where for r in refused if r.where is not None), None),
        way_out=f"{choice} runs these by PyTorch; octavo.explain(model, *args) lists all nodes",
    )


def warning(refused: list[Refusal]) -> str:
    """For `fallback="eager"`: one line for each operator."""
    lines = [f"  {r.count:4d} x {r.operator}: {r.reason}{f' ({r.where})' if r.where else ''}" for r in refused]
    return "octavo runs these operators by PyTorch, between its kernels:\n" + "\n".join(lines)


def _warn(text: str) -> None:
    """Shows a text once."""
    with _lock:
        if text in _warned:
            return
        _warned.add(text)
    warnings.warn(text, stacklevel=2)


def forget_warnings() -> None:
    """Each may be shown again."""
    with _lock:
        _warned.clear()


def check(gm: fx.GraphModule, options: Options) -> None:
    """Raises or warns about what has no rule, before the first step.

    Raises:
        OctavoError: something has none, and `fallback` is `error` or `strict` is set.
    """
    refused = without_rule(gm)
    if refused and _forbidden(options):
        raise error(refused, options)
    if refused:
        _warn(warning(refused))
