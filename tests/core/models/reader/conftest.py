"""The reader itself is tested here: it reads each time that it is asked to."""

from __future__ import annotations

import pytest

from core.models import reader


@pytest.fixture(autouse=True)
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes the place of the fixture that spares other tests the reading."""
    monkeypatch.setattr(reader, "_FEW", 0)
