"""Follow-ups in the Ask panel: how a question was read, changed or undone; the turns before it; threads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from app.session import threads
from app.session.session import Session
from core.answering.models import Models
from core.types.threads import FollowKind
from core.workspace import Workspace
from tests.app.panel_case import exposed
from tests.conftest import copied

FIRST, SECOND, COMPLETED = "Who hired Ines Holm?", "And when?", "When did Tobias Renwick hire Ines Holm?"
OTHER = "Who commands the Northern Gannet?"
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(
    session: Session, names_path: Path, models: Models, tmp_path: Path, qtbot: QtBot
) -> Iterator[AskPanel]:
    session.set_workspace(Workspace.open(copied(names_path, tmp_path / "workspace"), models=models))
    yield exposed(AskPanel(session), qtbot, 400, 900)


def ask(panel: AskPanel, session: Session, qtbot: QtBot, *questions: str) -> None:
    for question in questions:
        panel.box.set_question(question)
        with qtbot.waitSignal(session.answered, timeout=60_000):
            qtbot.keyClick(panel.box, Qt.Key.Key_Return)


def rows(panel: AskPanel) -> list[str]:
    return [row.accessibleName() for row in panel.turns.rows]


def test_it_says_how_a_follow_up_was_read_and_what_came_before(
    panel: AskPanel, session: Session, qtbot: QtBot
) -> None:
    ask(panel, session, qtbot, FIRST)
    assert not panel.turns.isVisible()
    ask(panel, session, qtbot, SECOND)
    assert panel.turns.read_as.text() == f"Read as: {COMPLETED}"
    assert rows(panel) == [f"{FIRST} Tobias Renwick"]
    assert panel.box.question == SECOND


def test_what_was_read_is_edited_or_undone(panel: AskPanel, session: Session, qtbot: QtBot) -> None:
    ask(panel, session, qtbot, FIRST, SECOND)
    qtbot.mouseClick(panel.turns.edit, LEFT)
    assert panel.box.question == COMPLETED and panel.box.hasFocus()
    with qtbot.waitSignal(session.answered, timeout=60_000):
        panel.turns.typed.setFocus()
        qtbot.keyClick(panel.turns.typed, Qt.Key.Key_Space)
    assert session.answer is not None and session.answer.trace.question == SECOND
    assert session.thread_answer is not None and [turn.question for turn in session.thread_answer.turns] == [
        FIRST,
        SECOND,
    ]
    assert not panel.turns.read_as.isVisible()


def test_another_route_asks_the_same_turn_again(panel: AskPanel, session: Session, qtbot: QtBot) -> None:
    ask(panel, session, qtbot, FIRST, SECOND)
    with qtbot.waitSignal(session.answered, timeout=60_000):
        panel.route.route_chosen.emit("lexical")
    assert session.answer is not None and session.answer.trace.question == COMPLETED
    assert session.thread_answer is not None and len(session.thread_answer.turns) == 2


def test_a_new_subject_is_named_and_leaves_the_thread(
    panel: AskPanel, session: Session, qtbot: QtBot
) -> None:
    ask(panel, session, qtbot, FIRST, OTHER)
    assert panel.turns.read_as.text() == "New subject: this begins a new thread."
    assert not panel.turns.typed.isVisible() and rows(panel) == []


def test_a_turn_and_a_thread_are_reopened(panel: AskPanel, session: Session, qtbot: QtBot) -> None:
    ask(panel, session, qtbot, FIRST, SECOND)
    with qtbot.waitSignal(session.answered, timeout=10_000):
        panel.turns.rows[0].setFocus()
        qtbot.keyClick(panel.turns.rows[0], Qt.Key.Key_Return)
    assert session.answer is not None and session.answer.text == "Tobias Renwick"
    assert rows(panel)[0].startswith(COMPLETED)
    session.commands.run("thread.new")
    assert not panel.turns.isVisible() and panel.box.hasFocus() and session.thread_answer is None
    with qtbot.waitSignal(session.answered, timeout=10_000):
        threads.read_threads(session, lambda found: threads.reopen_thread(session, found[0]))
    ask(panel, session, qtbot, "Why?")
    assert session.thread_answer is not None and session.thread_answer.number == 3
    assert session.thread_answer.completion.kind is FollowKind.COMPLETED


def test_a_thread_gets_a_name_from_the_keyboard(panel: AskPanel, session: Session, qtbot: QtBot) -> None:
    ask(panel, session, qtbot, FIRST)
    panel.threads._on_open()
    rename = next(action for action in panel.threads.choices.actions() if action.text().startswith("Rename"))
    rename.trigger()
    qtbot.keyClicks(panel.threads.name_edit, "Hiring")
    qtbot.keyClick(panel.threads.name_edit, Qt.Key.Key_Return)
    assert session.workspace is not None
    workspace = session.workspace
    qtbot.waitUntil(lambda: [each.name for each in workspace.threads.all()] == ["Hiring"])
