"""The trees of all files stay as long as tests of this folder read them."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.architecture.test_code import imported, nodes_of


@pytest.fixture(scope="package", autouse=True)
def trees() -> Iterator[None]:
    """Rest the collector, which would go through them again and again: three quarters of the time."""
    gc.disable()
    yield
    imported.cache_clear()
    nodes_of.cache_clear()
    gc.enable()
