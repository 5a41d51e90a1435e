"""What a person says of an explanation, on its card: buttons, keys, a word why; kept, shown again, taken back."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.evidence.panel import EvidencePanel
from core.types import JudgedExplanation, PathStep, Why
from core.workspace.answers import AnswersApi
from tests.app.panel_case import Case, exposed
from tests.waiting import process_events, wait_until_landed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(case: Case, qtbot: QtBot) -> EvidencePanel:
    created = exposed(EvidencePanel(case.session), qtbot, 380, 520)
    case.session.answer = case.answer
    case.session.answered.emit(case.answer)
    process_events()
    return created


def stored(case: Case) -> list[JudgedExplanation]:
    assert case.session.workspace is not None
    return case.session.workspace.answers.explanations()


def wait_for_writing(case: Case) -> None:
    wait_until_landed(case.session.tasks)


def spoken(case: Case) -> list[tuple[str, bool, str]]:
    return [(one.place.document, one.supports, one.why) for one in stored(case)]


def test_a_card_asks_once_it_is_chosen(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    card = panel.cards[0]
    assert not card.support.isVisible()
    qtbot.mouseClick(card, LEFT, pos=card.words.geometry().center())
    assert card.support.isVisible() and not card.support.why.isVisible()
    assert [each.support.isVisible() for each in panel.cards[1:]] == [False] * 3


def test_keys_judge_keep_a_word_and_take_it_back(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    card, quote = panel.cards[0], panel.cards[0].words.marked()
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_N)
    wait_for_writing(case)
    assert spoken(case) == [("letters/Nominee letter.pdf", False, "")]
    (one,) = stored(case)
    assert (one.place.quote, one.answer, one.facts) == (quote, case.answer.text, 0)
    assert card.support.why.hasFocus(), "a no is asked for its reason"
    qtbot.keyClicks(card.support.why, "another firm")
    qtbot.keyClick(card.support.why, Qt.Key.Key_Return)
    wait_for_writing(case)
    assert spoken(case)[0][1:] == (False, "another firm")
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Y)
    wait_for_writing(case)
    assert [supports for _, supports, _ in spoken(case)] == [True]
    qtbot.keyClick(card, Qt.Key.Key_Y)
    wait_for_writing(case)
    assert stored(case) == [] and not card.support.why.isVisible()


def test_it_is_displayed_again_with_the_same_answer_only(
    panel: EvidencePanel, case: Case, qtbot: QtBot
) -> None:
    first, second = panel.cards[:2]
    for card, verdict in ((first, "yes"), (second, "no")):
        card.support.setVisible(True)
        card.support.buttons[verdict].click()
        wait_for_writing(case)
    case.session.answered.emit(replace(case.answer, text="Another"))
    landed: list[object] = []
    case.session.tasks.start("after", lambda _: None, landed.append)
    qtbot.waitUntil(lambda: bool(landed))
    qtbot.waitUntil(lambda: len(panel.cards) == 4)
    assert [card.support.verdict for card in panel.cards] == ["", "", "", ""]
    case.session.answered.emit(case.answer)
    qtbot.waitUntil(lambda: [card.support.verdict for card in panel.cards] == ["yes", "no", "", ""])
    assert panel.cards[1].support.isVisible(), "what is judged stays in sight"
    assert not panel.cards[2].support.isVisible()


def test_a_chain_is_asked_for_as_facts(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    step = PathStep("a", "Grey Petrel", "chartered by", "b", "Calder Reach", 0.9, "p", 0, 10)
    found = replace(case.answer.evidence[0], why=Why("", (step, step)))
    case.session.answered.emit(replace(case.answer, evidence=(found,)))
    panel.cards[0].support.buttons["yes"].click()
    wait_for_writing(case)
    assert [one.facts for one in stored(case)] == [2]


def test_nothing_is_judged_where_nothing_can_be_written(
    panel: EvidencePanel, case: Case, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(case.session), "shut", property(lambda _: "It is read-only."))
    case.session.blocked_changed.emit()
    card = panel.cards[0]
    assert not any(button.isEnabled() for button in card.support.buttons.values())
    assert "It is read-only." in card.support.buttons["yes"].toolTip()
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_Y)
    assert stored(case) == []


def test_keys_with_ctrl_say_nothing(panel: EvidencePanel, case: Case, qtbot: QtBot) -> None:
    card = panel.cards[0]
    card.setFocus()
    for key in (Qt.Key.Key_Y, Qt.Key.Key_N):
        qtbot.keyClick(card, key, Qt.KeyboardModifier.ControlModifier)
    assert card.support.verdict == "" and stored(case) == []


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Nothing is kept before it is set."""
    created, judge = threading.Event(), AnswersApi.judge_explanation

    def later(*passed: Any) -> None:
        created.wait(20)
        judge(*passed)

    monkeypatch.setattr(AnswersApi, "judge_explanation", later)
    return created


def test_what_was_just_stated_stands_until_it_is_stored(
    panel: EvidencePanel, case: Case, qtbot: QtBot, gate: threading.Event
) -> None:
    card = panel.cards[0]
    card.setFocus()
    qtbot.keyClick(card, Qt.Key.Key_N)
    qtbot.keyClicks(card.support.why, "another")
    case.session.blocked_changed.emit()  # all is shown anew
    assert (card.support.verdict, card.support.why.text()) == ("no", "another")
    gate.set()
    wait_for_writing(case)
    assert (card.support.verdict, card.support.why.text()) == ("no", "another")


def test_what_is_stored_late_does_not_show_with_another_answer(
    panel: EvidencePanel, case: Case, qtbot: QtBot, gate: threading.Event
) -> None:
    panel.cards[0].support.setVisible(True)
    panel.cards[0].support.buttons["yes"].click()
    case.session.answered.emit(replace(case.answer, text="Another"))
    process_events()
    gate.set()
    wait_for_writing(case)
    assert len(stored(case)) == 1
    assert panel.cards[0].support.verdict == ""
