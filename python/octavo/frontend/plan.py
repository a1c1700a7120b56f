"""How a graph is run: which nodes become programs, which run eagerly between them."""

from __future__ import annotations

import json
import logging
import pathlib
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from octavo import _octavo, _torch_compat, env, explanation, target
from octavo.errors import OctavoError, user_line
from octavo.explanation import NodeReport
from octavo.frontend import capability, expansion, segments
from octavo.frontend.before_autograd import module_name
from octavo.frontend.importer import ImportedGraph, import_graph, symbolic_text
from octavo.frontend.options import Options
from octavo.runtime import statistics
from octavo.runtime.executable import Executable, Step, eager_step, slots
from octavo.runtime.program import Places, ProgramStep

Boxed = Callable[[list[Any]], list[Any]]

log = logging.getLogger("octavo")


def build(gm: fx.GraphModule, example_inputs: list[Any], name: str, *, options: Options) -> Boxed:
    """Makes the executable of a graph with concrete sizes."""
    expansion.expand(gm)
    if env.interpret():
        eager = {n: "OCTAVO_INTERPRET is set" for n in gm.graph.nodes if n.op == "call_function"}
    else:
        eager = capability.refused_nodes(gm, example_inputs, options, name)
    statistics.count(graphs=1, fallback_nodes=sum(not capability.is_host(n) for n in eager))
    nodes = list(gm.graph.nodes)
    numbers = {node: i for i, node in enumerate(nodes)}
    steps: list[Step] = []
    for piece in segments.split(gm, set(eager)):
        if isinstance(piece, fx.Node):
            steps += [eager_step(a, numbers, gm) for a in piece.all_input_nodes if a.op == "get_attr"]
            steps.append(eager_step(piece, numbers, gm))
        else:
            part = name if not eager else f"{name}_part{sum(isinstance(s, ProgramStep) for s in steps)}"
            steps.append(_program(piece, numbers, part, options))
    _explain(gm, eager, [s for s in steps if isinstance(s, ProgramStep)], name)
    output = nodes[-1].args[0]
    outputs = output if isinstance(output, list | tuple) else [output]
    steps += [eager_step(a, numbers, gm) for a in nodes[-1].all_input_nodes if a.op == "get_attr"]
    inputs = sum(n.op == "placeholder" for n in nodes)
    return Executable(name, inputs, steps, [slots(o, numbers) for o in outputs])


def show_symbolic(gm: fx.GraphModule, example_inputs: list[Any], name: str, options: Options) -> None:
    """Puts the graph with its symbols where people look: the trace of torch, the folder of `dump`. Each set of sizes
    that occurs is a graph of its own, made when it first does.
    """

    def text() -> str:
        return symbolic_text(gm, example_inputs, target=target.resolve(options.target), name=name)

    _torch_compat.trace_artifact(f"octavo_{name}_aten", text)
    if options.dump:
        _dump(options.dump, f"{name}.aten.mlir", text())


def _explain(gm: fx.GraphModule, reasons: dict[fx.Node, str], programs: list[ProgramStep], name: str) -> None:
    """Says for `octavo.explain` what became of each node: kernels name the operators that they fused by location."""
    if not explanation.wanted():
        return
    kernels: dict[str, list[str]] = {}
    for program in programs:
        for kernel, names in program.launches():
            for node_name in names:
                kernels.setdefault(node_name, []).append(kernel)
    for node in gm.graph.nodes:
        if node.op != "call_function" or capability.is_host(node):
            continue
        where = user_line(node.meta.get("stack_trace"), module_name(node))
        reason = reasons.get(node, "")
        found = () if reason else tuple(dict.fromkeys(kernels.get(node.name, ())))
        explanation.note(NodeReport(name, node.name, capability.name_of(node), found, reason, where))


def _program(piece: segments.Segment, numbers: dict[fx.Node, int], name: str, options: Options) -> ProgramStep:
    """Imports and compiles one segment."""
    chip = target.resolve(options.target)
    with statistics.compiling("import"):
        examples = [n.meta.get("val") for n in piece.inputs]
        graph = import_graph(piece.module, examples, target=chip, name=name)
    _torch_compat.trace_artifact(f"octavo_{name}_aten", lambda: graph.text)
    compiled = _compile(graph, chip, options)
    device = _device(piece)
    target.prepare(chip, device.type)
    places = Places(tuple(numbers[n] for n in piece.inputs), tuple(numbers[n] for n in piece.outputs))
    return ProgramStep(graph, compiled, places, device)


def _compile(graph: ImportedGraph, chip: str, options: Options) -> Any:
    """From MLIR text to steps and code; remarks go to the log, or are errors where `strict`."""
    if options.dump:
        _dump(options.dump, f"{graph.name}.aten.mlir", graph.text)
    use_cache = options.cache and not env.torch_caches_are_disabled()
    try:
        with statistics.compiling("compile"):
            compiled = _octavo.compile(graph.text, chip, {}, use_cache)
    except RuntimeError as error:
        raise OctavoError(
            f"the compiler failed on {graph.name} for {chip}:\n{error}",
            way_out='this is a fault of Octavo; options={"dump": "FOLDER"} writes the graph that shows it',
        ) from None
    if options.dump:
        _dump(options.dump, f"{graph.name}.json", compiled.json)
        _dump(options.dump, f"{graph.name}.hsaco", compiled.code)
    statistics.count(cache_hits=int(compiled.from_cache))
    statistics.add_stages({f"compile/{stage}": ms / 1000 for stage, ms in compiled.times.items()})
    if compiled.cache_warning:
        log.warning("%s could not be cached: %s", graph.name, compiled.cache_warning)
    for severity, where, text in compiled.remarks:
        log.info("%s: %s: %s: %s", graph.name, where, severity, text)
    if options.strict and (slower := _slower_ways(compiled)):
        lines = "\n".join(f"  {line}" for line in slower)
        raise OctavoError(f"{graph.name} takes slower ways, and strict is set:\n{lines}")
    return compiled


def _slower_ways(compiled: Any) -> list[str]:
    """Remarks of passes that had to leave the fast way, and kernels whose registers do not suffice."""
    found = [f"{where}: {text}" for _, where, text in compiled.remarks if text.startswith(("[Missed]", "[Failure]"))]
    for kernel in json.loads(compiled.json)["kernels"]:
        if kernel["spills"] or kernel["scratch_bytes"]:
            spills, scratch = kernel["spills"], kernel["scratch_bytes"]
            found.append(f"{kernel['name']}: {spills} registers spill, {scratch} bytes of scratch in each lane")
    return found


def _dump(folder: str, name: str, content: str | bytes) -> None:
    path = pathlib.Path(folder) / name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise OctavoError(f"cannot write {path}: {error.strerror}") from None


def _device(piece: segments.Segment) -> torch.device:
    """Where the segment's tensors live; numbers on the CPU may be among the inputs of a graph on a GPU."""
    values = [n.meta.get("val") for n in (*piece.inputs, *piece.outputs)]
    devices = [v.device for v in values if isinstance(v, torch.Tensor)]
    return next((d for d in devices if d.type != "cpu"), torch.device("cpu"))
