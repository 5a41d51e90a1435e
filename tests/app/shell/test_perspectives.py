"""Named arrangements: panels side by side, as tabs, floating; a person's own are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.session.preferences import Preferences
from app.session.session import Session
from app.shell.main_window import MainWindow
from app.shell.palette import find_commands
from app.shell.workbench import Workbench


def shown(bench: Workbench) -> set[str]:
    return {id for id, dock in bench.docks.items() if dock.shown}


def seen(panel: QWidget) -> bool:
    return not panel.visibleRegion().isEmpty()


def test_those_that_come_with_clew(bench: Workbench, session: Session, qtbot: QtBot) -> None:
    session.commands.run("perspective.debug")
    assert shown(bench) == {"ask", "evidence", "reader", "trace"}
    qtbot.waitUntil(lambda: seen(bench.reader) and seen(bench.trace))
    assert (
        bench.reader.mapToGlobal(bench.reader.rect().topRight()).x()
        < bench.trace.mapToGlobal(bench.trace.rect().topLeft()).x()
    )
    session.commands.run("perspective.read")
    assert shown(bench) == {"library", "ask", "evidence", "reader"}
    qtbot.waitUntil(lambda: bench.reader.height() > bench.graph.height())
    session.commands.run("perspective.explore")
    assert shown(bench) == set(bench.docks)
    qtbot.waitUntil(lambda: seen(bench.reader) and not seen(bench.trace))


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
    said: list[str] = []
    session.commands.refused.connect(said.append)
    bench.focus(bench.graph)
    session.commands.run("window.float")
    assert said == ["Click into a panel first."]
    bench.focus(bench.trace)
    qtbot.waitUntil(lambda: bench._current() is bench.docks["trace"])
    session.commands.run("window.float")
    assert bench.docks["trace"].isFloating() and bench.docks["trace"].titleBarWidget().height() > 0
    bench.docks["trace"].setFloating(False)
    bench.focus(bench.library)
    qtbot.waitUntil(lambda: bench._current() is bench.docks["library"])
    session.commands.run("window.hide")
    assert "library" not in shown(bench)
    session.commands.run("window.arrange")
    assert shown(bench) == set(bench.docks)


def test_beside_others_the_tab_says_the_name(bench: Workbench, session: Session) -> None:
    session.commands.run("perspective.explore")
    assert bench.docks["reader"].titleBarWidget().sizeHint().height() == 0
    session.commands.run("perspective.debug")
    assert bench.docks["reader"].titleBarWidget().sizeHint().height() > 0


@pytest.mark.parametrize("value", ["nonsense", 3, None])
def test_settings_that_are_no_arrangements(preferences: Preferences, value: object) -> None:
    preferences._settings.setValue("perspectives", value)
    assert preferences.perspectives() == {}
