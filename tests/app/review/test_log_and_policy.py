"""The log of decisions, each of which can be turned; and which facts count, switched in one click."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from pytestqt.qtbot import QtBot

from app.review.log import STATE, SUBJECT, WHAT
from app.review.panel import ReviewPanel
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.progress import TaskContext
from core.types import FactFilter, Policy
from tests.app.review.conftest import press
from tests.app.review.test_queue import current, listed, opened, state, written

LEFT = Qt.MouseButton.LeftButton


def cell(desk: ReviewPanel, row: int, column: int) -> str:
    return str(desk.log.model.index(row, column).data())


def to_log(qtbot: QtBot, desk: ReviewPanel, lines: int) -> None:
    desk.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: desk.log.model.rowCount() == lines)
    desk.log.table.setFocus()


def test_any_line_is_undone_and_done_again(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    ids = listed(desk)
    press(qtbot, desk, "ara")
    written(qtbot, desk)
    to_log(qtbot, desk, 3)
    assert [cell(desk, row, WHAT) for row in range(3)] == ["approved", "rejected", "approved"]
    desk.log.table.selectRow(1)
    qtbot.keyClick(desk.log.table, Qt.Key.Key_U)
    qtbot.waitUntil(lambda: desk.log.model.rowCount() == 4)
    assert state(session, ids[1]) == "open"
    assert (cell(desk, 0, WHAT), cell(desk, 0, SUBJECT)) == ("undid", f"rejected: {cell(desk, 2, SUBJECT)}")
    assert cell(desk, 2, STATE) == "undone"
    assert desk.log.model.index(2, SUBJECT).data(Qt.ItemDataRole.FontRole).strikeOut()
    desk.log.table.selectRow(2)
    qtbot.mouseClick(desk.log.buttons[1], LEFT)
    qtbot.waitUntil(lambda: desk.log.model.rowCount() == 5)
    assert cell(desk, 3, STATE) == "holds"
    assert state(session, ids[1]) == "rejected"
    desk.tabs.setCurrentIndex(0)
    qtbot.waitUntil(lambda: listed(desk) == ids[3:])
    desk.queue.list.setFocus()
    press(qtbot, desk, "u")  # the last decision that holds
    qtbot.waitUntil(lambda: current(desk) == ids[2])


def test_why_a_line_cannot_be_turned(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    spoken: list[str] = []
    session.commands.refused.connect(spoken.append)
    press(qtbot, desk, "au")
    written(qtbot, desk)
    to_log(qtbot, desk, 2)
    qtbot.keyClick(desk.log.table, Qt.Key.Key_U)
    desk.log.table.selectRow(1)
    qtbot.keyClick(desk.log.table, Qt.Key.Key_U)
    assert spoken == ["Choose a decision in the log.", "This decision is undone already."]


def test_the_log_is_copied(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    press(qtbot, desk, "a")
    written(qtbot, desk)
    to_log(qtbot, desk, 1)
    qtbot.keyClick(desk.log.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:4] == ["When", "Who", "What", "On what"] and "approved" in lines[1]


def test_decisions_that_no_longer_apply(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    workspace = opened(session)
    (lost, *_) = [c for c in workspace.review.queue(FactFilter()) if len(c.fact.triples) == 1]
    workspace.review.decide([lost.fact.id], "approved")
    passage = workspace.passages.get(lost.fact.triples[0].passage_id)
    workspace.documents.remove([passage.document_id], TaskContext())
    desk.tabs.setCurrentIndex(1)
    qtbot.waitUntil(desk.log.fold.isVisible)
    assert desk.log.fold.text() == "1 decision no longer applies"
    qtbot.mouseClick(desk.log.fold, LEFT)
    assert desk.log.lost.isVisible()
    assert lost.fact.subject in str(desk.log.lost.model().index(0, SUBJECT).data())


def test_only_approved_facts_in_one_click(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    workspace, ids = opened(session), listed(desk)
    everything = workspace.counts().facts
    press(qtbot, desk, "aa")
    written(qtbot, desk)
    assert desk.policy.text() == "All facts count but the rejected"
    qtbot.mouseClick(desk.approved, LEFT)
    qtbot.waitUntil(lambda: workspace.review.policy.counts == "approved", timeout=20_000)
    qtbot.waitUntil(lambda: desk.busy.isHidden())
    assert workspace.counts().facts == 2 and desk.policy.text() == "Only approved facts count"
    qtbot.waitUntil(lambda: not workspace_counts(desk, ids[2]))
    qtbot.mouseClick(desk.approved, LEFT)
    qtbot.waitUntil(lambda: workspace.counts().facts == everything, timeout=20_000)


def workspace_counts(desk: ReviewPanel, fact_id: str) -> bool:
    at = desk.queue.model.place_of(fact_id)
    return desk.queue.model.row(at).candidate.counts


def test_the_menu_of_policies(qtbot: QtBot, desk: ReviewPanel, session: Session) -> None:
    def actions() -> list[QAction]:
        return [each for each in desk.policy.menu().actions() if each.isCheckable()]

    sure = next(action for action in actions() if "80" in action.text())
    sure.trigger()
    qtbot.waitUntil(lambda: opened(session).review.policy == Policy("sure", 0.8), timeout=20_000)
    qtbot.waitUntil(lambda: "80%" in desk.policy.text())
    assert [action for action in actions() if action.isChecked()] == [sure]
    session.policy.toggle()
    qtbot.waitUntil(lambda: session.policy.now.counts == "approved", timeout=20_000)
    session.policy.toggle()
    qtbot.waitUntil(lambda: session.policy.now == Policy("sure", 0.8), timeout=20_000)


def test_the_window_says_that_only_approved_facts_count(
    qtbot: QtBot, bench: Workbench, window: MainWindow, session: Session
) -> None:
    assert not window.status.approved.isVisible()
    session.commands.run("answer.approved")
    qtbot.waitUntil(lambda: session.policy.now.counts == "approved", timeout=20_000)
    assert window.status.approved.isVisible()
    assert session.commands["answer.approved"].checked()  # type: ignore[misc]
    qtbot.waitUntil(lambda: bench.graph.canvas.node_count == 0, timeout=10_000)
    qtbot.mouseClick(window.status.approved, LEFT)
    qtbot.waitUntil(lambda: session.policy.now.counts == "all", timeout=20_000)
    assert not window.status.approved.isVisible()
    qtbot.waitUntil(lambda: bench.graph.canvas.node_count > 0, timeout=10_000)


def test_as_a_tab_next_to_the_reader_the_queue_stays_in_front(
    qtbot: QtBot, bench: Workbench, session: Session
) -> None:
    desk = bench.panels["review"]
    assert isinstance(desk, ReviewPanel)
    bench.focus(desk)
    qtbot.waitUntil(lambda: desk.queue.model.rowCount() > 0)
    press(qtbot, desk, "j")
    qtbot.waitUntil(lambda: session.selection.current is not None)
    assert not desk.visibleRegion().isEmpty()
    qtbot.keyClick(desk.queue.list, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not bench.reader.visibleRegion().isEmpty())
