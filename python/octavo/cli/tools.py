"""The commands that are programs of their own: `octavo-compile`, `octavo-opt`, `octavo-sim`, `octavo-lsp-server`."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from octavo import _paths


def _run(name: str) -> NoReturn:
    try:
        program = _paths.tool(name)
    except FileNotFoundError as error:
        raise SystemExit(f"{name}: {error}") from None
    os.execv(program, [name, *sys.argv[1:]])


def compile() -> NoReturn:
    """`octavo-compile`."""
    _run("octavo-compile")


def opt() -> NoReturn:
    """`octavo-opt`."""
    _run("octavo-opt")


def sim() -> NoReturn:
    """`octavo-sim`."""
    _run("octavo-sim")


def lsp_server() -> NoReturn:
    """`octavo-lsp-server`."""
    _run("octavo-lsp-server")
