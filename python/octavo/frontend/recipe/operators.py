"""The two operators of a recipe as torch operators, with their meaning on the host.

`quantize` and `scaled_matmul` import one to one as `octavo.quantize` and `octavo.scaled_matmul`. Both results are
always contiguous. A scale has the shape of its operand *as stored* with the granule's extent replaced by 1 (`Mx1` and
`1xN` for rows), or no dimension at all for the granule `tensor`; it is the decode scale. With a block `[across, along]`
(granules.py) it has one element per block; rules `e8m0_...` give `float8_e8m0fnu`.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from octavo.frontend.recipe import granules

LIBRARY = torch.library.Library("octavo", "FRAGMENT")
TAGS = (torch.Tag.pt2_compliant_tag,)

FORMATS = {
    "e4m3fn": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "e4m3fnuz": torch.float8_e4m3fnuz,
    "e5m2fnuz": torch.float8_e5m2fnuz,
}
RULES = ("exact", "pow2")
AMAX_FLOOR = 1e-12

LIBRARY.define(
    "quantize(Tensor x, int? axis, str format, str rule, float? largest=None, *, int[]? block=None) "
    "-> (Tensor, Tensor)",
    tags=TAGS,
)
LIBRARY.define(
    "scaled_matmul(Tensor a, Tensor b, Tensor? scale_a=None, Tensor? scale_b=None, Tensor? bias=None, *, "
    "bool transpose_a=False, bool transpose_b=False, ScalarType out_dtype, int[]? block_a=None, int[]? block_b=None) "
    "-> Tensor",
    tags=TAGS,
)


def _storage(
    x: torch.Tensor, axis: int | None, format: str, rule: str, largest: float | None, block: Sequence[int] | None
) -> torch.dtype:
    """The type of the numbers; raises for what has no meaning."""
    if format not in FORMATS:
        raise ValueError(f"octavo.quantize: unknown format {format!r}; the formats are {', '.join(FORMATS)}")
    rules = (*RULES, *granules.E8M0_RULES)
    if rule not in rules:
        raise ValueError(f"octavo.quantize: unknown rule {rule!r}; the rules are {', '.join(rules)}")
    limit = torch.finfo(FORMATS[format]).max
    if largest is not None and not 0 < largest <= limit:
        raise ValueError(f"octavo.quantize: largest must be above 0 and at most {limit}, got {largest}")
    if block is not None and (len(block) != 2 or min(block) < 1 or axis is None or (block[0] > 1 and x.dim() < 2)):
        raise ValueError(
            "octavo.quantize: a block is two positive sizes, across and along an axis of a matrix, "
            f"got {list(block)} along {axis} of {list(x.shape)}"
        )
    if rule in granules.E8M0_RULES and (block is None or block[0] != 1 or largest is not None):
        raise ValueError(f"octavo.quantize: {rule} needs a block [1, K] and no largest, got {block} and {largest}")
    return FORMATS[format]


def _scale_shape(x: torch.Tensor, axis: int | None, block: Sequence[int] | None) -> list[int]:
    if axis is None:
        return []
    if block is not None:
        return granules.scale_shape(x.shape, axis, block)
    shape = list(x.shape)
    shape[axis] = 1
    return shape


def _amax(x: torch.Tensor, axis: int | None, block: Sequence[int] | None) -> torch.Tensor:
    """Largest magnitude in each granule as f32; NaN stays NaN, an empty granule gives 0."""
    if x.numel() == 0 or (axis is not None and x.shape[axis] == 0):
        return torch.zeros(_scale_shape(x, axis, block), dtype=torch.float32, device=x.device)
    if axis is not None and block is not None:
        return granules.amax(x, axis, block)
    magnitude = x.abs()
    return (magnitude.max() if axis is None else magnitude.amax(axis, keepdim=True)).float()


def power_of_two_below(scale: torch.Tensor) -> torch.Tensor:
    """Largest power of two that is not above `scale` (f32, positive and normal, or 0, or NaN which stays)."""
    power = (scale.view(torch.int32) & 0x7F800000).view(torch.float32)
    return torch.where(scale.isnan(), scale, power)


def _quantize(
    x: torch.Tensor,
    axis: int | None,
    format: str,
    rule: str,
    largest: float | None = None,
    *,
    block: Sequence[int] | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """`q = format(clamp(f32(x) * encode))` and the decode scale `1 / encode`, `encode = largest / max(amax, 1e-12)`.

    The division is one IEEE f32 division, which equals TorchAO's f64 chain for every f32 amax. `pow2` keeps the
    exponent of `encode` alone. `largest` is the format's, unless OCP numbers are kept as FNUZ numbers of half the
    value (224 of e4m3fnuz, 28672 of e5m2fnuz): same rounding, twice the scale. `e8m0_...` make the scale of amax's
    bits.
    """
    storage = _storage(x, axis, format, rule, largest, block)
    bound = torch.finfo(storage).max if largest is None else largest
    most = _amax(x, axis, block)
    if rule in granules.E8M0_RULES:
        byte = granules.exponent_bytes(most, storage, rule)
        encode = granules.encode_of_bytes(byte)
        scale = byte.to(torch.uint8).view(torch.float8_e8m0fnu)
    else:
        floored = most.clamp_min(AMAX_FLOOR)
        encode = torch.full_like(floored, bound) / floored  # a number / tensor would be reciprocal, then product
        if rule == "pow2":
            encode = power_of_two_below(encode)
        scale = encode.reciprocal()
    if axis is not None and block is not None:
        encode = granules.expand(encode, x.shape, axis, block)
    q = (x.float() * encode).clamp(-bound, bound).to(storage).contiguous()
    return q, scale.contiguous()


def _fake_quantize(
    x: torch.Tensor,
    axis: int | None,
    format: str,
    rule: str,
    largest: float | None = None,
    *,
    block: Sequence[int] | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    storage = _storage(x, axis, format, rule, largest, block)
    q = torch.empty(x.shape, dtype=storage, device=x.device)
    shape = _scale_shape(x, axis, block)
    kind = torch.float8_e8m0fnu if rule in granules.E8M0_RULES else torch.float32
    return q, torch.empty(shape, dtype=kind, device=x.device)


def _operand(x: torch.Tensor, transposed: bool, dtype: torch.dtype) -> torch.Tensor:
    return (x.mT if transposed else x).to(dtype)


def _scaled_matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    scale_a: torch.Tensor | None = None,
    scale_b: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    out_dtype: torch.dtype,
    block_a: Sequence[int] | None = None,
    block_b: Sequence[int] | None = None,
) -> torch.Tensor:
    """`cast(sum_k a·b · scale_a · scale_b + bias)`, summed in f32 (f64 where an operand is f64).

    Scales of blocks are multiplied with the operand's elements in f32, which changes no bit of a power of two.
    """
    wide = torch.float64 if torch.float64 in (a.dtype, b.dtype) else torch.float32
    operands = []
    for x, scale, transposed, block, axis in (
        (a, scale_a, transpose_a, block_a, -2 if transpose_a else -1),
        (b, scale_b, transpose_b, block_b, -1 if transpose_b else -2),
    ):
        operand = _operand(x, transposed, wide)
        if scale is not None and block is not None:
            every = granules.expand(scale.to(wide), x.shape, axis, block)
            operand = operand * (every.mT if transposed else every)
        operands.append(operand)
    product = torch.matmul(*operands)
    for scale, transposed, block in ((scale_a, transpose_a, block_a), (scale_b, transpose_b, block_b)):
        if scale is not None and block is None:
            product = product * (scale.mT if transposed and scale.dim() >= 2 else scale)
    if bias is not None:
        product = product + bias.to(wide)
    return product.to(out_dtype).contiguous()


def _fake_scaled_matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    scale_a: torch.Tensor | None = None,
    scale_b: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    out_dtype: torch.dtype,
    block_a: Sequence[int] | None = None,
    block_b: Sequence[int] | None = None,
) -> torch.Tensor:
    m, k = (a.shape[-1], a.shape[-2]) if transpose_a else (a.shape[-2], a.shape[-1])
    k_b, n = (b.shape[-1], b.shape[-2]) if transpose_b else (b.shape[-2], b.shape[-1])
    torch._check(k == k_b, lambda: f"octavo.scaled_matmul: contracted sizes differ: {k} and {k_b}")
    torch._check(
        a.shape[:-2] == b.shape[:-2], lambda: f"octavo.scaled_matmul: batches differ: {a.shape[:-2]} and {b.shape[:-2]}"
    )
    for name, x, scale, block, axis in (
        ("scale_a", a, scale_a, block_a, -2 if transpose_a else -1),
        ("scale_b", b, scale_b, block_b, -1 if transpose_b else -2),
    ):
        if block is not None:
            wanted = granules.scale_shape(x.shape, axis, block)
            found = None if scale is None else list(scale.shape)
            torch._check(
                found == wanted,
                lambda name=name, wanted=wanted, found=found: (
                    f"octavo.scaled_matmul: expected {name} of shape {wanted}, got {found}"
                ),
            )
    return torch.empty((*a.shape[:-2], m, n), dtype=out_dtype, device=a.device)


LIBRARY.impl("quantize", _quantize, "CompositeExplicitAutograd")
LIBRARY.impl("scaled_matmul", _scaled_matmul, "CompositeExplicitAutograd")
torch.library.register_fake("octavo::quantize", _fake_quantize, lib=LIBRARY)
torch.library.register_fake("octavo::scaled_matmul", _fake_scaled_matmul, lib=LIBRARY)

quantize = torch.ops.octavo.quantize.default
scaled_matmul = torch.ops.octavo.scaled_matmul.default
