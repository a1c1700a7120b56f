"""Kernels as formed and lowered to tile programs compute what the octavo level means."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from host_program import HostProgram

from octavo import reference

HEAD = 'module attributes {octavo.target = #octavo.target<"gfx950">} {\n'
NAMES = {np.dtype(np.float32): "f32", np.dtype(ml_dtypes.bfloat16): "bf16", np.dtype(np.int64): "i64"}


def check(text: str, inputs: list[np.ndarray], *, launches: int | None = None, exact: bool = False) -> list[np.ndarray]:
    """Runs both and compares: bit for bit, or within what another order of a sum may change."""
    program = HostProgram(HEAD + text + "\n}")
    got = program.run(inputs)
    expected = reference.run(HEAD + text + "\n}", inputs)
    for actual, wanted in zip(got, expected, strict=True):
        assert actual.shape == wanted.shape
        if exact or wanted.dtype.itemsize == 1 or wanted.dtype.kind in "iub":
            np.testing.assert_array_equal(
                np.frombuffer(actual.tobytes(), np.uint8), np.frombuffer(wanted.tobytes(), np.uint8)
            )
        else:
            tolerance = 1e-5 if wanted.dtype == np.float32 else 1e-2
            np.testing.assert_allclose(
                actual.astype(np.float64), wanted.astype(np.float64), rtol=tolerance, atol=tolerance
            )
    if launches is not None:
        assert len(program.launches) == launches, program.launches
    return got


def numbers(*shape: int, dtype: type = np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def generic(name: str, ins: str, types: str, maps: str, out: str, body: str, rank: int) -> str:
    """An elementwise op: `maps` of operands and result, `body` yields the last value."""
    loops = ", ".join(['"parallel"'] * rank)
    return f"""
    %{name}_e = tensor.empty() : {out}
    %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{loops}]}}
        ins({ins} : {types}) outs(%{name}_e : {out}) {{
    {body}
    }} -> {out}"""


def reduction(
    name: str, source: str, source_type: str, out: str, dims: str, op: str = "arith.addf", init: str = "0.0"
) -> str:
    return f"""
    %{name}_z = arith.constant {init} : f32
    %{name}_e = tensor.empty() : {out}
    %{name}_f = linalg.fill ins(%{name}_z : f32) outs(%{name}_e : {out}) -> {out}
    %{name} = linalg.reduce {{ {op} }} ins({source} : {source_type}) outs(%{name}_f : {out}) dimensions = [{dims}]"""


ID2 = "affine_map<(d0, d1) -> (d0, d1)>"
ROW2 = "affine_map<(d0, d1) -> (d0)>"
COLUMN2 = "affine_map<(d0, d1) -> (d1)>"
DIVIDE = "^bb0(%a: f32, %b: f32, %o: f32):\n %q = arith.divf %a, %b : f32\n linalg.yield %q : f32"


@pytest.mark.parametrize(("m", "n"), [(4, 8), (7, 33), (3, 1000), (300, 2), (1, 1), (5, 9000)])
def test_rows_are_normalised_in_one_kernel(m: int, n: int) -> None:
    t, r = f"tensor<{m}x{n}xf32>", f"tensor<{m}xf32>"
    text = f"func.func @f(%x: {t}) -> ({t}, {r}) {{"
    text += reduction("s", "%x", t, r, "1")
    text += generic("y", "%x, %s", f"{t}, {r}", f"{ID2}, {ROW2}, {ID2}", t, DIVIDE, 2)
    text += f"\n return %y, %s : {t}, {r}\n}}"
    # Few long rows are summed in two stages.
    check(text, [np.abs(numbers(m, n)) + 1], launches=1 if n < 9000 else 3)


@pytest.mark.parametrize(("m", "n"), [(8, 4), (33, 7), (500, 40), (3, 130)])
def test_columns_are_normalised(m: int, n: int) -> None:
    t, c = f"tensor<{m}x{n}xf32>", f"tensor<{n}xf32>"
    text = f"func.func @f(%x: {t}) -> {t} {{"
    text += reduction("s", "%x", t, c, "0")
    text += generic("y", "%x, %s", f"{t}, {c}", f"{ID2}, {COLUMN2}, {ID2}", t, DIVIDE, 2)
    text += f"\n return %y : {t}\n}}"
    check(text, [np.abs(numbers(m, n)) + 1], launches=1)


@pytest.mark.parametrize("shape", [(3, 5, 4), (2, 64, 3), (5, 1, 7)])
def test_a_middle_dimension_is_reduced(shape: tuple[int, int, int]) -> None:
    a, r, b = shape
    t, k = f"tensor<{a}x{r}x{b}xf32>", f"tensor<{a}x{b}xf32>"
    text = f"func.func @f(%x: {t}) -> {k} {{"
    text += reduction("s", "%x", t, k, "1", "arith.maximumf", "0xFF800000")
    text += f"\n return %s : {k}\n}}"
    check(text, [numbers(*shape)], exact=True)


@pytest.mark.parametrize("n", [1, 100, 4096, 30000])
def test_everything_is_summed(n: int) -> None:
    text = f"func.func @f(%x: tensor<{n}xf32>) -> tensor<f32> {{"
    text += reduction("s", "%x", f"tensor<{n}xf32>", "tensor<f32>", "0")
    text += "\n return %s : tensor<f32>\n}"
    check(text, [np.ones(n, np.float32)], exact=True)


def test_an_empty_sum_is_its_start() -> None:
    text = "func.func @f(%x: tensor<4x0xf32>) -> tensor<4xf32> {"
    text += reduction("s", "%x", "tensor<4x0xf32>", "tensor<4xf32>", "1", init="3.0")
    text += "\n return %s : tensor<4xf32>\n}"
    check(text, [np.zeros((4, 0), np.float32)], exact=True)


def test_the_largest_element_keeps_nan() -> None:
    x = numbers(6, 40)
    x[2, 7] = np.nan
    text = "func.func @f(%x: tensor<6x40xf32>) -> tensor<6xf32> {"
    text += reduction("s", "%x", "tensor<6x40xf32>", "tensor<6xf32>", "1", "arith.maximumf", "0xFF800000")
    text += "\n return %s : tensor<6xf32>\n}"
    (got,) = check(text, [x], exact=True)
    assert np.isnan(got[2]) and not np.isnan(got[[0, 1, 3, 4, 5]]).any()


@pytest.mark.parametrize("granule", ["row> axis 1", "row> axis 0", "tensor>"])
@pytest.mark.parametrize("rule", ["exact", "pow2"])
@pytest.mark.parametrize("shape", [(8, 32), (13, 70)])
@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
def test_quantise(granule: str, rule: str, shape: tuple[int, int], dtype: type) -> None:
    m, n = shape
    scale = {"row> axis 1": f"{m}x1x", "row> axis 0": f"1x{n}x", "tensor>": ""}[granule]
    x = numbers(m, n, dtype=dtype)
    x[1] = 0
    x[2, 3] = 1e30
    x[3, :2] = -0.0
    q, s = f"tensor<{m}x{n}xf8E4M3FN>", f"tensor<{scale}xf32>".replace("xxf32", "xf32").replace("<xf32", "<f32")
    source = f"tensor<{m}x{n}x{NAMES[x.dtype]}>"
    text = f"""func.func @f(%x: {source}) -> ({q}, {s}) {{
      %q, %s = octavo.quantize %x granule<{granule} rule {rule} : {source} -> {q}, {s}
      return %q, %s : {q}, {s}
    }}"""
    check(text, [x], exact=True)


@pytest.mark.parametrize("transposed_a", [False, True])
@pytest.mark.parametrize("transposed_b", [False, True])
@pytest.mark.parametrize(("m", "n", "k"), [(16, 32, 64), (40, 24, 50), (5, 70, 33)])
def test_products_of_all_orders(transposed_a: bool, transposed_b: bool, m: int, n: int, k: int) -> None:
    a, b = ((k, m) if transposed_a else (m, k)), ((n, k) if transposed_b else (k, n))
    ta, tb = "transposed " * transposed_a, "transposed " * transposed_b
    types = f"tensor<{a[0]}x{a[1]}xbf16>, tensor<{b[0]}x{b[1]}xbf16>"
    text = f"""func.func @f(%a: {types.split(", ")[0]}, %b: {types.split(", ")[1]}) -> tensor<{m}x{n}xf32> {{
      %y = octavo.scaled_matmul {ta}%a, {tb}%b : {types} -> tensor<{m}x{n}xf32>
      return %y : tensor<{m}x{n}xf32>
    }}"""
    check(text, [numbers(*a, dtype=ml_dtypes.bfloat16), numbers(*b, dtype=ml_dtypes.bfloat16, seed=1)], launches=1)


def test_scales_bias_and_what_follows_are_one_kernel() -> None:
    text = """func.func @f(%a: tensor<24x64xf8E4M3FN>, %sa: tensor<24x1xf32>, %b: tensor<40x64xf8E4M3FN>,
        %sb: tensor<40x1xf32>, %c: tensor<40xbf16>, %h: tensor<24x40xf32>) -> tensor<24x40xf32> {
      %y = octavo.scaled_matmul %a scaled %sa, transposed %b scaled %sb bias %c
          {granule_a = #octavo.granule<row>, granule_b = #octavo.granule<row>}
        : tensor<24x64xf8E4M3FN>, tensor<24x1xf32>, tensor<40x64xf8E4M3FN>, tensor<40x1xf32>, tensor<40xbf16>
        -> tensor<24x40xbf16>"""
    body = """^bb0(%x: bf16, %z: f32, %o: f32):
      %w = arith.extf %x : bf16 to f32
      %v = arith.addf %w, %z : f32
      linalg.yield %v : f32"""
    types = "tensor<24x40xbf16>, tensor<24x40xf32>"
    text += generic("r", "%y, %h", types, f"{ID2}, {ID2}, {ID2}", "tensor<24x40xf32>", body, 2)
    text += "\n return %r : tensor<24x40xf32>\n}"
    f8 = ml_dtypes.float8_e4m3fn
    inputs = [numbers(24, 64, dtype=f8), np.abs(numbers(24, 1)), numbers(40, 64, dtype=f8, seed=1)]
    inputs += [np.abs(numbers(40, 1, seed=2)), numbers(40, dtype=ml_dtypes.bfloat16), numbers(24, 40, seed=3)]
    check(text, inputs, launches=1)


def test_heads_are_multiplied_without_a_transpose() -> None:
    text = """func.func @f(%q: tensor<2x9x4x16xbf16>, %k: tensor<2x9x4x16xbf16>) -> tensor<8x9x9xf32> {
      %e = tensor.empty() : tensor<2x4x9x16xbf16>
      %a = linalg.transpose ins(%q : tensor<2x9x4x16xbf16>) outs(%e : tensor<2x4x9x16xbf16>) permutation = [0, 2, 1, 3]
      %b = linalg.transpose ins(%k : tensor<2x9x4x16xbf16>) outs(%e : tensor<2x4x9x16xbf16>) permutation = [0, 2, 1, 3]
      %c = tensor.collapse_shape %a [[0, 1], [2], [3]] : tensor<2x4x9x16xbf16> into tensor<8x9x16xbf16>
      %d = tensor.collapse_shape %b [[0, 1], [2], [3]] : tensor<2x4x9x16xbf16> into tensor<8x9x16xbf16>
      %y = octavo.scaled_matmul %c, transposed %d : tensor<8x9x16xbf16>, tensor<8x9x16xbf16> -> tensor<8x9x9xf32>
      return %y : tensor<8x9x9xf32>
    }"""
    bf16 = ml_dtypes.bfloat16
    check(text, [numbers(2, 9, 4, 16, dtype=bf16), numbers(2, 9, 4, 16, dtype=bf16, seed=1)], launches=1)


def test_views_cost_no_copy() -> None:
    text = """func.func @f(%x: tensor<6x10xf32>, %y: tensor<4x10xf32>) -> tensor<5x13xf32> {
      %z = arith.constant 7.0 : f32
      %c = tensor.concat dim(0) %x, %y : (tensor<6x10xf32>, tensor<4x10xf32>) -> tensor<10x10xf32>
      %s = tensor.extract_slice %c[1, 0] [5, 10] [2, 1] : tensor<10x10xf32> to tensor<5x10xf32>
      %p = tensor.pad %s low[0, 1] high[0, 2] {
      ^bb0(%i: index, %j: index):
        tensor.yield %z : f32
      } : tensor<5x10xf32> to tensor<5x13xf32>
      return %p : tensor<5x13xf32>
    }"""
    check(text, [numbers(6, 10), numbers(4, 10, seed=1)], launches=1, exact=True)


def test_a_slice_is_inserted() -> None:
    text = """func.func @f(%x: tensor<3x4xf32>, %y: tensor<8x9xf32>) -> tensor<8x9xf32> {
      %p = tensor.insert_slice %x into %y[1, 2] [3, 4] [2, 1] : tensor<3x4xf32> into tensor<8x9xf32>
      return %p : tensor<8x9xf32>
    }"""
    check(text, [numbers(3, 4), numbers(8, 9, seed=1)], launches=1, exact=True)


def test_rows_are_gathered_by_index() -> None:
    text = "func.func @f(%w: tensor<10x12xf32>, %i: tensor<7xi64>) -> tensor<7x12xf32> {"
    body = """^bb0(%at: i64, %o: f32):
      %r = arith.index_cast %at : i64 to index
      %c = linalg.index 1 : index
      %v = tensor.extract %w[%r, %c] : tensor<10x12xf32>
      linalg.yield %v : f32"""
    text += generic("y", "%i", "tensor<7xi64>", f"{ROW2}, {ID2}", "tensor<7x12xf32>", body, 2)
    text += "\n return %y : tensor<7x12xf32>\n}"
    check(text, [numbers(10, 12), np.array([3, 0, 9, 9, 1, 2, 3])], launches=1, exact=True)


@pytest.mark.parametrize("kind", ["add", "max", "min", "mul", "set"])
def test_scatter_of_colliding_rows(kind: str) -> None:
    text = f"""func.func @f(%s: tensor<9x5xf32>, %x: tensor<4x5xf32>, %i: tensor<9xi64>) -> tensor<4x5xf32> {{
      %r = octavo.scatter_reduce {kind} %s into %x at %i dims [0]
        : tensor<9x5xf32>, tensor<4x5xf32>, (tensor<9xi64>) -> tensor<4x5xf32>
      return %r : tensor<4x5xf32>
    }}"""
    check(text, [numbers(9, 5), numbers(4, 5, seed=1), np.array([3, 0, -1, 1, 1, 2, 0, 0, 3])])


def test_scatter_of_a_middle_dimension() -> None:
    text = """func.func @f(%s: tensor<6x3x2xf32>, %x: tensor<3x4x2xf32>, %i: tensor<6xi64>) -> tensor<3x4x2xf32> {
      %r = octavo.scatter_reduce add %s into %x at %i dims [1]
        : tensor<6x3x2xf32>, tensor<3x4x2xf32>, (tensor<6xi64>) -> tensor<3x4x2xf32>
      return %r : tensor<3x4x2xf32>
    }"""
    check(text, [numbers(6, 3, 2), numbers(3, 4, 2, seed=1), np.array([3, 0, 1, 1, 2, 0])])


@pytest.mark.parametrize("kind", ["bits", "uniform"])
def test_random_numbers(kind: str) -> None:
    out = f"tensor<5x7x{'i32' if kind == 'bits' else 'f32'}>"
    text = f"""func.func @f(%s: tensor<i64>, %o: tensor<i64>) -> {out} {{
      %r = octavo.random {kind} %s, %o : tensor<i64>, tensor<i64> -> {out}
      return %r : {out}
    }}"""
    check(text, [np.array(123456789123, np.int64), np.array(2**33 + 5, np.int64)], exact=True)


def test_each_result_with_elements_is_written_to_its_own_place() -> None:
    text = f"""func.func @f(%a: tensor<4xf32>, %n: tensor<0xf32>)
        -> (tensor<4xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<5xf32>) {{
      %v = tensor.expand_shape %a [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
      %c = arith.constant dense<1.5> : tensor<3xf32>
      %two = arith.constant 2.0 : f32
      {reduction("s", "%n", "tensor<0xf32>", "tensor<f32>", "0", init="7.0")}
      %p = tensor.pad %n low[3] high[2] {{
      ^bb0(%i: index):
        tensor.yield %two : f32
      }} : tensor<0xf32> to tensor<5xf32>
      return %a, %v, %c, %c, %s, %p
        : tensor<4xf32>, tensor<2x2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<5xf32>
    }}"""
    x = numbers(4)
    got = HostProgram(HEAD + text + "\n}").run([x, np.zeros(0, np.float32)])
    expected = [x, x.reshape(2, 2), np.full(3, 1.5), np.full(3, 1.5), np.float32(7), np.full(5, 2.0)]
    for actual, wanted in zip(got, expected, strict=True):
        np.testing.assert_array_equal(actual, wanted)
