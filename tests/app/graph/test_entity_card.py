"""The other names of an entity on its card: why they are its own; what is changed is seen first, and follows."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from app.graph.entity_card import EntityNames, OtherName, other_names
from app.graph.panel import GraphPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import Entity, NameMerge
from core.workspace import Workspace
from tests.app.graph.mouse import names
from tests.conftest import copied
from tests.waiting import process_events

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
PATIENCE = 60_000  # the models may have to be loaded


@pytest.fixture
def workspace_path(names_path: Path, lent_models: None, tmp_path: Path) -> Path:
    """A copy, for one test, of a workspace in which names are joined."""
    return copied(names_path, tmp_path / "workspace")


@pytest.fixture
def graph(qtbot: QtBot, window: MainWindow, session: Session, workspace_path: Path) -> GraphPanel:
    operations.open_workspace(session, workspace_path)
    qtbot.waitUntil(
        lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 0, timeout=20_000
    )
    window.activateWindow()
    assert window.workbench is not None
    return window.workbench.graph


def opened(session: Session) -> Workspace:
    assert session.workspace is not None
    return session.workspace


def named(session: Session, name: str) -> str:
    return next(entity.id for entity in opened(session).graph.entities() if entity.name == name)


def show(qtbot: QtBot, graph: GraphPanel, session: Session, name: str) -> EntityNames:
    operations.select_entity(session, named(session, name))
    qtbot.waitUntil(lambda: graph.card.isVisible() and graph.card.name.text() == name, timeout=10_000)
    return graph.card.names


def texts(section: EntityNames) -> list[str]:
    return [label.text() for label in section.labels]


ALSO = "Also: Calder Reach Trading Ltd (the same but for a title or legal form)"


def test_the_card_names_each_other_name_with_its_reason_and_acts(
    qtbot: QtBot, graph: GraphPanel, session: Session
) -> None:
    assert texts(show(qtbot, graph, session, "Ines Holm")) == []
    section = show(qtbot, graph, session, "Calder Reach Trading")
    assert texts(section) == [ALSO] and section.apart[0].isEnabled()
    (label,) = section.labels
    process_events()
    assert label.textFormat() is Qt.TextFormat.PlainText
    assert label.height() >= label.heightForWidth(label.width())
    assert "Calder Reach Trading Ltd" in section.apart[0].toolTip()
    card = graph.card
    assert section.apart[0].mapTo(card, section.apart[0].rect().bottomRight()).x() < card.width()

    section.apart[0].setFocus()
    for act in section.acts:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        assert act.hasFocus() and act.toolTip()
    qtbot.keyClick(section.acts[-1], Qt.Key.Key_Tab)
    assert card.lines[0].hasFocus()

    session.set_written_by("being indexed by process 4711 since 14:02")
    for button in (section.apart[0], *section.acts):
        assert not button.isEnabled() and "4711" in button.toolTip()
    session.set_written_by("")
    assert section.apart[0].isEnabled() and "4711" not in section.acts[0].toolTip()

    entity = named(session, "Calder Reach Trading")
    (other,) = other_names(opened(session).graph.entity(entity), opened(session).names.merges_of(entity))
    session.selection.clear()
    operations.select_entity(session, other.id)
    qtbot.waitUntil(lambda: graph.canvas.selected() == entity)
    graph.expand_selected()
    qtbot.waitUntil(graph.crumb.isVisible, timeout=10_000)
    assert graph.place.text().startswith("Calder Reach Trading")


def test_stored_apart_after_a_look_by_the_keyboard_and_undone_by_a_press(
    qtbot: QtBot, window: MainWindow, graph: GraphPanel, session: Session
) -> None:
    section = show(qtbot, graph, session, "Calder Reach Trading")
    graph.expand_selected()
    qtbot.waitUntil(graph.crumb.isVisible, timeout=10_000)
    assert "Northern Gannet" in drawn(graph) and window.workbench is not None
    counted = opened(session).counts().entities
    section.apart[0].setFocus()
    qtbot.keyClick(section.apart[0], Qt.Key.Key_Space)
    panel = window.workbench.panels["entities"]
    qtbot.waitUntil(lambda: panel.isAncestorOf(QApplication.focusWidget()), timeout=10_000)
    assert opened(session).counts().entities == counted, "it is seen first"
    with qtbot.waitSignal(session.message_posted, timeout=PATIENCE):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return, CTRL)
    assert "are two entities" in window.messages.text()
    # The other name takes its facts along; what is drawn and said follows.
    qtbot.waitUntil(lambda: texts(section) == [] and "Northern Gannet" not in drawn(graph), timeout=10_000)
    assert graph.crumb.isVisible() and opened(session).counts().entities == counted + 1
    with qtbot.waitSignal(session.message_posted, timeout=PATIENCE):
        qtbot.mouseClick(window.messages.findChild(QPushButton), LEFT)
    qtbot.waitUntil(lambda: texts(section) == [ALSO] and "Northern Gannet" in drawn(graph), timeout=10_000)


def drawn(graph: GraphPanel) -> set[str]:
    return names(graph.canvas)


def test_a_name_that_hangs_on_another_says_on_which() -> None:
    merges = [
        NameMerge("b", "B Ltd", "c", "B-Ltd", "letters", "the same letters", 1.0),
        NameMerge("a", "B", "b", "B Ltd", "form", "the same but for a title or legal form", 0.95),
    ]
    assert other_names(Entity("a", "B", "ORG"), merges) == [
        OtherName("b", "B Ltd", "the same but for a title or legal form"),
        OtherName("c", "B-Ltd", "as B Ltd: the same letters"),
    ]
