"""A small workspace whose facts tests decide on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.types import CandidateFact, FactFilter
from core.workspace import Workspace
from tests.conftest import NAMES, copied, written


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """The documents of `workspace`; nothing was changed since they were indexed."""
    return written(tmp_path / "papers", NAMES)


@pytest.fixture
def workspace(tmp_path: Path, names_path: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(copied(names_path, tmp_path / "workspace"), models=models)
    yield opened
    opened.close()


def find_fact(workspace: Workspace, words: str, state: str = "") -> CandidateFact:
    """The one fact that holds all of these words."""
    (found,) = workspace.review.queue(FactFilter(state, words=words))
    return found


def counting(workspace: Workspace) -> set[tuple[str, str, str]]:
    """Every fact that counts, in words."""
    facts = workspace.review.queue(FactFilter(state=""), 100)
    return {(c.fact.subject, c.fact.predicate, c.fact.object) for c in facts if c.counts}


def broken(workspace: Workspace) -> dict[str, str]:
    """What `clew verify` complains of."""
    return {check.name: check.detail for check in workspace.verify(TaskContext()) if not check.ok}


Settled = Callable[[], str]


@pytest.fixture
def settled(workspace: Workspace) -> Settled:
    """Brings all in step; the digest then."""

    def act() -> str:
        workspace.review.settle(TaskContext())
        assert broken(workspace) == {}
        return workspace.status().digest

    return act
