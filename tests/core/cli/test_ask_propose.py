"""`clew ask --propose`: facts behind the answer wait for a decision; where they cannot, it is told all the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.answering.models import Models
from core.cli import main
from core.progress import TaskContext
from core.store.workspace_files import WriterLock
from core.workspace import Workspace
from tests.conftest import NAMES, copied, written
from tests.core.review.test_from_answers import ASKED, PAID, TEXT, answered


@pytest.fixture
def place(
    tmp_path: Path, names_path: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A workspace whose every answer is a verified one."""
    place = copied(names_path, tmp_path / "workspace")
    with Workspace.open(place, models=models) as opened:
        opened.index(written(tmp_path / "papers", {**NAMES, "d.txt": TEXT}), TaskContext(), digest=False)
    monkeypatch.setattr(Workspace, "ask", lambda self, *_, **__: answered(self))
    yield place


def test_they_wait_with_the_question_and_are_decided_on(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*words: str) -> str:
        assert main([*words]) == 0
        return capsys.readouterr().out

    assert "review" not in told("ask", str(place), ASKED)
    first = told("ask", str(place), ASKED, "--propose").splitlines()
    assert first[0] == "Moselle Credit Bank"
    assert first[-1] == "To review: Calder Reach Trading | paid price from account with | Moselle Credit Bank"
    assert told("ask", str(place), ASKED, "--propose").splitlines()[-1] == "No new facts to review."
    again: dict[str, Any] = json.loads(told("ask", str(place), ASKED, "--propose", "--json"))
    assert (again["answer"], again["proposed"]) == ("Moselle Credit Bank", [])
    listed = told("review", "list", str(place), "--proposer", "answer").splitlines()
    assert "does not count" in listed[0] and listed[1:3] == [f"    {PAID}", f"    Asked: {ASKED}"]
    (found,) = json.loads(told("review", "list", str(place), "--proposer", "answer", "--json"))["facts"]
    assert found["questions"] == [ASKED]
    told("review", "approve", str(place), found["fact"]["id"])
    assert "(approved, counts, " in told(
        "review", "list", str(place), "--proposer", "answer", "--state", "any"
    )
    assert [line for line in told("verify", str(place)).splitlines() if not line.startswith("ok ")] == []


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_answer_is_told_where_nothing_can_be_written(
    place: Path, form: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with WriterLock(place):
        assert main(["ask", str(place), ASKED, "--propose", *form]) == 1
    told = capsys.readouterr()
    assert "Moselle Credit Bank" in told.out
    if form:
        found = json.loads(told.out)
        assert found["proposed"] == [] and "is being" in found["not_proposed"]
    else:
        assert "is being" in told.err
