"""Runs a function through import, `octavo-import` and the reference interpreter, and compares with eager PyTorch.

No kernel takes part: what is tested is what the octavo level says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch._functorch.aot_autograd import aot_function, make_boxed_func

from octavo import _octavo, reference
from octavo.frontend import decompositions
from octavo.frontend.importer import (
    ConstantInput,
    ConstantOutput,
    ImportedGraph,
    InputOutput,
    PlaceholderInput,
    ResultOutput,
    ValueOutput,
    ViewOutput,
    import_graph,
)

TARGET = "gfx950"
NARROW = (torch.bfloat16, torch.float16)


def lowered(graph: ImportedGraph, whole: bool = True) -> str:
    """The module at the octavo level; with `whole` a call that is left is a failure."""
    text = _octavo.run_pipeline(graph.text, "builtin.module(octavo-import)")
    if whole:
        left = [line.strip() for line in text.splitlines() if "aten.call" in line]
        assert not left, "\n".join(left)
    return text


def bytes_of(tensor: torch.Tensor) -> np.ndarray:
    """The elements in row-major order, as bytes."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    if plain.numel() == 0:
        return np.zeros(0, np.uint8)
    return plain.view(-1).view(torch.uint8).numpy()


def execute(graph: ImportedGraph, text: str, placeholders: Sequence[Any]) -> list[Any]:
    """Results in the order of the FX output; written placeholders are updated in place."""
    arrays = []
    for held in graph.inputs:
        if isinstance(held, ConstantInput):
            arrays.append(bytes_of(graph.constants[held.constant]))
        else:
            assert isinstance(held, PlaceholderInput)
            arrays.append(bytes_of(placeholders[held.placeholder]))
    raw = reference.run(text, arrays, graph.name)
    results = []
    for array, layout in zip(raw, graph.results, strict=True):
        dense = torch.empty(layout.shape, dtype=layout.dtype)
        if dense.numel():
            data = torch.frombuffer(bytearray(array.tobytes()), dtype=torch.uint8)
            dense = data.view(layout.dtype).view(layout.shape)
        result = torch.empty_strided(layout.shape, layout.strides, dtype=layout.dtype)
        results.append(result.copy_(dense))
    for write in graph.writes:
        placeholders[write.placeholder].copy_(results[write.result])

    def base_of(output: Any) -> torch.Tensor:
        return results[output.result] if isinstance(output, ResultOutput) else placeholders[output.placeholder]

    outputs: list[Any] = []
    for output in graph.outputs:
        match output:
            case ResultOutput() | InputOutput():
                outputs.append(base_of(output))
            case ViewOutput():
                base = base_of(output.base)
                if base.dtype != output.layout.dtype:
                    base = torch.view_as_real(base) if base.is_complex() else base.view(output.layout.dtype)
                offset = base.storage_offset() + output.offset
                outputs.append(base.as_strided(output.layout.shape, output.layout.strides, offset))
            case ConstantOutput():
                outputs.append(graph.constants[output.constant])
            case ValueOutput():
                outputs.append(output.value)
    return outputs


def compiler(seen: list[ImportedGraph], whole: bool = True) -> Callable[[torch.fx.GraphModule, Any], Any]:
    """A graph compiler for AOTAutograd that runs the reference interpreter."""

    def compile_graph(gm: torch.fx.GraphModule, example_inputs: Any) -> Any:
        graph = import_graph(gm, example_inputs, target=TARGET, name="graph")
        text = lowered(graph, whole)
        seen.append(graph)
        return make_boxed_func(lambda *args: execute(graph, text, args))

    return compile_graph


def _leaves(inputs: Sequence[Any]) -> list[Any]:
    """The inputs as leaves of their own, strides kept, gradients wanted where the type has them."""
    leaves: list[Any] = []
    for value in inputs:
        if isinstance(value, torch.Tensor):
            memory, start = value.untyped_storage().clone(), value.storage_offset()
            copy = torch.empty(0, dtype=value.dtype).set_(memory, start, value.shape, value.stride())
            value = copy.requires_grad_(value.is_floating_point() or value.is_complex())
        leaves.append(value)
    return leaves


def _flat(outputs: Any) -> list[torch.Tensor]:
    return [o for o in torch.utils._pytree.tree_leaves(outputs) if isinstance(o, torch.Tensor)]


def _gradients(outputs: list[torch.Tensor], leaves: list[Any]) -> list[torch.Tensor | None]:
    differentiable = [o for o in outputs if o.requires_grad]
    wanted = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if not differentiable or not wanted:
        return []
    generator = torch.Generator().manual_seed(1)
    seeds = [torch.randn(o.shape, generator=generator).to(o.dtype) for o in differentiable]
    return list(torch.autograd.grad(differentiable, wanted, seeds, allow_unused=True))


def check(function: Callable[..., Any], *inputs: Any, grad: bool = True, **tolerance: Any) -> list[ImportedGraph]:
    """Forward and (`grad`) backward of `function` agree with eager; every operator is lowered. Returns the graphs."""
    seen: list[ImportedGraph] = []
    compiled = aot_function(
        function,
        fw_compiler=compiler(seen),
        bw_compiler=compiler(seen),
        decompositions=decompositions.table(),
        keep_inference_input_mutations=True,
    )
    ours, theirs = _leaves(inputs), _leaves(inputs)
    if not grad:
        for leaf in (*ours, *theirs):
            if isinstance(leaf, torch.Tensor):
                leaf.requires_grad_(False)
    # Tensors that the function holds are constants of its graph.
    mode = torch._subclasses.FakeTensorMode(allow_non_fake_inputs=True)
    with torch._guards.tracing(torch._guards.TracingContext(mode)):
        first = compiled(*ours)
    got, expected = _flat(first), _flat(function(*theirs))

    leaves = _leaves([v.double() if isinstance(v, torch.Tensor) and v.dtype in NARROW else v for v in inputs])

    def exact() -> list[torch.Tensor]:
        return _flat(function(*leaves))

    compare(got, expected, exact, **tolerance)
    if grad:
        compare(_gradients(got, ours), _gradients(expected, theirs), lambda: _gradients(exact(), leaves), **tolerance)
    else:
        compare(_flat(ours), _flat(theirs))
    return seen


def compare(
    got: Sequence[Any], expected: Sequence[Any], exact: Callable[[], Sequence[Any]] | None = None, **tolerance: Any
) -> None:
    """Same count, shapes and types, and values within PyTorch's tolerance of eager's.

    Narrow floats may also differ from eager where eager itself is far from the exact result: then ours is at most as
    far as twice eager's worst element, beside the tolerance.
    """
    assert len(got) == len(expected)
    for index, (ours, theirs) in enumerate(zip(got, expected, strict=True)):
        if theirs is None:
            assert ours is None
            continue
        ours, theirs = ours.detach().resolve_conj(), theirs.detach().resolve_conj()
        try:
            torch.testing.assert_close(ours, theirs, equal_nan=True, **tolerance)
        except AssertionError:
            if exact is None or tolerance or ours.dtype not in NARROW or ours.shape != theirs.shape:
                raise
            true = exact()[index].detach()
            worst = (theirs.double() - true).abs().max()
            if ((ours.double() - true).abs() > 1.6e-2 * true.abs() + 2 * worst).any():
                raise
