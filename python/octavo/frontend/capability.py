"""Which nodes of a graph the compiler can lower, and why not the others."""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass
from typing import Any

from torch import fx

from octavo import env
from octavo.errors import OctavoError, SourceLine, user_line
from octavo.frontend.before_autograd import module_name

# Run by Python between kernels by nature: they make no tensor, or draw the seed of the graph's random numbers.
HOST = ("octavo.seed.default",)


@dataclass(frozen=True)
class Refusal:
    """A node that has no kernel."""

    operator: str
    reason: str
    where: SourceLine | None
    count: int = 1


def name_of(node: fx.Node) -> str:
    """The overload's name as the dialect spells it, such as `aten.add.Tensor`."""
    return str(node.target)


def is_host(node: fx.Node) -> bool:
    """Whether the node only moves Python values."""
    if node.op != "call_function":
        return True
    return (
        node.target is operator.getitem
        or name_of(node) in HOST
        or getattr(node.target, "__module__", "") == "_operator"
    )


def refusal(node: fx.Node) -> str:
    """Why the compiler has no kernel for `node`; empty where it has one."""
    return compiler_refusal(node)


def compiler_refusal(node: fx.Node) -> str:
    """Asks the compiler."""
    from octavo import _octavo

    if not hasattr(_octavo, "compile"):
        return "this build has no code generator"
    return ""


def refusals(gm: fx.GraphModule) -> list[Refusal]:
    """All nodes without a kernel, one entry for each operator and reason, with the first line that asks for it."""
    if env.interpret():
        return []
    found: dict[tuple[str, str], SourceLine | None] = {}
    counts: Counter[tuple[str, str]] = Counter()
    for node in gm.graph.nodes:
        if is_host(node):
            continue
        if reason := refusal(node):
            key = name_of(node), reason
            counts[key] += 1
            found.setdefault(key, user_line(node.meta.get("stack_trace"), module_name(node)))
    return [Refusal(*key, where, counts[key]) for key, where in found.items()]


def error(refused: list[Refusal]) -> OctavoError:
    """For `fallback="error"`: names each operator, shows the line of the first."""
    names = ", ".join(f"{r.operator} ({r.count}x: {r.reason})" for r in refused)
    return OctavoError(
        f"no kernel for {names}",
        where=next((r.where for r in refused if r.where is not None), None),
        way_out='options={"fallback": "eager"} runs these by PyTorch; octavo.explain(model, *args) lists all nodes',
    )


def warning(refused: list[Refusal]) -> str:
    """For `fallback="eager"`: one line for each operator."""
    lines = [f"  {r.count:4d} x {r.operator}: {r.reason}{f' ({r.where})' if r.where else ''}" for r in refused]
    return "octavo runs these operators by PyTorch, between its kernels:\n" + "\n".join(lines)


def check(gm: fx.GraphModule, fallback: str, warn: Any) -> None:
    """Raises or warns about what has no kernel.

    Raises:
        OctavoError: something has none and `fallback` is `error`.
    """
    refused = refusals(gm)
    if not refused:
        return
    if fallback == "error":
        raise error(refused)
    warn(warning(refused))
