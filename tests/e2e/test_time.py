"""A range of dates is dragged under the graph: graph, communities and questions keep to it, until it is cleared."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.graph.time_view import TimeView
from app.look import theme
from app.session import operations
from app.session.session import Session
from app.shell.main_window import MainWindow
from tests.e2e.keyboard import Keyboard
from tests.e2e.test_first_session import picture

pytestmark = pytest.mark.long
LEFT = Qt.MouseButton.LeftButton


def drag(view: TimeView, begin: date, end: date) -> None:
    """From one day to another, as a hand does: step by step."""
    first, last = (round(view.axis.x(day.toordinal())) for day in (begin, end))
    QTest.mousePress(view, LEFT, pos=QPoint(first, 12))
    for step in range(1, 9):
        QTest.mouseMove(view, QPoint(first + (last - first) * step // 8, 12))
        QApplication.processEvents()
    QTest.mouseRelease(view, LEFT, pos=QPoint(last, 12))


def near_to(view: TimeView, day: date, unit: str) -> None:
    """The wheel over a day until the buckets are of a unit."""
    for _ in range(40):
        if view.axis.unit == unit:
            return
        place = QPointF(view.axis.x(day.toordinal()), 12)
        event = QWheelEvent(
            place, view.mapToGlobal(place), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view, event)
    raise AssertionError(f"never nearer than {view.axis}")


def drawn(window: MainWindow) -> set[str]:
    """Names of the entities that are seen."""
    assert window.workbench is not None
    canvas = window.workbench.graph.canvas
    there = canvas._emphasis.visible
    return {name for row, name in enumerate(canvas._arrays.names) if there is None or there[row]}


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (2560, 1440)])
def test_a_range_of_dates_is_dragged_and_all_keeps_to_it(
    qtbot: QtBot, window: MainWindow, session: Session, sample_copy: Path, width: int, height: int
) -> None:
    window.resize(width, height)
    keys = Keyboard(qtbot, window, session)
    operations.open_workspace(session, sample_copy)
    keys.until(lambda: window.workbench is not None and window.workbench.graph.time.isVisible())
    bench = window.workbench
    assert bench is not None and session.workspace is not None
    keys.until(lambda: bench.graph.canvas.node_count > 20 and bench.communities.model.rowCount() > 0)
    view, graph, communities = bench.graph.time.view, bench.graph, bench.communities
    everything, all_communities = drawn(window), len(communities.model.communities)

    near_to(view, date(2021, 9, 1), "M")
    drag(view, date(2021, 10, 10), date(2021, 11, 20))
    scope = session.scope.current
    assert (scope.since, scope.until) == ("2021-10", "2021-11"), view.axis
    told = session.workspace.timeline.inside("2021-10", "2021-11")
    names = {session.workspace.graph.entity(id).name for id in told.entity_ids}
    keys.until(lambda: drawn(window) == everything & names)
    assert "Tobias Renwick" in drawn(window) and drawn(window) < everything
    keys.until(lambda: len(communities.model.communities) < all_communities)
    assert all(set(one.entity_ids) <= told.entity_ids for one in communities.model.communities)
    assert "October to November 2021" in communities.dates.text() + graph.time.caption.text()
    for mode in ("light", "dark"):
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme.apply(app, mode)
        graph.canvas.settle()
        QApplication.processEvents()
        picture(window, f"time-{width}-{mode}")

    view.setFocus()
    keys.press("Left")
    assert session.scope.current.until == "2021-10"
    keys.press("Shift+Left", "Shift+Left")
    assert session.scope.current.since == "2021-07"
    keys.press("Esc")
    assert not session.scope.current.dated
    keys.until(lambda: drawn(window) == everything)
    keys.until(lambda: len(communities.model.communities) == all_communities)

    keys.press("Ctrl+Shift+T")
    assert graph.time.isHidden() and not window.preferences.time_band
    keys.press("Ctrl+Shift+T")
    assert graph.time.isVisible() and view.hasFocus()
