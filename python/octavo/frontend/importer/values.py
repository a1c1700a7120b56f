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
    """Gives symbolic sizes a value: the caller's, else the example's. None where only a run can tell, which is
    everywhere if symbols are `kept`.
    """

    def __init__(self, given: Mapping[Any, int] | None, *, kept: bool = False) -> None:
        self._given, self._kept = dict(given or {}), kept

    def number(self, value: Any) -> Any:
        """A plain number for a plain or symbolic one."""
        if not isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool):
            return value
        node = value.node
        if self._kept:
            return _plain(node.expr, value) if getattr(node.expr, "is_number", False) else None
        if not self._given:
            return node.hint
        bound = node.expr.xreplace(self._given) if hasattr(node.expr, "xreplace") else node.expr
        if free := getattr(bound, "free_symbols", None):
            # Symbols that the caller left out keep the example's size; those of data have none.
            known = {symbol: size for symbol, size in node.shape_env.backed_var_to_val.items() if symbol in free}
            bound = bound.xreplace(known)
        return None if getattr(bound, "free_symbols", None) else _plain(bound, value)

    def sizes(self, values: Any) -> tuple[Any, ...]:
        return tuple(self.number(value) for value in values)

    def layout(self, tensor: torch.Tensor) -> Layout:
        return Layout(self.sizes(tensor.shape), self.sizes(tensor.stride()), tensor.dtype)

    def type_of(self, value: Any) -> str:
        """The MLIR type of what a node's `meta["val"]` describes."""
        if isinstance(value, torch.Tensor) and value.layout == torch.strided:
            return text.tensor_type(self.sizes(value.shape), value.dtype)
        return "!aten.opaque"

    def is_open(self, value: Any) -> bool:
        """Whether `value` is a symbol that is kept as a value of its own."""
        is_symbol = isinstance(value, torch.SymInt | torch.SymFloat | torch.SymBool)
        return self._kept and is_symbol and self.number(value) is None


def _plain(bound: Any, value: Any) -> int | float | bool:
    if isinstance(value, torch.SymBool):
        return bool(bound)
    return float(bound) if isinstance(value, torch.SymFloat) else int(bound)
