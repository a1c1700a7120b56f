"""The benchmark of the timing model runs, and its rows are what they say they are."""

import pathlib
import runpy
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "tools/bench/sim_validation"


@pytest.fixture(scope="module")
def rows():
    sys.path.insert(0, str(FOLDER))
    try:
        return runpy.run_path(str(FOLDER / "rows.py"))["all_rows"]()
    finally:
        sys.path.remove(str(FOLDER))


def test_each_row_has_a_source_and_a_figure(rows) -> None:
    names = [(row.section, row.name, row.target, row.source) for row in rows]
    assert len(names) == len(set(names)) > 90
    assert all(row.source and row.published > 0 for row in rows)


@pytest.mark.parametrize(
    ("section", "name", "target", "bound"),
    [
        ("Matrix instructions", "fp8_16x16x128 independent", "gfx950", 0.05),
        ("Matrix instructions", "f16_16x16x16 dependent", "gfx942", 0.05),
        ("LDS", "pointer chase, ds_read_b32", "gfx950", 0.1),
        ("LDS", "ds_read_b128, 16 rows of 128 B, rows", "gfx942", 0.05),
        ("Memory", "latency of L2", "gfx942", 0.1),
        ("Memory", "HBM copy", "gfx942", 0.1),
        ("Memory", "L2 read, all compute units", "gfx942", 0.05),
    ],
)
def test_the_model_meets_what_isolates_one_mechanism(rows, section, name, target, bound) -> None:
    row = next(row for row in rows if (row.section, row.name, row.target) == (section, name, target))
    assert abs(row.predict() / row.published - 1) < bound


def test_the_command_prints_a_table() -> None:
    result = subprocess.run([sys.executable, str(FOLDER), "--only", "v_exp_f32"], capture_output=True, text=True,
                            check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("| v_exp_f32 independent |") == 2
    result = subprocess.run([sys.executable, str(FOLDER), "--only", "no such row"], capture_output=True, text=True,
                            check=False, timeout=300)
    assert result.returncode == 1
