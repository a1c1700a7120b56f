"""The ten kernels of `octavo doctor` on a device beside the simulator: the same code objects, bits and times."""

from __future__ import annotations

import json
import pathlib
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from octavo import _octavo, _torch_compat, simulator
from octavo.cli.kernels import KERNELS, Case
from octavo.frontend import decompositions
from octavo.frontend.importer import ImportedGraph, import_graph
from octavo.runtime import harness


@dataclass(frozen=True)
class Comparison:
    """One kernel: whether the results have the simulator's bits, and both times (microseconds, all launches)."""

    name: str
    same_bits: bool
    measured_us: float
    predicted_us: float


@dataclass(frozen=True)
class _Prepared:
    compiled: harness.Compiled
    runner: Any
    inputs: list[torch.Tensor]


def _prepare(case: Case, chip: str) -> _Prepared:
    name, function, make = case
    inputs = [a.contiguous() for a in make()]
    graphs: list[ImportedGraph] = []

    def keep(gm: torch.fx.GraphModule, examples: Any) -> Any:
        graphs.append(import_graph(gm, examples, target=chip, name=name))
        return _torch_compat.boxed(gm)

    backend = _torch_compat.aot_autograd(fw_compiler=keep, inference_compiler=keep, decompositions=decompositions.table)
    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(function, backend=backend, fullgraph=True)(*inputs)
    (graph,) = graphs
    found = _octavo.compile(graph.text, chip)
    compiled = harness.Compiled(json.loads(found.json), found.code, found.remarks)
    return _Prepared(compiled, _octavo.Program(found.json, found.code), inputs)


def _bytes(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    return np.asarray(tensor.cpu().view(-1).view(torch.uint8).numpy())


def _run(prepared: _Prepared, device: torch.device, repeats: int) -> tuple[list[np.ndarray[Any, Any]], float]:
    """Results as bytes, and microseconds of one run."""
    program = prepared.compiled.program
    inputs = [a.to(device) for a in prepared.inputs]
    sizes = [harness.extent(t) for t in program["outputs"]]
    outputs = [torch.empty(max(n, 1), dtype=torch.uint8, device=device) for n in sizes]
    workspace = torch.empty(max(program["workspace_bytes"], 1), dtype=torch.uint8, device=device)
    stream = int(torch.cuda.current_stream(device).cuda_stream) if device.type == "cuda" else 0
    addresses = [a.data_ptr() for a in inputs], [a.data_ptr() for a in outputs], workspace.data_ptr(), stream

    def run() -> None:
        prepared.runner.run(*addresses)

    run()
    microseconds = _on_gpu(run, repeats) if device.type == "cuda" else _on_cpu(run)
    return [_bytes(a)[:n] for a, n in zip(outputs, sizes, strict=True)], microseconds


def _on_gpu(run: Callable[[], None], repeats: int) -> float:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(repeats):
        run()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) * 1000 / repeats


def _on_cpu(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1e6


def _predict(prepared: _Prepared) -> float:
    """The timing model's microseconds for all launches, each by itself."""
    program, code, total = prepared.compiled.program, prepared.compiled.code, 0.0
    sources = [_bytes(a) for a in prepared.inputs]
    sizes = {"workspace": program["workspace_bytes"], "output": max(map(harness.extent, program["outputs"]), default=0)}
    with tempfile.TemporaryDirectory() as folder:
        for step in program["steps"]:
            kernel = program["kernels"][step["launch"]]
            place = program["objects"][kernel["object"]]
            path = pathlib.Path(folder) / "kernel.hsaco"
            path.write_bytes(code[place["offset"] : place["offset"] + place["bytes"]])
            arguments = []
            for argument in step["args"]:
                kind, value = next(iter(argument.items()))
                arguments.append(sources[value] if kind == "input" else np.zeros(max(sizes[kind], 1), np.uint8))
            found = simulator.profile(
                path, *arguments, kernel=kernel["name"], grid=tuple(step["grid"]), block=(kernel["lanes"], 1, 1)
            )
            total += float(found["predicted_us"])
    return total


def compare(case: Case, chip: str, device: torch.device, repeats: int = 100) -> Comparison:
    """Runs one kernel on `device` and on the simulator of `chip`."""
    prepared = _prepare(case, chip)
    found, measured = _run(prepared, device, repeats)
    expected = harness.run_program(prepared.compiled, [_bytes(a) for a in prepared.inputs])
    same = all(np.array_equal(a, b[: len(a)]) for a, b in zip(found, expected, strict=True))
    return Comparison(case[0], same, measured, _predict(prepared))


def compare_all(chip: str, device: torch.device) -> list[Comparison]:
    """All ten."""
    return [compare(case, chip, device) for case in KERNELS]
