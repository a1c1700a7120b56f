"""Kernels of one elementwise operation at the lane level, and running them."""

from __future__ import annotations

from typing import Any

import numpy as np

from octavo.runtime import harness

LANES = 256


def elementwise_text(body: str, inputs: list[str], output: str, width: int) -> str:
    """A kernel in which each lane computes %y (of `width` elements of type `output`) from %x0, %x1 …"""
    args = [f"%p{i}: !llvm.ptr<1> {{llvm.noalias, llvm.readonly}}" for i in range(len(inputs))]
    vector = "vector<{}x{}>".format
    lines = []
    for i, element in enumerate([*inputs, output]):
        byte = "i1" if element == "i1" else element
        storage = vector(width, "i8" if byte.startswith("f8") else byte)
        scalar = storage.split("x")[1].rstrip(">")
        lines.append(f"%a{i} = llvm.getelementptr %p{i}[%k] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {scalar}")
        if i == len(inputs):
            continue
        lines.append(f"%l{i} = llvm.load %a{i} {{alignment = 1 : i64}} : !llvm.ptr<1> -> {storage}")
        lines.append(f"%x{i} = arith.bitcast %l{i} : {storage} to {vector(width, element)}")
    storage = vector(width, "i8" if output.startswith("f8") else output)
    n = len(inputs)
    return f"""
gpu.module @kernels {{
  gpu.func @elementwise({", ".join(args)}, %p{n}: !llvm.ptr<1> {{llvm.noalias}}) kernel
      attributes {{known_block_size = array<i32: {LANES}, 1, 1>}} {{
    %block = gpu.block_id x
    %thread = gpu.thread_id x
    %lanes = arith.constant {LANES} : index
    %first = arith.muli %block, %lanes : index
    %index = arith.addi %first, %thread : index
    %i = arith.index_cast %index : index to i32
    %width = arith.constant {width} : i32
    %k = arith.muli %i, %width : i32
    {chr(10).join(lines)}
    {body}
    %z = arith.bitcast %y : {vector(width, output)} to {storage}
    llvm.store %z, %a{n} {{alignment = 1 : i64}} : {storage}, !llvm.ptr<1>
    gpu.return
  }}
}}"""


_NUMPY = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "f16": np.float16, "bf16": np.uint16, "i8": np.uint8}


def run_elementwise(
    body: str, inputs: list[tuple[str, np.ndarray[Any, Any]]], output: str, *, target: str, width: int = 4
) -> np.ndarray[Any, Any]:
    """Runs `body` on arrays of any length; 8-bit floats and bf16 travel as their codes."""
    count = len(inputs[0][1])
    padded = -(-count // (LANES * width)) * LANES * width
    arrays = [np.resize(values, padded) for _, values in inputs]
    result = np.zeros(padded, _NUMPY.get(output, np.uint8))
    text = elementwise_text(body, [element for element, _ in inputs], output, width)
    harness.run_tile(text, [*arrays, result], padded // (LANES * width), target=target)
    return result[:count]
