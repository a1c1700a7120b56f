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
    """One node of one graph: the kernel that computes it, or why PyTorch does."""

    graph: str
    operator: str
    kernel: str
    reason: str
    where: SourceLine | None


@dataclass(frozen=True)
class Explanation:
    """All graphs of one call, forward and (where the result needs gradients) backward."""

    nodes: tuple[NodeReport, ...]

    def __str__(self) -> str:
        lines = []
        for node in self.nodes:
            fate = node.kernel or (f"PyTorch: {node.reason}" if node.reason else "no kernel needed")
            lines.append(f"{node.graph}  {node.operator}  {fate}{f'  {node.where}' if node.where else ''}")
        return "\n".join(lines)


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
