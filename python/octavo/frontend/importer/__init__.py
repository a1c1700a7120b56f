"""FX graphs after AOTAutograd → MLIR text in the `aten` dialect. Total: every graph imports."""

from octavo.frontend.importer.build import import_graph, symbolic_text
from octavo.frontend.importer.graph import (
    ConstantInput,
    ConstantOutput,
    ImportedGraph,
    Input,
    InputOutput,
    Layout,
    Output,
    PlaceholderInput,
    ResultOutput,
    ValueOutput,
    ViewOutput,
    Write,
)

__all__ = [
    "ConstantInput",
    "ConstantOutput",
    "ImportedGraph",
    "Input",
    "InputOutput",
    "Layout",
    "Output",
    "PlaceholderInput",
    "ResultOutput",
    "ValueOutput",
    "ViewOutput",
    "Write",
    "import_graph",
    "symbolic_text",
]
