"""The queue never takes the keyboard from somebody who types, and its letters decide nothing meanwhile."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.review.panel import ReviewPanel
from app.session.session import Session
from core.workspace.review import ReviewApi
from tests.app.review.conftest import press
from tests.app.review.test_queue import CTRL, current, listed, opened
from tests.waiting import wait_until_landed

LETTERS = "aresnujkw"


class _Held:
    """Readings of the queue wait on their thread until they are let go of."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        self.asked, self.go = threading.Event(), threading.Event()
        real = getattr(ReviewApi, name)

        def late(*args: object, **more: object) -> object:
            self.asked.set()
            self.go.wait(20)
            return real(*args, **more)

        monkeypatch.setattr(ReviewApi, name, late)


@pytest.fixture
def elsewhere(qtbot: QtBot, desk: ReviewPanel) -> QLineEdit:
    """A field of another part of the same window."""
    field = QLineEdit(desk.parentWidget() or desk)
    field.show()
    return field


def test_a_page_that_comes_late_leaves_the_keyboard_where_it_is(
    qtbot: QtBot, desk: ReviewPanel, session: Session, elsewhere: QLineEdit, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, ids = desk.queue, listed(desk)
    fields: tuple[QLineEdit, ...] = (queue.filters.words, queue.card.why, elsewhere)
    for number, field in enumerate(fields):
        inside = _Held(monkeypatch, "queue")
        opened(session).review.decide([ids[-1 - number]], "rejected")
        qtbot.waitUntil(inside.asked.is_set)
        field.setFocus()
        qtbot.keyClicks(field, "ar")
        inside.go.set()
        qtbot.waitUntil(lambda gone=ids[-1 - number]: gone not in listed(desk))  # type: ignore[misc]
        assert field.hasFocus() and field.text() == "ar"
        field.clear()
        queue.list.setFocus()
        monkeypatch.undo()
        wait_until_landed(session.tasks)


def test_a_question_outlives_a_reading_of_the_queue(
    qtbot: QtBot, desk: ReviewPanel, session: Session
) -> None:
    queue, ids = desk.queue, listed(desk)
    qtbot.keyClick(queue.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(qtbot, desk, "a")
    queue.bulk.why.setFocus()
    qtbot.keyClicks(queue.bulk.why, "an")
    opened(session).review.decide([ids[3]], "rejected")
    qtbot.waitUntil(lambda: ids[3] not in listed(desk))
    assert queue.side.currentWidget() is queue.bulk and queue.bulk.why.hasFocus()
    qtbot.keyClicks(queue.bulk.why, " area")
    qtbot.keyClick(queue.bulk.why, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: listed(desk) == [id for id in ids[2:] if id != ids[3]])
    assert opened(session).review.log()[0].why == "an area"


def test_a_preview_that_comes_late_leaves_the_keyboard_where_it_is(
    qtbot: QtBot, desk: ReviewPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = desk.queue
    inside = _Held(monkeypatch, "ids")
    qtbot.keyClick(queue.list, Qt.Key.Key_A, CTRL)
    press(qtbot, desk, "a")
    qtbot.waitUntil(inside.asked.is_set)
    queue.filters.words.setFocus()
    inside.go.set()
    qtbot.waitUntil(lambda: queue.side.currentWidget() is queue.bulk)
    assert queue.filters.words.hasFocus()


def test_letters_decide_nothing_while_a_field_or_a_form_has_the_keyboard(
    qtbot: QtBot, desk: ReviewPanel, session: Session
) -> None:
    queue, ids = desk.queue, listed(desk)
    editor = queue.editor

    def typed_into(field: QWidget) -> None:
        field.setFocus()
        assert field.hasFocus()
        qtbot.keyClicks(field, LETTERS + LETTERS.upper())
        assert field.hasFocus() and listed(desk) == ids and current(desk) == ids[0]

    typed_into(queue.card.why)
    queue.list.setFocus()
    press(qtbot, desk, "n")
    typed_into(queue.card.note)
    qtbot.keyClick(queue.card.note, Qt.Key.Key_Escape)
    press(qtbot, desk, "e")
    fields = (editor.subject, editor.predicate, editor.object, editor.date, editor.why)
    for field in (*fields, *editor.kinds, editor.turn, editor.leave):
        field.show()
        typed_into(field)
        assert queue.side.currentWidget() is editor
    qtbot.keyClick(editor.subject, Qt.Key.Key_Escape)
    qtbot.keyClick(queue.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(qtbot, desk, "a")
    for field in (queue.bulk.why, queue.bulk.decide, queue.bulk.leave):
        field.setFocus()
        qtbot.keyClicks(field, LETTERS)
        assert field.hasFocus() and queue.side.currentWidget() is queue.bulk and listed(desk) == ids
    qtbot.keyClick(queue.bulk.why, Qt.Key.Key_Escape)
    assert not opened(session).review.log()
    queue.filters.words.setFocus()
    qtbot.keyClicks(queue.filters.words, LETTERS)
    assert queue.filters.words.hasFocus() and queue.filters.words.text() == LETTERS
    assert not opened(session).review.log()


def test_closing_the_workspace_leaves_the_keyboard_where_it_is(
    qtbot: QtBot, desk: ReviewPanel, session: Session, elsewhere: QLineEdit
) -> None:
    qtbot.keyClick(desk.queue.list, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    press(qtbot, desk, "a")
    elsewhere.setFocus()
    session.close_workspace()
    assert elsewhere.hasFocus() and desk.queue.side.currentWidget() is desk.queue.empty
