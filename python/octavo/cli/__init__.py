"""The command `octavo`."""

from octavo.cli.main import main

__all__ = ["main"]
