"""After an answer, what its sentences tell waits in the review panel: quietly, and never in anybody's way."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.ask.panel import AskPanel
from app.review.panel import ReviewPanel
from app.session.session import Message, Session
from app.session.tasks import KEEPING
from app.shell.main_window import MainWindow
from core.answering.models import Models
from core.progress import TaskContext
from core.store.workspace_files import WriterLock
from core.types import FactFilter
from core.workspace import Workspace
from tests.conftest import NAMES, copied, written
from tests.core.review.test_from_answers import TEXT, answered

ANSWERS = FactFilter(proposer="answer")


@pytest.fixture
def paid(names_path: Path, tmp_path: Path, models: Models) -> Path:
    """A closed workspace with a document of which indexing leaves something to be read."""
    place = copied(names_path, tmp_path / "workspace")
    with Workspace.open(place, models=models) as opened:
        opened.index(written(tmp_path / "more", {**NAMES, "d.txt": TEXT}), TaskContext(), digest=False)
    return place


@pytest.fixture
def told(session: Session) -> list[Message]:
    """What the message bar would show."""
    found: list[Message] = []
    session.message_posted.connect(found.append)
    return found


@pytest.fixture
def workspace(paid: Path, models: Models) -> Workspace:
    return Workspace.open(paid, models=models)


def waiting(workspace: Workspace) -> int:
    return workspace.review.count(ANSWERS)


def test_an_answer_is_shown_and_its_facts_wait_soon_after(
    qtbot: QtBot, session: Session, workspace: Workspace, told: list[Message]
) -> None:
    ask, review = AskPanel(session), ReviewPanel(session)
    for panel in (ask, review):
        qtbot.addWidget(panel)
        panel.show()
    session.set_workspace(workspace)
    qtbot.waitUntil(lambda: review.queue.model.rowCount() > 0)
    review.show_proposed("answer")
    qtbot.waitUntil(lambda: review.queue.model.rowCount() == 0)
    answer = answered(workspace)
    session.answered.emit(answer)
    assert ask.answer.short.text() == answer.text, "at once"
    assert ask.answer.to_review.isHidden() and waiting(workspace) == 0
    qtbot.waitUntil(lambda: review.queue.model.rowCount() == 1)
    qtbot.waitUntil(lambda: not ask.answer.to_review.isHidden())
    assert ask.answer.to_review.text() == "1 fact to review"
    proposed = review.queue.model.row(0)
    assert review.queue.filters.chips[0].text() == "proposed by a verified answer"
    review.queue.card.show_row(proposed)
    assert review.queue.card.proposed.text().endswith(f"Asked: {answer.trace.question}")
    with qtbot.waitSignal(ask.review_wanted):
        ask.answer.to_review.click()
    ask.show_answer(replace(answer, text="Somebody else"))
    assert ask.answer.to_review.isHidden(), "of the answer shown alone"
    assert told == []


def test_a_guess_that_the_person_finds_right_is_read_too(
    qtbot: QtBot, session: Session, workspace: Workspace
) -> None:
    panel = AskPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    session.set_workspace(workspace)
    with qtbot.waitSignal(session.judged):  # nothing was said of it before
        session.answered.emit(replace(answered(workspace), guess=True))
    with qtbot.waitSignal(session.proposals.proposed):
        panel.judge("right")
    assert waiting(workspace) == 1


def test_who_switched_it_off_has_nothing_read(qtbot: QtBot, window: MainWindow, workspace: Workspace) -> None:
    session = window.session
    session.set_workspace(workspace)
    session.commands.action("answer.proposes").trigger()
    assert not window.preferences.proposes
    session.answered.emit(answered(workspace))
    assert not session.proposals._tasks.busy("read")
    session.commands.action("answer.proposes").trigger()
    assert window.preferences.proposes
    with qtbot.waitSignal(session.proposals.proposed):
        session.answered.emit(answered(workspace))


def test_it_waits_until_nothing_else_is_written_and_stops_no_other_change(
    qtbot: QtBot, session: Session, workspace: Workspace
) -> None:
    session.set_workspace(workspace)
    ended, go_on = threading.Event(), threading.Event()

    def keep(_: TaskContext) -> None:
        go_on.wait(10)
        ended.set()

    other = session.tasks.start(KEEPING, keep)
    with qtbot.waitSignal(session.tasks.busy_changed, check_params_cb=lambda group, busy: not busy):
        session.answered.emit(answered(workspace))
        qtbot.waitUntil(lambda: bool(session.proposals._waiting))
        assert waiting(workspace) == 0 and not other.cancelled
        go_on.set()
    qtbot.waitUntil(lambda: waiting(workspace) == 1)
    assert ended.is_set()


@pytest.mark.parametrize("how", ["locked", "gone", "untrusted"])
def test_where_nothing_can_be_written_nobody_is_told(
    qtbot: QtBot, session: Session, workspace: Workspace, models: Models, told: list[Message], how: str
) -> None:
    answer = answered(workspace)
    if how == "gone":
        answer = replace(answer, citations=(replace(answer.citations[0], passage_id="gone"),))
    if how == "untrusted":
        workspace.close()
        received = shutil.copytree(workspace.path, workspace.path.parent / "received")
        workspace = Workspace.open(received, models=models)
    session.set_workspace(workspace)
    assert session.trusted is (how != "untrusted")
    panel = AskPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    lock = WriterLock(workspace.path)
    if how == "locked":
        lock.__enter__()
    session.answered.emit(answer)
    tasks = session.proposals._tasks
    qtbot.waitUntil(
        lambda: not (tasks.busy("read") or session.proposals._waiting or session.tasks.busy(KEEPING))
    )
    if how == "locked":
        lock.__exit__(None, None, None)
    assert panel.answer.short.text() == answer.text and told == []
    assert waiting(workspace) == 0
