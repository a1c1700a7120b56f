"""Scales of blocks on the host: shapes, amax, E8M0 exponents, and the scale of every element.

A block is `[across, along]`: so many neighbours across the quantised (or contracted) axis and along it share a scale.
Across is the last dimension or, if that is the axis, the one before it. A partial block is what exists of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F

#: Rules that give a power of two in `float8_e8m0fnu`, from the bits of amax.
E8M0_RULES = ("e8m0_floor", "e8m0_rceil", "e8m0_even")


def sizes(dims: int, axis: int, block: Sequence[int]) -> list[int]:
    """Elements that share a scale along each of `dims` dimensions."""
    axis %= dims
    result = [1] * dims
    result[axis] = block[1]
    if block[0] != 1:
        result[dims - 2 if axis == dims - 1 else dims - 1] = block[0]
    return result


def scale_shape(shape: Sequence[int], axis: int, block: Sequence[int]) -> list[int]:
    """Shape of the scales of a tensor of `shape`."""
    return [-(-n // s) for n, s in zip(shape, sizes(len(shape), axis, block), strict=True)]


def amax(x: torch.Tensor, axis: int, block: Sequence[int]) -> torch.Tensor:
    """Largest magnitude of each block as f32; NaN stays NaN."""
    size = sizes(x.dim(), axis, block)
    padding = [p for n, s in zip(reversed(x.shape), reversed(size), strict=True) for p in (0, -n % s)]
    whole = F.pad(x.abs().float(), padding)
    parts = whole.reshape([p for n, s in zip(whole.shape, size, strict=True) for p in (n // s, s)])
    return parts.amax(list(range(1, parts.dim(), 2)))


def expand(scale: torch.Tensor, shape: Sequence[int], axis: int, block: Sequence[int]) -> torch.Tensor:
    """The scale of every element of a tensor of `shape`."""
    for dim, size in enumerate(sizes(len(shape), axis, block)):
        if size != 1:
            scale = scale.repeat_interleave(size, dim).narrow(dim, 0, shape[dim])
    return scale


def exponent_bytes(largest_magnitude: torch.Tensor, storage: torch.dtype, rule: str) -> torch.Tensor:
    """E8M0 bytes (int32) of decode scales, as OCP MX and TorchAO's modes of these names; 255 where amax is not
    finite.
    """
    info = torch.finfo(storage)
    if rule == "e8m0_rceil":
        bits = (largest_magnitude * torch.tensor(1.0 / info.max, dtype=torch.float32)).view(torch.int32)
        byte = (bits >> 23) + ((bits & 0x7FFFFF) != 0)
    else:
        bits = largest_magnitude.view(torch.int32)
        if rule == "e8m0_even":
            bits = bits + (1 << (22 + round(math.log2(info.eps))))
        byte = (bits >> 23) - math.frexp(info.max)[1] + 1
    return torch.where(largest_magnitude.isfinite(), byte.clamp(0, 254), 255)


def encode_of_bytes(byte: torch.Tensor) -> torch.Tensor:
    """`2 ** (127 - byte)` as f32, NaN for 255."""
    bits = torch.where(byte == 254, 0x00400000, (254 - byte) << 23)
    return torch.where(byte == 255, 0x7FC00000, bits).to(torch.int32).view(torch.float32)
