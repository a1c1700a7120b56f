"""The simulated GPU of this process: what ran on it, and how it went.

Programs reach the simulator through HIP; this module reads what the library exports besides HIP. Reports say what was
executed since the last `reset`: each launch, and per kernel the executed instructions by name.
"""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import subprocess
import tempfile
import weakref
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, cast

from octavo import _paths
from octavo.errors import OctavoError

if TYPE_CHECKING:
    import numpy as np

    Argument = str | np.ndarray[Any, Any]

Timing = Literal["off", "auto", "on", "only"]
_TIMINGS: tuple[Timing, ...] = ("off", "auto", "on", "only")
_ALREADY_REGISTERED = 712  # hipErrorHostMemoryAlreadyRegistered


def library_path() -> pathlib.Path:
    """The simulator's `libamdhip64.so`, for `TRITON_LIBHIP_PATH` and the like."""
    return _paths.library("libamdhip64.so")


@cache
def library() -> ctypes.CDLL:
    """The library, loaded into this process."""
    lib = ctypes.CDLL(str(library_path()))
    lib.octavoSimVersion.restype = ctypes.c_char_p
    lib.octavoSimLastError.restype = ctypes.c_char_p
    lib.octavoSimReset.restype = None
    lib.octavoSimReportJson.restype = ctypes.c_size_t
    lib.octavoSimReportJson.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    lib.octavoSimSetTiming.argtypes = [ctypes.c_int]
    lib.hipGetErrorName.restype = ctypes.c_char_p
    lib.hipHostRegister.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint]
    lib.hipHostUnregister.argtypes = [ctypes.c_void_p]
    return lib


def version() -> str:
    """The release of Octavo that the library was built from."""
    return cast(bytes, library().octavoSimVersion()).decode()


def reset() -> None:
    """Forgets all launches, and a launch failure if there was one."""
    library().octavoSimReset()


def last_error() -> str:
    """The last error of this thread in full: the kernel, the instruction, the lanes. Empty if there was none."""
    return cast(bytes, library().octavoSimLastError()).decode(errors="replace")


def set_timing(mode: Timing) -> None:
    """When launches get a predicted time: never, between events that keep time (`auto`), or always.

    `only` predicts and runs no more than the workgroups that the prediction needs, so that large launches are timed in
    seconds; what they leave in memory is not the kernel's result.

    Raises:
        OctavoError: `mode` is none of the four.
    """
    if mode not in _TIMINGS:
        raise OctavoError(f"no timing mode {mode!r}", way_out=f"choose one of {', '.join(_TIMINGS)}")
    library().octavoSimSetTiming(_TIMINGS.index(mode))


def report() -> dict[str, Any]:
    """What was launched since the last `reset`.

    `launches` is a list with kernel, grid (in workgroups), block, wave instructions, bytes and `predicted_us` (None
    where there is no prediction); `kernels` maps each name to totals with `instructions` by mnemonic.
    """
    lib = library()
    size = 0
    # Other threads may launch between the two calls: ask again until it fits.
    while (needed := lib.octavoSimReportJson(None, 0)) > size:
        size = needed + 4096
        buffer = ctypes.create_string_buffer(size)
        if lib.octavoSimReportJson(buffer, size) <= size:
            return cast(dict[str, Any], json.loads(buffer.value))
    raise AssertionError("unreachable")


def _launch(
    verb: str,
    code_object: str | os.PathLike[str],
    arguments: Sequence[Argument],
    kernel: str,
    grid: tuple[int, ...],
    block: tuple[int, ...],
    lds_bytes: int,
    options: Sequence[str],
    good: tuple[int, ...] = (0,),
) -> dict[str, Any]:
    """What `octavo-sim VERB` reports of one launch; exit codes other than `good` are errors."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "report.json"
        command = [str(_paths.tool("octavo-sim")), verb, os.fspath(code_object), "--json", str(result), *options]
        command += ["--grid", ",".join(map(str, grid)), "--block", ",".join(map(str, block)), "--lds", str(lds_bytes)]
        command += ["--kernel", kernel] if kernel else []
        for index, argument in enumerate(arguments):
            if not isinstance(argument, str):
                np.save(file := pathlib.Path(folder) / f"{index}.npy", np.asarray(argument))
                argument = str(file)
            command += ["--arg", argument]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode not in good:
            raise OctavoError(done.stderr.strip() or f"octavo-sim ended with {done.returncode}")
        return cast(dict[str, Any], json.loads(result.read_text()))


def profile(
    code_object: str | os.PathLike[str],
    *arguments: Argument,
    kernel: str = "",
    grid: tuple[int, ...] = (1,),
    block: tuple[int, ...] = (64,),
    lds_bytes: int = 0,
    sampled: bool = True,
    trace: str | os.PathLike[str] | None = None,
    plot: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Predicts the time of one launch of a code object's kernel, as `octavo-sim profile` does.

    Args:
        code_object: the file.
        *arguments: the kernel's, in order: a numpy array, or what `octavo-sim --arg` understands, for example
            `"i32:4096"` and `"f8E4M3FN[4096x4096]:zeros"`.
        kernel: its name; may be left out if there is one.
        grid: workgroups in x, y and z.
        block: work items of a workgroup.
        lds_bytes: dynamic LDS.
        sampled: runs only the workgroups that the prediction needs; otherwise all (arrays are copies either way).
        trace: a file for the waves of a compute unit as trace events (chrome://tracing, Perfetto).
        plot: a file for a picture (SVG) of the roofline and of the waves.

    Returns:
        `predicted_us`, `bound`, `roofs` (microseconds that each resource alone would take), `stalls` (cycles by cause),
        `instruction_costs` (the same per instruction, with its text and source line), `occupancy`, `memory_bytes`,
        `counters` and more.

    Raises:
        OctavoError: the object, the kernel or an argument is wrong, or the launch failed.
    """
    options = ["--sampled"] if sampled else []
    options += ["--trace", os.fspath(trace)] if trace else []
    options += ["--plot", os.fspath(plot)] if plot else []
    return _launch("profile", code_object, arguments, kernel, grid, block, lds_bytes, options)


def check_kernel(
    code_object: str | os.PathLike[str],
    *arguments: Argument,
    kernel: str = "",
    grid: tuple[int, ...] = (1,),
    block: tuple[int, ...] = (64,),
    lds_bytes: int = 0,
    fast: bool = False,
) -> list[dict[str, Any]]:
    """Runs one launch of a code object's kernel with checks, as `octavo-sim check` does.

    Args:
        code_object: the file.
        *arguments: the kernel's, in order: a numpy array (copied), or what `octavo-sim --arg` understands.
        kernel: its name; may be left out if there is one.
        grid: workgroups in x, y and z.
        block: work items of a workgroup.
        lds_bytes: dynamic LDS.
        fast: leaves out races and uninitialized values.

    Returns:
        One entry for each finding: `kind`, `message`, `kernel`, `address`, `instruction`, `source`, `workgroup`, `wave`
        and `lane` (-1: the whole wave). Empty if nothing is wrong.

    Raises:
        OctavoError: the object, the kernel or an argument is wrong, or the launch failed without a finding.
    """
    options = ["--fast"] if fast else []
    report = _launch("check", code_object, arguments, kernel, grid, block, lds_bytes, options, good=(0, 3))
    return cast(list[dict[str, Any]], report["findings"])


def check(code: int, what: str) -> None:
    """Raises an OctavoError with the simulator's text if a HIP call failed."""
    if code:
        name = cast(bytes, library().hipGetErrorName(code)).decode()
        raise OctavoError(f"{what}: {name}: {last_error()}")


_registered: dict[int, int] = {}


def register_tensor(tensor: Any) -> None:
    """Tells the simulator how far a CPU tensor's storage reaches, until the storage is gone.

    Kernels may use CPU memory without this; with it, checks know each extent and pointer attributes have answers.
    """
    storage = tensor.untyped_storage()
    address, size = int(storage.data_ptr()), int(storage.nbytes())
    if size == 0 or _registered.get(address) == size:
        return
    if address in _registered:
        _unregister(address)
    code = library().hipHostRegister(address, size, 0)
    if code == _ALREADY_REGISTERED:
        return  # part of a larger range that its owner has registered
    check(code, "hipHostRegister")
    _registered[address] = size
    weakref.finalize(storage, _unregister, address).atexit = False


def _unregister(address: int) -> None:
    if _registered.pop(address, None) is not None:
        library().hipHostUnregister(address)
