"""A linear layer under a recipe: forward, gradient of the input, gradient of the weight.

The arithmetic is TorchAO's `Float8Linear` (and that of its block-wise and MX training): the activation in the compute
type and the weight in its own type are quantised, products are rounded to the compute type, the bias is added after
that rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F

from octavo.frontend.recipe.granules import E8M0_RULES
from octavo.frontend.recipe.operators import quantize, scaled_matmul

Block = tuple[int, int]


@dataclass(frozen=True)
class Recipe:
    """How the operands of the three products of a linear layer are quantised."""

    by_row: bool
    rule: str
    gradient_format: str
    weight_gradient_in_8_bits: bool = True
    by_row_in_backward_weight: bool = True
    #: Elements, across and along the contraction, that share a scale: of activations and gradients, and of the weight
    #: in forward and dgrad. None: a whole row or tensor.
    block: Block | None = None
    weight_block: Block | None = None


RECIPES = {
    "tensorwise": Recipe(False, "exact", "e5m2", by_row_in_backward_weight=False),
    "rowwise": Recipe(True, "pow2", "e4m3"),
    "rowwise_with_gw_hp": Recipe(
        True, "pow2", "e4m3", weight_gradient_in_8_bits=False, by_row_in_backward_weight=False
    ),
    "blockwise": Recipe(True, "exact", "e4m3", block=(1, 128), weight_block=(128, 128)),
    "mxfp8": Recipe(True, "e8m0_rceil", "e4m3", block=(1, 32), weight_block=(1, 32)),
}


# What holds the recipe's e4m3 and e5m2 numbers: a format and the value that an amax is mapped to. `ocp_halved` is OCP
# arithmetic for matrix cores that multiply FNUZ numbers: the bits of an OCP number read as FNUZ are half its value.
ENCODINGS: dict[str, dict[str, tuple[str, float | None]]] = {
    "ocp": {"e4m3": ("e4m3fn", None), "e5m2": ("e5m2", None)},
    "ocp_halved": {"e4m3": ("e4m3fnuz", 224.0), "e5m2": ("e5m2fnuz", 28672.0)},
    "fnuz": {"e4m3": ("e4m3fnuz", None), "e5m2": ("e5m2fnuz", None)},
}


def _quantized(
    x: torch.Tensor, axis: int, kind: str, by_row: bool, how: tuple[Recipe, str], block: Block | None
) -> tuple[torch.Tensor, torch.Tensor]:
    recipe, encoding = how
    # A power of two per 32 elements is applied before the product, whichever numbers the matrix cores multiply.
    if recipe.rule in E8M0_RULES and encoding == "ocp_halved":
        encoding = "ocp"
    format, largest = ENCODINGS[encoding][kind]
    q, scale = quantize(x, axis if by_row else None, format, recipe.rule, largest, block=block)
    return q, scale


class RecipeLinear(torch.autograd.Function):  # type: ignore[misc]
    """`x @ weight.T` with 8-bit operands; x `MxK`, weight `NxK`."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor, recipe_name: str, encoding_name: str) -> torch.Tensor:
        """Quantises both operands along K."""
        recipe = RECIPES[recipe_name]
        how = recipe, encoding_name
        ctx.save_for_backward(x, weight)
        ctx.how = how
        block, weight_block = recipe.block, recipe.weight_block
        xq, xs = _quantized(x, 1, "e4m3", recipe.by_row, how, block)
        wq, ws = _quantized(weight, 1, "e4m3", recipe.by_row, how, weight_block)
        return scaled_matmul(xq, wq, xs, ws, transpose_b=True, out_dtype=x.dtype, block_a=block, block_b=weight_block)

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, torch.Tensor | None, None, None]:
        """Gradient of x contracts N, gradient of the weight contracts M: other granules, so other numbers."""
        x, weight = ctx.saved_tensors
        grad = grads[0]
        how = ctx.how
        recipe: Recipe = how[0]
        block, weight_block = recipe.block, recipe.weight_block
        grad_x = grad_weight = None
        if ctx.needs_input_grad[0]:
            gq, gs = _quantized(grad, 1, recipe.gradient_format, recipe.by_row, how, block)
            # A square block is the same along both axes: the numbers of forward.
            axis = 1 if weight_block is not None and weight_block[0] == weight_block[1] else 0
            wq, ws = _quantized(weight, axis, "e4m3", recipe.by_row_in_backward_weight, how, weight_block)
            grad_x = scaled_matmul(gq, wq, gs, ws, out_dtype=x.dtype, block_a=block, block_b=weight_block)
        if ctx.needs_input_grad[1] and recipe.weight_gradient_in_8_bits:
            gq, gs = _quantized(grad, 0, recipe.gradient_format, recipe.by_row, how, block)
            xq, xs = _quantized(x, 0, "e4m3", recipe.by_row, how, block)
            grad_weight = scaled_matmul(
                gq, xq, gs, xs, transpose_a=True, out_dtype=x.dtype, block_a=block, block_b=block
            )
        elif ctx.needs_input_grad[1]:
            grad_weight = torch.mm(grad.t(), x)
        return grad_x, grad_weight, None, None


def linear(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, recipe_name: str, encoding_name: str
) -> torch.Tensor:
    """`F.linear` with a recipe where it computes in bf16, and plain where it does not.

    Shapes: x `...xK`, weight `NxK`, bias `N`; the result is `...xN`.
    """
    kind = x.device.type
    autocast = torch.is_autocast_enabled(kind)
    compute = torch.get_autocast_dtype(kind) if autocast and x.is_floating_point() else x.dtype
    if compute is not torch.bfloat16 or (not autocast and weight.dtype is not compute) or weight.dim() != 2:
        return F.linear(x, weight, bias)
    with torch.autocast(kind, enabled=False):
        rows = x.to(compute).reshape(-1, x.shape[-1])
        out = RecipeLinear.apply(rows, weight, recipe_name, encoding_name)
        out = out.reshape(*x.shape[:-1], weight.shape[0])
        return out if bias is None else out + bias.to(compute)
