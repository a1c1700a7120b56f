"""Optimizer steps and clipping: lists of tensors, written in place."""

import copy
from collections.abc import Callable

import pytest
import torch
from oracle import TARGET, compiler, execute, lowered
from torch._dynamo.backends.common import aot_autograd
from torch.fx.experimental.proxy_tensor import make_fx

from octavo.frontend.importer import import_graph

OPTIMIZERS: dict[str, Callable[[list[torch.Tensor]], torch.optim.Optimizer]] = {
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-2, betas=(0.9, 0.95), weight_decay=0.1, foreach=True),
    "adam": lambda p: torch.optim.Adam(p, lr=1e-2, foreach=True, amsgrad=True),
    "adam_single": lambda p: torch.optim.Adam(p, lr=torch.tensor(1e-2), foreach=False),
    "sgd": lambda p: torch.optim.SGD(p, lr=1e-2, momentum=0.9, nesterov=True, weight_decay=0.1, foreach=True),
}


def parameters() -> list[torch.Tensor]:
    torch.manual_seed(0)
    found = [torch.nn.Parameter(torch.randn(shape)) for shape in ((3, 4), (5,), ())]
    for parameter in found:
        parameter.grad = torch.randn_like(parameter)
    return found


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizer_steps(name: str) -> None:
    torch._dynamo.reset()
    seen: list = []
    backend = aot_autograd(fw_compiler=compiler(seen), keep_inference_input_mutations=True)
    ours = parameters()
    theirs = copy.deepcopy(ours)
    for a, b in zip(ours, theirs, strict=True):
        b.grad = a.grad.clone()
    a, b = OPTIMIZERS[name](ours), OPTIMIZERS[name](theirs)
    step = torch.compile(a.step, backend=backend)
    for _ in range(3):
        step()
        b.step()
    assert seen
    torch.testing.assert_close(ours, theirs)


def test_clipping() -> None:
    torch._dynamo.reset()
    ours, theirs = parameters(), parameters()
    backend = aot_autograd(fw_compiler=compiler([]), keep_inference_input_mutations=True)
    clip = torch.compile(
        lambda p: torch.nn.utils.clip_grad_norm_(p, 0.5, foreach=True), backend=backend, fullgraph=True
    )
    torch.testing.assert_close(clip(ours), torch.nn.utils.clip_grad_norm_(theirs, 0.5))
    torch.testing.assert_close([p.grad for p in ours], [p.grad for p in theirs])


LISTS = {
    "add": lambda a, b: torch._foreach_add(a, b, alpha=2), "add_scalar": lambda a, b: torch._foreach_add(a, 1.5),
    "sub": lambda a, b: torch._foreach_sub(a, b), "mul": lambda a, b: torch._foreach_mul(a, b),
    "mul_list": lambda a, b: torch._foreach_mul(a, [1.0, 2.0]), "div": lambda a, b: torch._foreach_div(a, b),
    "mul_tensor": lambda a, b: torch._foreach_mul(a, torch.tensor(0.5)),
    "lerp": lambda a, b: torch._foreach_lerp(a, b, 0.25),
    "lerp_list": lambda a, b: torch._foreach_lerp(a, b, a), "pow": lambda a, b: torch._foreach_pow(a, 2.0),
    "pow_scalar": lambda a, b: torch._foreach_pow(2.0, a), "addcmul": lambda a, b: torch._foreach_addcmul(a, a, b, 0.5),
    "addcdiv": lambda a, b: torch._foreach_addcdiv(a, a, b, [0.5, 2.0]),
    "sqrt": lambda a, b: torch._foreach_sqrt(torch._foreach_abs(a)),
    "addcmul_tensor": lambda a, b: torch._foreach_addcmul(a, a, b, torch.tensor([0.5, 2.0])),
    "maximum": lambda a, b: torch._foreach_maximum(a, b), "clamp_min": lambda a, b: torch._foreach_clamp_min(a, 0.1),
    "neg": lambda a, b: torch._foreach_neg(a), "reciprocal": lambda a, b: torch._foreach_reciprocal(b),
    "norm": lambda a, b: torch._foreach_norm(a, 2), "norm_inf": lambda a, b: torch._foreach_norm(a, float("inf")),
    "norm_1": lambda a, b: torch._foreach_norm(a, 1), "exp": lambda a, b: torch._foreach_exp(a),
    "max": lambda a, b: torch._foreach_max(a),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists(name: str, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    a = [torch.randn(s).to(dtype) for s in ((3, 4), (5,))]
    b = [torch.rand(s).to(dtype) + 0.5 for s in ((3, 4), (5,))]
    gm = make_fx(lambda a, b: LISTS[name](a, b), tracing_mode="fake")(a, b)
    graph = import_graph(gm, (*a, *b), target=TARGET, name="graph")
    torch.testing.assert_close(execute(graph, lowered(graph), (*a, *b)), list(LISTS[name](a, b)))
