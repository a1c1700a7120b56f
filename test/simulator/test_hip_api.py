"""HIP's C API on the simulator, for both targets."""

import pytest
from clients import TARGETS

CASES = [
    "arguments_of_all_widths", "wrong_launches", "a_fault_is_sticky_until_reset", "times_are_predicted",
    "copies_and_fills", "pointers_are_known", "fork_and_join_in_a_capture", "pools_count", "hostile_images",
    "stale_handles", "many_threads",
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_hip_api(client, target: str, case: str) -> None:
    client("hip_api_cases.py", target).check(case)
