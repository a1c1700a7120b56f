"""The autocast that TorchAO's layers ask for, on the CPU."""

import contextlib
from collections.abc import Iterator

import torch


@contextlib.contextmanager
def autocast() -> Iterator[None]:
    """bf16 on the CPU; TorchAO's layers ask for the autocast of GPUs, wherever they run."""
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", torch.bfloat16)
    try:
        with torch.autocast("cpu", torch.bfloat16):
            yield
    finally:
        torch.set_autocast_enabled("cuda", False)
