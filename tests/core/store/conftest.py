"""The store itself is tested here: every workspace is made from nothing."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def schema_made_once() -> None:
    """Takes the place of the fixture that spares other tests the making."""
