"""A workspace that the first schema of all was written for: it opens, and what people said in it is there.

`tests/data/workspace-31.db.gz` was made by that Clew out of three texts and is never made again.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace

OLD = Path(__file__).resolve().parents[2] / "data" / "workspace-31.db.gz"
QUESTION = "Who commands the Northern Gannet?"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    (tmp_path / "clew.db").write_bytes(gzip.decompress(OLD.read_bytes()))
    Workspace.trust(tmp_path)
    return tmp_path


def test_what_people_said_is_there(old: Path, models: Models) -> None:
    with Workspace.open(old, models=models) as opened:
        answer = opened.ask(QUESTION, TaskContext())
        assert "Ines Holm" in answer.text
        assert [act.verb for act in opened.review.log()][:2] == ["reject", "approve"]
        assert [pin.right_answer for pin in opened.pins.all()] == ["Ines Holm"]
        assert [one.right for one in opened.answers.judged(QUESTION)] == [True]
        assert "Tobias James Renwick" in {entity.name for entity in opened.graph.entities()}
        assert all(check.ok for check in opened.verify(TaskContext()))
