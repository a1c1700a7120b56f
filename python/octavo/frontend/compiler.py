"""From one graph of Dynamo to what torch calls in each step."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from torch import fx

from octavo import _torch_compat
from octavo.frontend import before_autograd, capability, decompositions, partition, plan, randomness
from octavo.frontend.options import Options
from octavo.runtime.specialized import SpecializedGraph, has_symbols
from octavo.runtime.statistics import compiling

log = logging.getLogger("octavo")

Boxed = Callable[[list[Any]], list[Any]]

_numbers: Iterator[int] = itertools.count()
_lock = threading.Lock()


def reset() -> None:
    """Starts numbering graphs at 0 again and forgets which warnings were shown."""
    global _numbers
    with _lock:
        _numbers = itertools.count()
    capability.forget_warnings()


def compile_graph(gm: fx.GraphModule, example_inputs: list[Any], options: Options) -> Callable[..., Any]:
    """Rewrites the graph, lets AOTAutograd derive and cut it, and lowers the pieces."""
    _torch_compat.register_logs()
    before_autograd.rewrite(gm, options)
    number = next(_numbers)
    backend = _torch_compat.aot_autograd(
        fw_compiler=partial(_lower, kind="forward", number=number, options=options),
        bw_compiler=partial(_lower, kind="backward", number=number, options=options),
        inference_compiler=partial(_lower, kind="inference", number=number, options=options),
        partition_fn=partial(_partition, options=options),
        decompositions=decompositions.table,
        keep_inference_input_mutations=True,
    )
    with _torch_compat.keep_custom_kernels():
        return backend(gm, example_inputs)  # type: ignore[no-any-return]


def _partition(
    joint: fx.GraphModule, inputs: Any, *, options: Options, **arguments: Any
) -> tuple[fx.GraphModule, fx.GraphModule]:
    """Refuses or warns before the first step, because backward is compiled only when it first runs."""
    return partition.partition(joint, inputs, lambda graph: capability.check(graph, options), **arguments)


def _lower(gm: fx.GraphModule, example_inputs: list[Any], *, kind: str, number: int, options: Options) -> Boxed:
    """What AOTAutograd calls for each graph; the result takes one list and empties it."""
    name = f"graph_{number}_{kind}"
    with compiling("graph"):
        return _lower_timed(gm, example_inputs, name, kind, options)


def _lower_timed(gm: fx.GraphModule, example_inputs: list[Any], name: str, kind: str, options: Options) -> Boxed:
    if kind == "inference":
        randomness.rewrite(gm)
        capability.check(gm, options)
    log.info("%s [%s]: %d nodes", name, _torch_compat.compile_id(), len(gm.graph.nodes))
    if has_symbols(gm):
        plan.show_symbolic(gm, example_inputs, name, options)
        return SpecializedGraph(name, gm, partial(plan.build, options=options))
    return plan.build(gm, example_inputs, name, options=options)
