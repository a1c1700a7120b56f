"""`octavo doctor`, `octavo options`, `octavo targets`, `octavo cache`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from octavo import env
from octavo.errors import OctavoError


def _targets() -> int:
    from octavo import _octavo

    for name in _octavo.targets():
        facts = _octavo.target_facts(name) or {}
        print(f"{name}  {facts['product']}, {facts['compute_units']} compute units, 8-bit floats: {facts['float8']}")
    return 0


def _options() -> int:
    from octavo.frontend.options import list_options

    for name, text in list_options().items():
        print(f"{name:14} {env.PREFIX}{name.upper():20} {text}")
    return 0


def _cache(clear: bool) -> int:
    folder = env.cache_folder()
    files = [p for p in folder.rglob("*") if p.is_file()] if folder.is_dir() else []
    print(f"{folder}: {len(files)} entries, {sum(p.stat().st_size for p in files) / 1e6:.1f} MB")
    if clear:
        for path in files:
            path.unlink(missing_ok=True)
        print(f"removed {len(files)} entries")
    return 0


def _doctor() -> int:
    from octavo.cli import doctor

    return doctor.run()


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="octavo", description="Octavo: FP8 training on AMD Instinct GPUs, compiled.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("doctor", help="report the environment and try each part of Octavo")
    commands.add_parser("targets", help="GPUs that Octavo compiles for")
    commands.add_parser("options", help="compile options and their environment variables")
    cache = commands.add_parser("cache", help="size of the cache of compiled code")
    cache.add_argument("--clear", action="store_true", help="remove all entries")
    chosen = parser.parse_args(arguments)
    try:
        if chosen.command == "cache":
            return _cache(chosen.clear)
        return {"doctor": _doctor, "targets": _targets, "options": _options}[chosen.command]()
    except OctavoError as error:
        print(f"octavo: {error}", file=sys.stderr)
        return 1
