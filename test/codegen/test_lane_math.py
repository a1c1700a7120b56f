"""Math functions of one lane's program against mpmath and numpy."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from elementwise import run_elementwise

SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-45, -1e-45, 1e-38, 3.4e38, -3.4e38], np.float32)


def sweep(low: float, high: float, count: int = 1500) -> np.ndarray:
    """Numbers of the interval, more of them near 0 where it holds 0, with special values."""
    rng = np.random.default_rng(7)
    values = rng.uniform(low, high, count)
    small = np.sign(values) * np.exp(rng.uniform(np.log(1e-30), np.log(max(abs(low), abs(high))), count))
    values = np.concatenate([values, small[(small >= low) & (small <= high)]])
    return values.astype(np.float32)


def ulps(got: np.ndarray, exact: list[mpmath.mpf]) -> float:
    """Largest error in units of the last place of f32 (subnormal results count in units of 2^-149)."""
    worst = 0.0
    for value, truth in zip(got.tolist(), exact, strict=True):
        if abs(truth) > mpmath.mpf(2) ** 128 * (1 - mpmath.mpf(2) ** -25):
            assert np.isinf(value), (value, truth)
            continue
        exponent = max(int(mpmath.floor(mpmath.log(abs(truth), 2))) if truth else -126, -126)
        worst = max(worst, float(abs(mpmath.mpf(value) - truth) / mpmath.mpf(2) ** (exponent - 23)))
    return worst


FUNCTIONS = {
    "exp": (mpmath.exp, (-100, 90), 2.0),
    "exp2": (lambda x: mpmath.mpf(2) ** x, (-149, 130), 2.0),
    "expm1": (mpmath.expm1, (-40, 90), 3.0),
    "log": (mpmath.log, (1e-38, 3e38), 3.0),
    "log2": (lambda x: mpmath.log(x, 2), (1e-38, 3e38), 3.0),
    "log10": (mpmath.log10, (1e-38, 3e38), 4.0),
    "log1p": (mpmath.log1p, (-0.999, 1e6), 4.0),
    "sqrt": (mpmath.sqrt, (0, 3e38), 0.51),
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x), (1e-40, 3e38), 2.0),
    "tanh": (mpmath.tanh, (-12, 12), 4.0),
    "erf": (mpmath.erf, (-5, 5), 4.0),
    "erfc": (mpmath.erfc, (-5, 9), 4.0),
    "sin": (mpmath.sin, (-1e4, 1e4), 3.0),
    "cos": (mpmath.cos, (-1e4, 1e4), 3.0),
    "tan": (mpmath.tan, (-1e3, 1e3), 6.0),
    "atan": (mpmath.atan, (-1e3, 1e3), 4.0),
    "asin": (mpmath.asin, (-1, 1), 5.0),
    "acos": (mpmath.acos, (-1, 1), 5.0),
    "sinh": (mpmath.sinh, (-89, 89), 3.0),
    "cosh": (mpmath.cosh, (-89, 89), 2.0),
    "asinh": (mpmath.asinh, (-1e10, 1e10), 3.0),
    "acosh": (mpmath.acosh, (1, 1e10), 3.0),
    "atanh": (mpmath.atanh, (-0.9999, 0.9999), 3.0),
    "cbrt": (lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), (-1e10, 1e10), 1.0),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_accurate_to_a_few_units(name: str, target: str) -> None:
    """Every function over its range."""
    exact, (low, high), limit = FUNCTIONS[name]
    x = sweep(low, high)
    got = run_elementwise(f"%y = math.{name} %x0 : vector<4xf32>", [("f32", x)], "f32", target=target)
    with mpmath.workprec(100):
        assert ulps(got, [exact(mpmath.mpf(v)) for v in x.tolist()]) <= limit


def numpy_value(name: str, x: np.ndarray) -> np.ndarray:
    """What C says about special values, through numpy in f64."""
    wide = x.astype(np.float64)
    other = {"rsqrt": lambda v: 1 / np.sqrt(v), "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan}
    other |= {"asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "cbrt": np.cbrt}
    if name in ("erf", "erfc"):
        import math

        return np.array([getattr(math, name)(v) for v in wide]).astype(np.float32)
    with np.errstate(all="ignore"):
        return (other.get(name) or getattr(np, name))(wide).astype(np.float32)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_has_the_special_values_of_c(name: str, target: str) -> None:
    """Zeros with their signs, infinities, NaN, subnormals and the largest numbers."""
    got = run_elementwise(f"%y = math.{name} %x0 : vector<4xf32>", [("f32", SPECIAL)], "f32", target=target)
    expected = numpy_value(name, SPECIAL)
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-45)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(expected[number]))


def test_sine_of_huge_angles(target: str) -> None:
    """Angles that need hundreds of bits of 2 / pi."""
    x = np.array([1e8, 1e15, -1e20, 3e38, 1e25, 2.0**60, 2.0**127], np.float32)
    got = run_elementwise("%y = math.sin %x0 : vector<4xf32>", [("f32", x)], "f32", target=target)
    with mpmath.workprec(400):
        expected = [float(mpmath.sin(mpmath.mpf(v))) for v in x.tolist()]
    np.testing.assert_allclose(got, expected, rtol=1e-6, atol=1e-7)


def test_power(target: str) -> None:
    """Random bases and exponents, then all pairs of special values."""
    rng = np.random.default_rng(1)
    x = np.concatenate([np.exp(rng.uniform(-60, 60, 1000)), -np.exp(rng.uniform(-5, 5, 200))]).astype(np.float32)
    y = np.concatenate([rng.uniform(-3, 3, 1000), rng.integers(-8, 8, 200)]).astype(np.float32)
    special = np.array([0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, np.inf, -np.inf, np.nan], np.float32)
    x = np.concatenate([x, np.repeat(special, special.size)])
    y = np.concatenate([y, np.tile(special, special.size)])
    got = run_elementwise("%y = math.powf %x0, %x1 : vector<4xf32>", [("f32", x), ("f32", y)], "f32", target=target)
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(got, expected, rtol=2e-7, atol=1e-45)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(expected[number]))


def test_remainder_is_exact(target: str) -> None:
    """C's fmod, for quotients of any size."""
    rng = np.random.default_rng(2)
    x = (rng.choice([-1, 1], 1000) * np.exp(rng.uniform(-80, 88, 1000))).astype(np.float32)
    y = (rng.choice([-1, 1], 1000) * np.exp(rng.uniform(-80, 88, 1000))).astype(np.float32)
    special = np.array([0.0, -0.0, 1, -4, 2, 0.1, np.inf, -np.inf, np.nan, 3.4e38, 1e-45], np.float32)
    x = np.concatenate([x, np.repeat(special, special.size)])
    y = np.concatenate([y, np.tile(special, special.size)])
    got = run_elementwise("%y = arith.remf %x0, %x1 : vector<4xf32>", [("f32", x), ("f32", y)], "f32", target=target)
    with np.errstate(all="ignore"):
        expected = np.fmod(x, y)
    np.testing.assert_array_equal(got, expected)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(expected[number]))


def test_angle_of_a_point(target: str) -> None:
    """atan2 in all quadrants, on the axes and at infinity."""
    rng = np.random.default_rng(3)
    y, x = rng.normal(size=(2, 600)).astype(np.float32)
    special = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan], np.float32)
    y = np.concatenate([y, np.repeat(special, special.size)])
    x = np.concatenate([x, np.tile(special, special.size)])
    got = run_elementwise("%y = math.atan2 %x0, %x1 : vector<4xf32>", [("f32", y), ("f32", x)], "f32", target=target)
    expected = np.arctan2(y.astype(np.float64), x.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(got, expected, rtol=6e-7, atol=1e-45)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(got[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "log10", "sqrt", "rsqrt"])
def test_double_precision(name: str, target: str) -> None:
    """f64 to 1e-14, special values included."""
    rng = np.random.default_rng(4)
    x = rng.uniform(-700, 700, 500) if "exp" in name else np.exp(rng.uniform(-700, 700, 500))
    x = np.concatenate([x, np.array([0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 5e-324, 1e308, 2000, -2000])])
    got = run_elementwise(f"%y = math.{name} %x0 : vector<4xf64>", [("f64", x)], "f64", target=target)
    with np.errstate(all="ignore"):
        expected = 1 / np.sqrt(x) if name == "rsqrt" else getattr(np, name)(x)
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=5e-324)


def test_approximate_functions_are_instructions(target: str) -> None:
    """`afn` is one instruction per element, accurate for normal numbers."""
    x = np.linspace(-20, 20, 1000, dtype=np.float32)
    got = run_elementwise("%y = math.exp2 %x0 fastmath<afn> : vector<4xf32>", [("f32", x)], "f32", target=target)
    np.testing.assert_allclose(got, np.exp2(x.astype(np.float64)), rtol=2e-7)


def test_integer_power(target: str) -> None:
    """Squares and multiplies modulo 2^32; negative exponents give 0 but for bases 1 and -1."""
    base = np.array([2, -3, 7, 1, -1, -1, 0, 5, 2], np.int32)
    power = np.array([10, 5, 20, -4, -3, -4, 0, -1, 31], np.int32)
    body = "%y = math.ipowi %x0, %x1 : vector<4xi32>"
    got = run_elementwise(body, [("i32", base), ("i32", power)], "i32", target=target)
    expected = [1024, -243, pow(7, 20, 2**32), 1, -1, 1, 1, 0, -(2**31)]
    np.testing.assert_array_equal(got, np.array(expected, np.int64).astype(np.int32))


def test_rounding(target: str) -> None:
    """floor, ceil, trunc, round (half away) and roundeven."""
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49999997, 8388609.0, -0.0, np.inf, 1e-40], np.float32)
    expected = {"floor": np.floor(x), "ceil": np.ceil(x), "trunc": np.trunc(x), "roundeven": np.rint(x)}
    expected["round"] = np.copysign(np.floor(np.abs(x.astype(np.float64)) + 0.5), x).astype(np.float32)
    for name, values in expected.items():
        got = run_elementwise(f"%y = math.{name} %x0 : vector<4xf32>", [("f32", x)], "f32", target=target)
        np.testing.assert_array_equal(got, values, err_msg=name)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(values), err_msg=name)
