"""A person points at the graph and asks about that: chips, an answer from inside only, and all documents again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu

from app.graph.panel import GraphPanel
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.workbench import Workbench
from core.types import Answer, Scope
from tests.app.graph.mouse import place, surface_of, view_of
from tests.e2e.keyboard import Keyboard
from tests.e2e.pictures import pictures
from tests.waiting import wait_until_landed

pytestmark = pytest.mark.long
LEFT = Qt.MouseButton.LeftButton
QUESTION = "Where was the Grey Petrel built?"


def menu_at(graph: GraphPanel, spot: QPoint) -> QMenu:
    view = view_of(graph.canvas)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse,
        spot,
        view.viewport().mapToGlobal(spot),
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def take(menu: QMenu, words: str) -> None:
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()


def reported_of(answer: Answer) -> set[str]:
    """Documents that an answer shows or cites."""
    return {each.passage.document_id for each in answer.evidence} | {
        each.document_id for each in answer.citations
    }


class Desk:
    """The window with the sample in it, and who sits before it."""

    def __init__(self, keys: Keyboard, bench: Workbench) -> None:
        self.qtbot, self.session, self.keys, self.bench = keys.qtbot, keys.session, keys, bench
        assert keys.session.workspace is not None
        self.workspace = keys.session.workspace
        self.graph, self.ask = self.bench.graph, self.bench.ask
        self.graph.canvas.settle()

    def entity(self, name: str) -> str:
        return next(each.id for each in self.workspace.search(name, 5, ("entity",)) if each.title == name)

    def bring(self, entity: str) -> QPoint:
        """Where an entity is, once it is in the middle."""
        self.graph.canvas.locate(entity)
        self.graph.canvas.settle()
        return place(self.graph.canvas, entity)

    def chips(self) -> list[str]:
        wait_until_landed(self.session.tasks)
        return [chip.words.text() for chip in self.ask.scope.chips]

    def ask_about_the_ship(self, name: str) -> str:
        """By a click and a key, then a neighbour by the menu, which a click takes out again."""
        ship = self.entity(name)
        self.qtbot.mouseClick(surface_of(self.graph.canvas), LEFT, pos=self.bring(ship))
        assert self.session.selection.current is not None and self.session.selection.current.id == ship
        self.keys.press("Ctrl+Shift+K")
        assert self.keys.focus is self.ask.box, "the question is typed at once"
        assert self.chips() == [name]
        inside = self.workspace.retrieval.restrict_to(Scope(entities=(ship,)))
        assert 0 < inside.taken < inside.count
        other = self.graph.canvas.neighbours(ship)[0]
        take(menu_at(self.graph, self.bring(other)), "Ask about this")
        assert self.chips() == [name, self.workspace.graph.entity(other).name]
        self.qtbot.mouseClick(self.ask.scope.chips[1].close_button, LEFT)
        assert self.session.scope.current == Scope(entities=(ship,))
        return ship

    def add_a_passage(self) -> None:
        card = self.bench.evidence.cards[0]
        self.qtbot.mouseClick(card, LEFT)
        wait_until_landed(self.session.tasks)
        self.keys.until(card.ask.isVisible)
        self.qtbot.mouseClick(card.ask, LEFT)
        why = card.row.evidence.why
        kind = "path" if why is not None and why.path else "document"
        assert kind in [chip.part.kind for chip in self.ask.scope.chips]
        assert self.keys.focus is self.ask.box

    def add_a_community_and_documents(self) -> None:
        self.keys.go_to("communities")
        self.keys.press("Home", "Down", "Return", "Ctrl+Shift+K")
        assert len(self.session.scope.current.communities) == 1 and self.keys.focus is self.ask.box
        library = self.bench.library
        library.table.selectRow(0)
        place = library.table.visualRect(library.table.model().index(1, 0)).center()
        self.qtbot.mouseClick(library.table.viewport(), LEFT, Qt.KeyboardModifier.ControlModifier, place)
        take(library.row_menu(), "Ask about this")
        chosen = {document.id for document in library.chosen()}
        assert len(chosen) == 2 and chosen <= set(self.session.scope.current.documents)


def test_what_is_pointed_at_is_what_is_asked_about(
    window: MainWindow, session: Session, keys: Keyboard, bench: Workbench
) -> None:
    def ready() -> None:
        wait_until_landed(session.tasks)

    desk = Desk(keys, bench)
    ask, name = desk.ask, "Grey Petrel"
    free = keys.ask(QUESTION)
    ship = desk.ask_about_the_ship(name)

    answer = keys.ask(QUESTION)
    assert answer.trace.scope == Scope(entities=(ship,)) and not answer.abstained
    passages = [each.passage for each in answer.evidence]
    assert passages and all(name in f"{passage.title} {passage.text}" for passage in passages)
    assert {each.passage_id for each in answer.citations} <= {passage.id for passage in passages}
    assert ask.answer.scope.isVisible() and name in ask.answer.scope.text()
    wait_until_landed(session.tasks)
    pictures(window, "scope-1-answered", ready)

    desk.add_a_passage()
    desk.add_a_community_and_documents()
    session.scope.change(since="2021-03", until="2021-09")
    assert desk.chips()[-1] == "2021-03 to 2021-09"
    ask.focus_question()
    pictures(window, "scope-2-chips", ready)

    before = desk.chips()
    keys.tab_to(ask.scope.chips[0].close_button)
    keys.press("Space")
    assert desk.chips() == before[1:]
    keys.press("Alt+Shift+K")
    assert session.scope.current.all and not ask.scope.isVisible()
    again = keys.ask(QUESTION)
    assert again.trace.scope.all and reported_of(again) == reported_of(free)
    assert not ask.answer.scope.isVisible()
