"""Options, environment variables and the errors about them."""

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
        ({"fp8": "columnwise"}, "option fp8 must be one of tensorwise, rowwise, rowwise_with_gw_hp, got 'columnwise'"),
        ({"fallback": "maybe"}, "option fallback must be one of eager, error, got 'maybe'"),
        ({"strict": 3}, "option strict must be True or False, got 3"),
        ({"target": "gfx803"}, "option target must be one of gfx942, gfx950, got 'gfx803'"),
        (
            {"fp8_filter": 3},
            "option fp8_filter must be a function of a module's name or a list of shell patterns, got 3",
        ),
        ({"mode": "fast"}, "option mode must be one of default, reduce-overhead, .*, got 'fast'"),
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
        "deterministic": ("0", False),
        "cache": ("off", False),
        "mode": ("max-autotune", "max-autotune"),
    }
    assert set(values) == set(list_options())
    for name, (text, _) in values.items():
        monkeypatch.setenv("OCTAVO_" + name.upper(), text)
    options = Options.read()
    for name, (_, value) in values.items():
        assert getattr(options, name) == value
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
    assert octavo.list_mode_options()["max-autotune"] == {"mode": "max-autotune"}
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


def test_explain_says_what_became_of_each_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_INTERPRET", "1")
    weight = torch.randn(4, 4, requires_grad=True)
    found = octavo.explain(lambda x: torch.relu(x @ weight), torch.randn(3, 4))
    operators = {(n.graph.split("_")[-1], n.operator) for n in found.nodes}
    assert ("forward", "aten.mm.default") in operators and ("backward", "aten.mm.default") in operators
    relu = next(n for n in found.nodes if n.operator == "aten.relu.default")
    assert relu.where is not None and relu.where.file == __file__ and "OCTAVO_INTERPRET" in relu.reason
    assert "aten.mm.default  PyTorch: OCTAVO_INTERPRET is set" in str(found)
