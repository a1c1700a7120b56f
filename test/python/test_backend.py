"""What a user may do with a compiled function, compared with eager PyTorch."""

import copy
import threading
from collections.abc import Callable, Iterator

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from octavo import _octavo
from octavo.runtime import statistics

COMPILES = hasattr(_octavo, "compile")


@pytest.fixture(autouse=True, params=("eager", "kernels"))
def execution(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Each test runs with every node by torch, and with kernels."""
    if request.param == "kernels" and not COMPILES:
        pytest.fail("this build has no code generator")
    monkeypatch.setenv("OCTAVO_INTERPRET", "1" if request.param == "eager" else "0")
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield request.param
    torch._dynamo.reset()


def compiled(function: Callable[..., object], **how: object) -> Callable[..., object]:
    return torch.compile(function, backend="octavo", fullgraph=True, **how)


def agree(function: Callable[..., object], *args: torch.Tensor, **how: object) -> None:
    """Results and changed arguments are those of eager PyTorch."""
    mine, theirs = ([a.clone() for a in args] for _ in range(2))
    found = torch.utils._pytree.tree_leaves(compiled(function, **how)(*mine))
    expected = torch.utils._pytree.tree_leaves(function(*theirs))
    assert len(found) == len(expected)
    for a, b in zip((*found, *mine), (*expected, *theirs), strict=True):
        if isinstance(b, torch.Tensor):
            assert a.stride() == b.stride() and a.dtype is b.dtype
            torch.testing.assert_close(a, b)
        else:
            assert a == b


def test_an_argument_is_changed_in_place() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.mul_(2).add_(y)
        y[1:].zero_()
        return x + y

    agree(function, torch.randn(4, 8), torch.randn(4, 8))


def test_the_old_value_is_returned_beside_the_change() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        old = x * 1.0
        x.add_(1)
        return old, x.sum()

    agree(function, torch.randn(16))


def test_the_same_tensor_twice_and_an_argument_as_result() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x + 1
        return y, y, x, y.t()

    x = torch.randn(4, 8)
    a, b, c, d = compiled(function)(x)
    assert a.data_ptr() == b.data_ptr() == d.data_ptr() and c is x
    agree(function, x)


def test_views_of_arguments_are_views() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x[1:3], x.t() * 2

    x = torch.randn(4, 4)
    view, _ = compiled(function)(x)
    view.zero_()
    assert x[1:3].abs().sum() == 0
    agree(function, torch.randn(4, 4))


def test_two_arguments_that_overlap() -> None:
    def function(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        return a + b

    mine, theirs = (torch.arange(8.0) for _ in range(2))
    run = compiled(function)
    assert torch.equal(run(mine[:6], mine[2:]), function(theirs[:6], theirs[2:]))
    assert torch.equal(mine, theirs)


def test_results_keep_the_strides_of_eager() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.t() + 1, x.t().exp().contiguous(), x.expand(3, 4, 8), (x + 1).unsqueeze(0).expand(3, 4, 8)

    agree(function, torch.randn(4, 8))


def test_no_tensors_numbers_and_none() -> None:
    agree(lambda x: (None, x.shape[0], x * 2, [x.sum(), {"a": x - 1}]), torch.randn(5))
    assert torch.equal(compiled(lambda: torch.ones(3) * 2)(), torch.full((3,), 2.0))


@pytest.mark.parametrize("shape", ((), (0,), (1,), (3, 0, 2), (2, 3, 5)))
def test_sizes_at_the_edge(shape: tuple[int, ...]) -> None:
    agree(lambda x: (x * 2 + 1, x.sum(), x.double().abs()), torch.randn(shape))


def test_tensors_without_elements_beside_others() -> None:
    def function(a: torch.Tensor, b: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        padded = F.pad(a, (0, 0, 1, 2), value=3.0)
        return torch.cat([a, x]), a.sum(0), a.t() @ b, padded, x[:0], x.index_add(0, b[:, 0].long(), a)

    agree(function, torch.randn(0, 4), torch.randn(0, 3), torch.randn(2, 4))


def test_results_in_another_order_are_read_and_written_so() -> None:
    def function(x: torch.Tensor, w: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = (x @ w).t().exp()
        z.copy_(z.flip(0))
        return y, y @ x, y.reshape(-1) * 2

    x, w, z = torch.randn(5, 6), torch.randn(6, 7), torch.randn(6, 5)
    mine, theirs = (z.clone().t() for _ in range(2))
    found, expected = compiled(function)(x, w, mine), function(x, w, theirs)
    for a, b in zip((*found, mine), (*expected, theirs), strict=True):
        assert a.stride() == b.stride()
        torch.testing.assert_close(a, b)


def test_constants_of_the_graph() -> None:
    agree(lambda x: x * torch.tensor([1.0, 2.0, 3.0]) + torch.tensor(4.0), torch.randn(2, 3))


def model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))


def train(net: nn.Module, run: Callable[..., object], batches: list[torch.Tensor]) -> list[torch.Tensor]:
    """Gradients after one backward per batch, without clearing between."""
    for batch in batches:
        run(batch).square().mean().backward()
    grads = [p.grad.clone() for p in net.parameters()]
    net.zero_grad()
    return grads


def test_gradients_accumulate() -> None:
    net = model()
    batches = [torch.randn(8, 16) for _ in range(3)]
    expected = train(net, net, batches)
    found = train(net, compiled(net), batches)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("dynamic", (None, True))
def test_a_ragged_last_batch(dynamic: bool | None) -> None:
    net = model()
    batches = [torch.randn(size, 16) for size in (8, 8, 3, 5)]
    expected = train(net, net, batches)
    found = train(net, compiled(net, dynamic=dynamic), batches)
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b)


def test_inference_has_no_backward() -> None:
    net = model()
    x = torch.randn(8, 16)
    before = statistics.statistics().graphs
    with torch.no_grad():
        torch.testing.assert_close(compiled(net)(x), net(x))
    assert statistics.statistics().graphs == before + 1


def test_batch_norm_updates_its_buffers_in_training() -> None:
    net = nn.Sequential(nn.Linear(16, 8), nn.BatchNorm1d(8))
    other = copy.deepcopy(net)
    x = torch.randn(32, 16)
    for _ in range(2):
        torch.testing.assert_close(compiled(net)(x), other(x))
    torch.testing.assert_close(net[1].running_mean, other[1].running_mean)
    torch.testing.assert_close(net[1].running_var, other[1].running_var)


def test_activation_checkpointing_with_dropout_uses_one_mask() -> None:
    weight = torch.randn(64, 64, requires_grad=True)

    def body(x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x @ weight, 0.5)

    x = torch.randn(32, 64)
    options = {"fallback": "error"}
    out = compiled(lambda x: checkpoint(body, x, use_reentrant=False), options=options)(x)
    out.sum().backward()
    # d(out)/d(x @ weight) is 2 where kept, 0 where dropped, and which are kept is seen in the result.
    kept = (out != 0).float() * 2
    torch.testing.assert_close(weight.grad, x.t() @ kept)
    assert 0.4 < (out == 0).float().mean() < 0.6


def test_random_numbers_follow_the_seed_and_differ_between_operators() -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return F.dropout(x, 0.5), F.dropout(x, 0.5)

    run = compiled(function)
    x = torch.ones(1000)
    torch.manual_seed(7)
    first = run(x)
    second = run(x)
    torch.manual_seed(7)
    again = run(x)
    assert torch.equal(first[0], again[0]) and torch.equal(first[1], again[1])
    assert not torch.equal(first[0], first[1]) and not torch.equal(first[0], second[0])


@pytest.mark.parametrize("shared", (False, True))
@pytest.mark.parametrize("mask", (None, "causal", "bool", "float", "dropped rows"))
def test_attention_and_its_gradients(mask: str | None, shared: bool) -> None:
    q, k, v = (torch.randn(2, heads, 12, 16) for heads in (4, 2 if shared else 4, 2 if shared else 4))
    given = {
        "bool": torch.rand(12, 12) < 0.7,
        "float": torch.randn(2, 1, 12, 12),
        "dropped rows": torch.arange(12).view(12, 1).expand(12, 12) > 3,
    }.get(mask or "")

    def function(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=given, is_causal=mask == "causal", enable_gqa=shared)

    results = []
    for run in (function, compiled(function)):
        args = [t.clone().requires_grad_() for t in (q, k, v)]
        out = run(*args)
        (out * torch.linspace(-1, 1, out.numel()).view(out.shape)).sum().backward()
        results.append((out.detach(), *(a.grad for a in args)))
    for a, b in zip(*results, strict=True):
        torch.testing.assert_close(a, b)


def test_two_threads_run_one_compiled_function() -> None:
    run = compiled(lambda x: torch.relu(x @ x.t()).sum(0))
    inputs = [torch.randn(32, 8) for _ in range(2)]
    run(inputs[0])
    expected = [torch.relu(x @ x.t()).sum(0) for x in inputs]
    failures: list[str] = []

    def work(index: int) -> None:
        for _ in range(10):
            if not torch.allclose(run(inputs[index]), expected[index], atol=1e-5):
                failures.append(f"thread {index}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
