"""Products whose operands reach over more than 4 GiB; only the lines that hold numbers are ever touched."""

from __future__ import annotations

import mmap

import ml_dtypes
import numpy as np
import pytest

from octavo.runtime import harness

LINE = 1 << 27  # elements between two lines: 17 lines of bf16 reach over 4 GiB
ROWS, COLUMNS, K = 17, 24, 40


def sparse(lines: int, length: int, dtype: type) -> np.ndarray:
    """Lines that lie LINE elements apart in memory that is not there until it is used."""
    item = np.dtype(dtype).itemsize
    size = ((lines - 1) * LINE + length) * item
    memory = np.frombuffer(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE), np.uint8)
    whole = memory[: size // item * item].view(dtype)
    return np.lib.stride_tricks.as_strided(whole, (lines, length), (LINE * item, item))


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_operands_of_more_than_4_gib(target: str) -> None:
    rng = np.random.default_rng(3)
    a, b = sparse(ROWS, K, ml_dtypes.bfloat16), sparse(COLUMNS, K, ml_dtypes.bfloat16)
    a[...] = rng.integers(-8, 9, a.shape).astype(ml_dtypes.bfloat16)
    b[...] = rng.integers(-8, 9, b.shape).astype(ml_dtypes.bfloat16)
    far = f"{{octavo.strides = array<i64: {LINE}, 1>}}"
    text = f"""module attributes {{octavo.target = #octavo.target<"{target}">}} {{
  func.func @product(%a: tensor<{ROWS}x{K}xbf16> {far}, %b: tensor<{COLUMNS}x{K}xbf16> {far})
      -> tensor<{ROWS}x{COLUMNS}xf32> {{
    %c = octavo.scaled_matmul %a, transposed %b
      : tensor<{ROWS}x{K}xbf16>, tensor<{COLUMNS}x{K}xbf16> -> tensor<{ROWS}x{COLUMNS}xf32>
    return %c : tensor<{ROWS}x{COLUMNS}xf32>
  }}
}}"""
    (found,) = harness.run_program(harness.compile_text(text, target), [a, b])
    expected = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_array_equal(found.view(np.float32).reshape(ROWS, COLUMNS), expected)
