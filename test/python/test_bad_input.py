"""What a user can get wrong, and what a machine can: a clear error or a clean recovery, never a wrong result."""

import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import time

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from octavo.errors import OctavoError
from octavo.frontend import plan
from octavo.frontend.options import Options

# Three programs; prints how many came from the cache.
WORK = """
    import logging, sys, torch
    from octavo.runtime import statistics
    logging.basicConfig()
    for power in (1, 2, 3):
        x = torch.arange(64.0).reshape(8, 8)
        y = torch.compile(lambda x: (x @ x) * power, backend="octavo", options={"fallback": "error"})(x)
        assert torch.equal(y, (x @ x) * power)
        torch._dynamo.reset()
    print(statistics.statistics().cache_hits)
"""


def start(cache: pathlib.Path | str, before: str = "", **environment: str) -> subprocess.Popen[str]:
    code = textwrap.dedent(before) + textwrap.dedent(WORK)
    full = os.environ | {"OCTAVO_CACHE_DIR": str(cache)} | environment
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", code], stdout=pipe, stderr=pipe, text=True, env=full)


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Cache hits, and what was said on the way."""
    out, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return int(out), errors


def entries(cache: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in cache.rglob("*") if path.is_file()]


@pytest.mark.parametrize(
    ("environment", "message"),
    (
        ({"OCTAVO_TARGET": "gfx803"}, "option target must be one of gfx942, gfx950, got 'gfx803'"),
        ({"OCTAVO_FP8": "columnwise"}, "option fp8 must be one of tensorwise, rowwise"),
    ),
)
def test_a_wrong_environment_is_named(environment: dict[str, str], message: str, tmp_path: pathlib.Path) -> None:
    process = start(tmp_path, **environment)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 1
    assert message in errors


def test_a_dtype_that_kernels_lack_names_operator_line_and_way_out() -> None:
    torch._dynamo.reset()
    x = torch.randn(4, dtype=torch.complex128)
    with pytest.raises(Exception, match=r"no kernel for aten\.(?s:.*)") as caught:
        torch.compile(lambda x: x.tan(), backend="octavo", options={"fallback": "error"})(x)
    text = str(caught.value)
    assert "complex" in text and f"{__file__}:" in text and 'options={"fallback": "eager"}' in text
    with pytest.warns(UserWarning, match="aten.tan"):
        torch._dynamo.reset()
        torch.testing.assert_close(torch.compile(lambda x: x.tan(), backend="octavo")(x), x.tan())


@pytest.mark.parametrize(
    ("other", "found"),
    (
        (torch.zeros(4, 6, dtype=torch.float64), r"torch.float64 \(4, 6\) with strides \(6, 1\)"),
        (torch.zeros(6, 4).t(), r"torch.float32 \(4, 6\) with strides \(1, 4\)"),
        (torch.zeros(5, 6), r"torch.float32 \(5, 6\) with strides \(6, 1\)"),
    ),
)
def test_a_program_refuses_tensors_that_it_was_not_compiled_for(other: torch.Tensor, found: str) -> None:
    x = torch.randn(4, 6)
    program = plan.build(make_fx(lambda x: x * 2, tracing_mode="fake")(x), [x], "graph", options=Options())
    assert torch.equal(program([x])[0], x * 2)
    with pytest.raises(
        OctavoError, match=rf"x_1 is {found}; compiled for torch.float32 \(4, 6\) with strides \(6, 1\)"
    ):
        program([other])


def test_a_cache_folder_that_cannot_be_made_is_a_warning(tmp_path: pathlib.Path) -> None:
    (tmp_path / "file").write_text("in the way")
    hits, said = finish(start(tmp_path / "file" / "cache"))
    assert hits == 0
    assert "could not be cached" in said and "Not a directory" in said


def test_a_full_cache_folder_is_a_warning_and_leaves_nothing(tmp_path: pathlib.Path) -> None:
    whole, full = tmp_path / "whole", tmp_path / "full"
    finish(start(whole))
    # No file may be so long as an entry is: writing fails half-way, as on a full disk. (Objects are shorter.)
    size = min(path.stat().st_size for path in entries(whole)) - 1
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
    hits, said = finish(start(full, before=limit, PYTHONDONTWRITEBYTECODE="1"))
    assert hits == 0
    assert "could not be cached" in said and "File too large" in said
    assert entries(full) == []


def test_a_damaged_entry_is_compiled_again_and_replaced(tmp_path: pathlib.Path) -> None:
    assert finish(start(tmp_path))[0] == 0
    assert finish(start(tmp_path))[0] == 3
    whole = {path: path.read_bytes() for path in entries(tmp_path)}
    assert len(whole) == 3
    cut, flipped, empty = whole
    cut.write_bytes(whole[cut][: len(whole[cut]) // 2])
    middle = len(whole[flipped]) // 2
    flipped.write_bytes(whole[flipped][:middle] + bytes([whole[flipped][middle] ^ 1]) + whole[flipped][middle + 1 :])
    empty.write_bytes(b"")
    assert finish(start(tmp_path))[0] == 0
    assert {path: path.read_bytes() for path in entries(tmp_path)} == whole


def test_a_killed_run_loses_nothing(tmp_path: pathlib.Path) -> None:
    process = start(tmp_path)
    deadline = time.monotonic() + 200
    while not entries(tmp_path) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    finish(start(tmp_path))
    assert finish(start(tmp_path))[0] == 3


def test_two_processes_at_once_share_a_cache(tmp_path: pathlib.Path) -> None:
    both = [start(tmp_path), start(tmp_path)]
    for process in both:
        finish(process)
    assert len(entries(tmp_path)) == 3
    assert finish(start(tmp_path))[0] == 3
