"""Random products against lib/Reference and PyTorch's eager operators, bit for bit, on every target.

OCTAVO_TEST_SEED chooses the first of the seeds; a failure prints its own, so that
`OCTAVO_TEST_SEED=N pytest -k "1 and products"` starts with the case that failed.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from random_products import NATIVE, Case, Program, draw, eager

from octavo import reference
from octavo.runtime import harness

CASES, GROUPS = 208, 8
FIRST = int(os.environ.get("OCTAVO_TEST_SEED", time.time_ns() // 1000 % 1_000_000))


def check(case: Case) -> None:
    """Compiles, runs and compares one case."""
    program = Program(case)
    case = program.case
    expected = reference.run(program.text, [np.ascontiguousarray(x) for x in case.inputs])
    by_torch = eager(case)
    memory = [x if s else np.frombuffer(x.tobytes(), np.uint8) for x, s in zip(case.inputs, case.strides, strict=True)]
    memory = [x if x.flags.writeable else x.copy() for x in memory]
    found = harness.run_program(harness.compile_text(program.text, case.target), memory)
    for i, (want, torch_says, got) in enumerate(zip(expected, by_torch, found, strict=True)):
        bits = np.ascontiguousarray(want).reshape(-1).view(np.uint8)
        numbers = np.asarray(want, np.float64)
        np.testing.assert_array_equal(numbers, torch_says.double().numpy(), f"result {i} of the reference and of eager")
        if bits.tobytes() != got.tobytes():
            shown = got.view(want.dtype).reshape(want.shape).astype(np.float64)
            np.testing.assert_array_equal(shown, numbers, f"result {i} of the kernels and of the reference")
            # Zeros of two signs.
            assert bits.tobytes() == got.tobytes(), f"result {i}: bits differ, numbers do not"


@pytest.mark.parametrize("group", range(GROUPS))
def test_random_products(group: int) -> None:
    targets = sorted(NATIVE)
    for number in range(group, CASES, GROUPS):
        case = draw(FIRST + number, targets[FIRST + number & 1])
        try:
            check(case)
        except Exception as error:
            raise AssertionError(f"seed {case.seed}: {case}") from error


def test_what_is_drawn() -> None:
    """The seeds of one run reach everything that the test is about."""
    cases = [draw(seed, sorted(NATIVE)[seed & 1]) for seed in range(CASES)]
    for words, wanted in (
        ({c.scaling for c in cases}, {"none", "tensor", "row", "block", "wgrad", "mx"}),
        ({c.following for c in cases}, {"nothing", "relu", "residual", "accumulate", "amax", "quantised", "both"}),
        ({c.out for c in cases}, {"f32", "bf16", "f16", "i32"}),
        ({c.k for c in cases}, {0, 1, 33, 1024}),
    ):
        assert wanted <= words
