"""Products in parts of K: the same bits whatever the order in which workgroups run, and in every order of operands."""

from __future__ import annotations

import hashlib
import os
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

from octavo import reference
from octavo.runtime import harness

TEXT = """
module attributes {{octavo.target = #octavo.target<"{target}">}} {{
  func.func @product(%a: tensor<{a}x{element}>, %b: tensor<{b}x{element}>, %bias: tensor<48xf32>)
      -> tensor<33x48xf32> {{
    %c = octavo.scaled_matmul {ta}%a, {tb}%b bias %bias
      : tensor<{a}x{element}>, tensor<{b}x{element}>, tensor<48xf32> -> tensor<33x48xf32>
    return %c : tensor<33x48xf32>
  }}
}}
"""
K = 4096


def compiled(target: str, order: str, element: str = "bf16") -> tuple[str, harness.Compiled]:
    ta, tb = (("transposed " if letter == "T" else "") for letter in order)
    a, b = (f"{K}x33" if ta else f"33x{K}"), (f"48x{K}" if tb else f"{K}x48")
    text = TEXT.format(target=target, a=a, b=b, ta=ta, tb=tb, element=element)
    return text, harness.compile_text(text, target)


def operands(order: str, data: tuple[np.ndarray, np.ndarray]) -> list[np.ndarray]:
    a, b = data
    turned = [np.ascontiguousarray(a.T if order[0] == "T" else a), np.ascontiguousarray(b.T if order[1] == "T" else b)]
    return [x.astype(ml_dtypes.bfloat16) for x in turned]


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize("order", ["NN", "NT", "TN", "TT"])
def test_every_order_of_operands(target: str, order: str) -> None:
    rng = np.random.default_rng(1)
    data = rng.integers(-4, 5, (33, K)).astype(np.float32), rng.integers(-4, 5, (K, 48)).astype(np.float32)
    text, program = compiled(target, order)
    bias = rng.integers(-4, 5, 48).astype(np.float32)
    inputs = [*operands(order, data), bias]
    (found,) = harness.run_program(program, inputs)
    assert len(program.launches) == 2, "the product is not split: the test has lost its object"
    np.testing.assert_array_equal(found.view(np.float32).reshape(33, 48), data[0] @ data[1] + bias)
    np.testing.assert_array_equal(found.view(np.float32).reshape(33, 48), reference.run(text, inputs)[0])


def digest(target: str) -> str:
    """Of a product whose sum depends on its order."""
    rng = np.random.default_rng(2)
    data = rng.standard_normal((33, K), np.float32), rng.standard_normal((K, 48), np.float32)
    _, program = compiled(target, "NT")
    (found,) = harness.run_program(program, [*operands("NT", data), rng.standard_normal(48).astype(np.float32)])
    return hashlib.sha256(found.tobytes()).hexdigest()


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_bits_do_not_depend_on_the_order_of_workgroups(target: str) -> None:
    found = set()
    for order in ("0", "1", "7"):
        environment = os.environ | {"OCTAVO_SIM_ORDER": order}
        command = [sys.executable, str(pathlib.Path(__file__)), target]
        found.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(found) == 1


if __name__ == "__main__":
    print(digest(sys.argv[1]))
