"""`octavo-sim check`: each smallest wrong kernel has findings of its kind alone, its right twin has none."""

import json
import pathlib
import subprocess

import check_cases
import pytest
from clients import TARGETS

PAIRS = [(target, case) for target in TARGETS for case in check_cases.CASES if target in case.targets]


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pathlib.Path]:
    folder = tmp_path_factory.mktemp("checks")
    built = {}
    for target in TARGETS:
        (folder / f"{target}.s").write_text(check_cases.program(target))
        built[target] = check_cases.assemble(folder / f"{target}.s", target)
    return built


def check(path: pathlib.Path, kernel: str, *options: str) -> tuple[int, list[dict], str]:
    """Exit code, findings and what was printed."""
    from octavo import _paths

    report = path.parent / "report.json"
    report.unlink(missing_ok=True)
    command = [str(_paths.tool("octavo-sim")), "check", str(path), "--kernel", kernel, "--block", "128"]
    command += ["--arg", "i32[256]:zeros", "--json", str(report), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, json.loads(report.read_text())["findings"], done.stdout + done.stderr


@pytest.mark.parametrize(("target", "case"), PAIRS, ids=[f"{target}-{case.name}" for target, case in PAIRS])
def test_pair(objects, target, case):
    code, findings, printed = check(objects[target], f"{case.name}_wrong")
    assert {finding["kind"] for finding in findings} == {case.finds}, printed
    assert code == 3
    assert case.finds in printed
    code, findings, printed = check(objects[target], f"{case.name}_right")
    assert (code, findings) == (0, []), printed


def test_report_says_where(objects):
    """Kernel, address, text, source line, wave and lane."""
    _, (finding,), printed = check(objects["gfx942"], "behind_the_end_wrong")
    assert finding["kernel"] == "behind_the_end_wrong"
    assert finding["instruction"].startswith("global_store_dword v1, v0, s[4:5] offset:1024")
    source = objects["gfx942"].with_suffix(".s").read_text().splitlines()
    name, line = finding["source"].rsplit(":", 1)
    assert name.endswith("gfx942.s") and "offset:1024" in source[int(line) - 1]
    assert (finding["workgroup"], finding["wave"], finding["lane"]) == ([0, 0, 0], 0, 0)
    assert f"{finding['address']:#x}"[2:] in printed.lower()


def test_from_python(objects):
    from octavo import simulator

    options = {"kernel": "lds_race_wrong", "block": (128,)}
    findings = simulator.check_kernel(objects["gfx950"], "i32[256]:zeros", **options)
    assert {finding["kind"] for finding in findings} == {"race"}
    assert any(finding["instruction"].startswith("ds_read_b32") for finding in findings)
    assert simulator.check_kernel(objects["gfx950"], "i32[256]:zeros", fast=True, **options) == []
