"""Compiles a piece of a program from text and runs it on the simulator, on numpy arrays. For tests."""

from __future__ import annotations

import ctypes
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from octavo import _octavo

Argument = np.ndarray[Any, Any] | np.generic | int | float

_SIZES = {"i1": 1, "i8": 1, "ui8": 1, "i16": 2, "ui16": 2, "f16": 2, "bf16": 2, "i32": 4, "ui32": 4, "f32": 4}
_SIZES |= {"i64": 8, "ui64": 8, "f64": 8, "complex<f32>": 8, "complex<f64>": 16}
_NUMBERS: dict[str, type[np.generic]] = {"i32": np.int32, "i64": np.int64, "f32": np.float32, "f64": np.float64}


def _item_bytes(dtype: str) -> int:
    return 1 if dtype.startswith("f8") else _SIZES[dtype]


@dataclass(frozen=True)
class Launch:
    """What the simulator counted for one launch."""

    kernel: str
    counters: Mapping[str, Any]


@dataclass
class Compiled:
    """A compiled module whose kernels can be launched one by one."""

    program: dict[str, Any]
    code: bytes
    remarks: list[tuple[str, str, str]]
    launches: list[Launch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._objects = [
            _octavo.SimulatedCode(self.code[o["offset"] : o["offset"] + o["bytes"]]) for o in self.program["objects"]
        ]

    def kernel(self, name: str | None = None) -> dict[str, Any]:
        """Facts about a kernel: registers, LDS, lanes. Without a name there must be one only."""
        kernels = [k for k in self.program["kernels"] if name in (None, k["name"])]
        if len(kernels) != 1:
            raise ValueError(f"{name or 'one kernel'}: the module has {[k['name'] for k in self.program['kernels']]}")
        return dict(kernels[0])

    def launch(self, args: Sequence[Argument], grid: Sequence[int] | int = 1, name: str | None = None) -> Launch:
        """Runs one kernel: arrays are passed by address and written in place, numpy scalars in their type, `int` as
        i32 and `float` as f32.
        """
        kernel = self.kernel(name)
        sizes = (grid,) if isinstance(grid, int) else tuple(grid)
        block = _argument_block(args)
        if (len(block) + 7) // 8 != (kernel["kernarg_bytes"] + 7) // 8:
            raise ValueError(f"{kernel['name']} takes {kernel['kernarg_bytes']} bytes of arguments, got {len(block)}")
        code = self._objects[kernel["object"]]
        counters = code.launch(kernel["name"], [*sizes, 1, 1][:3], kernel["lanes"], block)
        self.launches.append(Launch(kernel["name"], counters))
        return self.launches[-1]


def _argument_block(args: Sequence[Argument]) -> bytes:
    block = bytearray()

    def append(data: bytes) -> None:
        block.extend(bytes(-len(block) % len(data)))
        block.extend(data)

    for arg in args:
        if isinstance(arg, np.ndarray):
            append(struct.pack("<Q", arg.ctypes.data))
        elif isinstance(arg, np.generic):
            append(arg.tobytes())
        elif isinstance(arg, float):
            append(struct.pack("<f", arg))
        else:
            append(struct.pack("<i", arg))
    return bytes(block)


def compile_text(text: str, target: str, options: Mapping[str, str] | None = None) -> Compiled:
    """Compiles a module at any level (or a lone tile.func or gpu.module) without the cache.

    Raises:
        RuntimeError: the compiler's errors with their locations.
    """
    result = _octavo.compile(text, target, dict(options or {}), cache=False)
    return Compiled(json.loads(result.json), result.code, result.remarks)


def run_tile(
    text: str,
    args: Sequence[Argument],
    grid: Sequence[int] | int = 1,
    *,
    target: str,
    name: str | None = None,
) -> Compiled:
    """Compiles one kernel and launches it once; arrays are written in place.

    Args:
        text: a tile.func or a gpu.module.
        args: the kernel's arguments in their order.
        grid: number of workgroups in one to three dimensions.
        target: name of the GPU.
        name: the kernel, if there are several.
    """
    compiled = compile_text(text, target)
    compiled.launch(args, grid, name)
    return compiled


def run_octavo(
    text: str,
    inputs: Sequence[np.ndarray[Any, Any]],
    *,
    target: str,
    calls: Callable[[dict[str, Any], list[np.ndarray[Any, Any]]], None] | None = None,
) -> list[np.ndarray[Any, Any]]:
    """Compiles a function at the aten or octavo level and runs all of its launches.

    Args:
        text: a module with one function.
        inputs: one array per argument, with the strides that the function's arguments have.
        target: name of the GPU.
        calls: does the steps that have no kernel; gets the step and byte views of its inputs and outputs.

    Returns:
        One array of bytes (uint8, as long as the tensor reaches in memory) per result. Results that are written to an
        argument are that argument's bytes.
    """
    compiled = compile_text(text, target)
    return run_program(compiled, inputs, calls)


def run_program(
    compiled: Compiled,
    inputs: Sequence[np.ndarray[Any, Any]],
    calls: Callable[[dict[str, Any], list[np.ndarray[Any, Any]]], None] | None = None,
) -> list[np.ndarray[Any, Any]]:
    """Runs the steps of a compiled function on the simulator; see `run_octavo`."""
    program = compiled.program
    if len(inputs) != len(program["inputs"]):
        raise ValueError(f"the function has {len(program['inputs'])} arguments, got {len(inputs)}")
    sources = [_bytes_of(a, t) for a, t in zip(inputs, program["inputs"], strict=True)]
    results = [
        sources[t["writes"]] if t["writes"] is not None else np.full(extent(t), 0xA5, np.uint8)
        for t in program["outputs"]
    ]
    workspace = np.full(max(program["workspace_bytes"], 1), 0xA5, np.uint8)

    def place(where: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        if "input" in where:
            return sources[int(where["input"])]
        if "output" in where:
            return results[int(where["output"])]
        return workspace[int(where["workspace"]) :]

    for step in program["steps"]:
        if "call" in step:
            if calls is None:
                raise ValueError(f"{step['call']} has no kernel: {step['reason']}")
            calls(step, [place(t["place"]) for t in (*step["inputs"], *step["outputs"])])
            continue
        args: list[Argument] = []
        for arg in step["args"]:
            kind, value = next(iter(arg.items()))
            args.append(_NUMBERS[kind](value) if kind in _NUMBERS else place(arg))
        compiled.launch(args, step["grid"], program["kernels"][step["launch"]]["name"])
    return results


def extent(tensor: Mapping[str, Any]) -> int:
    """Bytes from the first to behind the last element of a tensor of the program."""
    shape, strides = tensor["shape"], tensor["strides"]
    if 0 in shape:
        return 0
    last = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
    return int((last + 1) * _item_bytes(tensor["dtype"]))


def _bytes_of(array: np.ndarray[Any, Any], tensor: Mapping[str, Any]) -> np.ndarray[Any, Any]:
    """The memory of an array as bytes, without a copy: of an array with the tensor's shape and strides, or of enough
    contiguous bytes.
    """
    needed, item = extent(tensor), _item_bytes(tensor["dtype"])
    strides = [s * item for s in tensor["strides"]]
    sizes = zip(array.strides, strides, array.shape, strict=False)
    fits = list(array.shape) == list(tensor["shape"]) and all(a == b for a, b, n in sizes if n > 1)
    is_raw = array.dtype == np.uint8 and array.ndim == 1 and array.flags.c_contiguous and array.size >= needed
    if not is_raw and not (fits and array.itemsize == item):
        raise ValueError(
            f"expected {item}-byte items of shape {tensor['shape']} with strides of {strides} bytes, got "
            f"{array.itemsize}-byte items of shape {array.shape} with strides of {array.strides} bytes"
        )
    memory = (ctypes.c_uint8 * needed).from_address(array.ctypes.data)
    return np.frombuffer(memoryview(memory).cast("B"), np.uint8)
