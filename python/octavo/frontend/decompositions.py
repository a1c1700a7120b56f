"""Which aten operators are taken apart before import, and into what."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from octavo import _torch_compat

# Changes with the table, because it decides what a cached graph means.
VERSION = 1

# Operators that keep their shape because the compiler has a better form for them than the decomposition.
KEPT = ("embedding_dense_backward",)


def _per_tensor(overload: Any) -> Callable[..., list[torch.Tensor]]:
    """`_foreach_op` as one `op` for each element of its lists; arguments that are no lists go to each."""
    name = overload.overloadpacket.__name__.removeprefix("_foreach_")
    function = _scalar_form(name)

    def decomposition(*args: Any, **kwargs: Any) -> list[torch.Tensor]:
        first = next(a for a in (*args, *kwargs.values()) if isinstance(a, list | tuple))
        return [
            function(
                *(a[i] if isinstance(a, list | tuple) else a for a in args),
                **{k: v[i] if isinstance(v, list | tuple) else v for k, v in kwargs.items()},
            )
            for i in range(len(first))
        ]

    return decomposition


def _scalar_form(name: str) -> Callable[..., torch.Tensor]:
    special: dict[str, Callable[..., torch.Tensor]] = {
        "maximum": lambda a, b: torch.clamp_min(a, b) if not isinstance(b, torch.Tensor) else torch.maximum(a, b),
        "minimum": lambda a, b: torch.clamp_max(a, b) if not isinstance(b, torch.Tensor) else torch.minimum(a, b),
        "norm": lambda a, ord=2, dtype=None: torch.linalg.vector_norm(a, ord, dtype=dtype),
        "addcmul": _fused(torch.addcmul),
        "addcdiv": _fused(torch.addcdiv),
        "max": torch.max,
        "zero": torch.zeros_like,
        "copy": lambda a, b, non_blocking=False: b.to(a.dtype).expand_as(a).clone(),
    }
    return special.get(name) or getattr(torch, name)


def _fused(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """`addcmul` and `addcdiv` take their factor by name, their list forms by place."""
    return lambda a, b, c, value=1: function(a, b, c, value=value)


def _foreach_table() -> dict[Any, Callable[..., Any]]:
    """Every functional `_foreach_` operator of this torch that has a form on one tensor."""
    table: dict[Any, Callable[..., Any]] = {}
    for name in dir(torch.ops.aten):
        if not name.startswith("_foreach_") or name.endswith("_"):
            continue
        packet = getattr(torch.ops.aten, name)
        for overload_name in packet.overloads():
            overload = getattr(packet, overload_name)
            schema = overload._schema
            one_tensor_of_factors = overload_name == "Tensor" and "addc" in name
            if schema.is_mutable or not schema.returns or overload_name.endswith("out") or one_tensor_of_factors:
                continue
            base = name.removeprefix("_foreach_")
            if base in ("addcmul", "addcdiv", "norm", "maximum", "minimum", "max", "zero", "copy") or hasattr(
                torch, base
            ):
                table[overload] = _per_tensor(overload)
    return table


@cache
def table() -> dict[Any, Callable[..., Any]]:
    """Inductor's decompositions without those in `KEPT`, and the `_foreach_` operators one tensor at a time."""
    found = _torch_compat.inductor_decompositions()
    for name in KEPT:
        packet = getattr(torch.ops.aten, name)
        for overload in packet.overloads():
            found.pop(getattr(packet, overload), None)
    return found | _foreach_table()
