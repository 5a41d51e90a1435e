"""What is read of communities while another process, between two reads, puts entities into new ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.retrieval.hierarchy.nearest import Nearest
from core.retrieval.quick_search import append_near
from core.store.communities import Communities, Keys
from core.types import SearchResult
from core.workspace import Workspace

UNKNOWN = 999_999


@pytest.fixture
def workspace(sample_copy: Path, models: Models) -> Iterator[Workspace]:
    opened = Workspace.open(sample_copy, models=models)
    yield opened
    opened.close()


@pytest.mark.long
@pytest.mark.parametrize("moved", [1, None])
def test_new_communities_are_left_out_until_all_is_read_again(
    moved: int | None, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first entity moved, or (None) all of them."""
    members = Communities.members

    def members_later(self: Communities) -> tuple[Keys, Keys]:
        entities, homes = members(self)
        homes[:moved] = UNKNOWN
        return entities, homes

    monkeypatch.setattr(Communities, "members", members_later)
    assert bool(workspace.graph.community_quality()) == bool(moved)
    held = sum(len(c.entity_ids) for c in workspace.graph.communities(1))
    assert held == (len(members(workspace._store.communities)[0]) - 1 if moved else 0)
    assert workspace.ask("Who owns the Northern Star?", TaskContext(), "lab:hierarchical").trace.route.name


def test_a_file_of_vectors_is_stamped_with_the_revision_that_it_was_made_of(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread asks after a change, while the first is about to open what it has."""
    workspace.load_models(TaskContext())
    before = workspace.revision
    stamped: list[int] = []

    def opened(_: Any, model: str, revision: int, folder: Path | None) -> None:
        stamped.append(revision)

    def replaced(self: Any) -> Any:
        """Reading it, another thread is let in."""
        workspace._store.settings.touch()
        other = threading.Thread(target=workspace.retrieval.asker)
        other.start()
        other.join()
        return found

    found = workspace.retrieval.asker().nearest
    monkeypatch.setattr(Nearest, "open", opened)
    kind = type(workspace.retrieval.asker())
    monkeypatch.setattr(kind, "nearest", property(replaced, lambda *_: None), raising=False)
    workspace.retrieval.prepare_meaning(TaskContext())
    assert stamped == [before] and workspace.retrieval.current().revision == before + 1


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_what_is_near_makes_no_more_lines_than_wanted(limit: int) -> None:
    near = [SearchResult("entity", str(n), "", "") for n in range(4)]
    listed = [SearchResult("passage", str(n), "", "") for n in range(limit)]
    assert len(append_near(listed, near, limit)) == limit


def test_a_home_that_is_known_is_kept(workspace: Workspace) -> None:
    tree = workspace.retrieval.asker().view.tree()
    assert len(tree.levels) >= 2 and np.diff(tree.levels[0].starts).min() > 0
