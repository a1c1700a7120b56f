"""What the wheel promises: its entry points exist, it pins no torch, and a missing LLVM has an error that names it."""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import tomllib
from importlib import metadata

import pytest

import octavo
from octavo import _paths, _torch_compat

ROOT = pathlib.Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=os.environ)


def test_entry_points_name_what_exists() -> None:
    backends = PROJECT["entry-points"]["torch_dynamo_backends"]
    assert list(backends) == ["octavo"]
    for target in (*backends.values(), *PROJECT["scripts"].values()):
        module, function = target.split(":")
        assert callable(getattr(importlib.import_module(module), function)), target
    # The tree that tools/dev registers as the installed package has the same backend.
    (found,) = {e.value for e in metadata.entry_points(group="torch_dynamo_backends") if e.name == "octavo"}
    assert found == backends["octavo"]


def test_every_tool_is_a_command() -> None:
    tools = {path.name for path in (ROOT / "tools").iterdir() if path.name.startswith("octavo-")}
    assert tools == {name for name in PROJECT["scripts"] if name != "octavo"}
    for name in tools:
        done = run_python(f"""
            import sys
            from octavo.cli import tools
            sys.argv[1:] = ["--help"]
            tools.{PROJECT["scripts"][name].split(":")[1]}()
        """)
        assert done.returncode == 0 and "usage" in done.stdout.lower(), (name, done.stderr)


def test_the_wheel_pins_no_torch() -> None:
    assert [re.split(r"[<>=~! ]", d)[0] for d in PROJECT["dependencies"]] == ["numpy"]


def test_versions_agree() -> None:
    cmake = re.search(r"project\(octavo VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert cmake is not None and cmake[1] == PROJECT["version"] == octavo.__version__ == octavo._octavo.__version__
    table = (ROOT / "README.md").read_text()
    low, high = _torch_compat.SUPPORTED
    assert f"{low[0]}.{low[1]}" in table and f"{high[0]}.{high[1] - 1}" in table
    assert PROJECT["requires-python"] == ">=3.11" and "3.11" in table


def test_the_backend_needs_no_import_of_octavo() -> None:
    done = run_python("""
        import torch
        x = torch.arange(8.0)
        assert torch.compile(lambda x: x * 2, backend="octavo", options={"fallback": "error"})(x).equal(x * 2)
    """)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("failure", "message"),
    (
        (
            'ImportError("libMLIR.so.22.1: cannot open shared object file")',
            r"libMLIR.so.22.1.*\nit needs LLVM and MLIR",
        ),
        ('ModuleNotFoundError("No module named octavo._octavo")', r"compiler is not built for this Python\nrun"),
    ),
)
def test_a_missing_library_of_the_compiler_is_named(failure: str, message: str) -> None:
    done = run_python(f"""
        import sys, torch
        class Missing:
            def find_spec(self, name, path=None, target=None):
                if name == "octavo._octavo":
                    raise {failure}
        sys.meta_path.insert(0, Missing())
        torch.compile(lambda x: x * 2, backend="octavo")(torch.ones(2))
    """)
    assert done.returncode == 1
    assert re.search(message, done.stderr), done.stderr


def test_a_missing_tool_says_how_to_build_it(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("OCTAVO_BUILD_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"tools/dev build.*OCTAVO_BUILD_DIR"):
        _paths.tool("octavo-opt")


def test_only_what_the_issue_allows_has_no_lowering() -> None:
    done = subprocess.run([_paths.tool("octavo-opt"), "--list-unlowered"], capture_output=True, text=True, check=True)
    allowed = re.compile(
        r"octavo\.attention|octavo\.(quantize|scaled_matmul) (in|with) (blocks|groups|MX granules)"
        r"|tile\.(scan|join|split|cat|dot_scaled)"
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if not allowed.fullmatch(line)] == []
    # What is said here is what the compiler says of a program that has the op.
    attention = "octavo.attention" in lines
    text = """module attributes {octavo.target = #octavo.target<"gfx950">} {
      func.func @f(%q: tensor<1x1x32x64xbf16>) -> (tensor<1x1x32x64xbf16>, tensor<1x1x32xf32>) {
        %o, %l = octavo.attention %q, %q, %q {scale = 1.0 : f32}
          : tensor<1x1x32x64xbf16>, tensor<1x1x32x64xbf16>, tensor<1x1x32x64xbf16>
          -> tensor<1x1x32x64xbf16>, tensor<1x1x32xf32> score {} mask {}
        return %o, %l : tensor<1x1x32x64xbf16>, tensor<1x1x32xf32> } }"""
    steps = json.loads(octavo._octavo.compile(text, "gfx950", {}, False).json)["steps"]
    assert any("call" in step for step in steps) == attention
