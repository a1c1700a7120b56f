"""`octavo doctor`: what is installed, and whether each part works here."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from octavo import _torch_compat, env, target


@dataclass(frozen=True)
class Finding:
    """One line of the report."""

    name: str
    text: str
    works: bool = True


def _version(package: str) -> Finding:
    try:
        return Finding(package, importlib.metadata.version(package))
    except importlib.metadata.PackageNotFoundError:
        return Finding(package, "not installed", package != "torch")


def _torch() -> Finding:
    import torch

    low, high = _torch_compat.SUPPORTED
    good = low <= _torch_compat.version() < high
    hip = torch.version.hip or "none"
    text = f"{torch.__version__}, HIP {hip}, GPU: {target.of_this_machine() or 'none'}"
    return Finding(
        "torch", text if good else f"{text} (tested with {low[0]}.{low[1]} up to {high[0]}.{high[1] - 1})", good
    )


def _compiler() -> Finding:
    from octavo import _octavo

    return Finding("compiler", f"{_octavo.__version__}, target {target.resolve()}")


def _hip() -> Finding:
    from octavo import _octavo

    where = "simulator" if _octavo.runs_on_simulator() else "AMD's runtime"
    return Finding("HIP library", f"{_octavo.hip_library()} ({where})")


def _cache() -> Finding:
    folder = env.cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".doctor"
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        return Finding("cache", f"{folder}: {error.strerror}; graphs are compiled anew in each process", False)
    return Finding("cache", str(folder))


def _kernels() -> Finding:
    """Ten kernels, compared bit for bit with the reference meaning of the same operators in PyTorch."""
    import torch

    from octavo.cli.kernels import KERNELS

    different = []
    for name, function, make in KERNELS:
        torch._dynamo.reset()
        args = make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = torch.compile(function, backend="octavo", fullgraph=True, options={"fallback": "error"})(*args)
        expected = function(*args)
        pairs = zip(_leaves(found), _leaves(expected), strict=True)
        if not all(torch.allclose(a.float(), b.float(), rtol=2**-7, atol=1e-5, equal_nan=True) for a, b in pairs):
            different.append(name)
    if different:
        return Finding("kernels", f"differ from PyTorch: {', '.join(different)}", False)
    return Finding("kernels", f"{len(KERNELS)} agree with PyTorch")


def _gpu() -> Finding:
    """The same ten code objects on this machine's GPU and on the simulator of its chip."""
    import torch

    from octavo.cli import comparison

    chip = target.of_this_machine()
    if chip is None:
        return Finding("GPU", "no AMD GPU here: nothing to compare with the simulator")
    lines = []
    results = comparison.compare_all(chip, torch.device("cuda", 0))
    for one in results:
        bits = "same bits" if one.same_bits else "OTHER BITS"
        lines.append(f"{one.name:15} {bits}, {one.measured_us:8.1f} us measured, {one.predicted_us:8.1f} us predicted")
    indented = "".join(f"\n{'':13}{line}" for line in lines)
    good = all(one.same_bits for one in results)
    return Finding("GPU", f"{chip}, beside its simulator:{indented}", good)


def _leaves(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def run() -> int:
    """Prints the report; 1 where something does not work."""
    print(f"python       {sys.version.split()[0]} on {platform.platform()}")
    checks: list[tuple[str, Callable[[], Finding]]] = [
        ("torch", _torch),
        ("torchao", lambda: _version("torchao")),
        ("compiler", _compiler),
        ("HIP library", _hip),
        ("cache", _cache),
        ("kernels", _kernels),
        ("GPU", _gpu),
    ]
    works = True
    for name, check in checks:
        try:
            finding = check()
        except Exception as error:
            finding = Finding(
                name, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", False
            )
        works &= finding.works
        print(f"{finding.name:12} {finding.text}{'' if finding.works else '   <-- this does not work'}")
    return 0 if works else 1
