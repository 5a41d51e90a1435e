"""What is seen of the desk where room is short: in its everyday place at the bottom of the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.look import theme
from app.review.panel import ReviewPanel
from app.session.session import Session
from core.types import FactFilter
from tests.app.review.conftest import press
from tests.app.review.test_queue import CTRL, current, listed, opened

# Width and height of the panel in a window of 1440 x 900 and of 1280 x 800, and the size of the text.
PLACES = ((790, 269, 100), (630, 269, 125))


@pytest.fixture(params=PLACES)
def low_desk(
    qtbot: QtBot, desk: ReviewPanel, qapp: QApplication, request: pytest.FixtureRequest
) -> ReviewPanel:
    wide, high, percent = request.param
    theme.apply(qapp, "light", percent)
    desk.resize(wide, high)
    qtbot.waitUntil(lambda: desk.queue.listed.width() < desk.queue.card.width())
    return desk


def visible(desk: ReviewPanel, part: QWidget) -> QRect:
    """As much of it as is on the screen."""
    there = part.visibleRegion().boundingRect()
    return there.translated(part.mapTo(desk, QPoint()))


def fully_visible(part: QWidget) -> bool:
    return part.visibleRegion().boundingRect() == part.rect()


def test_what_one_decides_on_is_visible_at_once(low_desk: ReviewPanel, qtbot: QtBot) -> None:
    card, now = low_desk.queue.card, low_desk.queue.current()
    assert now is not None
    fact = now.candidate.fact
    assert all(words in card.fact.text() for words in (fact.subject, fact.predicate, fact.object))
    for part in (card.fact, card.sure, card.source, card.read, *card.buttons):
        qtbot.waitUntil(lambda part=part: fully_visible(part))
    assert card.sure.text() == f"{now.candidate.probability:.0%} likely"
    assert (
        visible(low_desk, card.text).height()
        >= min(3, len(card.text.lines())) * card.text.fontMetrics().height()
    )
    spoken = [words for words in card.text.marked().split() if words.isalpha()]
    assert spoken[0] in " ".join(card.text.lines()[:3]), "its sentence, not what stands before it"
    assert [button.text()[-1] for button in card.buttons] == list("ARENS")
    assert len({button.y() for button in card.buttons}) == 1
    assert low_desk.queue.filters.undo.isVisible() and fully_visible(low_desk.queue.list)


def test_all_fields_and_the_quote_are_visible(low_desk: ReviewPanel, qtbot: QtBot) -> None:
    queue, editor = low_desk.queue, low_desk.queue.editor
    queue.card.buttons[2].click()
    fields = (editor.subject, editor.predicate, editor.object, editor.date, editor.why)
    for part in (*fields, editor.keep, editor.leave, editor.turn, editor.quote):
        qtbot.waitUntil(lambda part=part: fully_visible(part))
    assert editor.quote.text() and editor.subject.hasFocus() and not queue.list.isVisible()
    assert low_desk.entrance is editor.subject
    qtbot.keyClick(editor.subject, Qt.Key.Key_Escape)
    assert queue.list.isVisible() and queue.list.hasFocus() and low_desk.entrance is queue.list


def test_the_reason_is_asked_for_by_its_key(low_desk: ReviewPanel, qtbot: QtBot) -> None:
    card = low_desk.queue.card
    assert not card.why.isVisible() and card.say_why.isVisible()
    press(qtbot, low_desk, "w")
    qtbot.keyClicks(card.why, "as said")
    qtbot.keyClick(card.why, Qt.Key.Key_Return)
    assert low_desk.queue.list.hasFocus() and card.why.isVisible(), "until it is kept with a decision"
    press(qtbot, low_desk, "a")
    assert not card.why.isVisible()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        press(qtbot, low_desk, "w")
        qtbot.keyClick(card.why, key)
        assert low_desk.queue.list.hasFocus() and not card.why.isVisible(), "nothing was said"


def test_the_states_are_in_a_menu(low_desk: ReviewPanel, qtbot: QtBot) -> None:
    filters = low_desk.queue.filters
    assert filters.state.text().startswith("waiting") and not filters.states["open"].isVisible()
    menu = filters.state.menu()
    menu.aboutToShow.emit()
    assert [action.isChecked() for action in menu.actions()] == [True, False]
    menu.actions()[1].trigger()
    assert filters.wanted.state == "" and filters.state.text().startswith("all")


def test_many_facts_are_listed_and_scroll(low_desk: ReviewPanel, qtbot: QtBot) -> None:
    queue, bulk, ids = low_desk.queue, low_desk.queue.bulk, listed(low_desk)
    qtbot.keyClick(queue.list, Qt.Key.Key_A, CTRL)
    press(qtbot, low_desk, "a")
    for part in (bulk.question, bulk.which, bulk.decide, bulk.leave):
        qtbot.waitUntil(lambda part=part: fully_visible(part))
    assert bulk.question.text() == f"Approve {len(ids)} facts?" and bulk.which.model().rowCount() == len(ids)
    assert bulk.which.height() >= 4 * bulk.which.fontMetrics().height()
    bulk.which.scrollToBottom()
    last = bulk.which.model().index(len(ids) - 1, 0)
    assert bulk.which.viewport().rect().contains(bulk.which.visualRect(last))
    assert bulk.which.horizontalScrollBar().maximum() == 0


def test_more_facts_than_are_listed_are_counted(
    desk: ReviewPanel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    bulk, ids = desk.queue.bulk, listed(desk)
    monkeypatch.setattr("app.review.queue.FIRST", 3)
    qtbot.keyClick(desk.queue.list, Qt.Key.Key_A, CTRL)
    press(qtbot, desk, "a")
    qtbot.waitUntil(lambda: bulk.active)
    assert bulk.which.model().rowCount() == 3 and bulk.more.text() == f"and {len(ids) - 3} more"
    assert bulk.more.isVisible()


def test_another_filter_takes_the_question_away(
    desk: ReviewPanel, qtbot: QtBot, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, words = desk.queue, desk.queue.filters.words
    qtbot.keyClick(queue.list, Qt.Key.Key_A, CTRL)
    press(qtbot, desk, "a")
    qtbot.waitUntil(lambda: queue.bulk.active)
    words.setFocus()
    qtbot.keyClicks(words, "zzzz nothing")
    qtbot.waitUntil(lambda: queue.filters.wanted == FactFilter(words="zzzz nothing"))
    assert not queue.bulk.active and words.hasFocus()
    qtbot.waitUntil(lambda: not listed(desk))
    assert queue.side.currentWidget() is queue.empty and not queue.hint.isVisible()
    assert not opened(session).review.log()


def test_typed_words_outlive_another_row(desk: ReviewPanel, qtbot: QtBot) -> None:
    queue, editor, ids = desk.queue, desk.queue.editor, listed(desk)
    press(qtbot, desk, "e")
    queue.list.setFocus()
    press(qtbot, desk, "j")
    assert queue.side.currentWidget() is queue.card, "nothing was typed"
    press(qtbot, desk, "ke")
    qtbot.keyClicks(editor.subject, "Somebody else")
    queue.list.setFocus()
    press(qtbot, desk, "j")
    assert current(desk) == ids[1] and editor.isVisible() and editor.subject.text() == "Somebody else"
    assert queue.model.index(0).data() in editor.title.text()
    qtbot.keyClick(queue.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(qtbot, desk, "a")
    qtbot.keyClick(queue.bulk.decide, Qt.Key.Key_Escape)
    assert editor.isVisible() and editor.subject.text() == "Somebody else"
    qtbot.keyClick(queue.list, Qt.Key.Key_E)
    assert editor.subject.hasFocus() and editor.subject.text() == "Somebody else"
    editor.leave.click()
    assert queue.side.currentWidget() is queue.card and queue.list.hasFocus()
