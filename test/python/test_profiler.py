"""What torch.profiler shows of a compiled function: its graphs, each launch by its kernel's name, nothing of aten."""

import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.profiler import ProfilerActivity, profile

from octavo import _torch_compat, simulator

# Between the batch and the new weights torch allocates, views, detaches, and makes the 0-d seed of backward.
ALLOWED = {"empty", "empty_strided", "empty_like", "detach", "view", "as_strided", "ones_like", "fill_"}


def test_each_launch_of_a_training_step_is_an_event_with_its_kernels_name() -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 16))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, foreach=True)
    options = {"fallback": "error"}
    loss_of = torch.compile(lambda x, y: F.cross_entropy(net(x), y), backend="octavo", fullgraph=True, options=options)
    update = torch.compile(optimizer.step, backend="octavo", options=options)

    def step() -> None:
        loss_of(x, y).backward()
        update()
        optimizer.zero_grad(set_to_none=True)

    x, y = torch.randn(48, 32), torch.randint(0, 16, (48,))
    step()
    simulator.reset()
    with profile(activities=[ProfilerActivity.CPU]) as trace:
        step()
    launched = [launch["kernel"] for launch in simulator.report()["launches"]]
    events = [e.name for e in sorted(trace.events(), key=lambda e: e.time_range.start)]
    ours = [name.removeprefix("octavo::") for name in events if name.startswith("octavo::")]
    graphs = [name for name in ours if name.startswith("graph_")]
    assert [name.rsplit("_", 1)[1] for name in graphs] == ["forward", "backward", "inference"]
    assert [name for name in ours if name not in graphs] == launched and len(launched) >= 5
    of_torch = [name.removeprefix("aten::") for name in events if name.startswith("aten::")]
    assert set(of_torch) <= ALLOWED, set(of_torch) - ALLOWED
    assert of_torch.count("ones_like") == of_torch.count("fill_") == 1, "the seed of backward"


def test_without_a_profiler_nothing_is_recorded() -> None:
    assert not _torch_compat.profiler_is_active()
    with profile(activities=[ProfilerActivity.CPU]):
        assert _torch_compat.profiler_is_active()
    assert not _torch_compat.profiler_is_active()
    start = time.perf_counter()
    for _ in range(10_000):
        _torch_compat.profiler_is_active()
    assert time.perf_counter() - start < 0.02, "two microseconds each, on a machine that does other work"
