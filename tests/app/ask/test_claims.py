"""What the passages say to each sentence, and what a model's part came to: shown, told, copied, clicked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from app.answers.claims import claim_tip, usage_words
from app.answers.wording import has_short_answer
from app.ask.panel import AskPanel
from app.explain.panel import ExplainPanel
from app.explain.rounds import RoundCard, outcome_words
from app.explain.timeline import Timeline
from app.look import theme
from core.types import Answer, Claim, Round, Usage, Validation, Verdict
from tests.app.panel_case import Case
from tests.waiting import process_events

LEFT = Qt.MouseButton.LeftButton
CLAIMS = (
    Claim(
        "Renwick owned it \U0001f6a2 through nominees.", Verdict.SUPPORTED, (0, 1), "stands in the passages"
    ),
    Claim("He lived on the <b>moon</b>.", Verdict.ABSENT, (), "no passage holds it", "ollama:tiny:1b"),
    Claim("The ship was never chartered.", Verdict.CONTRADICTED, (2,), "the passage says otherwise"),
)
ROUNDS = (
    Round(
        1,
        "Who owned the firm?",
        "fusion",
        "A king did.",
        (
            Validation("relevance", True, 0.9, "2 of 2 names of the question stand in the passages"),
            Validation("grounding", False, 0.0, "0 of 1 sentences stand in the passages", "ollama:tiny:1b"),
            Validation("resolution", True, 0.6, "support 0.60, 0.35 are needed"),
        ),
        failure="grounding",
        rewrite="the same again, with nothing but what stands in the passages",
        seconds=1.5,
    ),
    Round(2, "Who held the shares of the firm?", "graph", "", (), failure="", seconds=0.5),
)


@pytest.fixture
def answer(case: Case) -> Answer:
    """As a model would have written it: a sentence again for each further citation."""
    told = case.answer
    return replace(
        told,
        text=" ".join(claim.text for claim in CLAIMS),
        sentences=(CLAIMS[0].text, CLAIMS[0].text, CLAIMS[2].text),
        claims=CLAIMS,
        usage=Usage(2, 1240, 80, 3.14),
        dropped=1,
        trace=replace(told.trace, rounds=ROUNDS),
    )


@pytest.fixture
def panel(case: Case, answer: Answer, qtbot: QtBot) -> AskPanel:
    widget = AskPanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(380, 900)
    with qtbot.waitExposed(widget):
        widget.show()
    case.session.answered.emit(answer)
    process_events()
    return widget


def test_each_sentence_stands_once_with_all_its_marks(panel: AskPanel) -> None:
    lines = panel.answer.sentences.toPlainText().split("\n")
    assert [line.rstrip(" \u00a0\ufffc") for line in lines] == [claim.text for claim in CLAIMS]
    assert [line.count("\ufffc") for line in lines] == [3, 1, 2], "marks, then the sign"
    assert not panel.answer.short.isVisible(), "the sentences say it all"


def test_a_click_on_a_mark_or_a_sign_goes_to_the_citation(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    view = panel.answer.sentences
    for spot, citation in (
        (view.point_of(2), case.answer.citations[1]),
        (view.point_of_sign(2), case.answer.citations[2]),
        (view.point_of_sign(0), case.answer.citations[0]),
    ):
        case.session.selection.clear()
        qtbot.mouseClick(view.viewport(), LEFT, pos=spot.toPoint())
        current = case.session.selection.current
        assert current is not None and (current.id, current.start) == (citation.passage_id, citation.start)
    case.session.selection.clear()
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.point_of_sign(1).toPoint())
    assert case.session.selection.current is None, "what no passage says leads nowhere"


def test_tab_visits_every_mark(panel: AskPanel, case: Case, qtbot: QtBot) -> None:
    view = panel.answer.sentences
    view.setFocus(Qt.FocusReason.TabFocusReason)
    seen = []
    for _ in range(3):
        seen.append(view.lit)
        qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert seen == [1, 2, 3]
    assert not view.hasFocus()


def test_a_sign_says_its_word_in_the_tooltip(panel: AskPanel, qtbot: QtBot) -> None:
    view = panel.answer.sentences
    spot = view.point_of_sign(1).toPoint()
    event = QHelpEvent(QHelpEvent.Type.ToolTip, spot, view.viewport().mapToGlobal(spot))
    QApplication.sendEvent(view.viewport(), event)
    assert "Absent: no passage holds it." in QToolTip.text()
    assert "Checked by tiny:1b." in QToolTip.text()
    QToolTip.showText(QPoint(), "")
    assert claim_tip(CLAIMS[0]) == "Supported: stands in the passages.\nChecked by rules."


def test_signs_are_told_to_screen_readers_and_copied_as_words(panel: AskPanel, qtbot: QtBot) -> None:
    view = panel.answer.sentences
    assert (
        view.accessibleDescription() == "Sentence 1: Supported. Sentence 2: Absent. Sentence 3: Contradicted."
    )
    view.selectAll()
    view.copy()
    assert QGuiApplication.clipboard().text().split("\n") == [
        f"{CLAIMS[0].text} [1] [2]",
        f"{CLAIMS[1].text} (absent)",
        f"{CLAIMS[2].text} [3] (contradicted)",
    ]
    qtbot.mouseClick(panel.answer.copy_button, LEFT)
    assert f"{CLAIMS[1].text} (absent)" in QGuiApplication.clipboard().text()


def test_signs_differ_by_more_than_colour(panel: AskPanel, qapp: QApplication) -> None:
    from app.answers.claims import LOOKS

    assert len({look.icon for look in LOOKS.values()}) == len({look.word for look in LOOKS.values()}) == 3
    shot = panel.grab().toImage()
    theme.apply(qapp, "dark")
    assert panel.grab().toImage() != shot


def test_the_trace_keeps_what_a_model_wrote_with_its_signs(qtbot: QtBot) -> None:
    card = RoundCard(replace(ROUNDS[0], claims=CLAIMS))
    qtbot.addWidget(card)
    assert card.claims.count() == 2 * len(CLAIMS)
    shown = [card.claims.itemAtPosition(row, 1).widget().text() for row in range(len(CLAIMS))]  # type: ignore[union-attr]
    assert shown[0] == CLAIMS[0].text
    assert shown[1].endswith("(absent)") and shown[2].endswith("(contradicted)")
    assert card.answer.isHidden()


def test_doubt_shows_below_the_answer(panel: AskPanel, case: Case, answer: Answer) -> None:
    assert panel.answer.support.text() == ("1 of 3 sentences stand in the passages, 1 contradicted, 1 absent")
    doubtful = panel.answer.support_icon.grab().toImage()
    case.session.answered.emit(replace(answer, claims=CLAIMS[:1]))
    assert panel.answer.support_icon.grab().toImage() != doubtful


def test_what_a_model_took_is_told_and_nothing_without_one(panel: AskPanel, case: Case) -> None:
    words = "2 calls, 1,240 tokens in, 80 out, 3.1 s; 1 citation pointed to nothing and was taken out"
    assert panel.answer.usage.text() == words and panel.answer.usage.isVisible()
    case.session.answered.emit(case.answer)
    assert not panel.answer.usage.isVisible()
    assert (
        usage_words(replace(case.answer, usage=Usage(1, 5, 6, 0.25))) == "1 call, 5 tokens in, 6 out, 0.2 s"
    )
    refused = replace(case.answer, usage=Usage(1, 5, 6, 0.25), instead_of="ollama:llama3.2:3b")
    case.session.answered.emit(refused)
    assert panel.answer.model.text() == "No passage carries what llama3.2:3b wrote; these are quotes."
    case.session.answered.emit(replace(refused, is_silent=True))
    assert panel.answer.model.text() == "llama3.2:3b did not begin to answer in time; these are quotes."
    case.session.answered.emit(replace(case.answer, is_confirmed=True))
    assert panel.answer.model.text() == "Found twice, independently: by the model and by the reader."
    late = replace(case.answer, usage=Usage(1, 5, 6, 4.25, 3.14))
    assert usage_words(late).endswith("4.2 s; first words after 3.1 s")


def test_a_short_answer_is_one_that_says_something_else(case: Case, answer: Answer) -> None:
    assert has_short_answer(case.answer)
    assert not has_short_answer(answer)
    assert not has_short_answer(replace(answer, text=" ".join(claim.text for claim in CLAIMS[1:])))


# ---------------------------------------------------------------- rounds


@pytest.fixture
def trace(case: Case, answer: Answer, qtbot: QtBot) -> Timeline:
    widget = ExplainPanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(900, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    case.session.answered.emit(answer)
    process_events()
    return widget.timeline


def test_every_round_is_laid_open(trace: Timeline) -> None:
    first, second = trace.rounds.cards
    assert first.head.text() == "Round 1  \u00b7  Fusion  \u00b7  1.50 s"
    assert (first.question.text(), first.answer.text()) == ("Who owned the firm?", "A king did.")
    told = first.accessibleName()
    assert "Relevance holds with 0.90" in told and "Grounding fails with 0.00" in told
    shown = {label.text() for label in first.findChildren(type(first.head))}
    assert "0 of 1 sentences stand in the passages (by tiny:1b)" in shown
    assert "support 0.60, 0.35 are needed (by rules)" in shown
    assert first.outcome.text() == (
        "Grounding fails. Next: the same again, with nothing but what stands in the passages."
    )
    assert second.answer.text() == "No answer was found."
    assert second.outcome.text() == "The answer holds."
    assert "2 rounds" in trace.totals.text()


def test_an_answer_that_nothing_betters_says_so() -> None:
    assert outcome_words(replace(ROUNDS[0], rewrite="")) == "Grounding fails. Nothing was left to try."


def test_no_rounds_no_heading(trace: Timeline, case: Case, answer: Answer) -> None:
    group = trace.rounds.parentWidget()
    assert group is not None and group.isVisible()
    case.session.answered.emit(case.answer)
    assert not group.isVisible()


@pytest.mark.parametrize("width", [420, 720, 1200])
def test_rounds_reach_over_no_edge(trace: Timeline, width: int, qtbot: QtBot) -> None:
    trace.window().resize(width, 500)
    process_events()
    for card in trace.rounds.cards:
        assert card.mapTo(trace, card.rect().topRight()).x() <= width
