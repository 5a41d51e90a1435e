"""What a person says of an explanation: kept by content, taken back, counted, and exported with the verdicts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from core.answering.reliability import wilson
from core.cli import main
from core.errors import BadInput
from core.progress import TaskContext
from core.types import Answer, Complexity, Evidence, Hit, PathStep, Route, Sentence, Trace, Why
from core.workspace import Workspace

TEXTS = {
    "charter.txt": "Calder Reach Trading chartered the Grey Petrel in March 2021.",
    "letter.txt": "Lucian Dragomir commanded the Grey Petrel. He was dismissed in July 2021.",
}
QUESTION = "Who commanded the Grey Petrel?"
STEP = PathStep("a", "Grey Petrel", "chartered by", "b", "Calder Reach", 0.9, "p", 0, 10)


def evidence(workspace: Workspace, path: str, stated: str, *steps: PathStep) -> Evidence:
    """The passage of a document, found by these facts, with a sentence of it marked."""
    document = next(each for each in workspace.documents.all() if each.path == path)
    passage = workspace.passages.of_document(document.id)[0]
    at = passage.text.find(stated)
    marked = Sentence(at, at + len(stated))
    return Evidence(Hit(passage.id, 1.0, 1), passage, path, marked, Why("", tuple(steps)))


def created(*found: Evidence, text: str = "Lucian Dragomir") -> Answer:
    trace = Trace(QUESTION, Route("graph", Complexity(0.5, 0.3, 0.7, ())), (), (), {}, (), 0.0)
    return Answer(text, (text,), (), found, trace, confidence=0.83)


def test_a_verdict_is_stored_changed_and_taken_back(workspace: Workspace) -> None:
    letter = evidence(workspace, "letter.txt", "He was dismissed in July 2021.")
    charter = evidence(workspace, "charter.txt", "Calder Reach Trading", STEP)
    answer, answers = created(letter, charter), workspace.answers
    answers.judge_explanation(answer, letter, "yes")
    answers.judge_explanation(answer, charter, "no", " another ship ")
    first, second = answers.explanations("who  commanded the GREY petrel?")
    found = {one.place.document: one for one in (first, second)}
    stated = found["letter.txt"]
    assert (stated.supports, stated.why, stated.facts, stated.answer) == (True, "", 0, "Lucian Dragomir")
    at = TEXTS["letter.txt"].index("He was")
    assert (stated.place.start, stated.place.end) == (at, len(TEXTS["letter.txt"]))
    assert stated.place.quote == "He was dismissed in July 2021."
    other = found["charter.txt"]
    assert (other.supports, other.why, other.facts, other.route) == (False, "another ship", 1, "graph")
    sums = answers.explanation_sums()
    assert (sums.count, sums.supporting, sums.chains, sums.chains_supporting) == (2, 1, 1, 0)
    assert 0.0 < sums.low < 0.5 < sums.high < 1.0

    answers.judge_explanation(answer, charter, "yes", "the hirer")
    assert [(one.supports, one.why) for one in answers.explanations() if one.facts] == [(True, "the hirer")]
    answers.judge_explanation(created(charter, text="July 2021"), charter, "no")
    assert answers.explanation_sums().count == 3, "of another answer it is another explanation"
    for each in (letter, charter):
        answers.judge_explanation(answer, each, "")
    assert [one.answer for one in answers.explanations()] == ["July 2021"]
    assert answers.explanations("Who owned the Grey Petrel?") == []
    with pytest.raises(BadInput, match="no verdict"):
        answers.judge_explanation(answer, letter, "right")
    assert answers.judged() == [], "nothing is said of the answer"


def test_they_outlive_indexing_but_not_the_words_of_what_is_taken_out(
    workspace: Workspace, tmp_path: Path
) -> None:
    letter = evidence(workspace, "letter.txt", "Lucian Dragomir commanded the Grey Petrel.")
    workspace.answers.judge_explanation(created(letter), letter, "yes", "word for word")
    shutil.move(tmp_path / "papers" / "charter.txt", tmp_path / "papers" / "hire.txt")
    workspace.index(tmp_path / "papers", TaskContext(), digest=False)
    assert workspace.answers.explanations()[0].place.quote == "Lucian Dragomir commanded the Grey Petrel."
    workspace.documents.remove([letter.passage.document_id], TaskContext())
    (stored,) = workspace.answers.explanations()
    assert (stored.place.quote, stored.why, stored.place.document) == ("", "word for word", "letter.txt")


@pytest.mark.long
def test_they_are_counted(workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    letter = evidence(workspace, "letter.txt", "Lucian Dragomir", STEP)
    workspace.answers.judge_explanation(created(letter), letter, "no", "a name alone")
    workspace.answers.judge(created(letter), "right")
    workspace.close()
    place = str(tmp_path / "workspace")
    assert main(["status", place]) == 0
    assert "1 judged, 0 support the answer; of 1 by chains of facts 0" in capsys.readouterr().out
    assert main(["status", place, "--json"]) == 0
    sums = json.loads(capsys.readouterr().out)["explanations"]
    assert (sums["count"], sums["supporting"], sums["chains"]) == (1, 0, 1)


@pytest.mark.parametrize(("hits", "count"), [(0, 0), (0, 5), (5, 5), (9, 10), (50, 100)])
def test_the_interval_holds_where_the_share_is_two_errors_away(hits: int, count: int) -> None:
    low, high = wilson(hits, count)
    if not count:
        assert (low, high) == (0, 1)
        return
    # Wilson's bounds are the shares p whose distance to what was seen is just 1.96 standard errors of p.
    inside = [p / 10_000 for p in range(10_001) if abs(hits / count - p / 10_000) ** 2 * count
              <= 1.96**2 * (p / 10_000) * (1 - p / 10_000) + 1e-12]  # fmt: skip
    assert (min(inside), max(inside)) == pytest.approx((low, high), abs=2e-4)
