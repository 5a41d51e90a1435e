"""The ranked passages: what a card says, keys, clicks, hovering."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent, QGuiApplication
from pytestqt.qtbot import QtBot

from app.answers.evidence_rows import excerpt, full_excerpt
from app.evidence.panel import FIRST, EvidencePanel
from app.session.selection import Selected
from core.types import Answer, Evidence, PathStep, Sentence, Why
from tests.app.panel_case import Case
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> EvidencePanel:
    widget = EvidencePanel(case.session)
    qtbot.addWidget(widget)
    widget.resize(360, 420)
    with qtbot.waitExposed(widget):
        widget.show()
    case.session.answer = case.answer
    case.session.answered.emit(case.answer)
    process_events()
    return widget


def test_cards_report_rank_place_score_and_reason(panel: EvidencePanel, case: Case) -> None:
    first, second, third, fourth = panel.cards
    assert [card.rank.text() for card in panel.cards] == ["1", "2", "3", "4"]
    assert first.title.text() == "Letter of Oriel Nominees"
    assert first.path.text() == "letters/Nominee letter.pdf"
    assert first.place.text() == "page 2"
    assert second.place.text() == ""
    assert first.score.text() == "0.090"
    assert "0.0900" in first.score.toolTip()
    assert third.reason.text() == "names Grey Petrel and Calder Reach Trading Ltd"
    assert first.reason.text() == "reached over the graph"
    assert [card.row.cited_as for card in panel.cards] == [(1,), (2,), (3,), ()]
    assert fourth.row.share == pytest.approx(0.1)
    assert panel.heading.text() == "4 passages, ranked by the graph route"


def test_the_best_sentence_is_marked(panel: EvidencePanel, case: Case) -> None:
    for card, evidence in zip(panel.cards, case.answer.evidence, strict=True):
        assert evidence.sentence is not None
        quote = evidence.passage.text[evidence.sentence.start : evidence.sentence.end]
        assert card.words.marked() == quote


def test_passages_are_plain_text(panel: EvidencePanel) -> None:
    assert "<i>No owner</i> is named." in panel.cards[1].words.text()


def test_no_line_of_a_card_is_cut(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    for width in (340, 420):
        panel.resize(width, 420)
        process_events()
        for card in panel.cards:
            lines, metrics = card.words.lines(), card.words.fontMetrics()
            assert len(lines) > 1 and "".join(lines).replace("\u2028", "\n") == card.words.text()
            assert all(metrics.horizontalAdvance(line.strip()) <= card.words.width() for line in lines)
            assert card.words.height() >= metrics.height() * len(lines)


def test_a_click_selects_the_passage(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    card = panel.cards[1]
    qtbot.mouseClick(card, LEFT, pos=card.words.geometry().center())
    passage = case.answer.evidence[1].passage
    assert case.session.selection.current == Selected("passage", passage.id, document_id=passage.document_id)
    assert [each.current for each in panel.cards] == [False, True, False, False]


def test_arrows_move_and_enter_selects(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    panel.cards[0].setFocus()
    qtbot.keyClick(panel.cards[0], Qt.Key.Key_Up)
    assert panel.cards[0].hasFocus(), "there is nothing above the first"
    qtbot.keyClick(panel.cards[0], Qt.Key.Key_Down)
    qtbot.keyClick(panel.cards[1], Qt.Key.Key_Down)
    assert panel.cards[2].hasFocus()
    qtbot.keyClick(panel.cards[2], Qt.Key.Key_Return)
    current = case.session.selection.current
    assert current is not None
    assert current.id == case.answer.evidence[2].passage.id
    qtbot.keyClick(panel.cards[2], Qt.Key.Key_End)
    assert panel.cards[3].hasFocus()
    qtbot.keyClick(panel.cards[3], Qt.Key.Key_Home)
    assert panel.cards[0].hasFocus()


def test_the_focused_card_is_copied(panel: EvidencePanel, qtbot: QtBot) -> None:
    panel.cards[0].setFocus()
    qtbot.keyClick(panel.cards[0], Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied.startswith("The person for whom we hold the shares is Tobias Renwick")
    assert copied.endswith("Letter of Oriel Nominees, page 2 (letters/Nominee letter.pdf)")


def test_hovering_lights_the_passage(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    card, passage = panel.cards[0], case.answer.evidence[0].passage
    with qtbot.waitSignal(case.session.pointed_at) as news:
        card.enterEvent(QEnterEvent(QPointF(2, 2), QPointF(2, 2), QPointF(2, 2)))
    assert news.args == [Selected("passage", passage.id, document_id=passage.document_id)]
    with qtbot.waitSignal(case.session.pointed_at) as news:
        card.leaveEvent(QEvent(QEvent.Type.Leave))
    assert news.args == [None]


def test_a_citation_selected_elsewhere_scrolls_to_its_card(
    panel: EvidencePanel, case: Case, qtbot: QtBot
) -> None:
    last = panel.cards[3]
    passage = last.row.evidence.passage
    assert panel.area.verticalScrollBar().value() == 0
    case.session.selection.select(
        Selected("citation", passage.id, passage.start, passage.start + 5, passage.document_id)
    )
    assert last.current
    qtbot.waitUntil(lambda: panel.area.verticalScrollBar().value() > 0)
    qtbot.waitUntil(lambda: not last.visibleRegion().isEmpty())


def test_right_opens_the_full_passage_and_left_closes_it(
    case: Case, panel: EvidencePanel, qtbot: QtBot
) -> None:
    assert not panel.cards[0].more.isVisible(), "a short passage is all there"
    first = case.answer.evidence[0]
    passage = replace(first.passage, text=first.passage.text + " More words." * 60)
    long = replace(first, passage=passage)
    case.session.answered.emit(replace(case.answer, evidence=(long,)))
    card = panel.cards[0]
    assert not card.words.text().endswith("More words.")
    qtbot.waitUntil(lambda: card.more.isVisible())
    process_events()
    height = card.height()
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Right)
    assert card.words.text() == passage.text
    qtbot.waitUntil(lambda: card.height() > height + 60)
    qtbot.keyClick(card, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: card.height() == height)
    qtbot.mouseClick(card.more, LEFT)
    assert card.words.text() == passage.text
    assert case.session.selection.current is None, "opening is not choosing"


def test_an_excerpt_lies_around_its_sentence(case: Case) -> None:
    words = " ".join(f"word{at}" for at in range(400))
    text = f"{words} The middle is here. {words}"
    at = text.index("The middle")
    passage = replace(case.answer.evidence[0].passage, text=text)
    long = Evidence(case.answer.evidence[0].hit, passage, "a.txt", Sentence(at, at + 19))
    short, full = excerpt(long), full_excerpt(long)
    assert short.text[short.start : short.end] == "The middle is here."
    assert len(short.text) < 350
    assert short.text.startswith("\u2026 ")
    assert short.text.endswith(" \u2026")
    assert full.text == text
    assert full.text[full.start : full.end] == "The middle is here."


@pytest.mark.parametrize(
    "text",
    ["  The one. \r\n\r\n Two\n\n\nlines.", "The one.", "\n The one. \U0001f6a2 more", "a  b\tThe one.c"],
)
def test_marks_stay_right_where_blanks_are_created_single(case: Case, text: str) -> None:
    at = text.index("The one.")
    passage = replace(case.answer.evidence[0].passage, text=text)
    row = Evidence(case.answer.evidence[0].hit, passage, "a.txt", Sentence(at, at + 8))
    for part in (excerpt(row), full_excerpt(row)):
        assert part.text[part.start : part.end] == "The one."


def numbered(case: Case, count: int) -> Answer:
    """An answer over this many passages with ids of their own, "1" the best."""
    row = case.answer.evidence[0]
    rows = [
        replace(row, hit=replace(row.hit, rank=at), passage=replace(row.passage, id=str(at)))
        for at in range(1, count + 1)
    ]
    return replace(case.answer, evidence=tuple(rows))


def test_the_first_cards_do_not_wait_for_the_others(case: Case, panel: EvidencePanel, qtbot: QtBot) -> None:
    case.session.answered.emit(numbered(case, 12))
    assert len(panel.cards) == FIRST and panel.heading.text().startswith("12 passages")
    qtbot.waitUntil(panel.cards[0].isVisible)
    qtbot.waitUntil(lambda: len(panel.cards) == 12)


def test_a_card_that_is_not_created_yet_can_be_gone_to(
    case: Case, panel: EvidencePanel, qtbot: QtBot
) -> None:
    case.session.answered.emit(numbered(case, 12))
    case.session.selection.select(Selected("passage", "9", document_id="d"))
    assert [card.current for card in panel.cards] == [False] * 8 + [True]
    panel.cards[0].setFocus()
    qtbot.keyClick(panel.cards[0], Qt.Key.Key_End)
    assert len(panel.cards) == 12 and panel.cards[11].hasFocus()
    assert [card.current for card in panel.cards].index(True) == 8


def test_another_answer_takes_the_place_of_cards_that_are_still_created(
    case: Case, panel: EvidencePanel, qtbot: QtBot
) -> None:
    case.session.answered.emit(numbered(case, 12))
    case.session.answered.emit(replace(case.answer, evidence=case.answer.evidence[:2]))
    process_events()
    wait_until_landed(case.session.tasks)
    assert len(panel.cards) == 2


def explained(case: Case) -> Answer:
    """The answer whose first passage is reached by a fact with markup in its names, the second by its name."""
    first, second, *rest = case.answer.evidence
    hostile = "<b>Calder</b>\nReach"
    step = PathStep("a", "Grey Petrel", "chartered by", "b", hostile, 0.6, first.passage.id, 0, 9)
    chain = Why("chain", (step,), ("a", "b"), 0.42, ranks={"dense": 7, "graph": 1})
    named = Why("names Grey Petrel; shares owned")
    return replace(case.answer, evidence=(replace(first, why=chain), replace(second, why=named), *rest))


def test_a_card_reports_the_chain_in_plain_words(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    panel.show_answer(explained(case))
    qtbot.waitUntil(lambda: len(panel.cards) == 4)
    first, second, third, _ = panel.cards
    assert [step.words for step in first.steps] == ["Grey Petrel chartered by <b>Calder</b> Reach"]
    assert "&lt;b&gt;" in first.steps[0].toolTip(), "mark-up of a document is letters"
    qtbot.waitUntil(first.steps[0].isVisible)
    assert first.reason.text() == "1 fact from Grey Petrel, strength 0.42 (rank: dense 7 and graph 1)"
    assert "chartered by" in first.accessibleDescription()
    assert second.reason.text() == "names Grey Petrel; shares owned" and second.steps == []
    assert third.reason.text().startswith("names "), "without an explanation the trace speaks"
