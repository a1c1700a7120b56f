"""Trains a small Llama in a process of its own, because a process has one simulated chip and one order of execution.

    step_worker.py train FOLDER RECIPE...    steps of all seeds: FOLDER/RECIPE.pt, and the program calls of one step
    step_worker.py replay FOLDER RECIPE...   those program calls again: FOLDER/RECIPE.replay.pt
    step_worker.py count FOLDER RECIPE...    launches in a step of the default model, none made: FOLDER/count.json

The chip is OCTAVO_TARGET.
"""

from __future__ import annotations

import copy
import ctypes
import hashlib
import json
import os
import pathlib
import sys
import time
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "examples"))

import train_llama
from llama import Llama, Shape, Text

from octavo import _octavo, simulator
from octavo.runtime import program, statistics
from octavo.runtime.harness import extent

SHAPE = Shape(layers=2, sequence=64)
BATCH, STEPS, SEEDS = 2, 2, (0, 1, 2)
# These recipes compile a second time, from the cache, on this chip.
COMPILED_AGAIN = {"gfx950": "rowwise", "gfx942": "tensorwise"}


def options(recipe: str) -> dict[str, Any]:
    """What torch.compile gets."""
    return {"fallback": "error", "target": os.environ["OCTAVO_TARGET"], **({"fp8": recipe} if recipe != "bf16" else {})}


def restart(run: train_llama.Run, seed: int) -> None:
    """Puts the seed's initial weights and an empty optimizer state into a compiled run."""
    torch.manual_seed(seed)
    run.model.load_state_dict(Llama(run.model.shape).state_dict())
    for state in run.optimizer.state.values():
        for value in state.values():
            value.zero_()


def gap(found: list[torch.Tensor], expected: list[torch.Tensor]) -> float:
    """Largest distance of two lists of tensors, relative to the largest element of each tensor."""
    pairs = zip(found, expected, strict=True)
    return max(float((f - e).abs().max() / e.abs().max().clamp(min=1e-30)) for f, e in pairs)


def checked_step(run: train_llama.Run, tokens: torch.Tensor, targets: torch.Tensor) -> dict[str, Any]:
    """One step, with clipping and update judged against eager torch from the same gradients and state."""
    loss = run.forward(tokens, targets)
    loss.backward()
    parameters = list(run.model.parameters())
    gradients = {n: p.grad.clone() for n, p in run.model.named_parameters()}
    weights = [p.detach().clone().requires_grad_() for p in parameters]
    for weight, gradient in zip(weights, gradients.values(), strict=True):
        weight.grad = gradient.clone()
    eager = torch.optim.AdamW(
        weights, lr=train_llama.RATE, betas=train_llama.BETAS, weight_decay=train_llama.DECAY, foreach=True
    )
    eager.load_state_dict(copy.deepcopy(run.optimizer.state_dict()))
    norm, eager_norm = run.clip(), torch.nn.utils.clip_grad_norm_(weights, train_llama.CLIP, foreach=True)
    clipped = gap([p.grad for p in parameters], [w.grad for w in weights])
    before = [w.detach().clone() for w in weights]
    run.update()
    eager.step()
    updates = [[p.detach() - b for p, b in zip(side, before, strict=True)] for side in (parameters, weights)]
    moments = [[s[k] for s in o.state.values() for k in ("exp_avg", "exp_avg_sq")] for o in (run.optimizer, eager)]
    run.optimizer.zero_grad(set_to_none=True)
    return {
        "loss": float(loss.detach()),
        "gradients": gradients,
        "norm_gap": abs(float(norm) / float(eager_norm) - 1),
        "clip_gap": clipped,
        "update_gap": gap(*updates),
        "moment_gap": gap(*moments),
    }


def train_seed(run: train_llama.Run, text: Text, seed: int) -> dict[str, Any]:
    """The steps of one seed."""
    steps = [checked_step(run, *text.batch(seed, step, BATCH, SHAPE.sequence)) for step in range(STEPS)]
    weights = {n: p.detach().clone() for n, p in run.model.named_parameters()}
    return {"steps": steps, "weights": weights}


def profiled_events(run: train_llama.Run, text: Text) -> dict[str, int]:
    """Names of the host's events from a batch to the updated weights, with their counts."""
    tokens, targets = text.batch(0, STEPS, BATCH, SHAPE.sequence)
    with profile(activities=[ProfilerActivity.CPU]) as trace:
        run.forward(tokens, targets).backward()
        run.clip()
        run.update()
    run.optimizer.zero_grad(set_to_none=True)
    return {e.key: e.count for e in trace.key_averages()}


class Recorder:
    """Stands before `_octavo.Program`: keeps for each run of a program what it read and what it left."""

    calls: list[dict[str, Any]] | None = None

    def __init__(self, text: str, code: bytes) -> None:
        self._text, self._code = text, code
        self._tensors = json.loads(text)
        self._program = compiled_program(text, code)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._program, name)

    def run(self, inputs: list[int], outputs: list[int], workspace: int, stream: int) -> None:
        """Runs the program; records if someone listens."""
        if Recorder.calls is None:
            self._program.run(inputs, outputs, workspace, stream)
            return
        before = self._read(inputs, "inputs")
        self._program.run(inputs, outputs, workspace, stream)
        after = [hashlib.sha256(b).hexdigest() for b in self._read(outputs, "outputs")]
        Recorder.calls.append({"text": self._text, "code": self._code, "inputs": before, "outputs": after})

    def _read(self, addresses: list[int], which: str) -> list[bytes]:
        tensors = self._tensors[which]
        return [ctypes.string_at(a, extent(t)) for a, t in zip(addresses, tensors, strict=True)]


compiled_program = _octavo.Program


def train(folder: pathlib.Path, recipes: list[str]) -> None:
    """All seeds, the first one twice, of each recipe."""
    chip = os.environ["OCTAVO_TARGET"]
    program._octavo.Program = Recorder
    text = Text(limit=1 << 20)
    for recipe in recipes:
        start = time.perf_counter()
        torch._dynamo.reset()
        statistics.reset()
        simulator.reset()
        run = train_llama.make_run(SHAPE, 0, "cpu", options(recipe))
        result: dict[str, Any] = {"seeds": {}}
        for seed in SEEDS:
            restart(run, seed)
            result["seeds"][seed] = train_seed(run, text, seed)
        restart(run, SEEDS[0])
        Recorder.calls = []
        result["again"] = train_seed(run, text, SEEDS[0])
        calls, Recorder.calls = Recorder.calls, None
        result["instructions"] = instructions()
        result["events"] = profiled_events(run, text)
        result["graphs"], result["fallback_nodes"] = (
            statistics.statistics().graphs,
            statistics.statistics().fallback_nodes,
        )
        if COMPILED_AGAIN.get(chip) == recipe:
            torch._dynamo.reset()
            statistics.reset()
            result["cached"] = train_seed(train_llama.make_run(SHAPE, SEEDS[0], "cpu", options(recipe)), text, SEEDS[0])
            result["cache_hits"] = statistics.statistics().cache_hits
        result["seconds"] = time.perf_counter() - start
        torch.save(calls[: len(calls) // STEPS], folder / f"{recipe}.calls.pt")
        torch.save(result, folder / f"{recipe}.pt")


def instructions() -> dict[str, int]:
    """Matrix instructions executed, by name."""
    total: dict[str, int] = {}
    for kernel in simulator.report()["kernels"].values():
        for mnemonic, count in kernel["instructions"].items():
            if mnemonic.startswith("v_mfma"):
                total[mnemonic] = total.get(mnemonic, 0) + count
    return total


def replay(folder: pathlib.Path, recipes: list[str]) -> None:
    """The recorded program calls on fresh memory; which outputs differ from the recording is returned by name."""
    order = os.environ["OCTAVO_SIM_ORDER"]
    for recipe in recipes:
        calls = torch.load(folder / f"{recipe}.calls.pt", weights_only=False)
        result = [replay_call(c) for c in calls]
        torch.save({"found": result, "recorded": [c["outputs"] for c in calls]}, folder / f"{recipe}.replay{order}.pt")


def buffer(data: bytes) -> torch.Tensor:
    """Memory of torch's allocator with these bytes."""
    return torch.frombuffer(bytearray(data) or bytearray(1), dtype=torch.uint8).clone()


def replay_call(call: dict[str, Any]) -> list[str]:
    """Digests of the outputs of one program call."""
    tensors = json.loads(call["text"])
    runner = compiled_program(call["text"], call["code"])
    inputs = [buffer(data) for data in call["inputs"]]
    outputs = [
        inputs[t["writes"]] if t["writes"] is not None else buffer(b"\xa5" * extent(t)) for t in tensors["outputs"]
    ]
    addresses = [[b.data_ptr() for b in side] for side in (inputs, outputs)]
    workspace = buffer(b"\xa5" * runner.workspace_bytes)
    runner.run(*addresses, workspace.data_ptr(), 0)
    sizes = [extent(t) for t in tensors["outputs"]]
    return [hashlib.sha256(ctypes.string_at(a, n)).hexdigest() for a, n in zip(addresses[1], sizes, strict=True)]


class Counter:
    """Stands for `_octavo.Program`: counts the launches of a program in place of making them."""

    launches = 0

    def __init__(self, text: str, code: bytes) -> None:
        self.workspace_bytes, self.kernel_names = 0, list[str]()
        self._launches = sum("launch" in step for step in json.loads(text)["steps"])

    def run(self, *_: Any) -> None:
        """Counts; results keep what their memory held."""
        Counter.launches += self._launches


def count(folder: pathlib.Path, recipes: list[str]) -> None:
    """Compiles the default model and counts the launches of its second step."""
    program._octavo.Program = Counter
    shape, counts = Shape(), {}
    batch = Text(limit=1 << 20).batch(0, 0, train_llama.BATCH, shape.sequence)
    for recipe in recipes:
        torch._dynamo.reset()
        run = train_llama.make_run(shape, 0, "cpu", options(recipe))
        run.step(*batch)
        Counter.launches = 0
        run.step(*batch)
        counts[recipe] = Counter.launches
    (folder / "count.json").write_text(json.dumps(counts))


if __name__ == "__main__":
    torch.set_num_threads(1)
    {"train": train, "replay": replay, "count": count}[sys.argv[1]](pathlib.Path(sys.argv[2]), sys.argv[3:])
