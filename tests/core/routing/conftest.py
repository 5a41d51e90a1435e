"""The tests of routing share one parser."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from core.extraction.question import ParsedQuestion
from core.models import Models


@pytest.fixture(scope="session")
def parse(models: Models) -> Callable[[str], ParsedQuestion]:
    """Every question is parsed once a run."""
    return cache(models.parse)
