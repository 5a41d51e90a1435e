"""How sure an answer is: answers, guesses, other readings, and what a person says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.answers.wording import (
    ANSWER,
    NO_ANSWER,
    NOTHING_ASKED,
    POSSIBLE,
    answer_as_text,
    judged_words,
    percent,
    probability_words,
)
from app.ask.calibration import CalibrationDialog, ReliabilityDiagram
from app.ask.panel import AskPanel
from app.session.selection import Selected
from core.types import Alternative, Answer, Bin, JudgedAnswer, Reliability
from tests.app.panel_case import Case, exposed

LEFT = Qt.MouseButton.LeftButton
NAME = "Tobias Renwick"
Show = Callable[..., Answer]


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> AskPanel:
    return exposed(AskPanel(case.session), qtbot, 380, 1400)


@pytest.fixture
def show(panel: AskPanel, case: Case, qtbot: QtBot) -> Show:
    """Show the case's answer with its words marked and two other readings, changed as told."""

    def shown(**values: object) -> Answer:
        first = case.answer.citations[0]
        at = first.quote.index(NAME)
        others = (
            Alternative("Oriel <b>Nominees</b>", 0.12, case.answer.citations[1]),
            Alternative("a solicitor", 0.04, first),
        )
        cited = (replace(first, marked=(at, at + len(NAME))), *case.answer.citations[1:])
        answer = replace(case.answer, **{"citations": cited, "alternatives": others, **values})
        case.session.answer = answer
        with qtbot.waitSignal(case.session.judged):
            case.session.answered.emit(answer)
        return answer

    return shown


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (1.0, "Very likely, 100 %"),
        (0.999, "Very likely, 99 %"),
        (0.7, "Likely, 70 %"),
        (0.55, "Perhaps, 55 %"),
        (0.3, "Unsure, 30 %"),
        (0.001, "Unlikely, 1 %"),
        (0.0, "Unlikely, 0 %"),
    ],
)
def test_a_probability_has_words(value: float, words: str) -> None:
    assert probability_words(value) == words
    assert words.endswith(percent(value))


def test_an_answer_shows_how_likely_it_is_and_the_words_that_carry_it(panel: AskPanel, show: Show) -> None:
    show()
    answer = panel.answer
    assert (answer.state.text(), answer.certainty.words.text()) == (ANSWER, "Likely, 81 %")
    assert not answer.short.isVisible(), "the sentence holds it"
    assert answer.certainty.bar.accessibleName() == "Probability that this is right: Likely, 81 %"
    assert answer.sentences.marked() == [NAME]
    assert not answer.passages.isVisible() and not answer.no_answer.isVisible()


def test_marks_of_another_text_mark_nothing(panel: AskPanel, show: Show, case: Case) -> None:
    first = case.answer.citations[0]
    for marked in ((900, 950), (7, 3), (-2, 4)):
        show(citations=(replace(first, marked=marked),))
        assert panel.answer.sentences.marked() == []
    show(citations=(replace(first, marked=(4, 10)),), sentences=("In other words.",))
    assert panel.answer.sentences.marked() == []


def test_a_possible_answer_is_called_so_and_stands_above_its_passages(
    panel: AskPanel, show: Show, case: Case
) -> None:
    first = case.answer.citations[0]
    at = first.quote.index(NAME)
    show(guess=True, confidence=0.38, citations=(replace(first, marked=(at, at + len(NAME))),))
    answer = panel.answer
    assert answer.state.text() == POSSIBLE and answer.certainty.words.text() == "Unsure, 38 %"
    assert not answer.short.isVisible() and answer.sentences.marked() == [NAME]
    texts = [row.words.text() for row in answer.passages.rows]
    assert len(texts) == 3 and texts[1].endswith("<i>No owner</i> is named.")
    assert answer.passages.rows[0].words.marked() == NAME
    assert [row.aside.text() for row in answer.passages.rows] == ["cited as 1", "", ""], (
        "as the evidence says"
    )
    assert answer.passages.geometry().top() > answer.sentences.geometry().bottom()
    answer.passages.rows[1].click()
    register = case.answer.evidence[1].passage
    assert case.session.selection.current == Selected(
        "passage", register.id, document_id=register.document_id
    )
    panel.copy_answer()
    assert f"{POSSIBLE} (38 %): {NAME}" in QGuiApplication.clipboard().text()


def test_the_answer_stands_above_the_route(panel: AskPanel, show: Show) -> None:
    panel.resize(380, 550)
    for guess in (False, True):
        show(guess=guess)
        assert panel.answer.geometry().bottom() < panel.route.geometry().top()
        assert not panel.route.gauge.isVisible() and panel.route.stages.isVisibleTo(panel)
    panel.route.why.click()
    assert panel.route.gauge.isVisibleTo(panel)


def test_who_says_so_is_named_with_the_day_and_the_number_of_documents(
    panel: AskPanel, show: Show, case: Case
) -> None:
    first = case.answer.citations[0]
    at = first.quote.index(NAME)
    dated = replace(first, marked=(at, at + len(NAME)), date="2021-11-09")
    show(citations=(dated, *case.answer.citations[1:]), documents=2)
    words = panel.answer.attribution.text()
    assert first.title in words and "9 November 2021" in words and "2 documents" in words
    assert panel.answer.sentences.document().defaultFont().pixelSize() > 13
    show(text="Somebody else", documents=0)
    assert not panel.answer.attribution.isVisible()


def test_other_values_of_other_documents_are_seen_at_once(panel: AskPanel, show: Show, case: Case) -> None:
    other = Alternative("\u00a3388,150", 0.3, case.answer.citations[1], documents=1)
    show(conflicts=(other,), documents=3)
    conflicts = panel.answer.conflicts
    assert (
        f"{NAME} (3 documents)" in conflicts.words.text()
        and "\u00a3388,150 (1 document)" in conflicts.words.text()
    )
    conflicts.list.rows[0].click()
    assert case.session.selection.current is not None
    assert case.session.selection.current.id == case.answer.citations[1].passage_id
    show()
    assert not conflicts.isVisible()


def test_what_asks_nothing_is_told_what_to_ask(panel: AskPanel, show: Show) -> None:
    missing = "This asks nothing."
    told = show(
        abstained=True, unasked=True, text="", sentences=(), citations=(), alternatives=(), missing=missing
    )
    answer = panel.answer
    assert answer.no_answer.headline.text() == NOTHING_ASKED and answer.no_answer.words.text() == missing
    assert not (answer.verdict.isVisible() or answer.no_answer.graph.isVisible() or answer.short.isVisible())
    assert answer_as_text(told).endswith(f"{NOTHING_ASKED}.\n{missing}")
    show()
    assert answer.verdict.isVisible() and not answer.no_answer.isVisible()


def test_what_is_not_told_is_a_calm_box(panel: AskPanel, show: Show) -> None:
    show(abstained=True, text="", sentences=(), citations=(), missing="Looked for the owner.")
    answer = panel.answer
    assert answer.no_answer.headline.text() == NO_ANSWER
    assert answer.no_answer.words.text() == "Looked for the owner."
    assert not answer.certainty.isVisible() and not answer.short.isVisible()
    assert answer.others.isVisible() and answer.verdict.isVisible()


def test_other_readings_unfold_and_open_the_reader(
    panel: AskPanel, show: Show, case: Case, qtbot: QtBot
) -> None:
    show()
    others = panel.answer.others
    assert others.fold.text() == " Other readings (2)" and not others.list.rows[0].isVisible()
    panel.show_others()
    assert others.list.rows[0].isVisible() and others.fold.hasFocus()
    assert others.list.rows[0].words.text() == "Oriel <b>Nominees</b>"
    assert others.list.rows[1].aside.text() == "Unlikely, 4 %"
    assert others.list.rows[1].place.text() == "Letter of Oriel Nominees, page 2"
    assert others.list.rows[0].accessibleName() == "Oriel <b>Nominees</b>; Unlikely, 12 %; Register extract"
    others.list.rows[0].setFocus()
    qtbot.keyClick(others.list.rows[0], Qt.Key.Key_Return)
    cited = case.answer.citations[1]
    wanted = Selected("citation", cited.passage_id, cited.start, cited.end, cited.document_id)
    assert case.session.selection.current == wanted
    show(alternatives=())
    assert not others.isVisible()


def test_a_verdict_is_kept_told_and_taken_back(panel: AskPanel, show: Show, case: Case, qtbot: QtBot) -> None:
    show()
    verdict = panel.answer.verdict
    right, wrong = verdict.buttons["right"], verdict.buttons["wrong"]
    assert not right.isChecked() and not verdict.notes.isVisible() and not verdict.right_answer.isVisible()
    with qtbot.waitSignal(case.session.judged):
        right.setFocus()
        qtbot.keyClick(right, Qt.Key.Key_Space)
    (kept,) = case.workspace.answers.judged()
    assert (kept.answer, kept.right, len(kept.places)) == (NAME, True, 3)
    assert verdict.notes.text().startswith("You judged this answer right on ")
    show()  # asked again
    assert right.isChecked() and verdict.notes.isVisible()
    with qtbot.waitSignal(case.session.judged):
        panel.judge("wrong")
    assert not right.isChecked() and verdict.right_answer.hasFocus()
    qtbot.keyClicks(verdict.right_answer, "Philippe Lorang")
    with qtbot.waitSignal(case.session.judged):
        qtbot.keyClick(verdict.right_answer, Qt.Key.Key_Return)
    (kept,) = case.workspace.answers.judged()
    assert (kept.right, kept.right_answer) == (False, "Philippe Lorang")
    with qtbot.waitSignal(case.session.judged):
        qtbot.mouseClick(wrong, LEFT)
    assert case.workspace.answers.judged() == []
    assert not verdict.notes.isVisible() and not verdict.right_answer.isVisible()


def test_the_right_answer_can_be_one_of_the_readings(
    panel: AskPanel, show: Show, case: Case, qtbot: QtBot
) -> None:
    show()
    with qtbot.waitSignal(case.session.judged):
        panel.judge("wrong")
    verdict = panel.answer.verdict
    assert verdict.offer.isVisible()
    with qtbot.waitSignal(case.session.judged):
        verdict.right_answer.setText("a solicitor")
        verdict.right_answer.completer().activated.emit("a solicitor")
    assert case.workspace.answers.judged()[0].right_answer == "a solicitor"


def test_another_answer_to_the_question_is_told_with_its_verdict(
    panel: AskPanel, show: Show, case: Case, qtbot: QtBot
) -> None:
    case.workspace.answers.judge(replace(case.answer, text="A. <b>Clerk</b>"), "wrong")
    show()
    assert not panel.answer.verdict.buttons["wrong"].isChecked()
    assert "the answer \u201cA. <b>Clerk</b>\u201d wrong" in panel.answer.verdict.notes.text()


def test_a_day_is_told_where_it_can_be_read(case: Case) -> None:
    judged = JudgedAnswer("Q?", NAME, True, (), 0.8, "graph", False, "0", "2026-03-03T12:00:00+00:00")
    assert judged_words(judged, case.answer) == "You judged this answer right on 3 March 2026."
    assert judged_words(replace(judged, created="soon"), case.answer) == "You judged this answer right."
    refused = replace(judged, answer="", right=False, right_answer="Oslo")
    assert judged_words(refused, case.answer) == (
        "You judged the refusal to answer wrong on 3 March 2026; the right one: \u201cOslo\u201d."
    )


def test_nothing_is_kept_where_nothing_may_be_written(
    panel: AskPanel, show: Show, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    show()
    monkeypatch.setattr(type(case.workspace), "read_only", property(lambda _: True))
    case.session.blocked_changed.emit()
    right = panel.answer.verdict.buttons["right"]
    assert not right.isEnabled() and "reading only" in right.toolTip()


def test_the_number_is_explained_by_how_such_numbers_held(
    panel: AskPanel, show: Show, case: Case, qtbot: QtBot
) -> None:
    show()
    case.workspace.answers.judge(case.answer, "right")
    panel.answer.certainty.why.click()
    qtbot.waitUntil(lambda: bool(panel.findChildren(CalibrationDialog)))
    (dialog,) = panel.findChildren(CalibrationDialog)
    assert not dialog.isModal() and "1 answer" in dialog.legend.text()
    assert "of answers at 80 % to 90 %, 100 % were right" in dialog.diagram.accessibleDescription()
    dialog.close()


def test_points_lie_where_probability_and_share_say(qtbot: QtBot) -> None:
    diagram = ReliabilityDiagram()
    qtbot.addWidget(diagram)
    diagram.resize(diagram.sizeHint())
    empty = diagram.grab().toImage()
    diagram.show_reliability(Reliability((Bin(0.6, 0.8, 0.25, 0.5),), (), 0), 0.72)
    square = diagram.square()
    assert diagram.point_of(0.7, 0.5).y() == square.center().y()
    tip = diagram.tip_at(diagram.point_of(0.7, 0.5) + QPointF(2, 2))
    assert tip == "The model that ships: of answers at 60 % to 80 %, 50 % were right (25 % of all)"
    assert diagram.tip_at(diagram.point_of(0.1, 0.9)) == ""
    assert diagram.grab().toImage() != empty
