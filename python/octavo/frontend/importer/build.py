"""Walks an FX graph and writes it as one MLIR function in the `aten` dialect."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from octavo import _torch_compat
from octavo.frontend.importer import outputs, text
from octavo.frontend.importer.graph import (
    ConstantInput,
    ConstantOutput,
    ImportedGraph,
    Input,
    InputOutput,
    Layout,
    Output,
    PlaceholderInput,
    ResultOutput,
    ValueOutput,
    ViewOutput,
    Write,
)
from octavo.frontend.importer.values import Constant, Known, Sizes, Ssa, Value

# MLIR's way to say that a stride is known only at run time.
_OPEN = -(2**63)
# Operators whose meaning depends on the strides of their operand: the importer writes them beside the arguments.
_READS_STRIDES = {"aten::as_strided", "aten::as_strided_copy", "aten::as_strided_scatter"}


def import_graph(
    gm: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    target: str,
    name: str,
    sizes: Mapping[Any, int] | None = None,
) -> ImportedGraph:
    """Import `gm` for the GPU `target` as the function `name`.

    Every node needs `meta["val"]` (placeholders may take it from `example_inputs`). `sizes` binds symbols (sympy) of
    symbolic sizes to numbers; without it each size is the example's.
    """
    builder = _Builder(gm, example_inputs, Sizes(sizes))
    # torch calls backends inside of a fake mode, in which the values of constants cannot be read.
    with _torch_compat.without_modes():
        for node in gm.graph.nodes:
            builder.visit(node)
        return builder.finish(target, name)


def symbolic_text(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *, target: str, name: str) -> str:
    """The function `name` with sizes that are symbols left open (`tensor<?x16xf32>`); symbols among the inputs are
    opaque arguments. For people: what is compiled is the graph with the sizes of a call.
    """
    builder = _Builder(gm, example_inputs, Sizes(None, kept=True))
    with _torch_compat.without_modes():
        for node in gm.graph.nodes:
            builder.visit(node)
        return builder.finish_open(target, name)


class _Builder:
    """State of one import: the lines so far and the value of each node."""

    def __init__(self, gm: torch.fx.GraphModule, example_inputs: Sequence[Any], sizes: Sizes) -> None:
        self._gm = gm
        self._examples = example_inputs
        self._sizes = sizes
        self._values: dict[torch.fx.Node, Value] = {}
        self._lines: list[str] = []
        self._locations: dict[str, str] = {}
        self._inputs: list[Input] = []
        self._arguments: list[str] = []
        self._placeholders: dict[torch.fx.Node, int] = {}
        self._constants: list[torch.Tensor] = []
        self._constant_values: dict[int, Ssa] = {}
        self._written: dict[torch.fx.Node, Ssa] = {}
        self._outputs: list[Any] = []
        self._count = 0

    # Nodes

    def visit(self, node: torch.fx.Node) -> None:
        if node.op == "placeholder":
            self._placeholder(node)
        elif node.op == "get_attr":
            held = operator.attrgetter(str(node.target))(self._gm)
            self._values[node] = Constant(held) if isinstance(held, torch.Tensor) else Known(str(node.target))
        elif node.op == "output":
            self._outputs = list(_flat(node.args[0]))
        elif node.target is operator.getitem:
            outer = self._values[node.args[0]]
            picked = outer.value if isinstance(outer, Known) else outer
            element = picked[node.args[1]]  # type: ignore[index]
            self._values[node] = Known(element) if isinstance(outer, Known) else element
        else:
            self._call(node)

    def _placeholder(self, node: torch.fx.Node) -> None:
        index = len(self._placeholders)
        self._placeholders[node] = index
        value = node.meta.get("val", self._examples[index] if index < len(self._examples) else None)
        number = self._sizes.number(value)
        type_ = self._sizes.type_of(value)
        if not self._sizes.is_open(value) and (number is None or isinstance(number, int | float | bool)):
            self._values[node] = Known(number)
            return
        layout = self._sizes.layout(value) if isinstance(value, torch.Tensor) and type_ != "!aten.opaque" else None
        self._values[node] = self._argument(type_, str(node.target), layout)
        self._inputs.append(PlaceholderInput(index, str(node.target), layout))

    def _argument(self, type_: str, name: str, layout: Layout | None) -> Ssa:
        ssa = Ssa(f"%arg{len(self._arguments)}", type_)
        attributes = f"octavo.name = {text.quoted(name)}"
        if layout is not None:
            attributes += f", octavo.strides = {_strides(layout)}"
        self._arguments.append(f"{ssa.name}: {type_} {{{attributes}}}")
        return ssa

    def _call(self, node: torch.fx.Node) -> None:
        schema = node.target._schema if isinstance(node.target, torch._ops.OpOverload) else None
        described = node.meta.get("val")
        if schema is not None and schema.name == "aten::copy_":
            self._copy(node)
        elif schema is not None and schema.name == "aten::lift_fresh_copy":
            self._values[node] = self._values[node.args[0]]
        elif (
            isinstance(described, int | float | bool | torch.SymInt | torch.SymFloat | torch.SymBool)
            and (known := self._sizes.number(described)) is not None
        ):
            self._values[node] = Known(known)
        else:
            self._values[node] = self._emit(node, _overload(node), self._arguments_of(node), described)

    def _copy(self, node: torch.fx.Node) -> None:
        """`copy_` into a placeholder: from here on its value is the new one, which becomes a result that is written."""
        destination, source = node.args[0], node.args[1]
        base = destination if isinstance(destination, torch.fx.Node) else None
        if base is None or base not in self._placeholders or not isinstance(source, torch.fx.Node):
            self._values[node] = self._emit(node, _overload(node), self._arguments_of(node), node.meta.get("val"))
            return
        old, new = self._values[base], self._materialise(self._values[source])
        assert isinstance(old, Ssa)
        arguments = {"self": base, "src": source, "non_blocking": False}
        taken = {argument.name for argument in self._every_argument()} | {ssa.name for ssa in self._written.values()}
        if new.type != old.type:
            new = self._emit_one(node, "aten.copy.default", arguments, old.type)
        elif new.name in taken:
            new = self._emit_one(node, "aten.clone.default", {"self": source, "memory_format": None}, old.type)
        self._written[base] = new
        self._values[base] = self._values[node] = new

    def _every_argument(self) -> list[Ssa]:
        return [Ssa(line.split(":", 1)[0], "") for line in self._arguments]

    def _arguments_of(self, node: torch.fx.Node) -> dict[str, Any]:
        """Every argument by the schema's name, defaults filled in; without a schema by position."""
        if not isinstance(node.target, torch._ops.OpOverload):
            named = {f"arg{index}": argument for index, argument in enumerate(node.args)} | dict(node.kwargs)
            return named | {"node": node.name}
        arguments = {}
        for index, argument in enumerate(node.target._schema.arguments):
            if index < len(node.args) and not argument.kwarg_only:
                arguments[argument.name] = node.args[index]
            else:
                arguments[argument.name] = node.kwargs.get(argument.name, argument.default_value)
        if node.target._schema.name in _READS_STRIDES:
            read = arguments["self"].meta["val"]
            arguments["self_strides"] = list(self._sizes.sizes(read.stride()))
            arguments["self_offset"] = self._sizes.number(read.storage_offset())
        return arguments

    # Text

    def _emit(self, node: torch.fx.Node, name: str, arguments: dict[str, Any], described: Any) -> Value:
        """Write one call; the value has the structure of `described`, without results for None and numbers."""
        types: list[str] = []
        shape = self._result_structure(described, types)
        results = self._write(node, name, arguments, types)
        return _fill(shape, results)

    def _emit_one(self, node: torch.fx.Node, name: str, arguments: dict[str, Any], type_: str) -> Ssa:
        return self._write(node, name, arguments, [type_])[0]

    def _result_structure(self, described: Any, types: list[str]) -> Any:
        """Leaves: an index into `types`, or a Known."""
        if isinstance(described, list | tuple):
            return [self._result_structure(item, types) for item in described]
        number = self._sizes.number(described)
        if described is None or (number is not None and isinstance(number, int | float | bool)):
            return Known(number)
        types.append(self._sizes.type_of(described))
        return len(types) - 1

    def _write(self, node: torch.fx.Node, name: str, arguments: dict[str, Any], types: list[str]) -> list[Ssa]:
        operands: list[Ssa] = []

        def spell(used: torch.fx.Node) -> str:
            return self._operand(self._values[used], operands)

        items = ", ".join(f"{text.key(k)} = {text.attribute(v, spell)}" for k, v in arguments.items())
        results = [Ssa(f"%{self._count}" if len(types) == 1 else f"%{self._count}#{i}", t) for i, t in enumerate(types)]
        left = f"%{self._count}{f':{len(types)}' if len(types) > 1 else ''} = " if types else ""
        self._count += 1 if types else 0
        signature = ", ".join(o.type for o in operands), types[0] if len(types) == 1 else f"({', '.join(types)})"
        self._lines.append(
            f"{left}aten.call {text.quoted(name)}({', '.join(o.name for o in operands)}) {{args = {{{items}}}}}"
            f" : ({signature[0]}) -> {signature[1]} loc({self._location(node)})"
        )
        return results

    def _location(self, node: torch.fx.Node) -> str:
        return self._locations.setdefault(text.location(node), f"#loc{len(self._locations)}")

    def _operand(self, value: Value, operands: list[Ssa]) -> str:
        if isinstance(value, list):
            return "[" + ", ".join(self._operand(item, operands) for item in value) + "]"
        if isinstance(value, Known):
            return text.attribute(value.value, lambda n: self._operand(self._values[n], operands))
        ssa = self._materialise(value)
        if ssa not in operands:
            operands.append(ssa)
        return f"#aten.operand<{operands.index(ssa)}>"

    def _materialise(self, value: Value) -> Ssa:
        """The MLIR value; a constant is written where it is first read, or becomes an argument if it is large."""
        if isinstance(value, Ssa):
            return value
        assert isinstance(value, Constant), value
        constant = value.tensor
        if id(constant) not in self._constant_values:
            if (dense := text.dense(constant)) is not None:
                ssa = Ssa(f"%c{len(self._constant_values)}", self._sizes.type_of(constant))
                self._lines.append(f"{ssa.name} = arith.constant {dense}")
            else:
                layout = self._sizes.layout(constant)
                index, type_ = self._constant_index(constant), self._sizes.type_of(constant)
                ssa = self._argument(type_, f"constant_{index}", layout)
                self._inputs.append(ConstantInput(index, f"constant_{index}", layout))
            self._constant_values[id(constant)] = ssa
        return self._constant_values[id(constant)]

    def _constant_index(self, constant: torch.Tensor) -> int:
        for index, held in enumerate(self._constants):
            if held is constant:
                return index
        self._constants.append(constant)
        return len(self._constants) - 1

    # Results

    def finish(self, target: str, name: str) -> ImportedGraph:
        """Sort the outputs into results, views, inputs and constants, and put the text together."""
        results: list[Ssa] = []
        layouts: list[Layout] = []
        chosen: dict[torch.fx.Node, Output] = {}
        nodes = [output for output in self._outputs if isinstance(output, torch.fx.Node)]
        shared = outputs.shared_bases(node for node in nodes if isinstance(self._values[node], Ssa))

        def result_of(node: torch.fx.Node) -> ResultOutput:
            if node not in chosen:
                results.append(self._materialise(self._values[node]))
                layouts.append(self._layout(node))
                chosen[node] = ResultOutput(len(results) - 1)
            found = chosen[node]
            assert isinstance(found, ResultOutput)
            return found

        given = tuple(self._output(output, shared, result_of) for output in self._outputs)
        writes = []
        for base, ssa in self._written.items():
            writes.append(Write(len(results), self._placeholders[base]))
            results.append(ssa)
            layouts.append(self._layout(base))
        return ImportedGraph(
            text=self._text(target, name, results, layouts, {w.result: w.placeholder for w in writes}),
            name=name,
            inputs=tuple(self._inputs),
            results=tuple(layouts),
            outputs=given,
            writes=tuple(writes),
            constants=tuple(self._constants),
        )

    def finish_open(self, target: str, name: str) -> str:
        """The text with every output that is a value as a result, views of others included."""
        results: list[Ssa] = []
        layouts: list[Layout] = []
        for output in self._outputs:
            if not isinstance(output, torch.fx.Node) or isinstance(self._values[output], Known):
                continue
            results.append(self._materialise(self._values[output]))
            described = output.meta.get("val")
            is_tensor = isinstance(described, torch.Tensor)
            layouts.append(self._sizes.layout(described) if is_tensor else Layout((), (), torch.int64))
        writes = {len(results) + i: self._placeholders[base] for i, base in enumerate(self._written)}
        for base, ssa in self._written.items():
            results.append(ssa)
            layouts.append(self._layout(base))
        return self._text(target, name, results, layouts, writes)

    def _layout(self, node: torch.fx.Node) -> Layout:
        described = node.meta.get("val")
        if isinstance(described, torch.Tensor):
            return self._sizes.layout(described)
        held = self._inputs[self._placeholders[node]].layout
        assert held is not None
        return held

    def _output(
        self, output: Any, shared: set[torch.fx.Node], result_of: Callable[[torch.fx.Node], ResultOutput]
    ) -> Output:
        if not isinstance(output, torch.fx.Node):
            return ValueOutput(self._sizes.number(output))
        value = self._values[output]
        if isinstance(value, Known):
            return ValueOutput(value.value)
        if isinstance(value, Constant) and output.op == "get_attr":
            return ConstantOutput(self._constant_index(value.tensor))
        base = outputs.view_base(output)
        while base in self._values and base.op == "call_function" and _is_written(base):
            base = base.args[0]
        if base in self._placeholders:
            whole = InputOutput(self._placeholders[base])
            return whole if output is base or _is_written(output) else self._view(output, base, whole)
        layout = self._layout(output)
        if output is base:
            return result_of(output)
        described = output.meta["val"]
        if base not in shared and outputs.is_dense(described, layout.shape, layout.strides):
            return result_of(output)
        return self._view(output, base, result_of(base))

    def _view(self, output: torch.fx.Node, base: torch.fx.Node, whole: ResultOutput | InputOutput) -> ViewOutput:
        seen, under = output.meta["val"], base.meta.get("val")
        start = 0 if under is None else self._sizes.number(under.storage_offset()) * under.element_size()
        offset = self._sizes.number(seen.storage_offset()) - start // seen.element_size()
        return ViewOutput(whole, self._sizes.layout(seen), offset)

    def _text(self, target: str, name: str, results: list[Ssa], layouts: list[Layout], written: dict[int, int]) -> str:
        argument = {held.placeholder: i for i, held in enumerate(self._inputs) if isinstance(held, PlaceholderInput)}
        types = []
        for index, (ssa, layout) in enumerate(zip(results, layouts, strict=True)):
            attributes = [f"octavo.strides = {_strides(layout)}"] if ssa.type.startswith("tensor") else []
            if index in written:
                attributes.append(f"octavo.writes = {argument[written[index]]} : i64")
            types.append(f"{ssa.type} {{{', '.join(attributes)}}}")
        locations = "".join(f"{alias} = {where}\n" for where, alias in self._locations.items())
        body = "".join(f"    {line}\n" for line in self._lines)
        back = ", ".join(r.name for r in results) + (" : " if results else "") + ", ".join(r.type for r in results)
        return (
            f"{locations}module attributes {{octavo.target = #octavo.target<{text.quoted(target)}>}} {{\n"
            f"  func.func @{text.key(name)}({', '.join(self._arguments)}) -> ({', '.join(types)}) {{\n"
            f"{body}    return {back}\n  }}\n}}\n"
        )


def _overload(node: torch.fx.Node) -> str:
    if isinstance(node.target, torch._ops.OpOverload):
        return str(node.target)
    module = getattr(node.target, "namespace", None) or getattr(node.target, "__module__", "python")
    return f"{module}.{getattr(node.target, '__name__', str(node.target))}"


def _is_written(node: torch.fx.Node) -> bool:
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.name == "aten::copy_"


def _flat(structure: Any) -> Any:
    for item in structure if isinstance(structure, list | tuple) else [structure]:
        yield from _flat(item) if isinstance(item, list | tuple) else [item]


def _fill(structure: Any, results: list[Ssa]) -> Value:
    if isinstance(structure, list):
        return [_fill(item, results) for item in structure]
    return results[structure] if isinstance(structure, int) else structure


def _strides(layout: Layout) -> str:
    numbers = [_OPEN if stride is None else stride for stride in layout.strides]
    return "array<i64" + (": " if numbers else "") + ", ".join(map(str, numbers)) + ">"
