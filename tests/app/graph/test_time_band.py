"""The band under the graph, by real mouse and keys: a range of dates is dragged, moved, widened and cleared."""

from __future__ import annotations

from datetime import date

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.graph.panel import GraphPanel
from app.graph.time_view import TimeView
from app.session.session import Session
from core.types import Scope
from tests.app.conftest import open_now
from tests.app.graph.mouse import item_of, names, wheel
from tests.app.panel_case import hover

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: QtBot, open_session: Session) -> GraphPanel:
    """The small case: facts of 2016, of March and of July 2021."""
    panel = GraphPanel(open_session)
    qtbot.addWidget(panel)
    panel.resize(1000, 600)
    panel.show()
    qtbot.waitExposed(panel)
    assert panel.time.isHidden()
    open_now(open_session)
    qtbot.waitUntil(lambda: panel.canvas.node_count > 0 and panel.time.isVisible())
    return panel


def x_of(view: TimeView, year: int, month: int = 7) -> int:
    return round(view.axis.x(date(year, month, 15).toordinal()))


def drag(view: TimeView, begin: int, end: int) -> None:
    QTest.mousePress(view, LEFT, pos=QPoint(begin, 12))
    for step in range(1, 6):
        QTest.mouseMove(view, QPoint(begin + (end - begin) * step // 5, 12))
        QApplication.processEvents()
    QTest.mouseRelease(view, LEFT, pos=QPoint(end, 12))


def dates(session: Session) -> tuple[str, str]:
    return session.scope.current.since, session.scope.current.until


def test_a_dragged_range_is_the_scope_and_the_graph_keeps_to_it(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    view, everything = panel.time.view, names(panel.canvas)
    session.scope.change(documents=("kept",))
    assert view.axis.unit == "M"
    drag(view, x_of(view, 2016, 1), x_of(view, 2016, 12))
    assert session.scope.current == Scope(documents=("kept",), since="2016", until="2016")
    qtbot.waitUntil(lambda: names(panel.canvas) != everything)
    assert {"Oriel Nominees", "Tobias Renwick"} <= names(panel.canvas)
    assert not names(panel.canvas) & {"Lucian Dragomir", "Grey Petrel"}
    assert session.time.current is not None and panel.time.view.words() == "2016"
    assert panel.time.counts.text() == f"{session.time.current.facts.sum()} facts"
    QTest.mouseDClick(view, LEFT, pos=QPoint(5, 12))
    assert session.scope.current == Scope(documents=("kept",))
    qtbot.waitUntil(lambda: names(panel.canvas) == everything)


def test_a_large_graph_hides_at_once_what_is_not_reported_and_is_shaped_when_the_hand_rests(
    qtbot: QtBot, panel: GraphPanel, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.graph.shapes._CROWD", 0)
    rest = panel.shaping.findChild(QTimer)
    assert rest is not None
    rest.setInterval(600_000)  # a hand that does not rest
    view, canvas = panel.time.view, panel.canvas
    count, everything = canvas.node_count, names(panel.canvas)
    drag(view, x_of(view, 2016, 1), x_of(view, 2016, 12))
    qtbot.waitUntil(lambda: names(panel.canvas) < everything)
    early = names(panel.canvas)
    assert canvas.node_count == count and "Oriel Nominees" in early
    drag(view, x_of(view, 2018, 1), x_of(view, 2021, 12))
    qtbot.waitUntil(lambda: "Lucian Dragomir" in names(panel.canvas))
    assert canvas.node_count == count
    late = names(panel.canvas)
    rest.timeout.emit()
    qtbot.waitUntil(lambda: canvas.node_count < count)
    assert (
        names(panel.canvas) == late == set(item_of(canvas).arrays.names)
        and item_of(canvas).emphasis.preview is None
    )
    session.scope.clear()
    qtbot.waitUntil(lambda: names(panel.canvas) == everything and canvas.node_count == count)
    assert item_of(canvas).emphasis.preview is None


def test_ends_and_middle_of_the_range_are_moved(panel: GraphPanel, session: Session) -> None:
    view = panel.time.view
    drag(view, x_of(view, 2018, 3), x_of(view, 2018, 8))
    assert dates(session) == ("2018-03", "2018-08")
    drag(view, round(view.axis.x(date(2018, 9, 1).toordinal())), x_of(view, 2019, 2))
    assert dates(session) == ("2018-03", "2019-02")
    drag(view, round(view.axis.x(date(2018, 3, 1).toordinal())), x_of(view, 2018, 11))
    assert dates(session) == ("2018-11", "2019-02")
    drag(view, x_of(view, 2018, 12), x_of(view, 2019, 12))
    assert dates(session) == ("2019-11", "2020-02")
    drag(view, x_of(view, 2017, 2), x_of(view, 2017, 1))
    assert dates(session) == ("2017-01", "2017-02")


def test_by_the_keyboard_alone(panel: GraphPanel, session: Session) -> None:
    view = panel.time.view
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Right)
    first = dates(session)
    assert first[0] == first[1] and first[0] in ("2021-03", "2021-07")
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert dates(session)[0][:4] == "2016"
    QTest.keyClick(view, Qt.Key.Key_End)
    QTest.keyClick(view, Qt.Key.Key_Left)
    begin, end = view.range or (0, 0)
    QTest.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert view.range is not None and view.range[0] < begin and view.range[1] == end
    wide = view.range
    QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.range[0] == wide[0] and view.range[1] > end
    QTest.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert view.range == wide
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert not session.scope.current.dated and view.range is None


def test_the_range_of_somebody_else_is_displayed(qtbot: QtBot, panel: GraphPanel, session: Session) -> None:
    session.scope.change(since="2021-03", until="2021-07-09")
    qtbot.waitUntil(lambda: panel.time.view.range is not None)
    assert panel.time.view.range == (date(2021, 3, 1).toordinal(), date(2021, 7, 9).toordinal())
    assert panel.time.clear.isVisible()
    QTest.mouseClick(panel.time.clear, LEFT)
    assert not session.scope.current.dated
    session.scope.change(since="2019")
    qtbot.waitUntil(lambda: panel.time.view.range is not None)
    session.scope.clear()
    assert panel.time.view.range is None


def test_the_wheel_zooms_around_the_pointer(panel: GraphPanel) -> None:
    view = panel.time.view
    x, before = x_of(view, 2021, 3), view.axis
    for _ in range(6):
        wheel(view, QPointF(x, 12), 120)
    assert view.axis.last - view.axis.first < before.last - before.first
    assert view.axis.x(date(2021, 3, 15).toordinal()) == pytest.approx(x, abs=2)
    for _ in range(30):
        wheel(view, QPointF(x, 12), -120)
    assert view.axis == view.full_axis


def test_hovering_reports_the_dates_and_what_is_of_them(panel: GraphPanel) -> None:
    view = panel.time.view
    hover(view, QPoint(x_of(view, 2021, 3), 12))
    assert panel.time.card.isVisible() and panel.time.card.text().startswith("March 2021\n")
    assert "dated fact" in panel.time.card.text()
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert not panel.time.card.isVisible()


def test_a_screen_reader_is_reported_the_range_and_the_buckets(panel: GraphPanel, session: Session) -> None:
    view = panel.time.view
    spoken = QAccessible.queryAccessibleInterface(view)
    assert spoken.role() == QAccessible.Role.Slider and spoken.text(QAccessible.Text.Value) == "All times"
    drag(view, x_of(view, 2021, 3), x_of(view, 2021, 4))
    assert spoken.text(QAccessible.Text.Value) == "March to April 2021"
    parts = [spoken.child(at) for at in range(spoken.childCount())]
    buckets = {part.text(QAccessible.Text.Name): part for part in parts}
    assert buckets["March 2021"].state().selected and not buckets["July 2021"].state().selected
    assert "fact" in buckets["July 2021"].text(QAccessible.Text.Description)


def test_the_band_is_hidden_and_displayed_by_its_command(
    qtbot: QtBot, panel: GraphPanel, session: Session
) -> None:
    with qtbot.waitSignal(panel.time.wanted_changed) as signal:
        session.commands["graph.time"].run()
    assert signal.args == [False] and panel.time.isHidden()
    session.commands["graph.time"].run()
    assert panel.time.isVisible() and panel.time.view.hasFocus()


def test_nothing_is_left_of_a_workspace_that_was_closed(panel: GraphPanel, session: Session) -> None:
    drag(panel.time.view, x_of(panel.time.view, 2016, 1), x_of(panel.time.view, 2016, 12))
    session.close_workspace()
    assert panel.time.isHidden() and panel.time.view.range is None and session.time.current is None
    assert session.commands["graph.time"].why_not()
