"""Casts of small floats against ml_dtypes, for every code and for all roundings that matter."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from elementwise import run_elementwise

FORMATS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E3M4": ml_dtypes.float8_e3m4,
}


def interesting(dtype: type) -> np.ndarray:
    """Every number of the format, all midpoints and the f32 numbers beside them, and what lies beyond."""
    codes = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float64)
    codes = np.unique(np.abs(codes[np.isfinite(codes)]))
    beyond = codes[-1] + (codes[-1] - codes[-2]) * np.array([0.25, 0.5, 0.75, 1.0, 2.0, 100.0])
    points = np.concatenate([codes, (codes[1:] + codes[:-1]) / 2, beyond]).astype(np.float32)
    around = [points, np.nextafter(points, np.float32(np.inf)), np.nextafter(points, np.float32(-np.inf))]
    more = np.array([np.inf, np.nan, 1e-45, 1e-38, 3.4e38], np.float32)
    rng = np.random.default_rng(5)
    random = np.exp(rng.uniform(np.log(1e-8), np.log(1e6), 2000)).astype(np.float32)
    values = np.concatenate([*around, more, random])
    return np.concatenate([values, -values])


def equal_codes(got: np.ndarray, expected: np.ndarray, dtype: type) -> None:
    """Same codes; NaN may have any of its codes."""
    nan = np.isnan(expected.view(dtype).astype(np.float32))
    np.testing.assert_array_equal(np.isnan(got.view(dtype).astype(np.float32)), nan)
    np.testing.assert_array_equal(got[~nan], expected[~nan])


@pytest.mark.parametrize("width", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("name", FORMATS)
def test_to_eight_bits(name: str, width: int, target: str) -> None:
    """f32 to each format rounds to nearest even; beyond the largest number come infinity or NaN."""
    x = interesting(FORMATS[name])
    if width == 1:
        body = (f"%s = vector.extract %x0[0] : f32 from vector<1xf32>\n %t = arith.truncf %s : f32 to {name}\n"
                f"%y = vector.broadcast %t : {name} to vector<1x{name}>")
    else:
        body = f"%y = arith.truncf %x0 : vector<{width}xf32> to vector<{width}x{name}>"
    got = run_elementwise(body, [("f32", x)], name, target=target, width=width)
    with np.errstate(all="ignore"):
        expected = x.astype(FORMATS[name]).view(np.uint8)
    equal_codes(got, expected, FORMATS[name])


@pytest.mark.parametrize("wide", ["f32", "bf16", "f16"])
@pytest.mark.parametrize("name", FORMATS)
def test_from_eight_bits(name: str, wide: str, target: str) -> None:
    """Every code, extended exactly."""
    codes = np.arange(256, dtype=np.uint8)
    body = f"%y = arith.extf %x0 : vector<4x{name}> to vector<4x{wide}>"
    got = run_elementwise(body, [(name, codes)], wide, target=target)
    dtype = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16}[wide]
    got = got.view(dtype).astype(np.float64)
    expected = codes.view(FORMATS[name]).astype(np.float64)
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(np.signbit(got[expected == 0]), np.signbit(expected[expected == 0]))


@pytest.mark.parametrize("width", [1, 3, 4])
def test_to_bf16(width: int, target: str) -> None:
    """Ties to even; NaN stays NaN, infinity and overflow are infinity."""
    rng = np.random.default_rng(6)
    x = rng.integers(0, 2**32, 4000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    ties = (rng.integers(0, 2**16, 500).astype(np.uint32) << 16 | 0x8000).view(np.float32)
    special = np.array([0x7F7F8000, 0x7F800001, 0xFFFFFFFF, 0x7FFFFFFF], np.uint32).view(np.float32)
    x = np.concatenate([x, ties, special])
    body = f"%y = arith.truncf %x0 : vector<{width}xf32> to vector<{width}xbf16>"
    got = run_elementwise(body, [("f32", x)], "bf16", target=target, width=width).view(ml_dtypes.bfloat16)
    with np.errstate(all="ignore"):
        expected = x.astype(ml_dtypes.bfloat16)
    nan = np.isnan(x)
    assert np.isnan(got[nan].astype(np.float32)).all()
    np.testing.assert_array_equal(got[~nan].view(np.uint16), expected[~nan].view(np.uint16))


def test_powers_of_two(target: str) -> None:
    """f8E8M0FNU from f32 as PyTorch casts, and back."""
    import torch

    rng = np.random.default_rng(8)
    x = np.abs(rng.integers(0, 2**31, 3000, dtype=np.int64).astype(np.uint32).view(np.float32))
    x = np.concatenate([x, np.array([0, 1, 1.5, 1.4999, 0.75, 1e-45, 6e-39, 5.877472e-39, np.inf, np.nan], np.float32)])
    body = "%y = arith.truncf %x0 : vector<4xf32> to vector<4xf8E8M0FNU>"
    got = run_elementwise(body, [("f32", x)], "f8E8M0FNU", target=target)
    expected = torch.from_numpy(x).to(torch.float8_e8m0fnu).view(torch.uint8).numpy()
    np.testing.assert_array_equal(got, expected)
    codes = np.arange(256, dtype=np.uint8)
    body = "%y = arith.extf %x0 : vector<4xf8E8M0FNU> to vector<4xf32>"
    back = run_elementwise(body, [("f8E8M0FNU", codes)], "f32", target=target)
    np.testing.assert_array_equal(back, [*np.ldexp(np.float64(1), codes.astype(int) - 127)[:255].tolist(), np.nan])


def test_clamp_keeps_nan(target: str) -> None:
    """A clamp by constants in both orders."""
    x = np.array([1, 500, -500, np.nan, np.inf, -np.inf, 448, -448, 0], np.float32)
    constants = "%lo = arith.constant dense<-448.0> : vector<4xf32>\n"
    constants += "%hi = arith.constant dense<448.0> : vector<4xf32>\n"
    orders = ("maximumf %x0, %lo", "minimumf %m, %hi"), ("minimumf %x0, %hi", "maximumf %m, %lo")
    for first, second in orders:
        body = f"{constants} %m = arith.{first} : vector<4xf32>\n %y = arith.{second} : vector<4xf32>"
        got = run_elementwise(body, [("f32", x)], "f32", target=target)
        np.testing.assert_array_equal(got, np.clip(x, -448, 448))
