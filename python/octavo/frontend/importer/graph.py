"""What the importer hands to its callers: the module's text and how to call it and to rebuild the FX result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import torch


@dataclass(frozen=True)
class Layout:
    """Shape, strides (elements) and element type of a tensor at the border of a graph."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: torch.dtype


@dataclass(frozen=True)
class PlaceholderInput:
    """An MLIR argument that is the FX placeholder number `placeholder` (position among all placeholders).

    `layout` is None for an argument that is no tensor (a generator, a device mesh): its MLIR type is `!aten.opaque`.
    """

    placeholder: int
    name: str
    layout: Layout | None


@dataclass(frozen=True)
class ConstantInput:
    """An MLIR argument that is `ImportedGraph.constants[constant]`: the same tensor in each call."""

    constant: int
    name: str
    layout: Layout


Input: TypeAlias = PlaceholderInput | ConstantInput


@dataclass(frozen=True)
class ResultOutput:
    """Element of the FX result: MLIR result number `result`, a tensor of its own."""

    result: int


@dataclass(frozen=True)
class InputOutput:
    """Element of the FX result: the placeholder itself (after the writes, if it is written)."""

    placeholder: int


@dataclass(frozen=True)
class ViewOutput:
    """Element of the FX result: a view, by `as_strided`, of a result or a placeholder.

    `offset` counts elements from the first element of the base tensor; where the view reads the memory as another type
    (`view.dtype`, `view_as_real`), `layout.dtype` differs from the base's and everything counts elements of that type.
    """

    base: ResultOutput | InputOutput
    layout: Layout
    offset: int


@dataclass(frozen=True)
class ConstantOutput:
    """Element of the FX result: `ImportedGraph.constants[constant]` itself, unchanged."""

    constant: int


@dataclass(frozen=True)
class ValueOutput:
    """Element of the FX result that is known without running: a number, or None."""

    value: int | float | bool | None


Output: TypeAlias = ResultOutput | InputOutput | ViewOutput | ConstantOutput | ValueOutput


@dataclass(frozen=True)
class Write:
    """MLIR result number `result` is stored into the placeholder's own memory (`copy_` epilogue)."""

    result: int
    placeholder: int


@dataclass(frozen=True)
class ImportedGraph:
    """One FX graph as MLIR text at level `aten` (docs/design/levels.md, section 1).

    `inputs[i]` feeds MLIR argument i; symbolic sizes are no arguments. `results[i]` is the layout of MLIR result i, the
    written ones included. `outputs` has one element per element of the FX output tuple, in order.
    """

    text: str
    name: str
    inputs: tuple[Input, ...]
    results: tuple[Layout, ...]
    outputs: tuple[Output, ...]
    writes: tuple[Write, ...]
    constants: tuple[torch.Tensor, ...]
