"""The reader itself is tested here: it reads each time that it is asked to."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def read_once() -> None:
    """Takes the place of the fixture that spares other tests the reading."""
