"""Scales of blocks: kernels write what lib/Reference and the formulas of TorchAO and OCP MX say, bit for bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from octavo import reference
from octavo.runtime.harness import compile_text, run_program

TARGETS = ("gfx942", "gfx950")
FORMATS = {
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
}


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers of widely different size with zeros, a zero row and a zero column."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape) * 2.0 ** rng.integers(-12, 12, shape)
    x[..., rng.integers(0, shape[-1], 2)] = 0
    x[..., rng.integers(0, shape[-2]), :] = 0
    return x.astype(np.float32).astype(ml_dtypes.bfloat16)


def module(shape: tuple[int, ...], granule: str, axis: int, rule: str, fmt: str, extra: str = "") -> str:
    rank = len(shape)
    sizes = [1] * rank
    kind, _, inner = granule.rstrip(">").partition("<")
    across = axis - 1 if axis == rank - 1 else rank - 1
    sizes[axis] = int(inner.split("x")[-1])
    if kind == "block":
        sizes[across] = int(inner.split("x")[0])
    scales = "x".join(str(-(-n // s)) for n, s in zip(shape, sizes, strict=True))
    x, q = (f"tensor<{'x'.join(map(str, shape))}x{t}>" for t in ("bf16", fmt))
    s = f"tensor<{scales}x{'f8E8M0FNU' if rule.startswith('e8m0') else 'f32'}>"
    return f"""func.func @f(%x: {x}) -> ({q}, {s}) {{
      %q, %s = octavo.quantize %x granule<{granule}> axis {axis} rule {rule} {extra} : {x} -> {q}, {s}
      return %q, %s : {q}, {s}
    }}"""


def check(text: str, x: np.ndarray, target: str) -> tuple[np.ndarray, np.ndarray, int]:
    compiled = compile_text(text, target)
    got = run_program(compiled, [x])
    expected = reference.run(text, [x])
    for actual, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(actual, np.frombuffer(wanted.tobytes(), np.uint8))
    return expected[0], expected[1], len(compiled.launches)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("fmt", ["f8E4M3FN", "f8E5M2"])
@pytest.mark.parametrize(
    ("granule", "rule"),
    [
        ("block<1x128>", "exact"),
        ("block<128x128>", "pow2"),
        ("mx<32>", "e8m0_rceil"),
        ("mx<32>", "e8m0_floor"),
        ("mx<32>", "e8m0_even"),
    ],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_whole_blocks_are_one_kernel(target: str, fmt: str, granule: str, rule: str, axis: int) -> None:
    x = numbers(256, 384)
    *_, launches = check(module(x.shape, granule, axis, rule, fmt), x, target)
    assert launches == 1


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("shape", "granule", "rule"),
    [
        ((5, 200), "block<1x128>", "exact"),
        ((130, 200), "block<128x128>", "exact"),
        ((3, 33, 70), "mx<32>", "e8m0_rceil"),
        ((7, 20), "mx<32>", "e8m0_floor"),
        ((2, 130, 140), "block<128x128>", "pow2"),
        ((1, 1), "block<128x128>", "exact"),
    ],
)
@pytest.mark.parametrize("axis", [-1, -2])
def test_a_partial_block_reduces_over_what_exists(
    target: str, shape: tuple[int, ...], granule: str, rule: str, axis: int
) -> None:
    x = numbers(*shape)
    check(module(shape, granule, len(shape) + axis, rule, "f8E4M3FN"), x, target)


@pytest.mark.parametrize("target", TARGETS)
def test_special_values_stay_in_their_block(target: str) -> None:
    x = numbers(4, 256).astype(np.float32)
    x[0, 40], x[1, 70], x[2, 100] = np.nan, np.inf, -np.inf
    x[3, :32] = 3e38
    x[3, 32:64] = 1e-38
    x[3, 64:96] = 2.0**-126
    x[3, 96:128] = 2.0**-133
    x = x.astype(ml_dtypes.bfloat16)
    for rule in ("e8m0_rceil", "e8m0_floor", "e8m0_even"):
        q, s, _ = check(module(x.shape, "mx<32>", 1, rule, "f8E4M3FN"), x, target)
        bytes_ = s.view(np.uint8)
        assert bytes_[0, 1] == bytes_[1, 2] == bytes_[2, 3] == 255
        assert (bytes_ == 255).sum() == 3
        assert np.isnan(q.astype(np.float32)).sum() == 96
    q, s, _ = check(module(x.shape, "block<1x128>", 1, "exact", "f8E4M3FN"), x, target)
    assert np.isnan(s).sum() == 1


@pytest.mark.parametrize("target", TARGETS)
def test_rceil_is_torchaos(target: str) -> None:
    import torch
    from torchao.prototype.mx_formats.config import ScaleCalculationMode
    from torchao.prototype.mx_formats.mx_tensor import to_mx

    x = numbers(64, 128, seed=3)
    modes = {
        "e8m0_rceil": ScaleCalculationMode.RCEIL,
        "e8m0_floor": ScaleCalculationMode.FLOOR,
    }
    for fmt, dtype in (("f8E4M3FN", torch.float8_e4m3fn), ("f8E5M2", torch.float8_e5m2)):
        for rule, mode in modes.items():
            q, s, _ = check(module(x.shape, "mx<32>", 1, rule, fmt), x, target)
            source = torch.from_numpy(x.view(np.int16).copy()).view(torch.bfloat16)
            scale, data = to_mx(source, dtype, 32, mode)
            np.testing.assert_array_equal(s.view(np.uint8), scale.view(torch.uint8).numpy().reshape(s.shape))
            np.testing.assert_array_equal(q.view(np.uint8), data.view(torch.uint8).numpy().reshape(q.shape))


@pytest.mark.parametrize("target", TARGETS)
def test_block_quantisation_is_one_divide(target: str) -> None:
    x = numbers(256, 256, seed=5)
    wide = x.astype(np.float32)
    q, s, _ = check(module(x.shape, "block<128x128>", 1, "exact", "f8E4M3FN"), x, target)
    amax = np.abs(wide).reshape(2, 128, 2, 128).max((1, 3))
    encode = np.float32(448) / np.maximum(amax, np.float32(1e-12))
    np.testing.assert_array_equal(s, np.float32(1) / encode)
    scaled = np.clip(wide * encode.repeat(128, 0).repeat(128, 1), -448, 448)
    np.testing.assert_array_equal(q.view(np.uint8), scaled.astype(ml_dtypes.float8_e4m3fn).view(np.uint8))


@pytest.mark.parametrize("target", TARGETS)
def test_halved_ocp_numbers_and_no_rows(target: str) -> None:
    x = numbers(4, 256)
    check(module(x.shape, "block<1x128>", 1, "exact", "f8E4M3FNUZ", "{largest = 224.0 : f64}"), x, target)
    nothing = compile_text(module((0, 64), "mx<32>", 1, "e8m0_rceil", "f8E4M3FN"), target)
    results = run_program(nothing, [np.zeros(0, np.uint8)])
    assert [r.size for r in results] == [0, 0] and not nothing.launches
