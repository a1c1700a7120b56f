"""Times of this process."""

import time

from octavo.runtime import statistics


def test_a_stage_inside_another_is_no_compile_time_of_its_own() -> None:
    before = statistics.statistics()
    with statistics.compiling("outer"), statistics.compiling("inner"):
        time.sleep(0.05)
    after = statistics.statistics()
    spent = after.compile_seconds - before.compile_seconds
    assert 0.05 <= spent < after.stages["outer"] - before.stages.get("outer", 0) + 1e-3
    assert after.stages["inner"] - before.stages.get("inner", 0) >= 0.05
