"""Every environment variable that the package reads."""

from __future__ import annotations

import os
import pathlib

PREFIX = "OCTAVO_"


def option(name: str) -> str | None:
    """What the user's environment says of the compile option `name` (`fp8` is `OCTAVO_FP8`); None where it is unset."""
    return os.environ.get(PREFIX + name.upper())


def target() -> str | None:
    """`OCTAVO_TARGET`: the GPU to compile for; with it set, kernels run on the simulator."""
    return os.environ.get(PREFIX + "TARGET") or None


def cache_folder() -> pathlib.Path:
    """`OCTAVO_CACHE_DIR`, or `octavo` in the user's cache folder."""
    if given := os.environ.get(PREFIX + "CACHE_DIR"):
        return pathlib.Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return (pathlib.Path(base) if base else pathlib.Path.home() / ".cache") / "octavo"


def torch_caches_are_disabled() -> bool:
    """Torch's own switch that forbids every compile cache."""
    return os.environ.get("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "0") == "1"


def interpret() -> bool:
    """`OCTAVO_INTERPRET=1`: run every node eagerly, without kernels. For comparing a recipe's meaning with its
    kernels.
    """
    return os.environ.get(PREFIX + "INTERPRET", "0") == "1"


def build_folder() -> pathlib.Path | None:
    """`OCTAVO_BUILD_DIR`: a developer's build whose `bin` and `lib` are used in place of the package's."""
    given = os.environ.get(PREFIX + "BUILD_DIR")
    return pathlib.Path(given) if given else None


def choose_target(name: str | None) -> None:
    """Sets `OCTAVO_TARGET` for this process and those that it starts; None unsets it."""
    if name is None:
        os.environ.pop(PREFIX + "TARGET", None)
    else:
        os.environ[PREFIX + "TARGET"] = name
