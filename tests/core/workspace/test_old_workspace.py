"""A workspace of the oldest schema that opens: it is brought up to date, and what people decided in it holds.

`tests/data/workspace-27.db.gz` was made of three texts by the Clew that had this schema.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from core.answering.models import Models
from core.progress import TaskContext
from core.workspace import Workspace

OLD = Path(__file__).resolve().parents[2] / "data" / "workspace-27.db.gz"
QUESTION = "Who commands the Northern Gannet?"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    (tmp_path / "clew.db").write_bytes(gzip.decompress(OLD.read_bytes()))
    Workspace.trust(tmp_path)
    return tmp_path


def test_decisions_pins_and_verdicts_survive(old: Path, models: Models) -> None:
    with Workspace.open(old, models=models) as opened:
        answer = opened.ask(QUESTION, TaskContext())
        assert "Ines Holm" in answer.text
        assert [act.verb for act in opened.review.log()][:2] == ["reject", "approve"]
        assert [pin.right_answer for pin in opened.pins.all()] == ["Ines Holm"]
        assert [one.right for one in opened.answers.judged(QUESTION)] == [True]
        assert "Tobias James Renwick" in {entity.name for entity in opened.graph.entities()}
        assert all(check.ok for check in opened.verify(TaskContext()))
