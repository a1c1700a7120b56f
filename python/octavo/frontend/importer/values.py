"""What an FX node stands for while a graph is imported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from octavo.frontend.importer import text
from octavo.frontend.importer.graph import Layout


@dataclass(frozen=True)
class Ssa:
    """An MLIR value."""

    name: str
    type: str


@dataclass(frozen=True)
class Constant:
    """A tensor that is known now; it becomes an MLIR value when an operator reads it."""

    tensor: torch.Tensor


@dataclass(frozen=True)
class Known:
    """A number, None, a string, a sub-graph: an attribute wherever it is used."""

    value: Any


Value: TypeAlias = Ssa | Constant | Known | list["Value"]


class Sizes:
    """Gives symbolic sizes a value: the caller's, else the example's. None where only a run can tell."""

    def __init__(self, given: Mapping[Any, int] | None) -> None:
        self._given = dict(given or {})

    def number(self, value: Any) -> Any:
        """A plain number for a plain or symbolic one."""
        if not isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
            return value
        expression = value.node.expr
        if self._given:
            bound = expression.xreplace(self._given) if hasattr(expression, "xreplace") else expression
            if not getattr(bound, "free_symbols", None):
                return _plain(bound, value)
        return value.node.hint

    def sizes(self, values: Any) -> tuple[Any, ...]:
        return tuple(self.number(value) for value in values)

    def layout(self, tensor: torch.Tensor) -> Layout:
        return Layout(self.sizes(tensor.shape), self.sizes(tensor.stride()), tensor.dtype)

    def type_of(self, value: Any) -> str:
        """The MLIR type of what a node's `meta["val"]` describes."""
        if isinstance(value, torch.Tensor) and value.layout == torch.strided:
            return text.tensor_type(self.sizes(value.shape), value.dtype)
        return "!aten.opaque"


def _plain(bound: Any, value: Any) -> int | float | bool:
    if isinstance(value, torch.SymBool):
        return bool(bound)
    return float(bound) if isinstance(value, torch.SymFloat) else int(bound)
