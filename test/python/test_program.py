"""Compiled programs on the simulator's HIP library: the way that a compiled graph takes."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from octavo import _octavo

ADD = """
module attributes {octavo.target = #octavo.target<"TARGET">} {
  func.func @forward(%a: tensor<1000xf32>, %b: tensor<1000xf32>) -> tensor<1000xf32>
      attributes {octavo.workspace_bytes = 4096 : i64} {
    %t = octavo.launch @add(%a, %b) {places = [#octavo.place<workspace at 64>]}
       : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
    %r = octavo.launch @add(%t, %b) {places = [#octavo.place<output at 0>]}
       : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
    return %r : tensor<1000xf32>
  }
  gpu.module @kernels {
    gpu.func @add(%a: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %b: !llvm.ptr<1> {llvm.noalias, llvm.readonly},
                  %c: !llvm.ptr<1> {llvm.noalias}) kernel
        attributes {known_block_size = array<i32: 256, 1, 1>, tile.grid = [4, 1, 1]} {
      %block = gpu.block_id x
      %thread = gpu.thread_id x
      %c256 = arith.constant 256 : index
      %c1000 = arith.constant 1000 : index
      %0 = arith.muli %block, %c256 : index
      %i = arith.addi %0, %thread : index
      %in = arith.cmpi ult, %i, %c1000 : index
      scf.if %in {
        %k = arith.index_cast %i : index to i32
        %pa = llvm.getelementptr %a[%k] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %pb = llvm.getelementptr %b[%k] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %pc = llvm.getelementptr %c[%k] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
        %va = llvm.load %pa : !llvm.ptr<1> -> f32
        %vb = llvm.load %pb : !llvm.ptr<1> -> f32
        %vc = arith.addf %va, %vb : f32
        llvm.store %vc, %pc : f32, !llvm.ptr<1>
      }
      gpu.return
    }
  }
}
"""

RUN = """
import numpy as np, sys
from octavo import _octavo
text = sys.stdin.read()
compiled = _octavo.compile(text, sys.argv[1], {}, cache=False)
program = _octavo.Program(compiled.json, compiled.code)
a, b = np.arange(1000, dtype=np.float32), np.full(1000, 0.5, np.float32)
out, work = np.zeros(1000, np.float32), np.zeros(program.workspace_bytes, np.uint8)
for _ in range(2):
    program.run([a.ctypes.data, b.ctypes.data], [out.ctypes.data], work.ctypes.data, 0)
_octavo.synchronize()
np.testing.assert_array_equal(out, a + 1)
assert _octavo.runs_on_simulator()
import json
report = json.loads(_octavo.simulator_report())
assert report["target"] == sys.argv[1] and report["kernels"]["add"]["launches"] == 4, report
"""


@pytest.mark.parametrize("target", _octavo.targets())
def test_program_runs_through_the_simulators_hip_library(target: str) -> None:
    """Two launches over a workspace, run twice."""
    env = {**os.environ, "OCTAVO_TARGET": target}
    text = ADD.replace("TARGET", target)
    result = subprocess.run([sys.executable, "-c", RUN, target], input=text, env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("target", _octavo.targets())
def test_description_says_what_the_executor_needs(target: str) -> None:
    """Shapes, places and resources."""
    compiled = _octavo.compile(ADD.replace("TARGET", target), target, {}, cache=False)
    program = json.loads(compiled.json)
    assert program["workspace_bytes"] == 4096
    assert program["inputs"][0] == {"shape": [1000], "strides": [1], "dtype": "f32"}
    assert program["outputs"] == [{"shape": [1000], "strides": [1], "dtype": "f32", "writes": None}]
    assert program["steps"] == [
        {"launch": 0, "grid": [4, 1, 1], "nodes": [], "args": [{"input": 0}, {"input": 1}, {"workspace": 64}]},
        {"launch": 0, "grid": [4, 1, 1], "nodes": [], "args": [{"workspace": 64}, {"input": 1}, {"output": 0}]},
    ]
    (kernel,) = program["kernels"]
    assert (kernel["name"], kernel["lanes"], kernel["kernarg_bytes"], kernel["spills"]) == ("add", 256, 24, 0)
    assert list(compiled.times) == ["parse", *_octavo.stages()[: _octavo.stages().index("llvm") + 1],
                                    "translate", "optimize", "object", "link", "describe"]


def test_errors_name_the_line() -> None:
    """A module that does not parse, an unknown target, an unknown option."""
    target = _octavo.targets()[0]
    with pytest.raises(RuntimeError, match=r"3:\d+: .*unknown"):
        _octavo.compile("gpu.module @k {\n  gpu.func @f() kernel {\n    %0 = arith.unknown 1\n  }\n}", target, {})
    with pytest.raises(RuntimeError, match="unknown target 'gfx000'"):
        _octavo.compile("module {}", "gfx000", {})
    with pytest.raises(ValueError, match="unknown compile option 'speed'"):
        _octavo.compile("module {}", target, {"speed": "high"})


def test_compiled_programs_are_cached(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second compilation reads the first one's result; a damaged entry is compiled again."""
    monkeypatch.setenv("OCTAVO_CACHE_DIR", str(tmp_path / "cache"))
    target = _octavo.targets()[0]
    text = ADD.replace("TARGET", target)
    first = _octavo.compile(text, target, {})
    second = _octavo.compile(text, target, {})
    assert (first.from_cache, second.from_cache) == (False, True)
    assert (second.json, second.code, second.remarks) == (first.json, first.code, first.remarks)
    assert not _octavo.compile(text + "\n", target, {}).from_cache
    (entry,) = (tmp_path / "cache").rglob(first.cache_key)
    entry.write_bytes(entry.read_bytes()[:-1])
    assert not _octavo.compile(text, target, {}).from_cache
    assert _octavo.compile(text, target, {}).from_cache


def test_a_cache_that_cannot_be_written_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiling goes on."""
    monkeypatch.setenv("OCTAVO_CACHE_DIR", "/proc/nowhere")
    compiled = _octavo.compile(ADD.replace("TARGET", _octavo.targets()[0]), _octavo.targets()[0], {})
    assert compiled.code and "/proc/nowhere" in compiled.cache_warning


def test_two_hip_libraries_are_an_error(tmp_path: pathlib.Path) -> None:
    """Addresses of one library mean nothing to the other."""
    root = pathlib.Path(__file__).parents[2]
    libraries = [root / "build/dev/standin/libamdhip64.so", root / "build/dev/lib/libamdhip64.so"]
    if not all(library.exists() for library in libraries):
        pytest.fail("the libraries are not built")
    code = f"import ctypes\nfor p in {[str(p) for p in libraries]}: ctypes.CDLL(p)\n"
    code += "from octavo import _octavo\n_octavo.hip_library()"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "two HIP libraries in one process" in result.stderr


def test_mapped_library_is_taken() -> None:
    """PyTorch's own library comes before every other choice."""
    library = pathlib.Path(__file__).parents[2] / "build/dev/standin/libamdhip64.so"
    if not library.exists():
        pytest.fail("the library is not built")
    code = f"import ctypes\nctypes.CDLL({str(library)!r})\nfrom octavo import _octavo\n"
    code += "print(_octavo.hip_library(), _octavo.runs_on_simulator())"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.split() == [str(library), "False"], result.stderr


def test_numpy_scalars_and_arrays_make_the_argument_block() -> None:
    """The harness aligns each argument to its size."""
    from octavo.runtime.harness import _argument_block

    array = np.zeros(4, np.float32)
    block = _argument_block([np.int32(7), array, 1.5, np.int64(9)])
    assert len(block) == 32
    assert block[:4] == b"\x07\0\0\0" and int.from_bytes(block[8:16], "little") == array.ctypes.data
    assert block[16:20] == np.float32(1.5).tobytes() and block[24:] == np.int64(9).tobytes()
