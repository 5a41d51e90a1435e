"""Named arrangements: panels side by side, as tabs, floating; a person's own are kept."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.palette import find_commands
from app.shell.workbench import PanelDock, Workbench
from tests.app.one_window import ONE_WINDOW, bench_on
from tests.waiting import process_events

preferences, session, window, calm = ONE_WINDOW
bench = bench_on("indexed")


@pytest.fixture(autouse=True)
def arranged(bench: Workbench, calm: None) -> None:
    """Each test begins with the panels of every day."""
    bench.arrange()
    process_events()


def shown(bench: Workbench) -> set[str]:
    return {id for id, dock in bench.docks.items() if dock.placed}


def waiting(bench: Workbench) -> set[str]:
    """Panels that are not of every day."""
    return {spec.id for spec in bench.specs if not spec.everyday}


def seen(panel: QWidget) -> bool:
    return not panel.visibleRegion().isEmpty()


def inside(panel: QWidget) -> bool:
    """Return whether the keyboard is in a panel."""
    focused = QApplication.focusWidget()
    return focused is not None and panel.isAncestorOf(focused)


def test_those_that_come_with_clew(bench: Workbench, session: Session, qtbot: QtBot) -> None:
    session.commands.run("perspective.debug")
    debugger = waiting(bench) - {"contradictions"}
    assert shown(bench) == {"ask", "evidence", "reader", "explain", *debugger}
    qtbot.waitUntil(lambda: seen(bench.reader) and seen(bench.explain))
    assert (
        bench.reader.mapToGlobal(bench.reader.rect().topRight()).x()
        < bench.explain.mapToGlobal(bench.explain.rect().topLeft()).x()
    )
    session.commands.run("perspective.read")
    assert shown(bench) == {"library", "ask", "evidence", "reader"}
    qtbot.waitUntil(lambda: bench.reader.height() > bench.graph.height())
    session.commands.run("perspective.explore")
    assert shown(bench) == set(bench.docks) - waiting(bench)
    qtbot.waitUntil(lambda: seen(bench.reader) and not seen(bench.explain))


def test_ones_own(
    bench: Workbench, window: MainWindow, session: Session, preferences: Preferences, qtbot: QtBot
) -> None:
    session.commands.run("perspective.read")
    bench.docks["library"].hide()
    window.perspectives.keep("  Two &  columns ")
    session.commands.run("perspective.explore")
    assert [found.id for found in find_commands(session.commands, "two & columns")] == [
        "perspective.own-Two & columns"
    ]
    session.commands.run("perspective.own-Two & columns")
    assert shown(bench) == {"ask", "evidence", "reader"}
    preferences.sync()
    assert list(Preferences(Path(preferences._settings.fileName())).perspectives()) == ["Two & columns"]
    window.perspectives.keep("")
    window.perspectives.keep("Two & columns")
    assert list(preferences.perspectives()) == ["Two & columns"]
    window.perspectives.forget("Two & columns")
    assert "perspective.own-Two & columns" not in session.commands
    assert session.commands["window.forget"].why_not()


def test_a_name_is_asked_for(bench: Workbench, window: MainWindow, session: Session, qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QInputDialog

    session.commands.run("window.keep")
    dialog = bench.findChild(QInputDialog)
    assert dialog is not None
    dialog.setTextValue("Mine")
    dialog.accept()
    session.commands.run("window.forget")
    dialog = next(each for each in bench.findChildren(QInputDialog) if each.isVisible())
    assert dialog.comboBoxItems() == ["Mine"]
    dialog.accept()
    assert not window.preferences.perspectives()


def test_a_panel_floats_and_comes_back(bench: Workbench, session: Session, qtbot: QtBot) -> None:
    refused: list[str] = []
    session.commands.refused.connect(refused.append)
    bench.focus(bench.graph)
    session.commands.run("window.float")
    assert len(refused) == 1
    bench.focus(bench.explain)
    qtbot.waitUntil(lambda: inside(bench.explain))
    session.commands.run("window.float")
    assert bench.docks["explain"].isFloating() and bench.docks["explain"].titleBarWidget().height() > 0
    bench.docks["explain"].setFloating(False)
    bench.focus(bench.library)
    qtbot.waitUntil(lambda: inside(bench.library))
    session.commands.run("window.hide")
    assert "library" not in shown(bench)
    session.commands.run("window.arrange")
    assert shown(bench) == set(bench.docks) - waiting(bench)


def test_beside_others_the_tab_says_the_name(bench: Workbench, session: Session) -> None:
    session.commands.run("perspective.explore")
    assert bench.docks["reader"].titleBarWidget().sizeHint().height() == 0
    session.commands.run("perspective.debug")
    assert bench.docks["reader"].titleBarWidget().sizeHint().height() > 0


@pytest.mark.parametrize("value", ["nonsense", 3, None])
def test_settings_that_are_no_arrangements(preferences: Preferences, value: object) -> None:
    preferences._settings.setValue("perspectives", value)
    assert preferences.perspectives() == {}


ARRANGEMENTS = ("explore", "read", "debug", "review")


def in_front(bench: Workbench) -> list[PanelDock]:
    """Those behind another are moved out of sight."""
    return [
        each for each in bench.docks.values() if each.isVisible() and bench.rect().intersects(each.geometry())
    ]


def fronts(bench: Workbench) -> set[str]:
    return {id for id, dock in bench.docks.items() if dock in in_front(bench)}


def apart(bench: Workbench) -> bool:
    """Whether no panel lies upon another or is narrower than it can be, and none leaves the workbench."""
    shown = [bench.graph, *in_front(bench)]
    places = [QRect(each.mapTo(bench, QPoint()), each.size()) for each in shown]
    return (
        all(bench.rect().contains(place) for place in places)
        and not any(one.intersects(other) for one, other in combinations(places, 2))
        and all(each.width() >= each.minimumSizeHint().width() for each in shown)
    )


@pytest.mark.parametrize("size", [(1440, 900), (1000, 640)])
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_what_comes_is_a_tab_and_no_sliver(
    bench: Workbench,
    window: MainWindow,
    session: Session,
    qtbot: QtBot,
    arrangement: str,
    size: tuple[int, int],
) -> None:
    window.resize(*size)
    process_events()
    session.commands.run(f"perspective.{arrangement}")
    qtbot.waitUntil(lambda: apart(bench))
    bottom = Qt.DockWidgetArea.BottomDockWidgetArea
    columns = len([dock for dock in in_front(bench) if bench.dockWidgetArea(dock) == bottom])
    for id in ("review", "pins", "explain", "models", "reader", "evidence", "communities"):
        session.commands.run(f"panel.{id}")
        qtbot.waitUntil(lambda id=id: bench.docks[id] in in_front(bench) and apart(bench))
        at_bottom = [dock for dock in in_front(bench) if bench.dockWidgetArea(dock) == bottom]
        assert len(at_bottom) <= columns
    assert all(dock.width() >= 220 for dock in in_front(bench))


def test_a_kept_arrangement_of_earlier_takes_hidden_panels_as_tabs(
    bench: Workbench, session: Session, qtbot: QtBot
) -> None:
    session.commands.run("perspective.read")
    for id in ("explain", "review"):  # as they were kept: each with a column of its own
        bench.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, bench.docks[id])
        bench.docks[id].hide()
    assert bench.restore(bench.saved())
    bench.focus(bench.explain)
    bench.focus(bench.review)
    qtbot.waitUntil(lambda: {"review", "explain", "reader"} & fronts(bench) == {"review"})


def test_columns_side_by_side_come_together_where_they_have_no_room(
    bench: Workbench, window: MainWindow, session: Session, qtbot: QtBot
) -> None:
    window.resize(1440, 900)
    session.commands.run("perspective.explore")
    bottom = {"reader", "explain", "review"}
    for dock in map(bench.docks.__getitem__, sorted(bottom)):
        bench.removeDockWidget(dock)
        bench.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock, Qt.Orientation.Horizontal)
        dock.show()
    for id in ("library", "communities", "models", "pins", "entities"):
        bench.docks[id].hide()
    qtbot.waitUntil(lambda: bottom <= fronts(bench) and apart(bench))
    window.resize(1000, 640)
    qtbot.waitUntil(lambda: apart(bench) and len(bottom & fronts(bench)) == 1)
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: bottom <= fronts(bench) and apart(bench))
