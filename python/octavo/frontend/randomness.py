"""Random numbers as a function of (seed, stream, element): equal in forward and backward, whatever the tiling.

Each graph call draws one seed from torch's generator (`octavo::seed`, run on the host); each random operator of the
graph becomes `octavo::random` with a stream number of its own. Numbers are not those of eager torch.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import fx

from octavo.frontend.recipe.operators import LIBRARY, TAGS

DISTRIBUTIONS = ("uniform", "normal")

LIBRARY.define("seed(Device device) -> Tensor", tags=(*TAGS, torch.Tag.nondeterministic_seeded))
LIBRARY.define(
    "random(Tensor seed, int stream, SymInt[] size, str distribution, ScalarType dtype) -> Tensor", tags=TAGS
)


def _seed(device: torch.device) -> torch.Tensor:
    """Two 64-bit words from the default generator: the key and the offset of a Philox generator."""
    return torch.randint(0, 2**63 - 1, (2,), dtype=torch.int64, device=device)


def _multiply(a: torch.Tensor, constant: int) -> tuple[torch.Tensor, torch.Tensor]:
    """High and low 32 bits of a product of 32-bit numbers, which are kept in int64."""
    low = a * (constant & 0xFFFF)
    high = a * (constant >> 16)
    total_low = (low + ((high & 0xFFFF) << 16)) & 0xFFFFFFFF
    carry = (low >> 16) + high
    return (carry >> 16) & 0xFFFFFFFF, total_low


def philox(counter: list[torch.Tensor], key: list[torch.Tensor]) -> list[torch.Tensor]:
    """Philox4x32-10 (Salmon et al., 2011) on 32-bit words in int64 tensors."""
    c, k = list(counter), list(key)
    for _ in range(10):
        high_0, low_0 = _multiply(c[0], 0xD2511F53)
        high_2, low_2 = _multiply(c[2], 0xCD9E8D57)
        c = [high_2 ^ c[1] ^ k[0], low_2, high_0 ^ c[3] ^ k[1], low_0]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def _words(seed: torch.Tensor, stream: int, count: int) -> list[torch.Tensor]:
    """Four words for each element: counter (element low, element high, stream, low word of the offset)."""
    element = torch.arange(count, dtype=torch.int64, device=seed.device)
    counter = [
        element & 0xFFFFFFFF,
        element >> 32,
        torch.full_like(element, stream),
        (seed[1] & 0xFFFFFFFF).expand(count),
    ]
    return philox(counter, [seed[0] & 0xFFFFFFFF, (seed[0] >> 32) & 0xFFFFFFFF])


def _random(seed: torch.Tensor, stream: int, size: list[int], distribution: str, dtype: torch.dtype) -> torch.Tensor:
    """`uniform`: the first word's upper 24 bits / 2^24, in [0, 1). `normal`: Box and Muller from the first two
    words.
    """
    words = _words(seed, stream, math.prod(size))
    first = (words[0] >> 8).float() * 2.0**-24
    if distribution == "uniform":
        return first.to(dtype).view(size)
    second = (words[1] >> 8).float() * 2.0**-24
    return (torch.sqrt(-2.0 * torch.log(1.0 - first)) * torch.cos(2.0 * math.pi * second)).to(dtype).view(size)


def _fake_random(
    seed: torch.Tensor, stream: int, size: list[int], distribution: str, dtype: torch.dtype
) -> torch.Tensor:
    return torch.empty(size, dtype=dtype, device=seed.device)


LIBRARY.impl("seed", _seed, "CompositeExplicitAutograd")
LIBRARY.impl("random", _random, "CompositeExplicitAutograd")
torch.library.register_fake(
    "octavo::seed", lambda device: torch.empty((2,), dtype=torch.int64, device=device), lib=LIBRARY
)
torch.library.register_fake("octavo::random", _fake_random, lib=LIBRARY)

_aten = torch.ops.aten
_SOURCES: dict[Any, str] = {
    _aten.rand.default: "uniform",
    _aten.rand_like.default: "uniform",
    _aten.randn.default: "normal",
    _aten.randn_like.default: "normal",
    _aten.bernoulli.p: "uniform",
    _aten.bernoulli.default: "uniform",
}


def rewrite(gm: fx.GraphModule) -> None:
    """Replaces the random operators of `gm`, each by a function of one seed that the graph draws first."""
    graph = gm.graph
    nodes = [n for n in graph.nodes if n.op == "call_function" and n.target in _SOURCES]
    nodes = [n for n in nodes if n.kwargs.get("generator") is None]
    if not nodes:
        return
    seeds: dict[torch.device, fx.Node] = {}
    first = next(n for n in graph.nodes if n.op != "placeholder")
    for stream, node in enumerate(nodes):
        value = node.meta["val"]
        if value.device not in seeds:
            with graph.inserting_before(first):
                seeds[value.device] = _call(graph, torch.ops.octavo.seed.default, (value.device,), node)
        with graph.inserting_before(node):
            replacement = _replacement(graph, node, seeds[value.device], stream)
        node.replace_all_uses_with(replacement)
        graph.erase_node(node)
    graph.lint()
    gm.recompile()


def _call(graph: fx.Graph, target: Any, args: tuple[Any, ...], like: fx.Node) -> fx.Node:
    node = graph.call_function(target, args)
    node.meta = {k: v for k, v in like.meta.items() if k not in ("val", "tensor_meta")}
    values = [a.meta["val"] if isinstance(a, fx.Node) else a for a in args]
    with next(v.fake_mode for v in (like.meta["val"], *values) if hasattr(v, "fake_mode")):
        node.meta["val"] = target(*[_values(a) for a in args])
    return node


def _values(argument: Any) -> Any:
    if isinstance(argument, fx.Node):
        return argument.meta["val"]
    if isinstance(argument, list | tuple):
        return [_values(a) for a in argument]
    return argument


def _replacement(graph: fx.Graph, node: fx.Node, seed: fx.Node, stream: int) -> fx.Node:
    value = node.meta["val"]
    size: Any = node.args[0] if node.target in (_aten.rand.default, _aten.randn.default) else list(value.shape)
    bernoulli = node.target in (_aten.bernoulli.p, _aten.bernoulli.default)
    dtype = torch.float32 if bernoulli else value.dtype
    drawn = _call(graph, torch.ops.octavo.random.default, (seed, stream, size, _SOURCES[node.target], dtype), node)
    if not bernoulli:
        return drawn
    if node.target is _aten.bernoulli.p:
        below = _call(graph, _aten.lt.Scalar, (drawn, node.args[1]), node)
    else:
        below = _call(graph, _aten.lt.Tensor, (drawn, node.args[0]), node)
    return _call(graph, torch.ops.prims.convert_element_type.default, (below, value.dtype), node)
