"""Where the commands and libraries of this installation are."""

from __future__ import annotations

import pathlib

from octavo import env

_PACKAGE = pathlib.Path(__file__).parent


def _home() -> pathlib.Path:
    """The folder that has `bin` and `lib`: `OCTAVO_BUILD_DIR`, the installed package, or the developer's build."""
    if chosen := env.build_folder():
        return chosen
    if (_PACKAGE / "lib").is_dir():
        return _PACKAGE
    return _PACKAGE.parents[1] / "build" / "dev"


def library(name: str) -> pathlib.Path:
    """Path of a shared library.

    Raises:
        FileNotFoundError: it is not there (not built, or `OCTAVO_BUILD_DIR` is wrong).
    """
    return _existing(_home() / "lib" / name)


def tool(name: str) -> pathlib.Path:
    """Path of a command such as `octavo-sim`; errors as for `library`."""
    return _existing(_home() / "bin" / name)


def _existing(path: pathlib.Path) -> pathlib.Path:
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist: build it (tools/dev build) or set OCTAVO_BUILD_DIR")
    return path
