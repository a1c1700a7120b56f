"""Counts and times of this process: what was compiled, what runs eagerly, where the time went."""

from __future__ import annotations

import contextlib
import copy
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from octavo import _torch_compat


@dataclass
class Statistics:
    """Totals since the last `reset`; times in seconds."""

    graphs: int = 0
    fallback_nodes: int = 0
    cache_hits: int = 0
    compile_seconds: float = 0.0
    stages: dict[str, float] = field(default_factory=dict)


_lock = threading.Lock()
_totals = Statistics()
_inside = threading.local()


def statistics() -> Statistics:
    """A copy of the totals."""
    with _lock:
        return copy.deepcopy(_totals)


def reset() -> None:
    """Sets all totals to zero."""
    global _totals
    with _lock:
        _totals = Statistics()


def count(*, graphs: int = 0, fallback_nodes: int = 0, cache_hits: int = 0) -> None:
    """Adds to the totals."""
    with _lock:
        _totals.graphs += graphs
        _totals.fallback_nodes += fallback_nodes
        _totals.cache_hits += cache_hits


def add_stages(times: dict[str, float]) -> None:
    """Adds what the compiler says of its own stages."""
    with _lock:
        for name, seconds in times.items():
            _totals.stages[name] = _totals.stages.get(name, 0.0) + seconds


@contextlib.contextmanager
def compiling(stage: str) -> Iterator[None]:
    """Adds the time inside to the stage's and, where no other stage is around it, to the compile time; torch's
    `compile_times()` shows it too.
    """
    start = time.perf_counter()
    depth = getattr(_inside, "depth", 0)
    _inside.depth = depth + 1
    try:
        with _torch_compat.timed(f"octavo.{stage}"):
            yield
    finally:
        _inside.depth = depth
        seconds = time.perf_counter() - start
        with _lock:
            if depth == 0:
                _totals.compile_seconds += seconds
            _totals.stages[stage] = _totals.stages.get(stage, 0.0) + seconds
