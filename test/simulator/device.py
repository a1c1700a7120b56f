"""Compiles C for a GPU and for the host, and launches kernels on the simulator through the HIP API.

The simulated GPU of a process is chosen once (`OCTAVO_TARGET`), so tests run one process per target.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
LLVM = pathlib.Path(os.environ.get("OCTAVO_LLVM_PREFIX", "/usr/lib/llvm-22")) / "bin"
BUILD = pathlib.Path(os.environ.get("OCTAVO_BUILD_DIR", ROOT / "build/dev"))
KERNEL_HEADER = ROOT / "test/simulator/kernel.h"
COMMON = ["-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv", "-w", "-include", str(KERNEL_HEADER), "-x", "c"]
# f16 on the host rounds after every operation, as the GPU does.
HOST = ["-march=x86-64-v3", "-O1", "-shared", "-fPIC", "-Xclang", "-ffloat16-excess-precision=none"]


def compile_gpu(source: pathlib.Path, arch: str, options: list[str], output: pathlib.Path) -> pathlib.Path:
    """The code object of a C file whose kernels are declared with KERNEL."""
    target = ["-target", "amdgcn-amd-amdhsa", f"-mcpu={arch}", "-nogpulib", "-ffreestanding"]
    run([str(LLVM / "clang"), *COMMON, *target, *options, "-c", str(source), "-o", f"{output}.o"])
    run([str(LLVM / "ld.lld"), "-shared", f"{output}.o", "-o", str(output)])
    return output


def compile_host(source: pathlib.Path, output: pathlib.Path) -> ctypes.CDLL:
    """The same file as a shared library of plain functions; `currentItem` in it says which work item runs."""
    run([str(LLVM / "clang"), *COMMON, *HOST, str(source), "-o", str(output), "-lm"])
    return ctypes.CDLL(str(output))


def run(command: list[str]) -> None:
    """Runs a command; its output is the message of a failure."""
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{result.stderr[-4000:]}")


class Module:
    """A code object on the simulated GPU of this process."""

    def __init__(self, code_object: pathlib.Path) -> None:
        self.hip = ctypes.CDLL(str(BUILD / "lib/libamdhip64.so"))
        self.hip.octavoSimLastError.restype = ctypes.c_char_p
        self.bytes = code_object.read_bytes()
        self.handle = ctypes.c_void_p()
        self.check(self.hip.hipModuleLoadData(ctypes.byref(self.handle), self.bytes))

    def check(self, status: int) -> None:
        """Raises with the simulator's message if `status` is an error."""
        if status != 0:
            raise RuntimeError(f"HIP error {status}: {self.hip.octavoSimLastError().decode()}")

    def launch(self, name: str, arguments: list[np.ndarray | ctypes._SimpleCData], items: int, block: int) -> None:
        """Runs a kernel on arrays (as pointers) and ctypes scalars and waits for its end."""
        function = ctypes.c_void_p()
        self.check(self.hip.hipModuleGetFunction(ctypes.byref(function), self.handle, name.encode()))
        values = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arguments]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        grid = (items // block, 1, 1, block, 1, 1)
        self.check(self.hip.hipModuleLaunchKernel(function, *grid, 0, None, pointers, None))
        self.check(self.hip.hipDeviceSynchronize())


def launch_host(library: ctypes.CDLL, name: str, arguments: list[np.ndarray | ctypes._SimpleCData], items: int) -> None:
    """Calls the host's function once per work item."""
    current = ctypes.c_int.in_dll(library, "currentItem")
    function = getattr(library, name)
    function.restype = None
    values = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in arguments]
    for item in range(items):
        current.value = item
        function(*values)
