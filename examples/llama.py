"""A small Llama over bytes, written as ordinary PyTorch: nothing here knows of Octavo."""

from __future__ import annotations

import pathlib
import sysconfig
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Shape:
    """Sizes of the model."""

    width: int = 128
    hidden: int = 384
    layers: int = 4
    heads: int = 4
    key_heads: int = 2
    vocabulary: int = 256
    sequence: int = 128


class Attention(nn.Module):
    """Causal attention with rotary positions; several query heads share a key head."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads, self.key_heads, self.size = shape.heads, shape.key_heads, shape.width // shape.heads
        self.wq = nn.Linear(shape.width, self.heads * self.size, bias=False)
        self.wk = nn.Linear(shape.width, self.key_heads * self.size, bias=False)
        self.wv = nn.Linear(shape.width, self.key_heads * self.size, bias=False)
        self.wo = nn.Linear(self.heads * self.size, shape.width, bias=False)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q = self.wq(x).view(batch, length, self.heads, self.size).transpose(1, 2)
        k = self.wk(x).view(batch, length, self.key_heads, self.size).transpose(1, 2)
        v = self.wv(x).view(batch, length, self.key_heads, self.size).transpose(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.wo(out.transpose(1, 2).reshape(batch, length, -1))


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Turns each pair (i, i + half) of `...xTxD` by the angle of its position; computed in f32, kept in x's type."""
    first, second = x.float().chunk(2, -1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), -1).to(x.dtype)


class FeedForward(nn.Module):
    """SwiGLU."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate = nn.Linear(shape.width, shape.hidden, bias=False)
        self.up = nn.Linear(shape.width, shape.hidden, bias=False)
        self.down = nn.Linear(shape.hidden, shape.width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Layer(nn.Module):
    """Attention and feed-forward, each behind a norm and around a residual."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(shape.width, eps=1e-5)
        self.attention = Attention(shape)
        self.feed_forward_norm = nn.RMSNorm(shape.width, eps=1e-5)
        self.feed_forward = FeedForward(shape)

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.attention_norm(x), cos, sin)
        return x + self.feed_forward(self.feed_forward_norm(x))


class Llama(nn.Module):
    """Embedding, layers, norm, untied head."""

    cos: torch.Tensor
    sin: torch.Tensor

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, eps=1e-5)
        self.head = nn.Linear(shape.width, shape.vocabulary, bias=False)
        half = shape.width // shape.heads // 2
        angles = torch.outer(torch.arange(shape.sequence), 10000.0 ** (-torch.arange(half) / half))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                last = name.endswith(("wo.weight", "down.weight"))
                nn.init.normal_(parameter, std=0.02 / (2 * shape.layers) ** 0.5 if last else 0.02)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        length = tokens.shape[1]
        for layer in self.layers:
            x = layer(x, self.cos[:length], self.sin[:length])
        return self.head(self.norm(x))


class Text:
    """Bytes to learn from; a batch depends on the seed and the step alone, so that a resumed run sees the same."""

    def __init__(self, path: pathlib.Path | None = None, limit: int = 8 << 20) -> None:
        data = path.read_bytes() if path else _standard_library(limit)
        self.data = torch.frombuffer(bytearray(data), dtype=torch.uint8)

    def batch(self, seed: int, step: int, size: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens and what follows each of them, both `size x length` of int64."""
        generator = torch.Generator().manual_seed(seed * 1_000_003 + step)
        starts = torch.randint(len(self.data) - length, (size, 1), generator=generator)
        window = self.data[starts + torch.arange(length + 1)].long()
        return window[:, :-1].contiguous(), window[:, 1:].contiguous()


def _standard_library(limit: int) -> bytes:
    """The source of the running Python's standard library, in the order of its paths, up to `limit` bytes."""
    root = pathlib.Path(sysconfig.get_paths()["stdlib"])
    parts, size = [], 0
    for path in sorted(root.rglob("*.py")):
        if {"test", "tests", "site-packages", "dist-packages", "idlelib"} & set(path.relative_to(root).parts):
            continue
        parts.append(path.read_bytes())
        size += len(parts[-1])
        if size >= limit:
            break
    return b"".join(parts)[:limit]


@torch.no_grad()
def sample(model: Llama, prompt: bytes, count: int, seed: int) -> str:
    """Continues `prompt` by `count` bytes."""
    generator = torch.Generator().manual_seed(seed)
    tokens = list(prompt)
    device = model.head.weight.device
    for _ in range(count):
        window = torch.tensor([tokens[-model.shape.sequence :]], device=device)
        weights = torch.softmax(model(window)[0, -1].float().cpu() / 0.8, -1)
        tokens.append(int(torch.multinomial(weights, 1, generator=generator)))
    return bytes(tokens).decode("utf-8", errors="replace")
