"""A torch.compile backend that runs graphs on the reference interpreter, to judge passes/AtenToOctavo without a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from functorch.compile import make_boxed_func
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._inductor.decomposition import select_decomp_table

from octavo import _octavo
from octavo.frontend import importer

DTYPES: dict[str, torch.dtype] = {
    "i1": torch.bool, "i8": torch.int8, "ui8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
    "complex<f32>": torch.complex64, "f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2,
    "f8E4M3FNUZ": torch.float8_e4m3fnuz, "f8E5M2FNUZ": torch.float8_e5m2fnuz,
}


def to_bytes(tensor: torch.Tensor) -> bytes:
    flat = tensor.detach().resolve_conj().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes()


def from_bytes(name: str, shape: Sequence[int], data: bytes) -> torch.Tensor:
    if not data:
        return torch.empty(*shape, dtype=DTYPES[name])
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(DTYPES[name]).reshape(tuple(shape))


def strided(tensor: torch.Tensor, layout: importer.Layout) -> torch.Tensor:
    assert tensor.dtype == layout.dtype and tuple(tensor.shape) == layout.shape, (tensor.dtype, tensor.shape, layout)
    return torch.empty_strided(layout.shape, layout.strides, dtype=layout.dtype).copy_(tensor)


def lower(text: str) -> str:
    return _octavo.run_pipeline(text, "builtin.module(octavo-import)")


def compile_graph(gm: fx.GraphModule, example_inputs: list[Any], lowered: list[str]) -> Callable[..., Any]:
    graph = importer.import_graph(gm, example_inputs, target="gfx950", name="graph")
    text = lower(graph.text)
    lowered.append(text)

    def run(*args: Any) -> tuple[Any, ...]:
        tensors = [args[i.placeholder] if isinstance(i, importer.PlaceholderInput) else graph.constants[i.constant]
                   for i in graph.inputs]
        raw = _octavo.run_reference(text, [to_bytes(t) for t in tensors])
        results = [strided(from_bytes(*r), layout) for r, layout in zip(raw, graph.results, strict=True)]
        for write in graph.writes:
            args[write.placeholder].copy_(results[write.result])

        def place(output: importer.Output) -> Any:
            match output:
                case importer.ResultOutput(result):
                    return results[result]
                case importer.InputOutput(placeholder):
                    return args[placeholder]
                case importer.ConstantOutput(constant):
                    return graph.constants[constant]
                case importer.ValueOutput(value):
                    return value
                case importer.ViewOutput(base, layout, offset):
                    source = place(base)
                    if layout.dtype != source.dtype:
                        source = torch.view_as_real(source) if source.is_complex() else source.view(layout.dtype)
                    return source.as_strided(layout.shape, layout.strides, source.storage_offset() + offset)

        return tuple(place(output) for output in graph.outputs)

    return run


class ReferenceBackend:
    """`torch.compile(f, backend=ReferenceBackend())`; `lowered` collects the octavo-level text of every graph."""

    def __init__(self, decompositions: dict[Any, Any] | None = None) -> None:
        self.lowered: list[str] = []
        self.decompositions = select_decomp_table() if decompositions is None else decompositions

    def __call__(self, gm: fx.GraphModule, example_inputs: list[Any]) -> Any:
        def compiler(g: fx.GraphModule, e: list[Any]) -> Any:
            return make_boxed_func(compile_graph(g, e, self.lowered))

        backend = aot_autograd(fw_compiler=compiler, decompositions=self.decompositions,
                               keep_inference_input_mutations=True)
        return backend(gm, example_inputs)


def check(function: Callable[..., Any], *inputs: Any, backward: bool = True, rtol: float | None = None,
          atol: float | None = None) -> ReferenceBackend:
    """Compare outputs and input gradients of `function` compiled for the reference interpreter with eager PyTorch."""
    torch._dynamo.reset()
    backend = ReferenceBackend()

    def run(call: Callable[..., Any]) -> tuple[list[Any], list[Any]]:
        args = [x.detach().clone(memory_format=torch.preserve_format).requires_grad_(x.requires_grad)
                if isinstance(x, torch.Tensor) else x for x in inputs]
        outputs = call(*args)
        outputs = list(outputs) if isinstance(outputs, tuple | list) else [outputs]
        leaves = [a for a in args if isinstance(a, torch.Tensor) and a.requires_grad]
        if not (backward and leaves):
            return outputs, []
        tangents = [torch.randn(o.shape, generator=torch.Generator().manual_seed(7), dtype=torch.float32).to(o.dtype)
                    for o in outputs if o.requires_grad]
        gradients = torch.autograd.grad([o for o in outputs if o.requires_grad], leaves, tangents, allow_unused=True)
        return outputs, list(gradients)

    expected = run(function)
    actual = run(torch.compile(function, backend=backend, fullgraph=True, dynamic=False))
    for a, e in zip([*actual[0], *actual[1]], [*expected[0], *expected[1]], strict=True):
        torch.testing.assert_close(a, e, rtol=rtol, atol=atol, equal_nan=True)
    return backend
