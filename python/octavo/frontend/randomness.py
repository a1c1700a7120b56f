"""Random numbers as a function of (seed, offset, element): equal in forward and backward, whatever the tiling.

Each graph call draws one seed and one offset from torch's generator (`octavo::seed`, run on the host); each random
operator of the graph becomes `octavo::random` with an offset of its own. Numbers are not those of eager torch.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import fx

from octavo import _torch_compat
from octavo.frontend.recipe.operators import LIBRARY, TAGS

# Counters of two operators of one graph lie this far apart.
STREAM = 2**40

LIBRARY.define("seed(Device device) -> Tensor", tags=TAGS)
LIBRARY.define("random(Tensor seed, Tensor offset, SymInt[] size, str kind, ScalarType dtype) -> Tensor", tags=TAGS)


def _seed(device: torch.device) -> torch.Tensor:
    """Key and offset of a Philox generator, from torch's default generator."""
    return torch.randint(0, 2**62, (2,), dtype=torch.int64, device=device)


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


def _words(seed: torch.Tensor, offset: torch.Tensor, count: int) -> torch.Tensor:
    """Word `i mod 4` of counter `offset + i div 4` for each element i."""
    counter = offset + torch.arange((count + 3) // 4, dtype=torch.int64, device=seed.device)
    zero = torch.zeros_like(counter)
    key = [seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF]
    words = philox([counter & 0xFFFFFFFF, (counter >> 32) & 0xFFFFFFFF, zero, zero], key)
    return torch.stack(words, -1).flatten()


def _random(seed: torch.Tensor, offset: torch.Tensor, size: list[int], kind: str, dtype: torch.dtype) -> torch.Tensor:
    """`uniform` in [0, 1) from 24 bits, `normal` by Box and Muller from pairs of words, as `octavo.random` says."""
    count = math.prod(size)
    uniform = (_words(seed, offset, count) >> 8).float() * 2.0**-24
    if kind == "uniform":
        return uniform[:count].to(dtype).view(size)
    if kind != "normal":
        raise ValueError(f"octavo.random: unknown kind {kind!r}; the kinds are uniform, normal")
    u, v = uniform.view(-1, 2).unbind(-1)
    radius, angle = torch.sqrt(-2.0 * torch.log(u + 2.0**-24)), 2.0 * math.pi * v
    pairs = torch.stack((radius * torch.cos(angle), radius * torch.sin(angle)), -1)
    return pairs.flatten()[:count].to(dtype).view(size)


def _fake_random(
    seed: torch.Tensor, offset: torch.Tensor, size: list[int], kind: str, dtype: torch.dtype
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
    """Replaces the random operators of `gm`, each by a function of a seed that the graph draws first."""
    graph = gm.graph
    nodes = [n for n in graph.nodes if n.op == "call_function" and n.target in _SOURCES]
    nodes = [n for n in nodes if n.kwargs.get("generator") is None]
    if not nodes:
        return
    drawn: dict[torch.device, tuple[fx.Node, fx.Node]] = {}
    first = next(n for n in graph.nodes if n.op != "placeholder")
    for stream, node in enumerate(nodes):
        device = node.meta["val"].device
        if device not in drawn:
            with graph.inserting_before(first):
                pair = _call(graph, torch.ops.octavo.seed.default, (device,), node)
                _torch_compat.must_save(pair)
                halves = [_call(graph, _aten.select.int, (pair, 0, i), node) for i in range(2)]
                drawn[device] = halves[0], halves[1]
        seed, base = drawn[device]
        with graph.inserting_before(node):
            offset = _call(graph, _aten.add.Tensor, (base, stream * STREAM), node)
            replacement = _replacement(graph, node, seed, offset)
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


def _replacement(graph: fx.Graph, node: fx.Node, seed: fx.Node, offset: fx.Node) -> fx.Node:
    value = node.meta["val"]
    size: Any = node.args[0] if node.target in (_aten.rand.default, _aten.randn.default) else list(value.shape)
    bernoulli = node.target in (_aten.bernoulli.p, _aten.bernoulli.default)
    dtype = torch.float32 if bernoulli else value.dtype
    drawn = _call(graph, torch.ops.octavo.random.default, (seed, offset, size, _SOURCES[node.target], dtype), node)
    if not bernoulli:
        return drawn
    if node.target is _aten.bernoulli.p:
        below = _call(graph, _aten.lt.Scalar, (drawn, node.args[1]), node)
    else:
        below = _call(graph, _aten.lt.Tensor, (drawn, node.args[0]), node)
    return _call(graph, torch.ops.prims.convert_element_type.default, (below, value.dtype), node)
