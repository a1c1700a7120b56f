"""Compiles a row's product with Octavo and asks the simulator for its time."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import numpy as np
from rows import Row, prediction_of


def text_of(row: Row) -> str:
    """The module: one `octavo.scaled_matmul`."""
    m, n, k, element = row.m, row.n, row.k, row.element()
    transposed_a, transposed_b = row.order[0] == "T", row.order[1] == "T"
    a = f"tensor<{f'{k}x{m}' if transposed_a else f'{m}x{k}'}x{element}>"
    b = f"tensor<{f'{n}x{k}' if transposed_b else f'{k}x{n}'}x{element}>"
    result = f"tensor<{m}x{n}xbf16>"
    arguments, types = [f"%a: {a}", f"%b: {b}"], [a, b]
    scaled_a = scaled_b = granules = ""
    if row.scaling != "none":
        scale_a, granule_a = _scale(row, m, 1, transposed_a, is_last=True)
        scale_b, granule_b = _scale(row, n, row.scale_across_b(), transposed_b, is_last=False)
        arguments += [f"%sa: {scale_a}", f"%sb: {scale_b}"]
        types = [a, scale_a, b, scale_b]
        scaled_a, scaled_b = " scaled %sa", " scaled %sb"
        granules = f" {{granule_a = #octavo.granule<{granule_a}>, granule_b = #octavo.granule<{granule_b}>}}"
    flags = ["transposed " if on else "" for on in (transposed_a, transposed_b)]
    return f"""module attributes {{octavo.target = #octavo.target<"{row.target}">}} {{
  func.func @product({", ".join(arguments)}) -> {result} {{
    %c = octavo.scaled_matmul {flags[0]}%a{scaled_a}, {flags[1]}%b{scaled_b}{granules} : {", ".join(types)} -> {result}
    return %c : {result}
  }}
}}
"""


def _scale(row: Row, size: int, across: int, transposed: bool, is_last: bool) -> tuple[str, str]:
    """Type and granule of a scale. `transposed` says how the operand is stored, `is_last` whether k is the last
    dimension of the operand that is not transposed."""
    if row.scaling == "tensor":
        return "tensor<1x1xf32>", "tensor"
    if row.scaling == "row":
        along, count, granule, element = 1, size, "row", "f32"
    else:
        step = row.scale_along() or row.k
        across = across if row.scaling == "block" else 1
        along, count = -(-row.k // step), -(-size // across)
        granule = f"block<{across}x{step}>" if row.scaling == "block" else f"mx<{step}>"
        element = "f8E8M0FNU" if row.scaling == "mx" else "f32"
    shape = f"{count}x{along}" if is_last != transposed else f"{along}x{count}"
    return f"tensor<{shape}x{element}>", granule


def tile_of(text: str) -> str:
    """M x N x K of the tile of the first product, as the compiler's tile level says it."""
    from octavo import _paths

    command = [str(_paths.tool("octavo-compile")), "-", "--emit", "tile"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    found = re.search(r"tile\.dot.*? : tensor<(\d+)x(\d+)x\w+>.*tensor<(\d+)x(\d+)x[fi]\w+>\s*$", done.stdout, re.M)
    if not found:
        return "-"
    first, second, m, n = (int(size) for size in found.groups())
    return f"{m}x{n}x{second if first == m else first}"


def measure(row: Row) -> dict[str, Any]:
    """The times of compiling and running, and what the simulator says of the longest launch.

    Raises:
        RuntimeError: the compiler's or the simulator's error.
    """
    from octavo import _octavo, simulator

    text = text_of(row)
    compiled = _octavo.compile(text, row.target, {}, cache=False)
    program = json.loads(compiled.json)
    # Memory that nobody has written costs nothing; what is in it decides no time.
    item = {"bf16": 2, "f32": 4}
    extents = [np.prod(t["shape"], dtype=np.int64) * item.get(t["dtype"], 1) for t in program["inputs"]]
    inputs = [np.empty(int(bytes_), np.uint8) for bytes_ in extents]
    output = np.empty(2 * row.m * row.n, np.uint8)
    workspace = np.empty(max(program["workspace_bytes"], 1), np.uint8)
    simulator.reset()
    loaded = _octavo.Program(compiled.json, compiled.code)
    loaded.run([i.ctypes.data for i in inputs], [output.ctypes.data], workspace.ctypes.data, 0)
    report = simulator.report()
    launches = report["launches"]
    longest = prediction_of(report)
    kernel = next(k for k in program["kernels"] if k["name"] == longest["kernel"])
    return {
        "us": sum(launch["predicted_us"] for launch in launches),
        "launches": [[launch["kernel"], launch["grid"], launch["predicted_us"]] for launch in launches],
        "tile": tile_of(text),
        "waves": kernel["lanes"] // 64,
        "registers": kernel["vgprs"],
        "spills": kernel["spills"],
        "lds": kernel["lds_bytes"],
        "compile_ms": sum(compiled.times.values()),
        "prediction": longest,
    }
