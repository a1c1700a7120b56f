"""hip-python on the simulator, for both targets."""

import pytest
from clients import TARGETS

CASES = ["properties", "memory", "streams_and_events", "launch", "graph", "missing"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("case", CASES)
def test_hip_python(client, target: str, case: str) -> None:
    client("hip_python_cases.py", target).check(case)
