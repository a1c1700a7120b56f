"""Which GPU is compiled for."""

from __future__ import annotations

from functools import cache

from octavo import _octavo, env
from octavo.errors import OctavoError


@cache
def of_this_machine() -> str | None:
    """Name of the first AMD GPU that torch sees, features included; None where there is none."""
    import torch

    if torch.version.hip is None or not torch.cuda.is_available():
        return None
    return str(torch.cuda.get_device_properties(0).gcnArchName)


def resolve(chosen: str | None = None) -> str:
    """The target: what was chosen, else `OCTAVO_TARGET`, else this machine's GPU, else the simulator's.

    Raises:
        OctavoError: the table of targets does not have it.
    """
    name = chosen or env.target() or of_this_machine() or str(_octavo.simulated_target)
    float8_encoding(name)
    return name


def float8_encoding(target: str) -> str:
    """What the matrix cores of `target` multiply: `ocp` or `fnuz`."""
    facts = _octavo.target_facts(target)
    if facts is None:
        raise OctavoError(f"unknown target {target!r}; the targets are {', '.join(_octavo.targets())}")
    return str(facts["float8"])
