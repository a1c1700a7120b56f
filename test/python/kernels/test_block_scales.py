"""Products with a scale per block: the kernels against lib/Reference, bit for bit where f32 sums are exact."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest

from octavo import reference
from octavo.runtime.harness import compile_text, run_program

TARGETS = ("gfx942", "gfx950")
TYPES = {
    "bf16": ml_dtypes.bfloat16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f32": np.float32,
}
NATIVE = {"gfx942": ("f8E4M3FNUZ", "f8E5M2FNUZ"), "gfx950": ("f8E4M3FN", "f8E5M2")}


@dataclass
class Operand:
    """A matrix with rows (or columns) x K as it is stored, and its scales."""

    data: np.ndarray
    scale: np.ndarray
    granule: str
    transposed: bool


def operand(
    rng: np.random.Generator, rows: int, k: int, kind: str, granule: str, k_first: bool, batch: tuple[int, ...] = ()
) -> Operand:
    """Small integers with powers of two as scales: all sums are exact in f32."""
    data = rng.integers(-4, 5, (*batch, rows, k)).astype(np.float32)
    name, _, sizes = granule.rstrip(">").partition("<")
    across, along = (int(sizes.split("x")[0]), int(sizes.split("x")[1])) if name == "block" else (1, int(sizes))
    exponents = rng.integers(-3, 4, (*batch, -(-rows // across), -(-k // along)))
    scale = (2.0**exponents).astype(np.float32)
    if k_first:
        data, scale = data.swapaxes(-1, -2), scale.swapaxes(-1, -2)
    numbers = np.ascontiguousarray(data).astype(TYPES[kind])
    scales = np.ascontiguousarray(scale).astype(TYPES["f8E8M0FNU" if name == "mx" else "f32"])
    return Operand(numbers, scales, granule, False)


def tensor(array: np.ndarray) -> str:
    name = next(n for n, t in TYPES.items() if np.dtype(t) == array.dtype)
    return f"tensor<{'x'.join(map(str, array.shape))}x{name}>"


def program(a: Operand, b: Operand, ta: bool, tb: bool, out: str, bias: np.ndarray | None = None) -> str:
    m = a.data.shape[-1 if ta else -2]
    n = b.data.shape[-2 if tb else -1]
    arrays = [a.data, a.scale, b.data, b.scale] + ([bias] if bias is not None else [])
    result = "x".join(map(str, (*a.data.shape[:-2], m, n)))
    names = ["%a", "%sa", "%b", "%sb", "%bias"][: len(arrays)]
    arguments = ", ".join(f"{n}: {tensor(x)}" for n, x in zip(names, arrays, strict=True))
    return f"""func.func @f({arguments}) -> tensor<{result}x{out}> {{
      %c = octavo.scaled_matmul {"transposed " * ta}%a scaled %sa, {"transposed " * tb}%b scaled %sb
        {"bias %bias" if bias is not None else ""}
        {{granule_a = #octavo.granule<{a.granule}>, granule_b = #octavo.granule<{b.granule}>}}
        : {", ".join(tensor(x) for x in arrays)} -> tensor<{result}x{out}>
      return %c : tensor<{result}x{out}>
    }}"""


def multiply(text: str, inputs: list[np.ndarray], target: str) -> tuple[np.ndarray, np.ndarray]:
    expected = reference.run(text, inputs)[0]
    (got,) = run_program(compile_text(text, target), [np.frombuffer(x.tobytes(), np.uint8) for x in inputs])
    return got.view(expected.dtype).reshape(expected.shape), expected


def check_exact(a: Operand, b: Operand, ta: bool, tb: bool, target: str, out: str = "f32") -> None:
    text = program(a, b, ta, tb, out)
    got, expected = multiply(text, [a.data, a.scale, b.data, b.scale], target)
    np.testing.assert_array_equal(got, expected)


GRANULES = [("block<1x128>", "block<128x128>"), ("block<1x128>", "block<1x128>"), ("mx<32>", "mx<32>")]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("granules", GRANULES)
@pytest.mark.parametrize(("ta", "tb"), itertools.product([False, True], repeat=2))
def test_every_operand_order(target: str, granules: tuple[str, str], ta: bool, tb: bool) -> None:
    rng = np.random.default_rng(0)
    first, second = NATIVE[target]
    a = operand(rng, 80, 320, first, granules[0], ta)
    b = operand(rng, 144, 320, second, granules[1], not tb)
    check_exact(a, b, ta, tb, target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("granules", GRANULES)
@pytest.mark.parametrize(
    "sizes", [(1, 1, 1), (16, 16, 128), (17, 33, 129), (130, 5, 31), (3, 300, 260), (256, 256, 96)]
)
def test_ragged_sizes(target: str, granules: tuple[str, str], sizes: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(sum(sizes))
    m, n, k = sizes
    kind = NATIVE[target][0]
    check_exact(
        operand(rng, m, k, kind, granules[0], False), operand(rng, n, k, kind, granules[1], False), False, True, target
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("granules", [*GRANULES, ("block<64x64>", "block<96x32>"), ("block<256x256>", "mx<32>")])
def test_batches_bias_and_other_sizes_of_granules(target: str, granules: tuple[str, str]) -> None:
    rng = np.random.default_rng(7)
    kind = NATIVE[target][0]
    a = operand(rng, 70, 288, kind, granules[0], False, (3,))
    b = operand(rng, 200, 288, kind, granules[1], False, (3,))
    bias = rng.integers(-8, 8, 200).astype(ml_dtypes.bfloat16)
    text = program(a, b, False, True, "bf16", bias)
    got, expected = multiply(text, [a.data, a.scale, b.data, b.scale, bias], target)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("granules", GRANULES)
def test_one_hot_k_meets_its_own_scales(target: str, granules: tuple[str, str]) -> None:
    rng = np.random.default_rng(11)
    kind = NATIVE[target][1]
    a = operand(rng, 70, 400, kind, granules[0], False)
    b = operand(rng, 90, 400, kind, granules[1], False)
    a.data[...] = 0
    a.data[np.arange(70), rng.permutation(400)[:70]] = 1
    for x in (a, b):  # each block has a scale that no other has, in steps of far more than the data's range
        order = rng.permutation(x.scale.size).reshape(x.scale.shape) % 41 - 20
        x.scale[...] = (2.0**order).astype(np.float32).astype(x.scale.dtype)
    check_exact(a, b, False, True, target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("granules", GRANULES)
def test_extreme_scales(target: str, granules: tuple[str, str]) -> None:
    rng = np.random.default_rng(13)
    kind = NATIVE[target][0]
    a = operand(rng, 40, 256, kind, granules[0], False)
    b = operand(rng, 200, 256, kind, granules[1], False)
    name = "mx" if granules[0].startswith("mx") else "block"
    sa, sb = a.scale.astype(np.float32), b.scale.astype(np.float32)
    # bf16 ends before an E5M2 or E4M3 number times 2^127.
    far = 120 if name == "mx" and target == "gfx942" else 127
    sa[3], sb[0, :] = 2.0**far, 2.0**-far  # together 1
    sa[5, 0], sa[7, 0], sa[9] = np.nan, 2.0**-127, 2.0**100
    sb[1:, -1] = 2.0**-100
    if name == "block":
        sa[11, 0], sb[-1, 0] = 0, 0
    a.scale, b.scale = sa.astype(a.scale.dtype), sb.astype(b.scale.dtype)
    text = program(a, b, False, True, "f32")
    got, expected = multiply(text, [a.data, a.scale, b.data, b.scale], target)
    assert np.isnan(expected[5]).all() and not np.isnan(expected[[0, 3, 7, 9]]).any()
    # Sums of blocks of very different size round; nothing else may differ where f32 does not overflow.
    assert np.isfinite(expected[3, 0])
    got[3, 1:] = expected[3, 1:]
    np.testing.assert_allclose(got, expected, rtol=2e-6, atol=1e-37)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("granules", GRANULES)
def test_nan_and_infinity_stay_in_their_rows_and_columns(target: str, granules: tuple[str, str]) -> None:
    rng = np.random.default_rng(17)
    kind = NATIVE[target][1]  # E5M2, which has infinity where it is OCP's
    a = operand(rng, 50, 130, kind, granules[0], False)
    b = operand(rng, 60, 130, kind, granules[1], False)
    special = np.float32(np.inf if kind == "f8E5M2" else np.nan).astype(TYPES[kind])
    a.data[4, 129], b.data[21, 0] = np.nan, special
    text = program(a, b, False, True, "f32")
    got, expected = multiply(text, [a.data, a.scale, b.data, b.scale], target)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(expected))
    finite = np.isfinite(expected)
    assert not finite[4].any() and not finite[:, 21].any() and finite.sum() == 49 * 59
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("sizes", [(1, 40, 64), (40, 1, 64), (1, 1, 96), (24, 40, 1), (1, 1, 1)])
def test_plain_products_of_one_row_column_or_term(target: str, sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    rng = np.random.default_rng(m + n + k)
    a, b = (rng.integers(-4, 5, shape).astype(ml_dtypes.bfloat16) for shape in ((m, k), (k, n)))
    text = f"""func.func @f(%a: tensor<{m}x{k}xbf16>, %b: tensor<{k}x{n}xbf16>) -> tensor<{m}x{n}xf32> {{
      %c = octavo.scaled_matmul %a, %b : tensor<{m}x{k}xbf16>, tensor<{k}x{n}xbf16> -> tensor<{m}x{n}xf32>
      return %c : tensor<{m}x{n}xf32>
    }}"""
    got, expected = multiply(text, [a, b], target)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("granule_a", "scale_a", "message"),
    [
        ("block<1x48>", "8x6xf32", "expected a granule with a multiple of 32 elements along K"),
        ("mx<24>", "8x11xf8E8M0FNU", "or a divisor of 64 with E8M0 scales, got 24"),
        ("block<1x128>", "8x3xf32", "expected scale_a of granule"),
        ("mx<32>", "8x8xf32", "expected f8E8M0FNU scales exactly for mx"),
    ],
)
def test_granules_that_do_not_fit_are_named(granule_a: str, scale_a: str, message: str) -> None:
    text = f"""func.func @f(%a: tensor<8x256xf8E4M3FN>, %s: tensor<{scale_a}>, %b: tensor<256x8xf8E4M3FN>)
        -> tensor<8x8xf32> {{
      %c = octavo.scaled_matmul %a scaled %s, %b {{granule_a = #octavo.granule<{granule_a}>}}
        : tensor<8x256xf8E4M3FN>, tensor<{scale_a}>, tensor<256x8xf8E4M3FN> -> tensor<8x8xf32>
      return %c : tensor<8x8xf32>
    }}"""
    with pytest.raises(RuntimeError, match=message):
        compile_text(text, "gfx950")


@pytest.mark.parametrize("sizes", [(256, 256, 512), (48, 80, 96)])
def test_mx_is_multiplied_by_scaled_matrix_instructions_where_there_are_such(sizes: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(19)
    m, n, k = sizes
    for target, wanted in (("gfx950", "v_mfma_scale_f32_"), ("gfx942", "bf16")):
        kinds = NATIVE[target] if target == "gfx950" else NATIVE["gfx950"]  # MX numbers are OCP's on both
        a, b = operand(rng, m, k, kinds[0], "mx<32>", True), operand(rng, n, k, kinds[1], "mx<32>", False)
        compiled = compile_text(program(a, b, True, True, "f32"), target)
        inputs = [a.data, a.scale, b.data, b.scale]
        (got,) = run_program(compiled, [np.frombuffer(x.tobytes(), np.uint8) for x in inputs])
        expected = reference.run(program(a, b, True, True, "f32"), inputs)[0]
        np.testing.assert_array_equal(got.view(np.float32).reshape(expected.shape), expected)
        executed = [i for i in compiled.launches[0].counters["instructions"] if i.startswith("v_mfma")]
        assert executed and all(wanted in i for i in executed), executed


@pytest.mark.parametrize(
    ("target", "kind"),
    [("gfx942", "f8E4M3FN"), ("gfx942", "f8E5M2"), ("gfx950", "f8E4M3FNUZ"), ("gfx950", "f8E5M2FNUZ")],
)
@pytest.mark.parametrize("granules", GRANULES[:2])
def test_numbers_of_the_other_chip_are_multiplied_exactly(target: str, kind: str, granules: tuple[str, str]) -> None:
    rng = np.random.default_rng(23)
    a, b = operand(rng, 40, 192, kind, granules[0], False), operand(rng, 72, 192, kind, granules[1], False)
    a.data[3, :2], b.data[4, 7] = np.array([-0.0, 0.0]).astype(TYPES[kind]), np.nan
    text = program(a, b, False, True, "f32")
    got, expected = multiply(text, [a.data, a.scale, b.data, b.scale], target)
    np.testing.assert_array_equal(got, expected)
    assert np.isnan(expected[:, 4]).all() and np.isnan(expected).sum() == 40
