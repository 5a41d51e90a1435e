"""A person points at the graph and asks about that: chips, an answer from inside only, and all documents again."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.graph.panel import GraphPanel
from app.look import theme
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import Answer, Scope
from tests.e2e.keyboard import Keyboard
from tests.e2e.test_first_session import picture
from tests.waiting import process_events, wait_until_landed

pytestmark = pytest.mark.long
LEFT = Qt.MouseButton.LeftButton
QUESTION = "Where was the Grey Petrel built?"


def spot(graph: GraphPanel, entity: str) -> QPoint:
    canvas = graph.canvas
    x, y = canvas._view.camera().to_screen(canvas._arrays.xy)[canvas._arrays.row[entity]].tolist()
    return QPoint(round(x), round(y))


def menu_at(graph: GraphPanel, place: QPoint) -> QMenu:
    view = graph.canvas._view
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse,
        place,
        view.viewport().mapToGlobal(place),
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def take(menu: QMenu, words: str) -> None:
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()


def told_of(answer: Answer) -> set[str]:
    """Documents that an answer shows or cites."""
    return {each.passage.document_id for each in answer.evidence} | {
        each.document_id for each in answer.citations
    }


def pictures(window: MainWindow, qapp: QApplication, name: str) -> None:
    for mode in ("light", "dark"):
        for wide, high in ((1440, 900), (2560, 1440)):
            theme.apply(qapp, mode)  # type: ignore[arg-type]
            window.resize(wide, high)
            wait_until_landed(window.session.tasks)
            process_events()
            picture(window, f"scope-{name}-{mode}-{wide}")
    theme.apply(qapp, "light")
    window.resize(1440, 900)
    process_events()


def test_what_is_pointed_at_is_what_is_asked_about(
    qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path, qapp: QApplication
) -> None:
    keys = Keyboard(qtbot, window, session)
    operations.open_workspace(session, sample_copy)
    keys.until(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 20)
    workspace, bench = session.workspace, window.workbench
    assert workspace is not None and bench is not None
    graph, ask = bench.graph, bench.ask
    graph.canvas.settle()
    free = keys.ask(QUESTION)

    name = "Grey Petrel"
    ship = next(each.id for each in workspace.search(name, 5, ("entity",)) if each.title == name)
    graph.canvas.locate(ship)
    graph.canvas.settle()
    qtbot.mouseClick(graph.canvas._view.viewport(), LEFT, pos=spot(graph, ship))
    assert session.selection.current is not None and session.selection.current.id == ship
    keys.press("Ctrl+Shift+K")
    assert keys.focus is ask.box, "the question is typed at once"
    wait_until_landed(session.tasks)
    assert [chip.words.text() for chip in ask.scope.chips] == [name]
    inside = workspace.retrieval.kept_to(Scope(entities=(ship,)))
    assert 0 < inside.taken < inside.count

    other = graph.canvas.neighbours(ship)[0]
    also = workspace.graph.entity(other).name
    graph.canvas.locate(other)
    graph.canvas.settle()
    take(menu_at(graph, spot(graph, other)), "Ask about this")
    wait_until_landed(session.tasks)
    assert [chip.words.text() for chip in ask.scope.chips] == [name, also]
    qtbot.mouseClick(ask.scope.chips[1].close_button, LEFT)
    assert session.scope.current == Scope(entities=(ship,))

    keys.press("Ctrl+L", "Ctrl+A")
    keys.type(QUESTION)
    with qtbot.waitSignal(session.answered, timeout=200_000):
        keys.press("Return")
    answer = session.answer
    assert answer is not None and answer.trace.scope == Scope(entities=(ship,))
    told = [each.passage for each in answer.evidence]
    assert told and all(name in f"{passage.title} {passage.text}" for passage in told)
    assert {each.passage_id for each in answer.citations} <= {passage.id for passage in told}
    assert ask.answer.kept.isVisible() and name in ask.answer.kept.text()
    wait_until_landed(session.tasks)
    pictures(window, qapp, "1-answered")

    # A passage of the answer, then a community and a document.
    card = bench.evidence.cards[0]
    qtbot.mouseClick(card, LEFT)
    wait_until_landed(session.tasks)
    keys.until(card.ask.isVisible)
    qtbot.mouseClick(card.ask, LEFT)
    why = card.row.evidence.why
    kind = "path" if why is not None and why.path else "document"
    assert kind in [chip.part.kind for chip in ask.scope.chips]
    assert keys.focus is ask.box
    keys.go_to("communities")
    keys.press("Home", "Down", "Return", "Ctrl+Shift+K")
    assert len(session.scope.current.communities) == 1 and keys.focus is ask.box
    table = bench.library.table
    table.selectRow(0)
    extended = Qt.KeyboardModifier.ControlModifier
    qtbot.mouseClick(table.viewport(), LEFT, extended, table.visualRect(table.model().index(1, 0)).center())
    take(bench.library.row_menu(), "Ask about this")
    chosen = {document.id for document in bench.library.chosen()}
    assert len(chosen) == 2 and chosen <= set(session.scope.current.documents)
    session.scope.change(since="2021-03", until="2021-09")
    wait_until_landed(session.tasks)
    assert ask.scope.chips[-1].words.text() == "2021-03 to 2021-09"
    ask.focus_question()
    pictures(window, qapp, "2-chips")

    # By keyboard from chip to chip, then all documents again.
    before = len(ask.scope.chips)
    keys.tab_to(ask.scope.chips[0].close_button)
    keys.press("Space")
    wait_until_landed(session.tasks)
    assert len(ask.scope.chips) == before - 1
    keys.press("Alt+Shift+K")
    assert session.scope.current.all and not ask.scope.isVisible()
    again = keys.ask(QUESTION)
    assert again.trace.scope.all and told_of(again) == told_of(free)
    assert not ask.answer.kept.isVisible()
