"""What is read of communities while another process, between two reads, puts entities into new ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.store.communities import Communities, Keys
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
    stored = sum(len(c.entity_ids) for c in workspace.graph.communities(1))
    assert stored == (len(members(workspace._store.communities)[0]) - 1 if moved else 0)
    assert workspace.ask("Who owns the Northern Star?", TaskContext(), "lab:hierarchical").trace.route.name
