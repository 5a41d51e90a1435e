"""The tests of routing share one parser."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from core.answering.models import Models
from core.extraction.question import ParsedQuestion


@pytest.fixture(scope="session")
def parse(models: Models) -> Callable[[str], ParsedQuestion]:
    """Every question is parsed once a run."""
    return cache(models.parse)
