"""Fixtures that the tests of the operator families share."""

from __future__ import annotations

import pathlib
import sys

import pytest
import torch
from layouts import LAYOUTS

sys.path.insert(0, str(pathlib.Path(__file__).parent))



@pytest.fixture(params=LAYOUTS)
def layout(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=(torch.float32, torch.bfloat16), ids=("f32", "bf16"))
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param
