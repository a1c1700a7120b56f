"""Import is total, follows schemas, and says how the result is rebuilt."""

import operator

import pytest
import torch
from oracle import TARGET, lowered
from torch.fx.experimental.proxy_tensor import make_fx

from octavo import _octavo
from octavo.frontend.importer import (
    ConstantInput,
    InputOutput,
    PlaceholderInput,
    ResultOutput,
    ValueOutput,
    import_graph,
    symbolic_text,
    text,
)


def imported(function, *inputs, mode="fake", **options):
    gm = make_fx(function, tracing_mode=mode, _allow_non_fake_inputs=True)(*inputs)
    return import_graph(gm, inputs, target=TARGET, name="graph", **options)


def parses(graph) -> str:
    return _octavo.run_pipeline(graph.text, "builtin.module()")


def test_every_argument_of_the_schema_is_written() -> None:
    graph = imported(lambda x: torch.sum(x, 1), torch.randn(3, 4).t())
    assert 'aten.call "aten.sum.dim_IntList"(%arg0) {args = {self = #aten.operand<0>, dim = [1], keepdim = false, ' in (
        graph.text
    )
    assert "dtype = #aten.none" in graph.text
    assert '%arg0: tensor<4x3xf32> {octavo.name = "x_1", octavo.strides = array<i64: 1, 4>}' in graph.text
    parses(graph)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (None, "#aten.none"), (True, "true"), (3, "3"), (-1, "-1"), (1e-5, "1.0e-05"), (2.0, "2.0"),
        (1e300, "1.0e+300"),
        (float("inf"), "0x7FF0000000000000 : f64"), (-0.0, "-0.0"), (torch.bfloat16, "bf16"), (torch.uint8, "ui8"),
        ('a"b\\', '"a\\22b\\5C"'), ([1, [2.5, None]], "[1, [2.5, #aten.none]]"), (torch.strided, '"torch.strided"'),
        (1 + 2j, "{imag = 2.0, real = 1.0}"), (torch.device("cpu"), '"cpu"'),
    ],
)
def test_attributes(value: object, spelled: str) -> None:
    assert text.attribute(value, str) == spelled
    _octavo.run_pipeline(f"module attributes {{aten.x = {spelled}}} {{}}", "builtin.module()")


def test_an_operator_that_nobody_knows_imports_and_stays() -> None:
    graph = imported(lambda x: torch.sort(x.sin())[0] + 1, torch.randn(5))
    lines = [line for line in lowered(graph, whole=False).splitlines() if "aten.call" in line]
    assert len(lines) == 1
    assert "Octavo has no lowering of aten.sort.default" in lines[0]


def test_what_stays_keeps_the_types_of_pytorch() -> None:
    graph = imported(lambda x: torch.sort(x + 1)[0] + 1, torch.arange(5, dtype=torch.uint8))
    line = next(line for line in lowered(graph, whole=False).splitlines() if "aten.call" in line)
    assert "octavo.types = [tensor<5xui8>, tensor<5xui8>, tensor<5xi64>]" in line
    assert "(tensor<5xi8>) -> (tensor<5xi8>, tensor<5xi64>)" in line


def test_source_line_and_module_path_are_the_location() -> None:
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    y = graph.call_function(torch.ops.aten.sin.default, (x,))
    x.meta["val"] = y.meta["val"] = torch.empty(3)
    y.meta["stack_trace"] = 'File "/home/me/model.py", line 41, in forward\n  return x.sin()'
    y.meta["nn_module_stack"] = {"a": ("L['self'].layers[3].norm", torch.nn.Linear)}
    graph.output((y,))
    module = import_graph(torch.fx.GraphModule({}, graph), (), target=TARGET, name="graph")
    assert 'loc("layers.3.norm/sin_default"("/home/me/model.py":41:0))' in module.text


def test_symbolic_sizes_take_the_values_that_are_bound() -> None:
    gm = make_fx(lambda x: (x.view(-1, 2).sum(0), x.shape[0]), tracing_mode="symbolic")(torch.randn(6, 4))
    symbol = next(n for n in gm.graph.nodes if n.op == "placeholder").meta["val"].shape[0].node.expr
    for size in (6, 10):
        graph = import_graph(gm, (), target=TARGET, name="graph", sizes={symbol: size})
        assert f"tensor<{size}x4xf32>" in graph.text
        assert f"tensor<{2 * size}x2xf32>" in graph.text
        assert graph.outputs[1] == ValueOutput(size)
        lowered(graph)


def test_outputs_of_every_kind() -> None:
    graph = torch.fx.Graph()
    x, size = graph.placeholder("x"), graph.placeholder("size")
    y = graph.call_function(torch.ops.aten.neg.default, (x,))
    parts = graph.call_function(torch.ops.aten.max.dim, (y, 0))
    first = graph.call_function(operator.getitem, (parts, 0))
    x.meta["val"] = y.meta["val"] = torch.empty(3, 4)
    size.meta["val"] = 7
    parts.meta["val"] = (torch.empty(4), torch.empty(4, dtype=torch.int64))
    first.meta["val"] = torch.empty(4)
    graph.output((first, None, x, size, first, 2.5))
    got = import_graph(torch.fx.GraphModule({}, graph), (), target=TARGET, name="graph")
    assert got.outputs == (
        ResultOutput(0), ValueOutput(None), InputOutput(0), ValueOutput(7), ResultOutput(0), ValueOutput(2.5),
    )
    assert [type(i) for i in got.inputs] == [PlaceholderInput]
    parses(got)


def test_values_that_are_no_tensors_cross_as_opaque() -> None:
    graph = torch.fx.Graph()
    x, generator = graph.placeholder("x"), graph.placeholder("generator")
    y = graph.call_function(torch.ops.aten.bernoulli.p, (x, 0.5), {"generator": generator})
    x.meta["val"] = y.meta["val"] = torch.empty(3)
    generator.meta["val"] = torch.Generator()
    graph.output((y, generator))
    got = import_graph(torch.fx.GraphModule({}, graph), (), target=TARGET, name="graph")
    assert "%arg1: !aten.opaque" in got.text
    assert got.outputs[1] == InputOutput(1)
    parses(got)
    assert "known only when it runs, or a value is no tensor" in lowered(got, whole=False)


def test_large_constants_are_arguments() -> None:
    large = torch.randn(100)
    graph = imported(lambda x: x + large, torch.randn(100))
    assert [i for i in graph.inputs if isinstance(i, ConstantInput)]
    assert torch.equal(graph.constants[0], large)


def test_symbols_that_are_left_open_stay_in_the_text() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, int]:
        return x.t() @ y + x.shape[0], x.shape[0] * 2

    gm = make_fx(function, tracing_mode="symbolic")(torch.randn(6, 4), torch.randn(6, 5))
    open_text = symbolic_text(gm, (), target=TARGET, name="graph")
    assert "%arg0: tensor<?x?xf32>" in open_text and "octavo.strides = array<i64: -9223372036854775808, 1>" in open_text
    assert 'aten.call "aten.sym_size.int"(%arg0)' in open_text and "-> !aten.opaque" in open_text
    assert "tensor<6x4xf32>" not in open_text
    _octavo.run_pipeline(open_text, "builtin.module(cse)")
