"""One compiled program as a step: allocates results, hands addresses to the executor, rebuilds the graph's values."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from octavo import _octavo, _torch_compat
from octavo.errors import OctavoError
from octavo.frontend.importer import (
    ConstantInput,
    ConstantOutput,
    ImportedGraph,
    Input,
    InputOutput,
    Layout,
    Output,
    ResultOutput,
    ViewOutput,
)
from octavo.runtime.executable import Values


@dataclass(frozen=True)
class Places:
    """Which values of the executable a program's placeholders and outputs are; None is an output that nobody reads."""

    inputs: tuple[int, ...]
    outputs: tuple[int | None, ...]


class ProgramStep:
    """Runs a compiled program; safe to call from several threads at once."""

    def __init__(self, graph: ImportedGraph, compiled: Any, places: Places, device: torch.device) -> None:
        self.name = graph.name
        self.json = str(compiled.json)
        self.program = _octavo.Program(compiled.json, compiled.code)
        self._graph, self._places, self._device = graph, places, device
        self._labels = [f"octavo::{kernel}" for kernel in self.program.kernel_names]
        self._workspace = int(self.program.workspace_bytes)
        self._constants = [c.to(device) for c in graph.constants]
        self._written = {w.result: w.placeholder for w in graph.writes}
        self._arguments = [self._argument(i) for i in graph.inputs]
        self._results = [self._result(i, layout) for i, layout in enumerate(graph.results)]
        self._outputs = [
            (number, self._output(output))
            for number, output in zip(places.outputs, graph.outputs, strict=True)
            if number is not None
        ]

    def launches(self) -> list[tuple[str, tuple[str, ...]]]:
        """Kernel of each launch, and the nodes of the graph that it computes."""
        program = json.loads(self.json)
        names = [str(kernel["name"]) for kernel in program["kernels"]]
        return [(names[s["launch"]], tuple(s["nodes"])) for s in program["steps"] if "launch" in s]

    def reads(self) -> Sequence[int]:
        """Values that are arguments."""
        return self._places.inputs

    def writes(self) -> Sequence[int]:
        """Values that the program defines."""
        return [number for number, _ in self._outputs]

    def run(self, values: Values) -> None:
        """Allocates, launches, and puts the outputs in their places."""
        arguments = [make(values) for make in self._arguments]
        results = [make(values) for make in self._results]
        workspace = torch.empty(self._workspace, dtype=torch.uint8, device=self._device) if self._workspace else None
        addresses = [a.data_ptr() for a in arguments], [r.data_ptr() for r in results]
        place, stream = 0 if workspace is None else workspace.data_ptr(), _stream(self._device)
        if _torch_compat.profiler_is_active():
            for index, label in enumerate(self._labels):
                with torch.autograd.profiler.record_function(label):
                    self.program.run_launch(index, *addresses, place, stream)
        else:
            self.program.run(*addresses, place, stream)
        for number, make_output in self._outputs:
            values[number] = make_output(values, results)

    def _argument(self, entry: Input) -> Callable[[Values], torch.Tensor]:
        if isinstance(entry, ConstantInput):
            constant = self._constants[entry.constant]
            return lambda values: constant
        number, layout, device = self._places.inputs[entry.placeholder], entry.layout, self._device
        if layout is None:
            raise OctavoError(f"{self.name}: kernels cannot read {entry.name}, which is no tensor")
        name = f"{self.name}: {entry.name}"

        def argument(values: Values) -> torch.Tensor:
            tensor: torch.Tensor = values[number]
            if tensor.device != device and tensor.dim() == 0:
                tensor = tensor.to(device)
            _check(tensor, layout, name)
            return tensor

        return argument

    def _result(self, index: int, layout: Layout) -> Callable[[Values], torch.Tensor]:
        if index in self._written:
            number = self._places.inputs[self._written[index]]
            return lambda values: values[number]
        device = self._device
        return lambda values: torch.empty_strided(layout.shape, layout.strides, dtype=layout.dtype, device=device)

    def _output(self, output: Output) -> Callable[[Values, list[torch.Tensor]], Any]:
        if isinstance(output, ResultOutput):
            result = output.result
            return lambda values, results: results[result]
        if isinstance(output, InputOutput):
            number = self._places.inputs[output.placeholder]
            return lambda values, results: values[number]
        if isinstance(output, ConstantOutput):
            constant = self._constants[output.constant]
            return lambda values, results: constant
        if isinstance(output, ViewOutput):
            return self._view(output)
        value = output.value
        return lambda values, results: value

    def _view(self, output: ViewOutput) -> Callable[[Values, list[torch.Tensor]], torch.Tensor]:
        base, layout, offset = self._output(output.base), output.layout, output.offset

        def view(values: Values, results: list[torch.Tensor]) -> torch.Tensor:
            tensor: torch.Tensor = base(values, results)
            start = tensor.storage_offset()
            if tensor.dtype is not layout.dtype:
                start = start * tensor.element_size() // layout.dtype.itemsize
                whole = torch.empty(0, dtype=layout.dtype, device=tensor.device)
                return whole.set_(tensor.untyped_storage(), start + offset, layout.shape, layout.strides)
            return tensor.as_strided(layout.shape, layout.strides, start + offset)

        return view


def _check(tensor: torch.Tensor, layout: Layout, name: str) -> None:
    """What was compiled for one layout would read another one's memory wrongly."""
    if tensor.dtype is layout.dtype and tensor.shape == layout.shape:
        if tensor.stride() == layout.strides:
            return
        pairs = zip(tensor.shape, tensor.stride(), layout.strides, strict=True)
        if tensor.numel() == 0 or all(size == 1 or a == b for size, a, b in pairs):
            return
    found = f"{tensor.dtype} {tuple(tensor.shape)} with strides {tensor.stride()}"
    raise OctavoError(f"{name} is {found}; compiled for {layout.dtype} {layout.shape} with strides {layout.strides}")


def _stream(device: torch.device) -> int:
    return int(torch.cuda.current_stream(device).cuda_stream) if device.type == "cuda" else 0
