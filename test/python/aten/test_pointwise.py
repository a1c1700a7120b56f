"""Pointwise operators: values, gradients, promotion and the rounding of intermediates."""

import pytest
import torch
import torch.nn.functional as F
from layouts import make
from oracle import check

UNARY = {
    "abs": torch.abs, "neg": torch.neg, "exp": torch.exp, "sin": torch.sin, "cos": torch.cos, "tanh": torch.tanh,
    "sigmoid": torch.sigmoid, "relu": torch.relu, "silu": F.silu, "gelu": F.gelu, "floor": torch.floor,
    "erf": torch.erf, "expm1": torch.expm1, "square": torch.square, "sign": torch.sign, "ceil": torch.ceil,
    "round": torch.round, "trunc": torch.trunc, "atan": torch.atan, "exp2": torch.exp2, "softplus": F.softplus,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"), "leaky_relu": F.leaky_relu, "elu": F.elu,
    "hardtanh": F.hardtanh, "sinh": torch.sinh, "cosh": torch.cosh, "asinh": torch.asinh, "frac": torch.frac,
    "logsigmoid": F.logsigmoid, "nan_to_num": torch.nan_to_num, "mish": F.mish, "hardswish": F.hardswish,
}
POSITIVE = {
    "log": torch.log, "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p, "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt, "reciprocal": torch.reciprocal, "pow_1_7": lambda x: x**1.7,
    "pow_minus_half": lambda x: x**-0.5,
}
BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum,
    "minimum": torch.minimum, "atan2": torch.atan2, "fmax": torch.fmax, "fmin": torch.fmin, "copysign": torch.copysign,
    "add_alpha": lambda a, b: torch.add(a, b, alpha=2.5), "rsub": torch.rsub, "hypot": torch.hypot,
    "logaddexp": torch.logaddexp, "lerp": lambda a, b: torch.lerp(a, b, 0.3),
    "addcmul": lambda a, b: torch.addcmul(a, a, b, value=0.5), "where": lambda a, b: torch.where(a > b, a, b),
    "square_sum": lambda a, b: (a**2 + b**3) * 2.0,
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str, layout: str, dtype: torch.dtype) -> None:
    check(UNARY[name], make(layout, dtype))


@pytest.mark.parametrize("name", POSITIVE)
def test_unary_of_positive_numbers(name: str, layout: str, dtype: torch.dtype) -> None:
    check(POSITIVE[name], make(layout, dtype).abs() + 0.5)


@pytest.mark.parametrize("name", BINARY)
def test_binary(name: str, layout: str, dtype: torch.dtype) -> None:
    check(BINARY[name], make(layout, dtype), make(layout, dtype, seed=1) + 0.1)


@pytest.mark.parametrize("name", ("add", "mul", "div", "maximum", "where"))
def test_operands_are_broadcast_against_each_other(name: str, dtype: torch.dtype) -> None:
    check(BINARY[name], torch.randn(3, 1, 5).to(dtype), torch.randn(4, 1).to(dtype) + 3.0)
    check(BINARY[name], torch.randn(2, 3).to(dtype), torch.tensor(1.5, dtype=dtype))


@pytest.mark.parametrize("other", (torch.int64, torch.int32, torch.bool, torch.uint8, torch.float16, torch.float64))
def test_types_are_promoted(other: torch.dtype, dtype: torch.dtype) -> None:
    a, b = make("ragged", dtype), make("ragged", torch.float32, 1).mul(3).to(other)
    check(lambda x, y: (x + y, x * y, torch.maximum(x, y), x > y, x == y), a, b, grad=False)


def test_a_0d_tensor_does_not_promote(dtype: torch.dtype) -> None:
    check(lambda x, s: (x * s, x + s, x < s), make("ragged", dtype), torch.tensor(0.7, dtype=torch.float64), grad=False)


@pytest.mark.parametrize("kind", (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8))
def test_integers(kind: torch.dtype) -> None:
    a, b = make("ragged", torch.int64).to(kind), make("ragged", torch.int64, 1).to(kind)
    b = torch.where(b == 0, torch.ones_like(b), b)
    check(
        lambda x, y: (
            x + y, x - y, x * y, x // y, x % y, x / y, torch.fmod(x, y), x & y, x | y, x ^ y, ~x, x < y, x.abs(),
            torch.maximum(x, y), x.clamp(-2 if x.dtype != torch.uint8 else 1, 3), x**2, x << 1, x >> 1, x.float(),
            torch.div(x, y, rounding_mode="trunc"), x != 0, x.bool(), x.sign(),
        ),
        a, b, grad=False,
    )


def test_booleans() -> None:
    a, b = make("ragged") > 0, make("ragged", seed=1) > 0
    check(
        lambda x, y: (x & y, x | y, x ^ y, ~x, torch.logical_and(x, y), torch.logical_xor(x, y), x == y, x.float(),
                      x.logical_not(), x.any(), x.all(1), x.sum(), x * y, x + y, torch.where(x, 1.0, 2.0)),
        a, b, grad=False,
    )


def test_division_of_floats_rounds_down_like_python(dtype: torch.dtype) -> None:
    a, b = make("ragged", dtype) * 7, make("ragged", dtype, 1) + 0.25
    check(lambda x, y: (torch.floor_divide(x, y), torch.remainder(x, y), torch.fmod(x, y),
                        torch.div(x, y, rounding_mode="trunc")), a, b, grad=False)


def test_special_values_are_kept(dtype: torch.dtype) -> None:
    a = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0], dtype=dtype)
    b = torch.tensor([1.0, float("nan"), 2.0, -0.0, 0.0, float("inf")], dtype=dtype)
    check(
        lambda x, y: (torch.maximum(x, y), torch.minimum(x, y), x == y, x != y, x < y, torch.isnan(x), torch.isinf(x),
                      torch.isfinite(x), x.clamp(-1, 1), torch.relu(x), x.nan_to_num(), torch.signbit(x),
                      torch.fmax(x, y), x.clamp_min(0.5)),
        a, b, grad=False,
    )


def test_bf16_is_rounded_after_each_operator() -> None:
    """Without rounding between them the two additions would give 1 + 2**-8."""
    one, tiny = torch.ones(4, dtype=torch.bfloat16), torch.full((4,), 2.0**-9, dtype=torch.bfloat16)
    check(lambda x, y: x + y + y, one, tiny, grad=False, rtol=0, atol=0)


@pytest.mark.parametrize("to", (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64,
                                torch.int8, torch.bool, torch.float8_e4m3fn, torch.float8_e5m2))
@pytest.mark.parametrize("of", (torch.float32, torch.bfloat16, torch.float64, torch.float16, torch.int64, torch.bool))
def test_casts(of: torch.dtype, to: torch.dtype) -> None:
    x = (make("ragged", torch.float32) * 10).to(of)
    check(lambda x: x.to(to).to(torch.float64), x, grad=False, rtol=0, atol=0)


@pytest.mark.parametrize("to", (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz))
def test_casts_to_8_bits_at_the_edges(to: torch.dtype) -> None:
    """Saturation, infinity or NaN as PyTorch's cast does, and ties to even."""
    edge = torch.finfo(to).max
    values = [0.0, -0.0, edge, edge * 1.02, edge * 1.07, edge * 2, 1e30, float("inf"), float("nan"), 1.0625, 1.1875,
              torch.finfo(to).tiny, torch.finfo(to).tiny / 3, torch.finfo(to).smallest_normal * 0.7]
    x = torch.tensor(values + [-v for v in values])
    check(lambda x: x.to(to).float(), x, grad=False, rtol=0, atol=0)


def test_casts_from_every_8_bit_code() -> None:
    codes = torch.arange(256, dtype=torch.uint8)
    for kind in (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz):
        check(lambda x: x.float(), codes.view(kind), grad=False, rtol=0, atol=0)


def test_clamp_with_tensors_and_masks(dtype: torch.dtype) -> None:
    x, low, high = make("ragged", dtype), torch.full((7,), -0.5, dtype=dtype), torch.full((3, 1), 0.5, dtype=dtype)
    check(lambda x, a, b: (x.clamp(a, b), x.clamp(min=-0.25), x.masked_fill(x > 0, -2.0)), x, low, high)
