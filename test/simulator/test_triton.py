"""Unmodified Triton on the simulator, for both targets."""

import pytest
from clients import TARGETS

CASES = [
    "vector_add", "softmax", "layer_norm", "matmul_fp16", "matmul_bf16", "matmul_fp8", "matmul_fp8_wide", "dot_scaled",
    "flash_attention", "atomics", "spin_lock", "autotune",
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_kernel_equals_torch(client, target: str, case: str) -> None:
    client("triton_cases.py", target).check(case)
