"""The simulator's conversions against ml_dtypes: every code, every 16-bit input, every rounding boundary."""

import ml_dtypes
import numpy as np
import pytest

from octavo import _octavo

sim = _octavo.simulator

TYPES = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "bf16": ml_dtypes.bfloat16,
    "f16": np.float16,
}
WIDTH = {"f6E2M3FN": 6, "f6E3M2FN": 6, "f4E2M1FN": 4, "bf16": 16, "f16": 16}
# Formats without infinity or NaN saturate in the simulator; ml_dtypes saturates them as well.
NARROW = {"f6E2M3FN", "f6E3M2FN", "f4E2M1FN"}


def oracle_decode(name: str, codes: np.ndarray) -> np.ndarray:
    storage = np.uint16 if WIDTH.get(name, 8) == 16 else np.uint8
    return codes.astype(storage).view(TYPES[name]).astype(np.float32)


def all_codes(name: str) -> np.ndarray:
    return np.arange(1 << WIDTH.get(name, 8), dtype=np.uint32)


def check_encode(name: str, bits: np.ndarray) -> None:
    values = bits.view(np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        cast = values.astype(TYPES[name])
    storage = np.uint16 if WIDTH.get(name, 8) == 16 else np.uint8
    want = cast.view(storage).astype(np.uint32)
    got = sim.sim_encode(name, bits, saturate=False)
    # NaN payloads are nobody's promise: both must be NaN.
    both_nan = np.isnan(oracle_decode(name, got)) & np.isnan(cast.astype(np.float32))
    wrong = (want != got) & ~both_nan
    if name in NARROW:
        wrong &= ~np.isnan(values)  # assumed: the largest magnitude; ml_dtypes gives zero
    assert not wrong.any(), [
        (hex(b), hex(w), hex(g)) for b, w, g in zip(bits[wrong], want[wrong], got[wrong], strict=True)
    ][:5]


@pytest.mark.parametrize("name", TYPES)
def test_every_code_decodes_as_in_ml_dtypes(name: str) -> None:
    codes = all_codes(name)
    got = sim.sim_decode(name, codes).view(np.float32)
    want = oracle_decode(name, codes)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    finite = ~np.isnan(want)
    np.testing.assert_array_equal(got[finite].view(np.uint32), want[finite].view(np.uint32))


@pytest.mark.parametrize("source", ["bf16", "f16"])
@pytest.mark.parametrize("name", [n for n in TYPES if n != "f8E8M0FNU"])
def test_every_16_bit_input_encodes_as_in_ml_dtypes(name: str, source: str) -> None:
    check_encode(name, oracle_decode(source, all_codes(source)).view(np.uint32))


@pytest.mark.parametrize("name", [n for n in TYPES if n != "f8E8M0FNU"])
def test_rounding_boundaries_encode_as_in_ml_dtypes(name: str) -> None:
    decoded = oracle_decode(name, all_codes(name))
    values = np.unique(decoded[np.isfinite(decoded)].astype(np.float64))
    step = values[-1] - values[-2]
    limit = min(values[-1] + step, float(np.finfo(np.float32).max))
    values = np.concatenate([[-limit], values, [limit]])
    middles = ((values[1:] + values[:-1]) / 2).astype(np.float32)
    centres = np.concatenate([middles, values.astype(np.float32)]).view(np.uint32)
    near = (centres[:, None].astype(np.int64) + np.arange(-2, 3)).reshape(-1)
    near = np.concatenate([near, near ^ (1 << 31)])
    check_encode(name, np.unique(near & 0xFFFFFFFF).astype(np.uint32))


@pytest.mark.parametrize("name", [n for n in TYPES if n != "f8E8M0FNU"])
def test_saturation_clamps_finite_values_only(name: str) -> None:
    largest = np.nanmax(np.where(np.isinf(v := oracle_decode(name, all_codes(name))), np.nan, v))
    limit = min(float(largest) * 1.5, float(np.finfo(np.float32).max))
    big = np.array([limit, -limit], np.float32)
    got = oracle_decode(name, sim.sim_encode(name, big.view(np.uint32), saturate=True))
    np.testing.assert_array_equal(got, [largest, -largest])
