"""The example as a user runs it, on a model that takes seconds."""

import importlib
import json
import pathlib
from typing import Any

import pytest
import torch

from octavo import _octavo
from octavo.runtime import statistics

ROOT = pathlib.Path(__file__).parents[3]
SMALL = ("--layers", "1", "--width", "32", "--hidden", "48", "--sequence", "32", "--batch", "2")
FIELDS = {
    "target", "recipe", "steps", "loss", "reference_loss", "fallback_nodes", "graphs", "kernels", "instructions",
    "compile_seconds", "seconds",
}  # fmt: skip


@pytest.fixture(autouse=True)
def eager_kernels(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """Every node by torch: what is tested is the program around the kernels."""
    monkeypatch.setenv("OCTAVO_INTERPRET", "1")
    monkeypatch.delenv("OCTAVO_TARGET", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "examples"))


def run(*arguments: str) -> None:
    """The example in this process, as if it were the first thing in it."""
    program = importlib.import_module("train_llama")
    torch._dynamo.reset()
    statistics.reset()
    program.main([*SMALL, *arguments])


def refusal(*arguments: str) -> str:
    """What the example says as it ends with an error."""
    with pytest.raises(SystemExit) as ended:
        run(*arguments)
    return str(ended.value)


def train(*arguments: str) -> dict[str, Any]:
    run("--report", "report.json", *arguments)
    report: dict[str, Any] = json.loads(pathlib.Path("report.json").read_text())
    return report


@pytest.mark.parametrize("recipe", ("bf16", "tensorwise", "rowwise", "rowwise_with_gw_hp", "blockwise", "mxfp8"))
def test_the_report_has_its_fields_and_the_losses_follow_eager(recipe: str) -> None:
    report = train("--recipe", recipe, "--steps", "4", "--plot", "loss.png", "--save", "checkpoint.pt")
    assert set(report) >= FIELDS
    assert report["recipe"] == recipe and report["steps"] == 4 and report["graphs"] == 4
    assert report["target"] == _octavo.simulated_target
    bound = 0.001 if recipe == "bf16" else 0.008
    for found, expected in zip(report["loss"], report["reference_loss"], strict=True):
        assert abs(found / expected - 1) < bound
    assert pathlib.Path("loss.png").stat().st_size > 1000
    assert pathlib.Path("checkpoint.pt").exists()


def test_a_resumed_run_continues_with_identical_losses() -> None:
    whole = train("--steps", "6", "--save", "whole.pt")
    train("--steps", "3", "--save", "half.pt")
    resumed = train("--steps", "6", "--resume", "half.pt", "--save", "rest.pt")
    assert resumed["loss"] == whole["loss"]
    assert resumed["reference_loss"] == whole["reference_loss"]


def test_what_is_no_checkpoint_is_said_in_one_line() -> None:
    pathlib.Path("not.pt").write_text("not a checkpoint")
    assert "train_llama: not.pt is no checkpoint of this program" in refusal("--resume", "not.pt")


def test_a_checkpoint_of_another_recipe_is_refused() -> None:
    train("--steps", "1", "--save", "a.pt")
    assert "the checkpoint has another recipe" in refusal("--resume", "a.pt", "--recipe", "bf16")


def test_a_text_of_ones_own() -> None:
    pathlib.Path("text").write_bytes(b"abc" * 400)
    report = train("--text", "text", "--steps", "2")
    assert report["loss"][1] < report["loss"][0]
    pathlib.Path("short").write_bytes(b"abc")
    assert "fewer bytes" in refusal("--text", "short")
    assert "cannot read" in refusal("--text", "missing")
