"""Workspaces whose entities stand in communities."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from core.answering.models import Models
from core.store.settings import MINILM
from core.store.store import Store
from tests.conftest import copied, indexed_once, written
from tests.core.answering.reports.dividing import divide_by_leiden

Opened = Callable[[Path], Store]


@pytest.fixture
def opened() -> Iterator[Opened]:
    """Opens the store of a workspace; closed after the test."""
    stores: list[Store] = []

    def open_(path: Path) -> Store:
        stores.append(Store(path, MINILM.model, 384))
        return stores[-1]

    yield open_
    for store in stores:
        store.close()


@pytest.fixture(scope="session")
def divided_path(sample_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The indexed part of the sample, divided by Leiden at two levels, closed. For reading only."""
    path = copied(sample_path, tmp_path_factory.mktemp("divided") / "workspace")
    store = Store(path, MINILM.model, 384)
    divide_by_leiden(store)
    store.close()
    return path


@pytest.fixture
def sample(divided_path: Path, tmp_path: Path, opened: Opened) -> Store:
    """A test's own copy of the divided sample."""
    return opened(copied(divided_path, tmp_path / "workspace"))


@pytest.fixture
def indexed(
    models: Models, opened: Opened, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Mapping[str, str]], Store]:
    """Return the store of a test's own workspace of these texts, indexed once a run and not divided."""

    def open_copy(texts: Mapping[str, str]) -> Store:
        name = f"reports-{zlib.crc32(repr(list(texts.items())).encode()):x}"
        path = indexed_once(tmp_path_factory, name, models, lambda place: written(place / "papers", texts))
        return opened(path)

    return open_copy
