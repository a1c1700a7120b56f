"""The reference interpreter: what a module computes, element by element on the host.

It is the oracle of tests and a way to see what an IR means where no GPU is at hand; it is slow.
"""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np

from octavo import _octavo

#: numpy's type for each element type that the interpreter returns.
NUMPY_TYPES: dict[str, np.dtype] = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "ui8": np.dtype(np.uint8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "complex<f32>": np.dtype(np.complex64),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E4M3FNUZ": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8E5M2FNUZ": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "f8E8M0FNU": np.dtype(ml_dtypes.float8_e8m0fnu),
}


def run(text: str, inputs: Sequence[np.ndarray], function: str = "") -> list[np.ndarray]:
    """Run `function` (by default the only one) of the module `text`.

    `inputs`: one array per argument, of its shape and element type; results have the types of NUMPY_TYPES.
    Raises RuntimeError with the location for text that does not parse or an op without a reference meaning.
    """
    buffers = [np.ascontiguousarray(array).tobytes() for array in inputs]
    results = _octavo.run_reference(text, buffers, function)
    return [np.frombuffer(data, NUMPY_TYPES[name]).reshape(shape).copy() for name, shape, data in results]


def run_tile(text: str, arguments: Sequence[np.ndarray | int | float], grid: Sequence[int], kernel: str = "") -> None:
    """Run every workgroup of a `tile.func` of the module `text`, one after the other.

    `arguments`: for a view the array whose memory it is, from the view's base (contiguous; changed in place), else a
    number. `grid`: workgroups in up to three dimensions. Raises RuntimeError as `run` does, and for an access outside
    of an array.
    """
    for argument in arguments:
        if isinstance(argument, np.ndarray) and not argument.flags.c_contiguous:
            raise ValueError("an array must be contiguous: it stands for memory")
    inputs = [a.tobytes() if isinstance(a, np.ndarray) else a for a in arguments]
    results = _octavo.run_tile_reference(text, inputs, [*grid, 1, 1][:3], kernel)
    for argument, data in zip(arguments, results, strict=True):
        if isinstance(argument, np.ndarray):
            argument[...] = np.frombuffer(data, argument.dtype).reshape(argument.shape)
