"""A compiled graph as a list of steps over numbered values; values die at their last use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import fx

from octavo import _torch_compat

Values = list[Any]


class Step(Protocol):
    """One thing that is done: reads and writes `values` by number."""

    def run(self, values: Values) -> None:
        """Computes what the step defines."""

    def reads(self) -> Sequence[int]:
        """Numbers of the values that `run` reads."""

    def writes(self) -> Sequence[int]:
        """Numbers of the values that `run` defines."""


@dataclass(frozen=True)
class Slot:
    """Stands for a value in the arguments of an eager call."""

    number: int


@dataclass(frozen=True)
class EagerCall:
    """One FX node, run by torch."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: int

    def run(self, values: Values) -> None:
        """Calls the operator on the values that its arguments name."""

        def value(a: Any) -> Any:
            return values[a.number] if isinstance(a, Slot) else a

        args = torch.utils._pytree.tree_map(value, self.args)
        kwargs = torch.utils._pytree.tree_map(value, self.kwargs)
        values[self.result] = self.function(*args, **kwargs)

    def reads(self) -> Sequence[int]:
        """Every slot among the arguments."""
        leaves = torch.utils._pytree.tree_leaves((self.args, self.kwargs))
        return [a.number for a in leaves if isinstance(a, Slot)]

    def writes(self) -> Sequence[int]:
        """The one result."""
        return [self.result]


@dataclass(frozen=True)
class Constant:
    """A value that is the same in each call (a tensor of the graph, a body of a higher-order operator)."""

    value: Any
    result: int

    def run(self, values: Values) -> None:
        """Puts the constant in its place."""
        values[self.result] = self.value

    def reads(self) -> Sequence[int]:
        """Nothing."""
        return []

    def writes(self) -> Sequence[int]:
        """The constant's number."""
        return [self.result]


class Executable:
    """What torch calls: takes one list, empties it, frees each value after its last reader, returns the graph's
    outputs.
    """

    def __init__(self, name: str, inputs: int, steps: Sequence[Step], outputs: Sequence[Any]) -> None:
        self._boxed_call = True  # on the object: torch copies only its own attributes to wrappers
        self.name = name
        self.steps = tuple(steps)
        self.outputs = tuple(outputs)
        self._inputs = inputs
        self._label = f"octavo::{name}"
        numbers = [inputs - 1, *(n for s in steps for n in s.writes())]
        self._size = max(numbers, default=-1) + 1
        self._dead = self._deaths()

    def _deaths(self) -> tuple[tuple[int, ...], ...]:
        """For each step the values that nobody reads afterwards."""
        last: dict[int, int] = {}
        for index, step in enumerate(self.steps):
            for number in (*step.writes(), *step.reads()):
                last[number] = index
        kept = {o.number for o in self.outputs if isinstance(o, Slot)}
        dead: list[list[int]] = [[] for _ in self.steps]
        for number, index in last.items():
            if number not in kept:
                dead[index].append(number)
        return tuple(map(tuple, dead))

    def __call__(self, args: list[Any]) -> list[Any]:
        """Runs the graph once; `args` is empty afterwards."""
        if not _torch_compat.profiler_is_active():
            return self._run(args)
        with torch.autograd.profiler.record_function(self._label):
            return self._run(args)

    def _run(self, args: list[Any]) -> list[Any]:
        values: Values = [*args, *[None] * (self._size - len(args))]
        args.clear()
        for step, dead in zip(self.steps, self._dead, strict=True):
            step.run(values)
            for number in dead:
                values[number] = None
        return [values[o.number] if isinstance(o, Slot) else o for o in self.outputs]


def slots(argument: Any, numbers: dict[fx.Node, int]) -> Any:
    """Replaces the nodes in an FX argument by their slots."""
    return fx.map_arg(argument, lambda node: Slot(numbers[node]))


def eager_step(node: fx.Node, number: dict[fx.Node, int], owner: fx.GraphModule) -> Step:
    """The step that runs `node` by torch."""
    if node.op == "get_attr":
        value: Any = owner
        for part in str(node.target).split("."):
            value = getattr(value, part)
        return Constant(value, number[node])
    function: Any = node.target
    if node.op == "call_method":
        name = str(node.target)

        def function(subject: Any, *args: Any, **kwargs: Any) -> Any:
            return getattr(subject, name)(*args, **kwargs)

    return EagerCall(function, tuple(slots(node.args, number)), dict(slots(node.kwargs, number)), number[node])
