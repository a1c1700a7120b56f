"""The backend that `torch.compile(model, backend="octavo")` calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def octavo(
    gm: Any, example_inputs: Any, *, mode: str | None = None, options: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """Compiles one graph that Dynamo traced; backward graphs follow when torch asks for them.

    Raises:
        OctavoError: an unknown option or mode, or an operator without a kernel where `fallback="error"`.
    """
    from octavo.frontend.compiler import compile_graph
    from octavo.frontend.options import Options

    return compile_graph(gm, example_inputs, Options.read(options, mode))


def _reset() -> None:
    """What `torch._dynamo.reset()` calls: forgets the numbering of graphs and what was warned about."""
    from octavo.frontend import compiler

    compiler.reset()


octavo.reset = _reset  # type: ignore[attr-defined]
