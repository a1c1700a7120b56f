"""`F.scaled_dot_product_attention` as two matmuls around a softmax, the same on every device.

Scores and softmax are f32 (f64 for f64), the probabilities are rounded to the type of the values before the second
product, as fused kernels do. Backward computes the probabilities again from the scores and the saved log-sum-exp.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F

from octavo.frontend.recipe.operators import LIBRARY, TAGS, scaled_matmul


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype is torch.float64 else torch.float32


def _scores(q: torch.Tensor, k: torch.Tensor, mask: torch.Tensor | None, causal: bool, scale: float) -> torch.Tensor:
    """Masked, scaled scores `NxGxLxS` of queries `NxGxLxE` and keys `NxSxE`."""
    n, g, length, e = q.shape
    scores = scaled_matmul(q.reshape(n, g * length, e), k, transpose_b=True, out_dtype=_wide(q.dtype))
    scores = scores.view(n, g, length, k.shape[1]) * scale
    if causal:
        row = torch.arange(length, device=q.device).view(length, 1)
        column = torch.arange(k.shape[1], device=q.device).view(1, k.shape[1])
        scores = torch.where(column <= row, scores, -math.inf)
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf) if mask.dtype is torch.bool else scores + mask.to(scores.dtype)
    return scores


def forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Softmax(q k^T scale) v and the log-sum-exp of each row; a row in which everything is masked is 0."""
    scores = _scores(q, k, mask, causal, scale)
    n, g, length, s = scores.shape
    largest = scores.amax(-1, keepdim=True)
    if mask is not None:
        largest = torch.where(largest == -math.inf, 0.0, largest)
    weights = torch.exp(scores - largest)
    total = weights.sum(-1, keepdim=True)
    lse = largest + torch.log(total)
    if mask is not None:
        lse = torch.where(total == 0, math.inf, lse)
        total = torch.where(total == 0, 1.0, total)
    probabilities = (weights / total).to(v.dtype).view(n, g * length, s)
    return scaled_matmul(probabilities, v, out_dtype=v.dtype).view(n, g, length, v.shape[2]), lse


def backward(
    grad: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    out: torch.Tensor,
    lse: torch.Tensor,
    causal: bool,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients of q, k, v and the unscaled scores. With P the probabilities and D the row sums of grad·out: dS = P
    (grad v^T - D).
    """
    wide = _wide(q.dtype)
    n, g, length, e = q.shape
    rows = g * length
    probabilities = torch.exp(_scores(q, k, mask, causal, scale) - lse)
    grad_rows = grad.reshape(n, rows, v.shape[2])
    rounded = probabilities.to(v.dtype).view(n, rows, k.shape[1])
    grad_v = scaled_matmul(rounded, grad_rows, transpose_a=True, out_dtype=v.dtype)
    grad_p = scaled_matmul(grad_rows, v, transpose_b=True, out_dtype=wide).view(n, g, length, k.shape[1])
    row_sums = (grad.to(wide) * out.to(wide)).sum(-1, keepdim=True)
    grad_scores = probabilities * (grad_p - row_sums)
    scaled = (grad_scores * scale).to(q.dtype).view(n, rows, k.shape[1])
    grad_q = scaled_matmul(scaled, k, out_dtype=q.dtype).view(n, g, length, e)
    grad_k = scaled_matmul(scaled, q.reshape(n, rows, e), transpose_a=True, out_dtype=k.dtype)
    return grad_q, grad_k, grad_v, grad_scores


def _fake_forward(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    lse = torch.empty((*q.shape[:3], 1), dtype=_wide(q.dtype), device=q.device)
    return torch.empty((*q.shape[:3], v.shape[2]), dtype=v.dtype, device=q.device), lse


def _fake_backward(
    grad: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    mask: torch.Tensor | None,
    out: torch.Tensor,
    lse: torch.Tensor,
    causal: bool,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    q_like, k_like, v_like = (torch.empty(t.shape, dtype=t.dtype, device=t.device) for t in (q, k, v))
    return q_like, k_like, v_like, torch.empty((*q.shape[:3], k.shape[1]), dtype=_wide(q.dtype), device=q.device)


LIBRARY.define(
    "attention(Tensor q, Tensor k, Tensor v, Tensor? mask, bool causal, float scale) -> (Tensor, Tensor)", tags=TAGS
)
LIBRARY.define(
    "attention_backward(Tensor grad, Tensor q, Tensor k, Tensor v, Tensor? mask, Tensor out, Tensor lse, bool causal, "
    "float scale) -> (Tensor, Tensor, Tensor, Tensor)",
    tags=TAGS,
)
LIBRARY.impl("attention", forward, "CompositeExplicitAutograd")
LIBRARY.impl("attention_backward", backward, "CompositeExplicitAutograd")
torch.library.register_fake("octavo::attention", _fake_forward, lib=LIBRARY)
torch.library.register_fake("octavo::attention_backward", _fake_backward, lib=LIBRARY)


class Attention(torch.autograd.Function):  # type: ignore[misc]
    """Queries `NxGxLxE` (G query heads share a key head), keys `NxSxE`, values `NxSxV`, mask broadcast to `NxGxLxS`.

    Two operators that stay whole until the partitioner has cut the graph: what is saved is q, k, v, the result and
    the log-sum-exp, never anything of size LxS.
    """

    @staticmethod
    def forward(
        ctx: Any,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        mask: torch.Tensor | None,
        causal: bool,
        scale: float,
    ) -> torch.Tensor:
        """See `forward`."""
        out, lse = torch.ops.octavo.attention.default(q, k, v, mask, causal, scale)
        ctx.save_for_backward(q, k, v, mask, out, lse)
        ctx.causal, ctx.scale = causal, scale
        return out

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        """See `backward`."""
        q, k, v, mask, out, lse = ctx.saved_tensors
        grad_q, grad_k, grad_v, grad_scores = torch.ops.octavo.attention_backward.default(
            grads[0], q, k, v, mask, out, lse, ctx.causal, ctx.scale
        )
        grad_mask = None
        if mask is not None and ctx.needs_input_grad[3]:
            grad_mask = grad_scores.sum_to_size(mask.shape).to(mask.dtype)
        return grad_q, grad_k, grad_v, grad_mask, None, None


def _with_dropout(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, how: tuple[float, bool, float]
) -> torch.Tensor:
    """The plain form, whose gradient torch derives: dropout needs the same mask in forward and backward."""
    dropout, causal, scale = how
    scores = torch.matmul(q.to(_wide(q.dtype)), k.to(_wide(q.dtype)).unsqueeze(1).mT) * scale
    if causal:
        keep = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).tril()
        scores = torch.where(keep, scores, -math.inf)
    if mask is not None:
        scores = torch.where(mask, scores, -math.inf) if mask.dtype is torch.bool else scores + mask.to(scores.dtype)
    probabilities = torch.softmax(scores, -1)
    if mask is not None:
        probabilities = torch.where((scores == -math.inf).all(-1, keepdim=True), 0.0, probabilities)
    return torch.matmul(F.dropout(probabilities, dropout).to(v.dtype), v.unsqueeze(1))


def _grouped(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, shared: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, tuple[int, ...]]:
    """Folds all leading dimensions into N, and query heads that share a key head into G."""
    lead = tuple(q.shape[:-2])
    if shared and k.shape[-3] != q.shape[-3]:
        heads = k.shape[-3]
        if q.shape[-3] % heads:
            raise ValueError(f"attention: {q.shape[-3]} query heads are no multiple of {heads} key heads")
        batch = math.prod(k.shape[:-3])
        q = q.reshape(batch * heads, q.shape[-3] // heads, *q.shape[-2:])
    else:
        common = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
        q, k, v = (t.expand(*common, *t.shape[-2:]) for t in (q, k, v))
        lead = tuple(common)
        q = q.reshape(-1, 1, *q.shape[-2:])
    return q, k.reshape(-1, *k.shape[-2:]), v.reshape(-1, *v.shape[-2:]), lead


def attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """Drop-in for `F.scaled_dot_product_attention`, traced by AOTAutograd."""
    kind = query.device.type
    if torch.is_autocast_enabled(kind):
        compute = torch.get_autocast_dtype(kind)
        query, key, value = (t.to(compute) for t in (query, key, value))
    factor = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    with torch.autocast(kind, enabled=False):
        q, k, v, lead = _grouped(query, key, value, enable_gqa)
        mask = attn_mask
        if mask is not None:
            mask = mask.expand(*lead, query.shape[-2], key.shape[-2]).reshape(*q.shape[:3], key.shape[-2])
        if dropout_p > 0.0:
            out = _with_dropout(q, k, v, mask, (dropout_p, is_causal, factor))
        else:
            out = Attention.apply(q, k, v, mask, is_causal, factor)
        return out.reshape(*lead, query.shape[-2], value.shape[-1])
