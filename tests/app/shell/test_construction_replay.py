"""The construction of the sample, replayed in the real window by clicks and keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.construction.arcs import Arcs
from app.construction.panel import ConstructionPanel
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from core.types import Event
from tests.waiting import process_events

LEFT = Qt.MouseButton.LeftButton


@pytest.mark.long
def test_the_sample_grows_again_and_a_fact_says_where_it_came_from(
    window: MainWindow, session: Session, sample_copy: Path, qtbot: QtBot, socket_enabled: None
) -> None:
    operations.open_workspace(session, sample_copy)
    qtbot.waitUntil(lambda: window.workbench is not None and window.workbench.graph.canvas.node_count > 0)
    bench = window.workbench
    assert bench is not None
    window.activateWindow()
    session.commands.run("perspective.debug")
    process_events()
    assert bench.docks["construction"].shown
    QTest.keySequence(window, "Ctrl+Shift+B")
    panel = bench.panels["construction"]
    assert isinstance(panel, ConstructionPanel)
    qtbot.waitUntil(lambda: panel.events is not None)
    assert QApplication.focusWidget() is panel.slider
    events = panel.events
    assert events is not None
    emphasis = bench.graph.canvas._emphasis

    def there() -> int:
        return int(emphasis.there.sum()) if emphasis.there is not None else -1

    assert there() == -1, "all is drawn"
    qtbot.keyClick(panel.slider, Qt.Key.Key_Home)
    assert there() == 0
    seen = []
    for _ in range(len(events.places[Event.PASSAGE])):
        QTest.keySequence(window, "Alt+PgDown")
        seen.append(there())
    drawn = np.array(seen[:-1])
    assert (np.diff(drawn) >= 0).all() and drawn[-1] <= bench.graph.canvas.node_count
    assert drawn[-1] > 0
    at = int(events.places[Event.FACT][3])
    panel.player.go(at + 1)
    process_events()
    panel.list.setFocus()
    index = panel.list.currentIndex()
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=panel.list.visualRect(index).center())
    qtbot.waitUntil(lambda: session.selection.current is not None)
    passage = events.passage_ids[events.passage_of(at)]
    assert session.selection.current is not None and session.selection.current.id == passage
    qtbot.waitUntil(lambda: panel.anatomy.anatomy is not None and not panel.anatomy._waiting)
    qtbot.waitUntil(lambda: any(card.findChild(Arcs) is not None for card in panel.anatomy.cards))
    assert panel.isVisible(), "its tab stays in front"
    rejected = [one for card in panel.anatomy.cards for one in card.parts.outcomes if one.struck]
    assert all(one.detail for one in rejected)
    assert there() >= 0
    panel.list.setFocus()
    qtbot.keyClick(panel.list, Qt.Key.Key_Escape)
    assert there() == -1
    panel.player.go(10)
    assert there() >= 0
    bench.docks["explain"].come()
    qtbot.waitUntil(lambda: there() == -1)
