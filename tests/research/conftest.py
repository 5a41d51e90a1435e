"""Tests of research are marked so, and left out of the default suite (`tests/conftest.py`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from core.answering.models import Models
from core.extraction.question import ParsedQuestion

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.research)


@pytest.fixture(scope="session")
def parse(models: Models) -> Callable[[str], ParsedQuestion]:
    """Every question is parsed once a run."""
    return cache(models.parse)
