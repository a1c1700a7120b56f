"""Inputs that the tests of the operator families share."""

from __future__ import annotations

import torch

LAYOUTS = ("0-d", "empty", "ragged", "transposed", "sliced", "broadcast")


def make(layout: str, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    """A tensor of the kind that `layout` names, with values around 1."""
    generator = torch.Generator().manual_seed(seed)

    def random(*shape: int) -> torch.Tensor:
        if not dtype.is_floating_point:
            return torch.randint(-5, 6, shape, generator=generator).to(dtype)
        return torch.randn(shape, generator=generator).to(dtype)

    match layout:
        case "0-d":
            return random()
        case "empty":
            return random(3, 0)
        case "ragged":
            return random(3, 7)
        case "transposed":
            return random(5, 3).t()
        case "sliced":
            return random(6, 9)[1:4, 2:9:2]
        case "broadcast":
            return random(3, 1).expand(3, 5)
    raise ValueError(layout)
