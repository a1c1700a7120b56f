"""Where the clients lie, what they run on and what builds them."""

import os
import pathlib

HERE = pathlib.Path(__file__).parent
TARGETS = ["gfx942", "gfx950"]


def clang() -> str:
    """The HIP compiler of the build."""
    return os.environ.get("OCTAVO_LLVM_PREFIX", "/usr/lib/llvm-22") + "/bin/clang++"
