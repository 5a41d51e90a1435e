"""The other names of an entity on its card: why they are its own, kept apart and joined by hand, and undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu
from pytestqt.qtbot import QtBot

from app.graph import name_decisions
from app.graph.entity_names import EntityNames, OtherName, other_names
from app.graph.name_decisions import NamePair
from app.graph.panel import GraphPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.widgets.result_box import ROLE
from core.types import Entity, NameMerge
from core.workspace import Workspace
from tests.conftest import copied

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
PATIENCE = 60_000  # the models may have to be loaded


@pytest.fixture
def workspace_path(names_path: Path, tmp_path: Path) -> Path:
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


def names(session: Session) -> set[str]:
    return {entity.name for entity in opened(session).graph.entities()}


def show(qtbot: QtBot, graph: GraphPanel, session: Session, name: str) -> EntityNames:
    operations.select_entity(session, named(session, name))
    qtbot.waitUntil(lambda: graph.card.isVisible() and graph.card.name.text() == name, timeout=10_000)
    return graph.card.names


def said(section: EntityNames) -> list[str]:
    return [label.text() for label in section.labels]


ALSO = "Also: Calder Reach Trading Ltd (the same but for a title or legal form)"


def test_the_card_says_each_other_name_and_why(qtbot: QtBot, graph: GraphPanel, session: Session) -> None:
    section = show(qtbot, graph, session, "Calder Reach Trading")
    assert said(section) == [ALSO] and section.apart[0].isEnabled()
    assert section.labels[0].textFormat() is Qt.TextFormat.PlainText
    assert "Calder Reach Trading Ltd" in section.apart[0].toolTip()
    card = graph.card
    assert section.apart[0].mapTo(card, section.apart[0].rect().bottomRight()).x() < card.width()
    section.apart[0].setFocus()
    qtbot.keyClick(section.apart[0], Qt.Key.Key_Tab)
    assert section.same.hasFocus()
    qtbot.keyClick(section.same, Qt.Key.Key_Tab)
    assert card.lines[0].hasFocus()
    assert said(show(qtbot, graph, session, "Ines Holm")) == [] and section.same.isVisible()


def test_kept_apart_by_the_keyboard_and_undone_by_a_press(
    qtbot: QtBot, window: MainWindow, graph: GraphPanel, session: Session
) -> None:
    section = show(qtbot, graph, session, "Calder Reach Trading")
    nodes, counted = graph.canvas.node_count, opened(session).counts().entities
    section.apart[0].setFocus()
    with qtbot.waitSignal(session.told, timeout=PATIENCE):
        qtbot.keyClick(section.apart[0], Qt.Key.Key_Space)
    assert "Calder Reach Trading Ltd" in names(session)
    assert "are two entities" in window.messages.text()
    qtbot.waitUntil(lambda: said(section) == [] and graph.canvas.node_count == nodes + 1, timeout=10_000)
    assert opened(session).counts().entities == counted + 1
    assert section.same.hasFocus(), "the keyboard goes on where it was"
    qtbot.waitUntil(lambda: f"{counted + 1:,}" in words(window), timeout=10_000)
    with qtbot.waitSignal(session.told, timeout=PATIENCE):
        qtbot.mouseClick(window.messages._button, LEFT)
    assert "Calder Reach Trading Ltd" not in names(session) and "again" in window.messages.text()
    qtbot.waitUntil(lambda: said(section) == [ALSO] and graph.canvas.node_count == nodes, timeout=10_000)


def words(window: MainWindow) -> str:
    """All that the status line says."""
    return " ".join(label.text() for label in window.status.findChildren(QLabel))


def test_joined_by_hand_and_undone(
    qtbot: QtBot, window: MainWindow, graph: GraphPanel, session: Session
) -> None:
    section = show(qtbot, graph, session, "Tobias Renwick")
    qtbot.mouseClick(section.same, LEFT)
    box = section.box
    qtbot.waitUntil(box.hasFocus)
    qtbot.keyClicks(box, "Ines")
    qtbot.waitUntil(lambda: box.open, timeout=10_000)
    rows = [box.list.item(row).data(ROLE) for row in range(box.list.count())]
    assert [row.title for row in rows] == ["Ines Holm"], "entities only, and nothing to ask"
    with qtbot.waitSignal(session.told, timeout=PATIENCE):
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert "Tobias Renwick" not in names(session) and "are one entity" in window.messages.text()
    assert not box.isVisible()
    # The card goes on with the entity that the selected name belongs to now.
    qtbot.waitUntil(lambda: graph.card.name.text() == "Ines Holm", timeout=10_000)
    assert "Also: Tobias Renwick (somebody said so)" in said(section)
    qtbot.waitUntil(lambda: graph.canvas.selected() == named(session, "Ines Holm"), timeout=10_000)
    with qtbot.waitSignal(session.told, timeout=PATIENCE):
        qtbot.mouseClick(window.messages._button, LEFT)
    assert "Tobias Renwick" in names(session)
    qtbot.waitUntil(lambda: graph.card.name.text() == "Tobias Renwick", timeout=10_000)


def test_joined_from_the_keyboard_alone(
    qtbot: QtBot, window: MainWindow, graph: GraphPanel, session: Session
) -> None:
    assert session.commands["graph.same"].why_not().startswith("Select an entity first")
    operations.select_entity(session, named(session, "Tobias Renwick"))
    assert not session.commands["graph.same"].why_not()
    qtbot.keyClick(window, Qt.Key.Key_J, CTRL)  # at once: the card is still on its way
    box = graph.card.names.box
    qtbot.waitUntil(box.hasFocus, timeout=10_000)
    assert graph.card.name.text() == "Tobias Renwick"
    graph.canvas.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_J, CTRL)
    assert box.hasFocus(), "back to the choice that is open"
    qtbot.keyClicks(box, "Ines")
    qtbot.waitUntil(lambda: box.open, timeout=10_000)
    with qtbot.waitSignal(session.told, timeout=PATIENCE):
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert "Tobias Renwick" not in names(session)


def test_the_menu_entry_is_on_where_it_can_be_done(
    qtbot: QtBot, window: MainWindow, graph: GraphPanel, session: Session
) -> None:
    section, action = show(qtbot, graph, session, "Ines Holm"), session.commands.action("graph.same")
    menu = next(a.menu() for a in window.menuBar().actions() if a.text() == "Gra&ph")
    assert isinstance(menu, QMenu)
    session.set_written_by("being indexed by process 4711 since 14:02")
    qtbot.keyClick(window, Qt.Key.Key_J, CTRL)
    assert not section.box.isVisible() and "4711" in window.messages.text()
    menu.aboutToShow.emit()
    assert not action.isEnabled() and "4711" in action.toolTip()
    session.set_written_by("")
    menu.popup(window.mapToGlobal(window.rect().center()))
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    assert section.box.isVisible()
    session.selection.clear()
    menu.aboutToShow.emit()
    assert not action.isEnabled()


def test_undo_brings_back_what_somebody_had_decided_before(
    qtbot: QtBot, window: MainWindow, graph: GraphPanel, session: Session
) -> None:
    (merge,) = opened(session).names.merges_of(named(session, "Calder Reach Trading"))
    pair = NamePair(merge.one_id, merge.one, merge.other_id, merge.other)
    for verb in (name_decisions.keep_apart, name_decisions.join):
        with qtbot.waitSignal(session.told, timeout=PATIENCE):
            verb(session, pair)
    assert "Calder Reach Trading Ltd" not in names(session)
    with qtbot.waitSignal(session.told, timeout=PATIENCE):
        qtbot.mouseClick(window.messages._button, LEFT)
    assert "Calder Reach Trading Ltd" in names(session), "the rules joined what had been kept apart"


def test_escape_gives_the_choice_up_and_nothing_else(
    qtbot: QtBot, graph: GraphPanel, session: Session
) -> None:
    section = show(qtbot, graph, session, "Ines Holm")
    qtbot.mouseClick(section.same, LEFT)
    qtbot.waitUntil(section.box.hasFocus)
    qtbot.keyClicks(section.box, "Zebedee")
    qtbot.waitUntil(lambda: section.hint.text().startswith("No other"), timeout=10_000)
    qtbot.keyClick(section.box, Qt.Key.Key_Escape)
    assert not section.box.isVisible() and section.same.hasFocus() and graph.card.isVisible()
    assert graph.card._area.verticalScrollBar().value() == 0, "nothing jumps"


def test_a_neighbourhood_is_drawn_anew(qtbot: QtBot, graph: GraphPanel, session: Session) -> None:
    section = show(qtbot, graph, session, "Calder Reach Trading")
    graph.expand_selected()
    qtbot.waitUntil(graph.crumb.isVisible, timeout=10_000)
    assert "Northern Gannet" in drawn(graph)
    with qtbot.waitSignal(session.told, timeout=PATIENCE):
        qtbot.mouseClick(section.apart[0], LEFT)
    # The other name takes its facts along.
    qtbot.waitUntil(lambda: "Northern Gannet" not in drawn(graph), timeout=10_000)
    assert graph.crumb.isVisible() and "Calder Reach Trading" in drawn(graph)


def drawn(graph: GraphPanel) -> set[str]:
    return set(graph.canvas._arrays.names)


def test_another_name_opens_the_neighbourhood_of_its_entity(
    qtbot: QtBot, graph: GraphPanel, session: Session
) -> None:
    section = show(qtbot, graph, session, "Calder Reach Trading")
    operations.select_entity(session, section._others[0].id)
    qtbot.waitUntil(lambda: graph.canvas.selected() == named(session, "Calder Reach Trading"))
    graph.expand_selected()
    qtbot.waitUntil(graph.crumb.isVisible, timeout=10_000)
    assert graph.place.text().startswith("Calder Reach Trading and its")


def test_off_with_the_reason_while_another_process_writes(
    qtbot: QtBot, graph: GraphPanel, session: Session
) -> None:
    section = show(qtbot, graph, session, "Calder Reach Trading")
    qtbot.mouseClick(section.same, LEFT)
    session.set_written_by("being indexed by process 4711 since 14:02")
    assert not section.box.isVisible()
    for button in (section.apart[0], section.same):
        assert not button.isEnabled() and "4711" in button.toolTip()
    session.set_written_by("")
    assert section.apart[0].isEnabled() and "4711" not in section.same.toolTip()


def test_a_name_that_hangs_on_another_says_on_which() -> None:
    merges = [
        NameMerge("b", "B Ltd", "c", "B-Ltd", "letters", "the same letters", 1.0),
        NameMerge("a", "B", "b", "B Ltd", "form", "the same but for a title or legal form", 0.95),
    ]
    assert other_names(Entity("a", "B", "ORG"), merges) == [
        OtherName("b", "B Ltd", "the same but for a title or legal form"),
        OtherName("c", "B-Ltd", "as B Ltd: the same letters"),
    ]
