"""The targets that the executed tests of the lane level run on."""

from __future__ import annotations

import pytest

from octavo import _octavo


@pytest.fixture(params=_octavo.targets())
def target(request: pytest.FixtureRequest) -> str:
    """Each GPU of the table."""
    return str(request.param)
