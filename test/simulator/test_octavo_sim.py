"""The command octavo-sim: results, exit codes, and an error for everything that is wrong."""

import itertools
import json
import pathlib
import random
import subprocess
import xml.etree.ElementTree

import numpy as np
import pytest
from clients import TARGETS, clang

from octavo import simulator
from octavo.errors import OctavoError

SOURCE = """
#define GLOBAL __attribute__((address_space(1)))
#define KERNEL __attribute__((amdgpu_kernel)) void
KERNEL add(GLOBAL const float *x, GLOBAL const float *y, GLOBAL float *z, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i < n) z[i] = x[i] + y[i];
}
KERNEL forever(GLOBAL volatile int *x) { while (*x == 0) ; }
KERNEL wild(GLOBAL int *x) { x[1LL << 40] = 1; }
"""


def sim(*arguments: object, timeout: int = 120, **options) -> subprocess.CompletedProcess:
    from octavo import _paths

    command = [str(_paths.tool("octavo-sim")), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout, **options)


@pytest.fixture(scope="session", params=TARGETS)
def target(request) -> str:
    return request.param


def build(source: pathlib.Path, target: str, *options: str) -> pathlib.Path:
    built = source.with_name(f"{target}.hsaco")
    subprocess.run(
        [clang().removesuffix("++"), "--target=amdgcn-amd-amdhsa", f"-mcpu={target}", "-O2", "-nogpulib", *options,
         str(source), "-o", str(built)],
        check=True,
    )
    return built


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    folder = tmp_path_factory.mktemp("objects")
    (folder / "k.c").write_text(SOURCE)
    return {name: build(folder / "k.c", name) for name in TARGETS}


ADD = ["--kernel", "add", "--grid", 4, "--block", 256]


def test_run_takes_files_and_saves_results(objects, target: str, tmp_path: pathlib.Path) -> None:
    x = np.arange(1000, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    result = sim("run", objects[target], *ADD, "--arg", tmp_path / "x.npy", "--arg", "f32[1000]:arange", "--arg",
                 "f32[10x100]:zeros", "--arg", "i32:990", "--save", f"2={tmp_path}/z.npy", "--json",
                 tmp_path / "report.json")
    assert result.returncode == 0, result.stderr
    z = np.load(tmp_path / "z.npy")
    assert z.shape == (10, 100) and z.dtype == np.float32
    assert (z.reshape(-1) == np.where(x < 990, 2 * x, 0)).all()
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["counters"]["waves"] == 16 and report["counters"]["bytes_stored"] == 4 * 990
    assert sum(report["instructions"].values()) == report["counters"]["wave_instructions"]


def test_profile_says_time_roofs_and_stalls(objects, target: str, tmp_path: pathlib.Path) -> None:
    n = 1 << 20
    result = sim("profile", objects[target], "--kernel", "add", "--grid", n // 256, "--block", 256, "--arg",
                 f"f32[{n}]:ones", "--arg", f"f32[{n}]:arange", "--arg", f"f32[{n}]:zeros", "--arg", f"i32:{n}",
                 "--save", f"2={tmp_path}/z.npy", "--json", tmp_path / "profile.json")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("predicted ")
    assert (np.load(tmp_path / "z.npy") == np.arange(n, dtype=np.float32) + 1).all()
    profile = json.loads((tmp_path / "profile.json").read_text())
    # 12 bytes an element through device memory: no less than its bandwidth allows, and not ten times as long.
    least = 12 * n / {"gfx942": 5300e3, "gfx950": 8000e3}[target]
    assert least < profile["predicted_us"] < 10 * least + 10, (profile["predicted_us"], least)
    assert {"bound", "roofs", "stalls", "counters"} <= profile.keys()
    assert profile["roofs"]["matrix"] == 0 < profile["roofs"]["hbm"] <= profile["predicted_us"]
    assert profile["counters"]["bytes_stored"] == 4 * n


def test_profile_writes_costs_trace_and_picture(target: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "k.c").write_text(SOURCE)
    built = build(tmp_path / "k.c", target, "-g")
    n = 1 << 16
    found = simulator.profile(built, np.ones(n, np.float32), f"f32[{n}]:ones", f"f32[{n}]:zeros", f"i32:{n}",
                              kernel="add", grid=(n // 256,), block=(256,), trace=tmp_path / "t.json",
                              plot=tmp_path / "p.svg")
    costs = found["instruction_costs"]
    for cause, cycles in found["stalls"].items():
        if cause != "issue":
            assert sum(cost["stalls"].get(cause, 0) for cost in costs) == cycles, cause
    loads = [cost for cost in costs if cost["text"].startswith("global_load")]
    assert len(loads) == 2 and all(load["source"].endswith("k.c:6") for load in loads)
    # What waits for memory is not the load but the wait for it.
    waits = [cost for cost in costs if cost["text"].startswith("s_waitcnt vmcnt(0)")]
    assert max(costs, key=lambda cost: cost["stalls"].get("vector_memory", 0)) in waits
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    assert sum(event["cat"] == "issue" for event in spans) == sum(cost["issues"] for cost in costs)
    waited = sum(event["dur"] for event in spans if event["cat"] == "wait")
    assert waited == sum(sum(cost["stalls"].values()) for cost in costs)
    # Of one wave nothing overlaps.
    for wave in {event["tid"] for event in spans}:
        own = sorted((event["ts"], event["dur"]) for event in spans if event["tid"] == wave)
        assert all(a + d <= b for (a, d), (b, _) in itertools.pairwise(own)), wave
    picture = xml.etree.ElementTree.parse(tmp_path / "p.svg").getroot()
    words = [text.text or "" for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert any(word.startswith(f"add: predicted {found['predicted_us']:.2f} us") for word in words)
    assert {"hbm", "predicted", "vector_memory"} <= set(words)
    with pytest.raises(OctavoError, match="no kernel"):
        simulator.profile(built, kernel="missing")


def test_a_sampled_profile_runs_few_workgroups_and_predicts_alike(objects, target: str, tmp_path: pathlib.Path) -> None:
    n = 1 << 20
    launch = (objects[target], "--kernel", "add", "--grid", n // 256, "--block", 256, "--arg", f"f32[{n}]:ones",
              "--arg", f"f32[{n}]:ones", "--arg", f"f32[{n}]:zeros", "--arg", f"i32:{n}")
    found = []
    for how in ((), ("--sampled",)):
        result = sim("profile", *launch, *how, "--json", tmp_path / "profile.json")
        assert result.returncode == 0, result.stderr
        found.append(json.loads((tmp_path / "profile.json").read_text()))
    whole, few = found
    assert few["predicted_us"] == whole["predicted_us"]
    assert whole["counters"]["workgroups"] == n // 256 and few["counters"]["workgroups"] < 32
    assert whole["matrix_arithmetic"] == "done" and few["matrix_arithmetic"] == "left out"
    result = sim("profile", *launch, "--sampled", "--save", f"2={tmp_path}/z.npy")
    assert result.returncode == 2 and "--save" in result.stderr


def test_made_arrays_are_the_same_everywhere(objects, tmp_path: pathlib.Path) -> None:
    def make(how: str) -> np.ndarray:
        result = sim("run", objects["gfx950"], *ADD, "--arg", how, "--arg", "f32[4096]:zeros", "--arg",
                     "f32[4096]:zeros", "--arg", "i32:0", "--save", f"0={tmp_path}/a.npy")
        assert result.returncode == 0, result.stderr
        return np.load(tmp_path / "a.npy")

    import ml_dtypes

    normal = make("f32[64x64]:randn:7")
    assert normal.shape == (64, 64) and abs(normal.mean()) < 0.05 and abs(normal.std() - 1) < 0.05
    assert (make("f32[64x64]:randn:7") == normal).all() and (make("f32[64x64]:randn:8") != normal).any()
    for name, dtype in [("f8E4M3FN", ml_dtypes.float8_e4m3fn), ("f8E5M2", ml_dtypes.float8_e5m2),
                        ("f8E4M3FNUZ", ml_dtypes.float8_e4m3fnuz), ("bf16", ml_dtypes.bfloat16),
                        ("f16", np.float16)]:
        values = make("f64[4096]:randn:7")
        codes = make(f"{name}[4096]:randn:7")
        assert (codes.view(dtype).view(codes.dtype) == values.astype(dtype).view(codes.dtype)).all(), name


def test_info_says_what_the_kernel_needs(objects, target: str) -> None:
    result = sim("info", objects[target])
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"target {target} ")
    for text in ("kernel add", "vector registers", "LDS", "occupancy", "global_buffer", "by_value"):
        assert text in result.stdout
    assert "unknown instruction" not in result.stdout


UNKNOWN = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_endpgm
  s_cbranch_join s0
  s_rfe_b64 s[0:1]
  s_rfe_b64 s[2:3]
.size k, .-k
.rodata
.amdhsa_kernel k
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 4
.end_amdhsa_kernel
"""


def test_info_lists_unknown_instructions(tmp_path: pathlib.Path) -> None:
    """The chip has them, for graphics; they stand behind the end of the kernel and are never executed."""
    source = tmp_path / "bad.s"
    source.write_text(UNKNOWN)
    obj = tmp_path / "bad.hsaco"
    subprocess.run([clang().removesuffix("++"), "--target=amdgcn-amd-amdhsa", "-mcpu=gfx950", "-nogpulib", str(source),
                    "-o", str(obj)], check=True)
    result = sim("info", obj)
    assert result.returncode == 1 and result.stdout.splitlines() == [
        "unknown instruction: s_cbranch_join", "unknown instruction: s_rfe_b64"
    ], result


def test_disasm_shows_labels_and_instructions(objects, target: str) -> None:
    whole = sim("disasm", objects[target])
    one = sim("disasm", objects[target], "--kernel", "add")
    assert whole.returncode == one.returncode == 0
    assert "forever:" in whole.stdout and "forever:" not in one.stdout
    assert "add:" in one.stdout and "v_add_f32" in one.stdout and "s_endpgm" in one.stdout


def test_env_names_the_library(target: str) -> None:
    text = sim("env", "--target", target).stdout
    assert f"export OCTAVO_TARGET='{target}'" in text and "TRITON_LIBHIP_PATH" in text and "LD_LIBRARY_PATH" in text
    wrong = sim("env", "--target", "gfx1")
    assert wrong.returncode == 2 and "gfx942, gfx950" in wrong.stderr


GOOD = ["--arg", "f32[1024]:ones", "--arg", "f32[1024]:ones", "--arg", "f32[1024]:zeros", "--arg", "i32:1024"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--kernel", "nothing", *GOOD], "no kernel nothing"),
        (GOOD, "--kernel is missing"),
        ([*ADD, *GOOD[:6]], "takes 4 arguments, got 3"),
        ([*ADD, *GOOD[:6], "--arg", "f64:1"], "parameter"),
        ([*ADD, *GOOD[:6], "--arg", "i32:many"], "'many' is no i32"),
        ([*ADD, *GOOD[:6], "--arg", "f8:1"], "f8E4M3FN"),
        ([*ADD, *GOOD[:6], "--arg", "i32:5000000000"], "is no i32"),
        ([*ADD, "--arg", "f32[9999999999x9999999999]:ones", *GOOD[2:]], "bad shape"),
        ([*ADD, "--arg", "f32[99999999999]:ones", *GOOD[2:]], "larger than"),
        ([*ADD, "--arg", "f32[64]:fancy", *GOOD[2:]], "zeros, ones"),
        ([*ADD, "--arg", "missing.npy", *GOOD[2:]], "No such file"),
        ([*ADD, *GOOD, "--save", "4=x.npy"], "counted from 0"),
        ([*ADD, *GOOD, "--save", "3=x.npy"], "scalar"),
        (["--kernel", "add", "--grid", "0", *GOOD], "--grid 0"),
        (["--kernel", "add", "--grid", "1,2,3,4", *GOOD], "three dimensions"),
        (["--kernel", "add", "--grid", "4294967295", "--block", "1024", *GOOD], "2^32"),
        (["--kernel", "add", "--block", "100000", *GOOD], "add"),
        ([*ADD, "--lds", "1000000", *GOOD], "LDS"),
    ],
)
def test_run_says_what_is_wrong(objects, arguments: list, says: str) -> None:
    result = sim("run", objects["gfx950"], *arguments)
    assert result.returncode in (1, 2) and says in result.stderr, (result.returncode, result.stderr)


def test_run_stops_a_kernel_that_never_ends(objects, target: str) -> None:
    import os

    result = sim("run", objects[target], "--kernel", "forever", "--arg", "i32[1]:zeros",
                 env={**os.environ, "OCTAVO_SIM_LIMIT": "100000"})
    assert result.returncode == 1 and "forever" in result.stderr, result.stderr


def test_run_names_kernel_and_instruction_of_a_bad_access(objects, target: str) -> None:
    result = sim("run", objects[target], "--kernel", "wild", "--arg", "i32[1]:zeros")
    assert result.returncode == 1 and "wild" in result.stderr and "global_store_dword" in result.stderr, result.stderr


def damage(data: bytes, generator: random.Random) -> bytes:
    """One of the ways in which a file goes wrong."""
    kind = generator.randrange(4)
    if kind == 0:
        return data[: generator.randrange(len(data))]
    damaged = bytearray(data)
    if kind == 1:  # single bytes anywhere
        for _ in range(generator.randrange(1, 16)):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
    elif kind == 2:  # headers and tables, where sizes and offsets are
        for _ in range(generator.randrange(1, 4)):
            at = generator.randrange(0, min(len(damaged), 1024) - 8)
            value = generator.choice([0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, generator.getrandbits(64)])
            damaged[at : at + 8] = value.to_bytes(8, "little")
    else:  # a block moved over another
        size = generator.randrange(1, 256)
        to, start = (generator.randrange(len(damaged) - size) for _ in range(2))
        damaged[to : to + size] = damaged[start : start + size]
    return bytes(damaged)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_objects_are_errors_and_no_crashes(objects, target: str, seed: int, tmp_path: pathlib.Path) -> None:
    generator = random.Random(f"{target} {seed}")
    data = objects[target].read_bytes()
    obj = tmp_path / "damaged.hsaco"
    for attempt in range(25):
        obj.write_bytes(damage(data, generator))
        for command in ("info", "disasm"):
            result = sim(command, obj, timeout=20)
            assert result.returncode in (0, 1, 2), (attempt, command, result.returncode, result.stderr[-2000:])
            if result.returncode == 2:
                assert result.stderr.startswith("octavo-sim: "), (attempt, command, result.stderr)
