"""Which GPU is compiled for."""

from __future__ import annotations

import json
import threading
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


_lock = threading.Lock()
_simulated: str | None = None


def _chip(name: str) -> str:
    return name.split(":")[0]


def prepare(name: str, device: str) -> None:
    """Makes sure that kernels for the target `name` can run on tensors of torch's device type `device`.

    Without an AMD GPU this process simulates the first target that is asked for.

    Raises:
        OctavoError: the machine's GPU is another one, or this process simulates another one already.
    """
    global _simulated
    here = of_this_machine()
    if device != "cpu":
        if here is None or _chip(here) != _chip(name):
            raise OctavoError(
                f"kernels for {name} cannot run on this machine's GPU ({here or 'none of AMD'})",
                way_out="leave the target out, or move the model and its inputs to the CPU to simulate it",
            )
        return
    with _lock:
        if _simulated is None:
            before = env.target()
            env.choose_target(name)  # read when the HIP library is opened, which may have happened already
            if not _octavo.runs_on_simulator():
                env.choose_target(before)
                return
            _simulated = str(json.loads(_octavo.simulator_report())["target"])
        if _chip(_simulated) != _chip(name):
            env.choose_target(_simulated)
            raise OctavoError(
                f"this process simulates {_simulated} already, not {name}",
                way_out="a process simulates one GPU: use another process for the other target",
            )


def float8_encoding(target: str) -> str:
    """What the matrix cores of `target` multiply: `ocp` or `fnuz`."""
    facts = _octavo.target_facts(target)
    if facts is None:
        raise OctavoError(f"unknown target {target!r}; the targets are {', '.join(_octavo.targets())}")
    return str(facts["float8"])
