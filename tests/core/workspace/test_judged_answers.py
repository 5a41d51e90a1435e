"""What a person says of answers is kept by content: it outlives indexing, and what was lost is told."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadInput, WorkspaceError
from core.progress import TaskContext
from core.types import Answer, Citation, Complexity, Route, Trace
from core.workspace import Workspace

TEXTS = {
    "charter.txt": "Calder Reach Trading chartered the Grey Petrel in March 2021.",
    "letter.txt": "Lucian Dragomir commanded the Grey Petrel. He was dismissed in July 2021.",
}
QUESTION = "Who commanded the Grey Petrel?"


def created(workspace: Workspace, text: str = "Lucian Dragomir", question: str = QUESTION) -> Answer:
    """A scripted answer that cites a text of the letter, where it holds it."""
    letter = next(document for document in workspace.documents.all() if document.path == "letter.txt")
    at = max(TEXTS["letter.txt"].find(text), 0)
    cited = Citation("p", letter.id, letter.path, letter.title, None, at, at + len(text), text)
    trace = Trace(question, Route("fusion", Complexity(0.5, 0.3, 0.7, ())), (), (), {}, (), 0.0)
    return Answer(text, (text,), (cited,), (), trace, confidence=0.83)


def test_a_verdict_is_stored_and_taken_back(workspace: Workspace) -> None:
    answer = created(workspace)
    workspace.answers.judge(answer, "right")
    (stored,) = workspace.answers.judged("who  commanded the GREY petrel?")
    assert (stored.question, stored.answer, stored.right, stored.probability) == (
        QUESTION,
        "Lucian Dragomir",
        True,
        0.83,
    )
    assert (stored.route, stored.forced, stored.places[0].quote, stored.places[0].state) == (
        "fusion",
        False,
        "Lucian Dragomir",
        "same",
    )
    assert not workspace.answers.judged("Who owned the Grey Petrel?")
    workspace.answers.judge(answer, "wrong", " Otto Kask ")
    (stored,) = workspace.answers.judged()
    assert (stored.right, stored.right_answer) == (False, "Otto Kask")
    workspace.answers.judge(answer, "")
    assert workspace.answers.judged() == []
    with pytest.raises(BadInput, match="no verdict"):
        workspace.answers.judge(answer, "perhaps")


@pytest.mark.long
def test_verdicts_outlive_indexing_and_lost_documents_are_reported(
    workspace: Workspace, folder: Path
) -> None:
    workspace.answers.judge(created(workspace), "right")

    def state_after() -> str:
        workspace.index(folder, TaskContext(), digest=False)
        return workspace.answers.judged()[0].places[0].state

    letter = folder / "letter.txt"
    shutil.move(letter, folder / "old letter.txt")
    assert state_after() == "moved"
    shutil.move(folder / "old letter.txt", letter)
    assert state_after() == "same"
    letter.write_text("Otto Kask commanded the Grey Petrel.")
    assert state_after() == "changed"
    letter.unlink()
    assert state_after() == "gone"
    assert workspace.answers.judged()[0].places[0].quote == "Lucian Dragomir"


def test_what_was_taken_out_is_quoted_no_more(workspace: Workspace) -> None:
    answer = created(workspace)
    workspace.answers.judge(answer, "right")
    workspace.documents.remove([answer.citations[0].document_id], TaskContext())
    (stored,) = workspace.answers.judged()
    assert (stored.places[0].quote, stored.places[0].state, stored.places[0].end) == ("", "gone", 15)


def test_a_workspace_for_reading_only_keeps_none(workspace: Workspace, tmp_path: Path) -> None:
    workspace.close()
    with Workspace.open(tmp_path / "workspace", read_only=True) as opened:
        with pytest.raises(WorkspaceError, match="read-only"):
            opened.answers.judge(created(opened), "right")
        assert opened.answers.judged() == []


def test_reliability_holds_the_answers_that_were_judged(workspace: Workspace) -> None:
    for number, right in enumerate((True, True, False)):
        answer = replace(created(workspace, question=f"Question {number}?"), confidence=0.85)
        workspace.answers.judge(answer, "right" if right else "wrong")
    workspace.answers.judge(created(workspace, ""), "right")  # no answer, so no probability
    found = workspace.answers.reliability()
    assert found.answers == 3
    assert [(one.low, one.high, one.share) for one in found.judged] == [(0.8, 0.9, 1.0)]
    assert found.judged[0].right == pytest.approx(2 / 3)
