"""Octavo: FP8 training on AMD Instinct GPUs, compiled.

`torch.compile(model, backend="octavo")` needs no import of this package; what it offers besides is loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from octavo.errors import OctavoError

if TYPE_CHECKING:
    from octavo.explanation import Explanation, explain
    from octavo.frontend.options import list_mode_options, list_options

__version__ = "0.1.0"
__all__ = ["Explanation", "OctavoError", "explain", "list_mode_options", "list_options"]

_HOMES = {
    "Explanation": "octavo.explanation",
    "explain": "octavo.explanation",
    "list_mode_options": "octavo.frontend.options",
    "list_options": "octavo.frontend.options",
}


def _load_compiler() -> Any:
    """The extension module, or an error that says what is missing."""
    try:
        return importlib.import_module("octavo._octavo")
    except ModuleNotFoundError:
        raise OctavoError(
            "octavo's compiler is not built for this Python", way_out="run `pip install .`, or tools/dev build"
        ) from None
    except ImportError as error:
        raise OctavoError(
            f"octavo's compiler cannot be loaded: {error}",
            way_out="it needs LLVM and MLIR 22.1: install libllvm22 and libmlir-22 (tools/dev setup installs all)",
        ) from None


def __getattr__(name: str) -> Any:
    if name == "_octavo":
        return _load_compiler()
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'octavo' has no attribute {name!r}")
