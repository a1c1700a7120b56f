"""Values of the oracle: how bits of each type are read and written, and exact arithmetic that rounds once.

Integers are Python's, of any size; a result is exact and cut to its type where it is written. Floats are numpy scalars;
sums and products that must round once are fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

Value = int | np.floating
BITS = {"u32": 32, "i32": 32, "f32": 32, "u16": 16, "i16": 16, "f16": 16, "u64": 64, "i64": 64, "f64": 64, "bit": 1}
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
STORAGE = {"f16": np.uint16, "f32": np.uint32, "f64": np.uint64}
MANTISSA = {np.float16: (11, -14), np.float32: (24, -126), np.float64: (53, -1022)}


def signed(x: int, bits: int) -> int:
    """The low bits as a number in two's complement."""
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> bits - 1 else x


def decode(kind: str, x: int) -> Value:
    """The low bits as a value of the type."""
    x &= (1 << BITS[kind]) - 1
    if kind in FLOATS:
        return FLOATS[kind](STORAGE[kind](x).view(FLOATS[kind]))
    return signed(x, BITS[kind]) if kind[0] == "i" else x


def encode(kind: str, x: Value) -> int:
    """The bits of a value."""
    if kind in FLOATS:
        with np.errstate(all="ignore"):
            return int(FLOATS[kind](x).view(STORAGE[kind]))
    return int(x) & (1 << BITS[kind]) - 1


def is_nan(kind: str, x: int) -> bool:
    return kind in FLOATS and bool(np.isnan(decode(kind, x)))


def rounded(x: Fraction, kind: type) -> np.floating:
    """A number that is not zero, to the nearest value, ties to even."""
    digits, least = MANTISSA[kind]
    exponent = x.numerator.bit_length() - x.denominator.bit_length() if x > 0 else (
        (-x.numerator).bit_length() - x.denominator.bit_length())
    if Fraction(2) ** exponent > abs(x):
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, least) - digits + 1)
    count = round(x / unit)  # Python rounds ties to even
    shift = max(exponent, least) - digits + 1
    too_large = count.bit_length() + shift > 1024
    with np.errstate(all="ignore"):
        sign = 1 if x > 0 else -1
        size = sign * math.inf if too_large else math.ldexp(count, shift)
        return kind(size) if count else kind(sign * 0.0)


def fma(kind: type) -> Callable[[Value, Value, Value], np.floating]:
    """a * b + c, rounded once."""

    def compute(a: Value, b: Value, c: Value) -> np.floating:
        if not all(math.isfinite(x) for x in (a, b, c)):
            with np.errstate(all="ignore"):  # the product may overflow, so only signs enter an infinite sum
                if math.isfinite(a) and math.isfinite(b):
                    return kind(c)
                return kind(np.float64(a) * np.float64(b) + np.float64(c))
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        if exact:
            return rounded(exact, kind)
        zero = math.copysign(1, a) * math.copysign(1, b)
        both = zero < 0 and math.copysign(1, c) < 0 and (a == 0 or b == 0)
        return kind(-0.0 if both else 0.0)

    return compute


def quiet(fn: Callable[..., Value]) -> Callable[..., Value]:
    """Without numpy's warnings."""

    def call(*values: Value) -> Value:
        with np.errstate(all="ignore"):
            return fn(*values)

    return call


def signalling(x: np.floating) -> bool:
    """A NaN whose first fraction bit is not set."""
    kind = type(x)
    bits, digits = int(x.view(f"u{x.itemsize}")), MANTISSA[kind][0]
    return bool(np.isnan(x)) and not bits >> digits - 2 & 1


def extreme(larger: bool) -> Callable[[np.floating, np.floating], np.floating]:
    """min or max in IEEE mode: a signalling NaN gives NaN, a quiet one gives way; -0 is below +0."""

    def compute(a: np.floating, b: np.floating) -> np.floating:
        if signalling(a) or signalling(b):
            return type(a)(np.nan)
        if np.isnan(a) or np.isnan(b):
            return b if np.isnan(a) else a
        if a == b:
            return a if bool(np.signbit(a)) != larger else b
        return a if (a > b) == larger else b

    return compute
