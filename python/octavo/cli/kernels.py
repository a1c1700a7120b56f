"""The small functions that `octavo doctor` compiles and compares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from octavo.frontend.recipe.operators import quantize, scaled_matmul

Case = tuple[str, Callable[..., Any], Callable[[], tuple[torch.Tensor, ...]]]


def _random(*shapes: tuple[int, ...], dtype: torch.dtype = torch.float32) -> Callable[[], tuple[torch.Tensor, ...]]:
    def make() -> tuple[torch.Tensor, ...]:
        generator = torch.Generator().manual_seed(0)
        return tuple(torch.randn(shape, generator=generator).to(dtype) for shape in shapes)

    return make


def _rowwise(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (qa, sa), (qb, sb) = (quantize(t, 1, "e4m3fn", "pow2") for t in (a, b))
    return scaled_matmul(qa, qb, sa, sb, transpose_b=True, out_dtype=torch.bfloat16)


KERNELS: list[Case] = [
    ("add", lambda a, b: a + b, _random((64, 96), (96,))),
    ("silu", lambda a, b: F.silu(a) * b, _random((64, 96), (64, 96), dtype=torch.bfloat16)),
    ("sum", lambda a: a.sum(1), _random((64, 200))),
    ("max", lambda a: a.amax(0), _random((200, 64))),
    ("softmax", lambda a: torch.softmax(a, -1), _random((32, 128))),
    ("rms_norm", lambda a, w: F.rms_norm(a, (128,), w), _random((32, 128), (128,))),
    ("transpose", lambda a: a.t().contiguous(), _random((33, 65))),
    ("matmul", lambda a, b: a @ b, _random((64, 64), (64, 64), dtype=torch.bfloat16)),
    ("quantize", lambda a: quantize(a, 1, "e4m3fn", "pow2")[1], _random((64, 128), dtype=torch.bfloat16)),
    ("rowwise_matmul", _rowwise, _random((64, 128), (64, 128), dtype=torch.bfloat16)),
]
