"""The small sample in communities so small that there are two levels of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace

_CHANGES = (
    "DELETE FROM community_members",
    "DELETE FROM communities",
    "INSERT OR IGNORE INTO touched_entities SELECT key FROM entities",
)


def put_in_two_levels(path: Path, folder: Path, models: Models) -> Path:
    """Group the names of a workspace of `folder` anew; the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.graph.communities._LEAST", 4)
        with Workspace.open(path, models=models) as opened:
            with opened._store.database.transaction() as connection:
                for change in _CHANGES:
                    connection.execute(change)
            opened.index(folder, TaskContext())
    return path
