"""A whole training graph: every operator is lowered, and loss and gradients are eager PyTorch's."""

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
from oracle import compiler
from torch._dynamo.backends.common import aot_autograd

from octavo.frontend import decompositions


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, shared: int, turn: bool) -> None:
        super().__init__()
        self.heads, self.shared, self.size, self.turn = heads, shared, width // heads, turn
        self.q = nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * shared * self.size, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def rotate(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        if self.turn:
            pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
            return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(3).type_as(x)
        a, b = x.chunk(2, -1)
        cos, sin = (torch.cat((f, f), -1).to(x.dtype) for f in (angles.cos(), angles.sin()))
        return x * cos + torch.cat((-b, a), -1) * sin

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q = self.q(x).view(batch, length, self.heads, self.size).transpose(1, 2)
        k, v = (t.view(batch, length, self.shared, self.size).transpose(1, 2) for t in self.kv(x).chunk(2, -1))
        q, k = self.rotate(q, angles), self.rotate(k, angles)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.out(y.transpose(1, 2).reshape(batch, length, -1))


class Llama(nn.Module):
    def __init__(self, turn: bool, width: int = 16, vocabulary: int = 11) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.norm, self.last = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
        self.attention = Attention(width, 4, 2, turn)
        self.up, self.gate = nn.Linear(width, 24, bias=False), nn.Linear(width, 24, bias=False)
        self.down, self.head = nn.Linear(24, width, bias=False), nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        size = self.attention.size
        rates = 1.0 / (100 ** (torch.arange(0, size, 2) / size))
        angles = torch.outer(torch.arange(ids.shape[1]), rates)
        x = self.embedding(ids)
        x = x + self.attention(self.norm(x), angles)
        x = x + self.down(F.silu(self.gate(x)) * self.up(x))
        return F.cross_entropy(self.head(self.last(x)).flatten(0, 1).float(), labels.flatten())


@pytest.mark.parametrize("turn", (False, True), ids=("real", "complex"))
@pytest.mark.parametrize("autocast", (False, True), ids=("f32", "bf16"))
def test_a_training_step(turn: bool, autocast: bool) -> None:
    torch.manual_seed(0)
    torch._dynamo.reset()
    model = Llama(turn)
    ids, labels = torch.randint(0, 11, (2, 6)), torch.randint(0, 11, (2, 6))
    labels[0, 2] = -100
    seen: list = []
    backend = aot_autograd(
        fw_compiler=compiler(seen), decompositions=decompositions.table(), keep_inference_input_mutations=True
    )

    def loss(ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            return model(ids, labels)

    results = []
    for function in (torch.compile(loss, backend=backend, fullgraph=True), loss):
        model.zero_grad()
        value = function(ids, labels)
        value.backward()
        results.append((value.detach(), [p.grad.clone() for p in model.parameters()]))
    assert len(seen) == 2
    (ours, our_grads), (theirs, their_grads) = results
    if not autocast:
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(our_grads, their_grads)
        return
    torch.testing.assert_close(ours, theirs, rtol=2e-3, atol=0)
    for a, b in zip(our_grads, their_grads, strict=True):
        assert (a - b).norm() <= 0.03 * b.norm()
