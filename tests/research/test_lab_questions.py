"""Questions from a workspace itself: generated from facts, pinned, judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.answering.models import Models
from core.cli.lab_questions import GENERATED, asked
from core.errors import BadInput
from core.progress import TaskContext
from core.research.lab_questions import JUDGED, PINNED, TWO_FACTS, generate_questions, of_pins, of_verdicts
from core.research.runner import Gold
from core.research.synthetic.clause_questions import question_for, row_question, simplify_clause
from core.workspace import Workspace
from tests.conftest import copied


@pytest.mark.parametrize(
    ("clause", "asked", "label", "named", "question", "description"),
    [
        (
            "Tobias Renwick founded Calder Reach Trading in Limassol.",
            "Tobias Renwick",
            "PERSON",
            "Calder Reach Trading",
            "Who founded Calder Reach Trading in Limassol?",
            "the person who founded Calder Reach Trading in Limassol",
        ),
        (
            "In 2004, Tobias Renwick also lived in Bergen, where he met nobody.",
            "Bergen",
            "GPE",
            "Tobias Renwick",
            "Where did Tobias Renwick live?",
            "the place that Tobias Renwick lived in",
        ),
        (
            "Greta Lind was hired by Ines Holm.",
            "Ines Holm",
            "PERSON",
            "Greta Lind",
            "Who was Greta Lind hired by?",
            "the person who Greta Lind was hired by",
        ),
    ],
)
def test_a_clause_is_asked_for_either_end(
    models: Models, clause: str, asked: str, label: str, named: str, question: str, description: str
) -> None:
    doc = models.parsing(lambda load: load("en")(clause))
    found = question_for(doc, asked, label, named)
    assert found is not None
    assert (found.question, found.description) == (question, description)


@pytest.mark.parametrize(
    ("clause", "asked", "named"),
    [
        ("He founded Calder Reach Trading.", "He", "Calder Reach Trading"),
        ("Tobias Renwick never met Ines Holm.", "Ines Holm", "Tobias Renwick"),  # it says that he did not
        ("The brother of Tobias Renwick hired Ines Holm.", "Tobias Renwick", "Ines Holm"),  # who did not
        ("Never would Tobias Renwick hire Ines Holm.", "Tobias Renwick", "Ines Holm"),
        ("Did Tobias Renwick hire Ines Holm?", "Ines Holm", "Tobias Renwick"),
        ("Tobias Renwick hired her for Ines Holm.", "Tobias Renwick", "Ines Holm"),  # whom?
        ("Tobias Renwick and Greta Lind hired Ines Holm.", "Tobias Renwick", "Ines Holm"),  # not he alone
        ("Owner: Tobias Renwick; captain: Ines Holm.", "Ines Holm", "Tobias Renwick"),
    ],
)
def test_what_nobody_would_understand_is_not_asked(
    models: Models, clause: str, asked: str, named: str
) -> None:
    doc = models.parsing(lambda load: load("en")(clause))
    assert question_for(doc, asked, "PERSON", named) is None


ROW = "Copy Password; Keyboard shortcut: Ctrl + C; Since: Harbour 2.1; Notes: Needs X11 (see below)."


@pytest.mark.parametrize(
    ("predicate", "subject", "value", "question"),
    [
        (
            "keyboard shortcut",
            "Copy Password",
            "Ctrl + C",
            "What is given as keyboard shortcut for Copy Password?",
        ),
        ("since", "Ctrl + C", "Harbour 2.1", None),  # not the head
        ("notes", "Copy Password", "X11", None),  # a part of a cell
        ("owner", "Copy Password", "Ctrl + C", None),  # no such column
        ("keyboard shortcut", "Paste", "Ctrl + C", None),  # not of this row
    ],
)
def test_a_row_is_asked_for_its_cells(predicate: str, subject: str, value: str, question: str | None) -> None:
    found = row_question(ROW, predicate, subject, value)
    assert (found and found.question) == question


@pytest.mark.parametrize(
    ("clause", "plain"),
    [
        ("10.2 Ines Holm (a pilot)\nhired  Greta Lind.", "Ines Holm hired Greta Lind."),
        ("(4) Ines Holm hired Lind (Greta Lind).", "Ines Holm hired Lind (Greta Lind)."),
        ("3 Rivers Ltd hired Greta Lind.", "3 Rivers Ltd hired Greta Lind."),
    ],
)
def test_a_clause_is_asked_without_what_stands_around_it(clause: str, plain: str) -> None:
    assert simplify_clause(clause, "Greta Lind", "3 Rivers Ltd") == plain


def test_as_many_questions_as_possible_are_generated(
    sample_workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with asked(sample_workspace.path, GENERATED, 5_000, None, TaskContext()) as (_, found):
        message = capsys.readouterr().err
    assert f"Only {len(found)} of 5,000 questions" in message
    assert len({each.question for each in found}) == len(found) > 10
    with asked(sample_workspace.path, GENERATED, 5, None, TaskContext()) as (_, few):
        message = capsys.readouterr().err
    assert len(few) == 5 and "Only" not in message and "favour" in message, (
        "what such questions favour is told each time"
    )


def test_gold_of_generated_questions_contains_the_answer(sample_workspace: Workspace) -> None:
    questions = generate_questions(sample_workspace, 20)
    assert len({q.id for q in questions}) == len(questions) >= 10
    assert Gold(sample_workspace).problems(questions) == ()
    documents = {document.path: document.id for document in sample_workspace.documents.all()}
    for question in questions:
        text = " ".join(sample_workspace.documents.text(documents[question.quotes[-1].file]).split())
        assert question.answers[0] in text and question.answers[0] in question.quotes[-1].text
        assert question.answers[0].casefold() not in question.question.casefold()
        assert question.supporting == {quote.file for quote in question.quotes}
        (passage,) = [
            p
            for p in sample_workspace.passages.of_document(documents[question.quotes[-1].file])
            if question.quotes[-1].text in p.text
        ][:1]
        assert question.answers[0] in passage.text


@pytest.mark.long
def test_generated_questions_repeat_for_the_same_seed(sample_workspace: Workspace) -> None:
    assert generate_questions(sample_workspace, 8, seed=3) == generate_questions(sample_workspace, 8, seed=3)
    assert generate_questions(sample_workspace, 8, seed=3) != generate_questions(sample_workspace, 8, seed=4)


def test_two_facts_are_joined_by_what_they_share(names_path: Path, models: Models) -> None:
    with Workspace.open(names_path, read_only=True, models=models) as workspace:
        questions = [q for q in generate_questions(workspace, 12) if q.kind == TWO_FACTS]
    assert questions
    for question in questions:
        first, second = question.quotes
        assert first != second and question.supporting == {first.file, second.file}
        assert question.answers[0] in second.text and question.answers[0] not in question.question
        assert " the " in question.question and (
            " who " in question.question or " that " in question.question
        )


def test_pins_come_back_with_their_gold(sample_path: Path, models: Models, tmp_path: Path) -> None:
    with Workspace.open(copied(sample_path, tmp_path / "copy"), models=models) as workspace:
        with pytest.raises(BadInput, match="No pinned question"):
            of_pins(workspace)
        pin = workspace.pins.add("Who founded Brandvold Lines?", TaskContext(), right_answer="Nobody Known")
        (question,) = of_pins(workspace)
        assert (question.id, question.question, question.kind) == (pin.id, pin.question, PINNED)
        assert question.answers == ("Nobody Known",)
        assert question.supporting == {place.document for place in pin.places}
        assert [quote.text for quote in question.quotes] == [place.quote for place in pin.places]
        assert Gold(workspace).problems([question]) == ()


def test_verdicts_come_back_as_questions(sample_path: Path, models: Models, tmp_path: Path) -> None:
    with Workspace.open(copied(sample_path, tmp_path / "copy"), models=models) as workspace:
        with pytest.raises(BadInput, match="judged"):
            of_verdicts(workspace)
        answer = workspace.ask("Who founded Brandvold Lines?", TaskContext())
        workspace.answers.judge(answer, "wrong")
        with pytest.raises(BadInput, match="judged"):
            of_verdicts(workspace)
        workspace.answers.judge(answer, "wrong", "Somebody Else")
        (question,) = of_verdicts(workspace)
        assert (question.kind, question.answers, question.supporting) == (
            JUDGED,
            ("Somebody Else",),
            frozenset(),
        )
        workspace.answers.judge(answer, "right")
        (question,) = of_verdicts(workspace)
        paths = {workspace.documents.get(cited.document_id).path for cited in answer.citations}
        assert question.answers == (answer.text,) and question.supporting == paths != set()
