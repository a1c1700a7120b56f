"""How a graph is run: which nodes become programs, which run eagerly between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import fx

from octavo.frontend import capability, expansion
from octavo.frontend.options import Options
from octavo.runtime.executable import Executable, Step, eager_step, slots
from octavo.runtime.statistics import count

Boxed = Callable[[list[Any]], list[Any]]


def build(gm: fx.GraphModule, example_inputs: list[Any], name: str, *, options: Options) -> Boxed:
    """Makes the executable of a graph with concrete sizes."""
    expansion.expand(gm)
    return interpret(gm, name)


def interpret(gm: fx.GraphModule, name: str) -> Executable:
    """Every node by torch, one step each."""
    nodes = list(gm.graph.nodes)
    count(graphs=1, fallback_nodes=sum(not capability.is_host(n) for n in nodes))
    numbers = {node: i for i, node in enumerate(nodes)}
    steps: list[Step] = [eager_step(n, numbers, gm) for n in nodes if n.op not in ("placeholder", "output")]
    output = nodes[-1].args[0]
    outputs = output if isinstance(output, list | tuple) else [output]
    inputs = sum(n.op == "placeholder" for n in nodes)
    return Executable(name, inputs, steps, [slots(o, numbers) for o in outputs])
