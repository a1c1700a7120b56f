"""Graphs with symbolic sizes: one executable for each set of concrete sizes, made when they first occur."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from octavo import _torch_compat

Build = Callable[[fx.GraphModule, list[Any], str], Callable[[list[Any]], list[Any]]]


def has_symbols(gm: fx.GraphModule) -> bool:
    """Whether a size or a number of the graph is known only at run time."""
    for node in gm.graph.nodes:
        value = node.meta.get("val")
        if _torch_compat.is_symbol(value):
            return True
        if isinstance(value, torch.Tensor) and any(
            _torch_compat.is_symbol(s) for s in (*value.shape, *value.stride(), value.storage_offset())
        ):
            return True
    return False


class SpecializedGraph:
    """Keeps the symbolic graph and the executables for the sizes that were seen."""

    def __init__(self, name: str, gm: fx.GraphModule, build: Build) -> None:
        self._boxed_call = True
        self.name = name
        self._gm, self._build = gm, build
        self._made: dict[Any, Callable[[list[Any]], list[Any]]] = {}
        self._lock = threading.Lock()

    def __call__(self, args: list[Any]) -> list[Any]:
        """Finds or makes the executable for these sizes and runs it."""
        key = tuple(_signature(a) for a in args)
        run = self._made.get(key)
        if run is None:
            with self._lock:
                run = self._made.get(key)
                if run is None:
                    run = self._made[key] = self._specialize(args)
        return run(args)

    def _specialize(self, args: list[Any]) -> Callable[[list[Any]], list[Any]]:
        with _torch_compat.without_modes():
            mode = _torch_compat.fake_mode(allow_non_fake_inputs=True)
            fakes = [mode.from_tensor(a, static_shapes=True) if isinstance(a, torch.Tensor) else a for a in args]
            with mode, torch.no_grad(), _torch_compat.preserve_node_meta():
                concrete = _torch_compat.make_fx(lambda *x: fx.Interpreter(self._gm).run(*x))(*fakes)
        return self._build(concrete, fakes, f"{self.name}_{len(self._made)}")


def _signature(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.dtype, value.device, tuple(value.shape), tuple(value.stride())
    return value if isinstance(value, int | float | bool) else id(type(value))
