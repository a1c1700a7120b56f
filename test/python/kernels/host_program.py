"""Runs a function at the octavo level as its kernels would: lowered to tile programs, each interpreted on the host.

It is the compiler down to `tile` with the reference's meaning below, so a difference to `octavo.reference.run` on the
same text is a fault of forming kernels, of their lowering or of the plan of the workspace.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from octavo import _octavo, reference

_STEP = re.compile(
    r"^ *(?:%(?P<result>\w+)(?::\d+)? = )?octavo\.launch @(?P<kernel>\w+)\((?P<inputs>[^)]*)\)"
    r" \{places = \[(?P<places>.*)\]\}"
    r" : \([^)]*\) -> \(?(?P<types>[^)]*)\)?"
)
_PLACE = re.compile(r"#octavo\.place<(\w+) at (\d+)>")
_RESHAPE = re.compile(r"^ *%(\w+) = tensor\.(?:expand|collapse)_shape %([\w#]+) ")
_KERNEL = re.compile(r"tile\.func @(\w+)\(.*tile\.grid = \[(\d+), (\d+), (\d+)\]")
_TENSOR = re.compile(r"tensor<((?:\d+x)*)([\w<>]+?)>(?=,|$|\s)")


def compile_text(text: str) -> str:
    """The module after `octavo-kernels` and `octavo-tile`."""
    return str(_octavo.run_pipeline(text, "builtin.module(octavo-kernels,octavo-tile)"))


def tensor_types(text: str) -> list[tuple[tuple[int, ...], np.dtype]]:
    """Shapes and numpy types of a list of tensor types."""
    return [
        (tuple(int(n) for n in sizes.split("x") if n), reference.NUMPY_TYPES[element])
        for sizes, element in _TENSOR.findall(text)
    ]


class HostProgram:
    """One function, compiled to tile programs."""

    def __init__(self, text: str) -> None:
        self.text = compile_text(text)
        self.grids = {m[1]: (int(m[2]), int(m[3]), int(m[4])) for m in _KERNEL.finditer(self.text)}
        self.steps = [m for line in self.text.splitlines() if (m := _STEP.match(line) or _RESHAPE.match(line))]
        returned = re.search(r"^ *return (.*) : (.*)$", self.text, re.MULTILINE)
        assert returned
        self.returned = [name.strip() for name in returned[1].split(",")]
        self.types = tensor_types(returned[2])
        header = re.search(r"func\.func @\w+\((.*?)\) -> (.*)$", self.text, re.MULTILINE)
        assert header
        workspace = re.search(r"octavo\.workspace_bytes = (\d+)", self.text)
        self.workspace_bytes = int(workspace[1]) if workspace else 0
        self.launches: list[str] = []

    def run(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """One array per result; nothing that a launch does not write is kept."""
        workspace = np.full(max(self.workspace_bytes, 1), 0xA5, np.uint8)
        outputs = [np.full(int(np.prod(s)) * t.itemsize, 0xA5, np.uint8) for s, t in self.types]
        values = {f"%arg{i}": np.ascontiguousarray(a).reshape(-1).view(np.uint8) for i, a in enumerate(inputs)}
        for step in self.steps:
            if step.re is _RESHAPE:
                values[f"%{step[1]}"] = values[f"%{step[2]}"]
                continue
            places, types = _PLACE.findall(step["places"]), tensor_types(step["types"])
            results = []
            for (kind, at), (shape, dtype) in zip(places, types, strict=True):
                size = int(np.prod(shape)) * dtype.itemsize
                memory = outputs[int(at)] if kind == "output" else workspace[int(at) : int(at) + size]
                results.append(memory)
            name = step["result"]
            for i, memory in enumerate(results):
                values[f"%{name}#{i}" if len(results) > 1 else f"%{name}"] = memory
            operands = [values[v.strip()] for v in step["inputs"].split(",") if v.strip()]
            reference.run_tile(self.text, [*operands, *results], self.grids[step["kernel"]], step["kernel"])
            self.launches.append(step["kernel"])
        return [values[n].view(t).reshape(s) for n, (s, t) in zip(self.returned, self.types, strict=True)]
