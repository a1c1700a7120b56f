"""What is done on the joint graph of forward and backward, and how it is cut in two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import fx

from octavo import _torch_compat
from octavo.frontend import randomness


def partition(
    joint: fx.GraphModule, inputs: Any, check: Callable[[fx.GraphModule], None], **arguments: Any
) -> tuple[fx.GraphModule, fx.GraphModule]:
    """Makes random numbers a function of one saved seed, lets `check` refuse what is left, then lets torch's min-cut
    decide what is saved.

    Quantised operands need no tags: an 8-bit copy is the cheapest cut between a value and its only reader in
    backward. Parameters are saved as they are, for they cost nothing.
    """
    randomness.rewrite(joint)
    check(joint)
    return _torch_compat.min_cut_partition(joint, inputs, **arguments)
