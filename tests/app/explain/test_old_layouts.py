"""A layout that was saved when traces, dials, misses and comparisons had panels of their own."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from app.shell.workbench import LAYOUT, Workbench

EARLIER = ("reader", "trace", "dials", "misses", "compare")


def earlier(qtbot: QtBot, bench: Workbench) -> QByteArray:
    """With the trace shown alone on the right, and the other panels at the bottom as they were."""
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(bench.size())
    window.setCentralWidget(QWidget())
    for name in (*bench.docks, *EARLIER):
        if name == "explain" or window.findChild(QDockWidget, f"dock-{name}"):
            continue
        dock = QDockWidget(name, window)
        dock.setObjectName(f"dock-{name}")
        dock.setWidget(QWidget())
        side = Qt.DockWidgetArea.RightDockWidgetArea
        window.addDockWidget(side if name == "trace" else Qt.DockWidgetArea.BottomDockWidgetArea, dock)
        dock.setVisible(name in ("trace", "dials"))
    window.show()
    return window.saveState(LAYOUT)


def test_it_still_opens_with_explain_in_the_place_of_the_trace(bench: Workbench, qtbot: QtBot) -> None:
    bench.docks["explain"].hide()
    assert bench.restore(earlier(qtbot, bench))
    assert bench.docks["explain"].placed
    assert bench.dockWidgetArea(bench.docks["explain"]) == Qt.DockWidgetArea.RightDockWidgetArea
    assert not bench.docks["reader"].placed
    assert bench.restore(bench.saved()) and bench.docks["explain"].placed
