"""Facts in a person's own words, by the keyboard alone: put right, stated anew on marked words, noted on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.review.panel import ReviewPanel
from app.session import operations
from app.session.session import Message, Session
from app.shell.workbench import Workbench
from core.errors import WorkspaceError
from core.types import CandidateFact, FactFilter
from core.workspace.review import ReviewApi
from tests.app.review.conftest import press
from tests.app.review.test_queue import current, listed, opened, state, written


def typed(qtbot: QtBot, field: object, words: str) -> None:
    field.selectAll()  # type: ignore[attr-defined]
    qtbot.keyClicks(field, words)


def approved(session: Session, words: str) -> list[CandidateFact]:
    return opened(session).review.queue(FactFilter("approved", words=words))


def test_a_fact_is_put_right_and_undone(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    ids, queue = listed(desk), desk.queue
    now = queue.current()
    assert now is not None
    press(qtbot, desk, "e")
    assert queue.side.currentWidget() is queue.editor and queue.editor.subject.hasFocus()
    assert queue.editor.subject.text() == now.candidate.fact.subject
    typed(qtbot, queue.editor.predicate, "sears")  # letters that mean something in the list
    qtbot.keyClicks(queue.editor.date, "2021-09-02")
    qtbot.keyClick(queue.editor.date, Qt.Key.Key_Return)
    assert queue.list.hasFocus() and current(desk) == ids[1] and ids[0] not in listed(desk), "at once"
    written(qtbot, desk)
    (created,) = approved(session, "sears")
    assert (created.fact.subject, created.fact.object) == (
        now.candidate.fact.subject,
        now.candidate.fact.object,
    )
    assert opened(session).review.statements(created.fact.id)[0].date == "2021-09-02"
    assert state(session, ids[0]) == "rejected"
    press(qtbot, desk, "u")
    assert current(desk) == ids[0]
    written(qtbot, desk)
    assert state(session, ids[0]) == "open" and not approved(session, "sears")


def test_a_fact_is_turned_round(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    now = desk.queue.current()
    assert now is not None
    fact, editor = now.candidate.fact, desk.queue.editor
    press(qtbot, desk, "e")
    editor.turn.setFocus()
    qtbot.keyClick(editor.turn, Qt.Key.Key_Return)
    assert (editor.subject.text(), editor.object.text()) == (fact.object, fact.subject)
    editor.object.setFocus()
    qtbot.keyClick(editor.object, Qt.Key.Key_Return)
    written(qtbot, desk)
    ends = {(one.fact.subject, one.fact.object) for one in approved(session, "")}
    assert ends == {(fact.object, fact.subject)}


def test_another_date_approves_the_fact_itself(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    ids = listed(desk)
    press(qtbot, desk, "e")
    qtbot.keyClicks(desk.queue.editor.date, "last autumn")
    qtbot.keyClick(desk.queue.editor.date, Qt.Key.Key_Return)
    assert current(desk) == ids[1]
    written(qtbot, desk)
    assert state(session, ids[0]) == "approved"


def test_escape_leaves_the_fact_as_it_is(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    ids, queue = listed(desk), desk.queue
    press(qtbot, desk, "e")
    typed(qtbot, queue.editor.subject, "Somebody else")
    opened(session).review.decide([ids[2]], "rejected")
    qtbot.waitUntil(lambda: ids[2] not in listed(desk))  # rows that are read meanwhile take nothing away
    assert queue.side.currentWidget() is queue.editor and queue.editor.subject.text() == "Somebody else"
    qtbot.keyClick(queue.editor.subject, Qt.Key.Key_Escape)
    assert queue.list.hasFocus() and queue.side.currentWidget() is queue.card
    assert current(desk) == ids[0] and state(session, ids[0]) == "open"


def test_a_note_is_on_the_card_with_its_writer(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    card, fact_id = desk.queue.card, current(desk)
    press(qtbot, desk, "n")
    assert card.note.hasFocus()
    qtbot.keyClicks(card.note, "See the ledger")
    qtbot.keyClick(card.note, Qt.Key.Key_Return)
    assert desk.queue.list.hasFocus() and not card.note.isVisible()
    qtbot.waitUntil(lambda: card.notes.isVisible())
    (note,) = opened(session).review.notes(fact_id=fact_id)
    assert card.notes.text().startswith(f"{note.person}, {note.created[:3]}")
    assert card.notes.text().endswith(": See the ledger") and current(desk) == fact_id
    press(qtbot, desk, "j")
    assert not card.notes.isVisible()
    press(qtbot, desk, "ku")
    qtbot.waitUntil(lambda: not opened(session).review.notes(fact_id=fact_id))
    qtbot.waitUntil(lambda: not card.notes.isVisible())
    press(qtbot, desk, "n")
    qtbot.keyClick(card.note, Qt.Key.Key_Escape)
    assert desk.queue.list.hasFocus() and not card.note.isVisible()


@pytest.fixture
def mark(qtbot: QtBot, bench: Workbench, session: Session) -> Callable[[int], tuple[str, str]]:
    """Mark so many words from the beginning of a document, as one does with Shift: (its id, they)."""

    def mark(words: int) -> tuple[str, str]:
        documents = opened(session).documents
        document = next(one for one in documents.all() if len(documents.text(one.id).split()) > words)
        operations.select_document(session, document.id)
        qtbot.waitUntil(lambda: bench.reader.opened is not None)
        bench.focus(bench.reader)
        bench.reader.text.setFocus()
        bench.reader.text.moveCursor(QTextCursor.MoveOperation.Start)
        for _ in range(words):
            bench.reader.text.moveCursor(QTextCursor.MoveOperation.NextWord, QTextCursor.MoveMode.KeepAnchor)
        return document.id, bench.reader.text.marked_words()[1].strip()

    return mark


def offered(bench: Workbench, session: Session) -> bool:
    """Whether the menu of the text offers it."""
    action = session.commands.action("reader.state")
    bench.reader.text.customContextMenuRequested.emit(QPoint(20, 20))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and action in menu.actions()
    enabled = action.isEnabled()
    menu.close()
    bench.window().activateWindow()
    return enabled


def test_marked_words_become_a_fact(
    qtbot: QtBot, bench: Workbench, session: Session, mark: Callable[[int], tuple[str, str]]
) -> None:
    refused: list[str] = []
    session.commands.refused.connect(refused.append)
    mark(0)
    session.commands.run("reader.state")
    assert len(refused) == 1
    assert not offered(bench, session)
    document_id, words = mark(8)
    assert offered(bench, session)
    session.commands.run("reader.state")
    queue = bench.review.queue
    assert queue.editor.isVisible() and queue.editor.subject.hasFocus()
    assert queue.editor.quote.text() == words and not queue.editor.keep.isEnabled()
    qtbot.keyClicks(queue.editor.subject, "Ines Holm")
    qtbot.keyClick(queue.editor.subject, Qt.Key.Key_Return)
    assert queue.editor.isVisible(), "a fact has two ends"
    qtbot.keyClicks(queue.editor.predicate, "sears")
    qtbot.keyClicks(queue.editor.object, "Northern Gannet")
    qtbot.keyClick(queue.editor.object, Qt.Key.Key_Return)
    assert queue.list.hasFocus()
    qtbot.waitUntil(lambda: bool(approved(session, "sears")))
    (created,) = approved(session, "sears")
    (spoken,) = opened(session).review.statements(created.fact.id)
    assert spoken.quote == words and spoken.path == opened(session).documents.get(document_id).path
    qtbot.keyClick(queue.list, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: not approved(session, "sears"))


def refuse(session: Session, monkeypatch: pytest.MonkeyPatch, *names: str) -> list[Message]:
    """Nothing can be written; what is told of it."""
    spoken: list[Message] = []
    session.message_posted.connect(spoken.append)

    def refuse(*_: object, **__: object) -> str:
        raise WorkspaceError("Another process writes.", "Wait until it ends.")

    for name in names:
        monkeypatch.setattr(ReviewApi, name, refuse)
    return spoken


def test_refused_words_come_back_with_the_reason(
    qtbot: QtBot, desk: ReviewPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, editor, ids = desk.queue, desk.queue.editor, listed(desk)
    with monkeypatch.context() as patch:
        spoken = refuse(session, patch, "edit")
        press(qtbot, desk, "e")
        fields = (editor.subject, editor.predicate, editor.object, editor.date, editor.why)
        words = ("Ines Holm", "sears", "Northern Gannet", "last autumn", "as she says")
        for field, text in zip(fields, words, strict=True):
            typed(qtbot, field, text)
        qtbot.keyClick(editor.why, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: bool(spoken))
    assert current(desk) == ids[0] and listed(desk) == ids
    assert queue.side.currentWidget() is editor and editor.subject.hasFocus()
    assert tuple(field.text() for field in fields) == words
    assert editor.reason.isVisible()
    assert editor.reason.text() == "Another process writes. Wait until it ends."
    queue.list.setFocus()
    press(qtbot, desk, "j")
    assert editor.isVisible() and editor.predicate.text() == "sears", "walking down the list drops nothing"
    press(qtbot, desk, "e")
    assert editor.predicate.text() == "sears"
    editor.subject.setFocus()
    qtbot.keyClick(editor.subject, Qt.Key.Key_Return)
    written(qtbot, desk)
    (created,) = approved(session, "sears")
    assert (created.fact.subject, created.fact.object) == ("Ines Holm", "Northern Gannet")
    assert opened(session).review.log()[0].why == "as she says" and not editor.isVisible()


def test_words_that_make_no_fact_are_put_right_in_place(
    qtbot: QtBot, desk: ReviewPanel, session: Session
) -> None:
    editor, fact = desk.queue.editor, desk.queue.current().candidate.fact  # type: ignore[union-attr]
    press(qtbot, desk, "e")
    editor.turn.click()
    typed(qtbot, editor.subject, fact.subject)  # both ends are one name
    qtbot.keyClick(editor.subject, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: editor.reason.isVisible())
    assert (editor.subject.text(), editor.object.text()) == (fact.subject, fact.subject)
    typed(qtbot, editor.subject, fact.object)
    qtbot.keyClick(editor.subject, Qt.Key.Key_Return)
    written(qtbot, desk)
    ends = {(one.fact.subject, one.fact.object) for one in approved(session, "")}
    assert ends == {(fact.object, fact.subject)}


def test_refused_words_wait_for_those_being_written(
    qtbot: QtBot, desk: ReviewPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue, editor = desk.queue, desk.queue.editor
    spoken = refuse(session, monkeypatch, "edit")
    press(qtbot, desk, "e")
    typed(qtbot, editor.predicate, "sears")
    qtbot.keyClick(editor.predicate, Qt.Key.Key_Return)
    press(qtbot, desk, "e")
    editor.predicate.setFocus()
    typed(qtbot, editor.predicate, "mends")
    qtbot.waitUntil(lambda: bool(spoken))
    assert editor.predicate.text() == "mends" and editor.predicate.hasFocus()
    qtbot.keyClick(editor.predicate, Qt.Key.Key_Escape)
    assert editor.isVisible() and editor.predicate.text() == "sears" and editor.reason.isVisible()
    qtbot.keyClick(editor.predicate, Qt.Key.Key_Escape)
    assert not editor.isVisible() and queue.list.hasFocus()


def test_a_refused_new_fact_takes_the_keyboard_from_nobody(
    qtbot: QtBot, desk: ReviewPanel, session: Session
) -> None:
    queue, editor = desk.queue, desk.queue.editor
    document = opened(session).documents.all()[0].id
    desk.state(document, "words that no document holds", 0)
    for field, text in zip(
        (editor.subject, editor.predicate, editor.object), ("One", "met", "Two"), strict=True
    ):
        typed(qtbot, field, text)
    qtbot.keyClick(editor.subject, Qt.Key.Key_Return)
    queue.filters.words.setFocus()
    qtbot.waitUntil(lambda: editor.reason.isVisible())
    assert editor.isVisible() and queue.filters.words.hasFocus()
    assert editor.quote.text() == "words that no document holds"
    assert (editor.subject.text(), editor.object.text()) == ("One", "Two")
    editor.leave.click()
    assert queue.side.currentWidget() is queue.card and queue.filters.words.hasFocus()


def test_a_refused_note_comes_back(
    qtbot: QtBot, desk: ReviewPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = desk.queue.card
    with monkeypatch.context() as patch:
        spoken = refuse(session, patch, "note")
        press(qtbot, desk, "n")
        qtbot.keyClicks(card.note, "See the ledger")
        qtbot.keyClick(card.note, Qt.Key.Key_Return)
        press(qtbot, desk, "j")
        qtbot.waitUntil(lambda: bool(spoken))
    press(qtbot, desk, "kn")
    assert card.note.text() == "See the ledger" and card.note.hasFocus()
    fact_id = current(desk)
    qtbot.keyClick(card.note, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(opened(session).review.notes(fact_id=fact_id)))


def test_the_kind_of_a_new_name_is_asked_for(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    editor = desk.queue.editor
    press(qtbot, desk, "e")
    typed(qtbot, editor.object, "Zyx Quorum")
    qtbot.waitUntil(editor.kinds[1].isVisible)
    assert not editor.kinds[0].isVisible(), "what the documents name is known"
    menu = editor.kinds[1].menu()
    next(action for action in menu.actions() if action.text() == "organisation").trigger()
    editor.turn.click()
    assert editor.kinds[0].text() == "organisation" and editor.kinds[0].isVisible()
    editor.turn.click()
    qtbot.keyClick(editor.object, Qt.Key.Key_Return)
    written(qtbot, desk)
    (created,) = approved(session, "Quorum")
    assert opened(session).graph.entity(created.fact.object_id).label == "ORG"
