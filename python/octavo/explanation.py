"""What became of each node of a model: `octavo.explain(model, *args)`."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from octavo.errors import SourceLine


@dataclass(frozen=True)
class NodeReport:
    """One node of one graph: the kernels that compute it (a reader may compute it again), or why PyTorch does.

    Neither is there where nothing is left to compute: a view, a constant, a value that equals another one.
    """

    graph: str
    node: str
    operator: str
    kernels: tuple[str, ...]
    reason: str
    where: SourceLine | None


@dataclass(frozen=True)
class Explanation:
    """All graphs of one call, forward and (where the result needs gradients) backward."""

    nodes: tuple[NodeReport, ...]

    def __str__(self) -> str:
        lines = []
        for node in self.nodes:
            fate = ", ".join(node.kernels) or (f"PyTorch: {node.reason}" if node.reason else "no kernel needed")
            lines.append(f"{node.graph}  {node.operator}  {fate}{f'  {node.where}' if node.where else ''}")
        return "\n".join(lines)

    def by_kernel(self) -> dict[tuple[str, str], list[NodeReport]]:
        """Graph and kernel → the nodes that are fused in it."""
        found: dict[tuple[str, str], list[NodeReport]] = {}
        for node in self.nodes:
            for kernel in node.kernels:
                found.setdefault((node.graph, kernel), []).append(node)
        return found


_lock = threading.Lock()
_recorded: list[NodeReport] | None = None


def wanted() -> bool:
    """Whether somebody wants to know what becomes of the nodes that are lowered now."""
    return _recorded is not None


def note(report: NodeReport) -> None:
    """Adds what became of one node."""
    with _lock:
        if _recorded is not None:
            _recorded.append(report)


@contextlib.contextmanager
def _recording() -> Iterator[list[NodeReport]]:
    global _recorded
    with _lock:
        recorded = _recorded = []
    try:
        yield recorded
    finally:
        _recorded = None


def explain(model: Any, *args: Any, options: dict[str, Any] | None = None, **kwargs: Any) -> Explanation:
    """Compiles `model` for these arguments, runs it once, and says for each node which kernel computes it, or why
    none does.
    """
    import torch

    with _recording() as recorded:
        torch._dynamo.reset()
        out = torch.compile(model, backend="octavo", options=options)(*args, **kwargs)
        leaves = torch.utils._pytree.tree_leaves(out)
        needing = [t for t in leaves if isinstance(t, torch.Tensor) and t.requires_grad]
        if needing:
            torch.autograd.backward([t.sum() for t in needing])
    return Explanation(tuple(recorded))
