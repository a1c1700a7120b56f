"""Options, environment variables and the errors about them."""

import os
import subprocess
import sys
import textwrap

import pytest
import torch

import octavo
from octavo.errors import OctavoError, user_line
from octavo.frontend.options import Options, Patterns, list_options


def test_an_unknown_option_lists_the_valid_ones() -> None:
    with pytest.raises(OctavoError, match=r"unknown option 'fp9'; the options are fp8, fp8_filter, .*cache, mode"):
        Options.read({"fp9": 1})


@pytest.mark.parametrize(
    ("given", "message"),
    (
        (
            {"fp8": "columnwise"},
            "option fp8 must be one of tensorwise, rowwise, rowwise_with_gw_hp, blockwise, mxfp8, got 'columnwise'",
        ),
        ({"fallback": "maybe"}, "option fallback must be one of eager, error, got 'maybe'"),
        ({"strict": 3}, "option strict must be True or False, got 3"),
        ({"target": "gfx803"}, "option target must be one of gfx942, gfx950, got 'gfx803'"),
        (
            {"fp8_filter": 3},
            "option fp8_filter must be a function of a module's name or a list of shell patterns, got 3",
        ),
        ({"mode": "fast"}, "option mode must be one of default, got 'fast'"),
        ({"mode": "max-autotune"}, "mode 'max-autotune' is not available: tiles are chosen by the cost model alone"),
        ({"mode": "reduce-overhead"}, "mode 'reduce-overhead' is not available: a program is not captured in a HIP"),
        ({"deterministic": False}, "option deterministic can only be True: no kernel adds in an order that varies"),
    ),
)
def test_a_wrong_value_says_what_is_right(given: dict[str, object], message: str) -> None:
    with pytest.raises(OctavoError, match=message.replace("(", r"\(")):
        Options.read(given)


def test_every_option_has_an_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "fp8": ("rowwise", "rowwise"),
        "fp8_filter": ("!lm_head,layers.*", Patterns(("!lm_head", "layers.*"))),
        "fp8_format": ("fnuz", "fnuz"),
        "fallback": ("error", "error"),
        "strict": ("1", True),
        "target": ("gfx942", "gfx942"),
        "dump": ("there", "there"),
        "deterministic": ("1", True),
        "cache": ("off", False),
        "mode": ("default", "default"),
    }
    assert set(values) == set(list_options())
    for name, (text, _) in values.items():
        monkeypatch.setenv("OCTAVO_" + name.upper(), text)
    options = Options.read()
    for name, (text, value) in values.items():
        assert getattr(options, name) == value
        monkeypatch.setenv("OCTAVO_" + name.upper(), text + "?")
        if name not in ("fp8_filter", "dump"):
            with pytest.raises(OctavoError, match=name):
                Options.read()
        monkeypatch.setenv("OCTAVO_" + name.upper(), text)
    assert Options.read({"fp8": "tensorwise"}).fp8 == "tensorwise", "what is given wins"


def test_patterns_choose_and_leave_out() -> None:
    chosen = Patterns(("layers.*", "!*.down"))
    assert chosen("layers.0.up") and not chosen("layers.0.down") and not chosen("head")
    assert Patterns(("!head",))("layers.0.up")


def test_an_error_reaches_the_user_of_torch_compile() -> None:
    torch._dynamo.reset()
    with pytest.raises(Exception, match="unknown option 'speed'"):
        torch.compile(lambda x: x + 1, backend="octavo", options={"speed": 3})(torch.ones(3))


def test_public_names() -> None:
    assert "fp8" in octavo.list_options()
    assert octavo.list_mode_options() == {"default": {"mode": "default"}}
    assert "octavo" in torch.compiler.list_backends()


def test_an_error_shows_the_users_line() -> None:
    trace = textwrap.dedent(
        """\
          File "/home/me/model.py", line 41, in forward
            y = torch.sort(x).values
                ^^^^^^^^^^^^^
          File "/venv/lib/torch/nn/functional.py", line 7, in helper
            return 1
        """
    )
    where = user_line(trace, "layers.3")
    text = str(OctavoError("no kernel for aten.sort", where=where, way_out="do this"))
    assert text.splitlines() == [
        "no kernel for aten.sort",
        "  /home/me/model.py:41, in forward (module layers.3)",
        "    y = torch.sort(x).values",
        "        ^^^^^^^^^^^^^",
        "do this",
    ]


def test_importing_the_backend_is_cheap_and_starts_nothing() -> None:
    code = """
        import sys, time, torch
        start = time.process_time()
        import octavo, octavo.torch_backend
        seconds = time.process_time() - start
        heavy = "torch._inductor.compile_fx torchao matplotlib octavo._octavo".split()
        print(seconds, [m for m in heavy if m in sys.modules])
    """
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    seconds, heavy = out.stdout.split(" ", 1)
    assert float(seconds) < 0.3 and heavy.strip() == "[]"


def test_explain_says_why_pytorch_runs_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_INTERPRET", "1")
    weight = torch.randn(4, 4, requires_grad=True)
    found = octavo.explain(lambda x: torch.relu(x @ weight), torch.randn(3, 4))
    operators = {(n.graph.split("_")[-1], n.operator) for n in found.nodes}
    assert ("forward", "aten.mm.default") in operators and ("backward", "aten.mm.default") in operators
    relu = next(n for n in found.nodes if n.operator == "aten.relu.default")
    assert relu.where is not None and relu.where.file == __file__ and "OCTAVO_INTERPRET" in relu.reason
    assert "aten.mm.default  PyTorch: OCTAVO_INTERPRET is set" in str(found)


def test_explain_names_the_kernel_of_each_node() -> None:
    weight = torch.randn(64, 64, requires_grad=True)

    def model(x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(torch.relu(x @ weight), -1).sort(-1).values

    with pytest.warns(UserWarning, match=r"1 x aten\.sort"):
        found = octavo.explain(model, torch.randn(32, 64))
    forward = {n.operator: n for n in found.nodes if n.graph.endswith("forward")}
    (matmul,) = forward["aten.mm.default"].kernels
    (softmax,) = forward["aten.div.Tensor"].kernels
    assert softmax in forward["aten.exp.default"].kernels and softmax != matmul
    assert forward["aten.relu.default"].kernels
    assert not forward["aten.sort.default"].kernels and forward["aten.sort.default"].reason
    fused = {n.operator for n in found.by_kernel()[forward["aten.div.Tensor"].graph, softmax]}
    assert {"aten.div.Tensor", "aten.exp.default", "aten.amax.default"} <= fused
    backward = [n for n in found.nodes if n.graph.endswith("backward") and n.operator == "aten.mm.default"]
    assert backward and all(n.kernels for n in backward)
    assert f"aten.mm.default  {matmul}  {__file__}" in str(found)


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which has not opened a HIP library yet."""
    kept = {k: v for k, v in os.environ.items() if k != "OCTAVO_TARGET"}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=kept | environment
    )


COMPILE_FOR = """
    import torch
    from octavo import simulator
    def run(chip):
        torch._dynamo.reset()
        return torch.compile(lambda x: x @ x, backend="octavo", options={{"target": chip, "fallback": "error"}})(
            torch.ones(16, 16, dtype=torch.bfloat16))
    assert run("{first}").eq(16).all()
    print(simulator.report()["target"])
    {then}
"""


@pytest.mark.parametrize(("chip", "environment"), (("gfx942", {}), ("gfx950", {"OCTAVO_TARGET": "gfx942"})))
def test_the_option_target_alone_chooses_the_simulated_gpu(chip: str, environment: dict[str, str]) -> None:
    done = run_python(COMPILE_FOR.format(first=chip, then=""), **environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == chip


def test_a_second_target_in_one_process_is_an_error() -> None:
    done = run_python(COMPILE_FOR.format(first="gfx942", then='run("gfx950")'))
    assert done.returncode == 1
    assert "this process simulates gfx942 already, not gfx950" in done.stderr


def test_strict_forbids_what_pytorch_would_run() -> None:
    torch._dynamo.reset()
    with pytest.raises(Exception, match=r"no kernel for aten\.sort.*(?s:.*)options=\{\"strict\": False\}"):
        torch.compile(lambda x: x.sort().values, backend="octavo", options={"strict": True})(torch.randn(8))


def test_strict_takes_what_has_no_slower_way() -> None:
    torch._dynamo.reset()
    x = torch.randn(8, 8)
    run = torch.compile(lambda x: torch.softmax(x * 2, -1), backend="octavo", options={"strict": True})
    torch.testing.assert_close(run(x), torch.softmax(x * 2, -1))
