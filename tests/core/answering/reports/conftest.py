"""Workspaces whose entities stand in communities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.store.settings import MINILM
from core.store.store import Store
from core.workspace import Workspace
from tests.conftest import written
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


@pytest.fixture
def sample(sample_copy: Path, opened: Opened) -> Store:
    """The indexed part of the sample, divided by Leiden at two levels."""
    store = opened(sample_copy)
    divide_by_leiden(store)
    return store


@pytest.fixture
def indexed(tmp_path: Path, models: Models, opened: Opened) -> Callable[[Mapping[str, str]], Store]:
    """Indexes texts by file name; the store of their workspace, not divided."""

    def make(texts: Mapping[str, str]) -> Store:
        place = tmp_path / f"made {len(list(tmp_path.iterdir()))}"
        workspace = Workspace.open(place / "workspace", create=True, models=models)
        workspace.index(written(place / "papers", texts), TaskContext(), digest=False)
        workspace.close()
        return opened(place / "workspace")

    return make
