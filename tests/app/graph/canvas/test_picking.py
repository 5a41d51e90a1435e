"""A loop around nodes against Qt's own polygons; drawn by a real mouse on the canvas, and what the keys choose."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QPolygonF
from pytestqt.qtbot import QtBot

from app.graph.canvas.canvas import GraphCanvas
from app.graph.canvas.picking import points_inside
from tests.app.graph.mouse import drag, item_of, place, surface_of, view_of

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
Points = list[tuple[float, float]]
# Points stand between the lines of the grid on which corners stand: none is upon a side's end, and Qt rounds nothing.
corners = st.lists(st.tuples(st.integers(-8, 8), st.integers(-8, 8)), min_size=3, max_size=14)
places = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=40)


@given(corners, places)
@settings(max_examples=50, deadline=None)
def test_what_lies_in_a_loop_is_what_qt_says(
    loop: list[tuple[int, int]], points: list[tuple[int, int]]
) -> None:
    between = np.array(points, np.float32) + np.array([0.37, 0.41], np.float32)
    polygon = QPolygonF([QPointF(x, y) for x, y in loop])
    wanted = [polygon.containsPoint(QPointF(x, y), Qt.FillRule.OddEvenFill) for x, y in between.tolist()]
    assert points_inside(np.array(loop, np.float32), between).tolist() == wanted


def test_a_line_holds_nothing() -> None:
    assert not points_inside(np.zeros((2, 2), np.float32), np.zeros((5, 2), np.float32)).any()


def chosen(canvas: GraphCanvas) -> list[str]:
    return [item_of(canvas).arrays.ids[row] for row in item_of(canvas).emphasis.chosen.tolist()]


def gathered(canvas: GraphCanvas) -> list[tuple[set[str], str]]:
    gatherings: list[tuple[set[str], str]] = []
    canvas.nodes_gathered.connect(lambda ids, how: gatherings.append((set(ids), how)))
    return gatherings


def around(canvas: GraphCanvas, *ids: str) -> list[QPoint]:
    """A loop of which these nodes are the inside."""
    spots = [place(canvas, id) for id in ids]
    left, right = min(p.x() for p in spots) - 12, max(p.x() for p in spots) + 12
    top, bottom = min(p.y() for p in spots) - 12, max(p.y() for p in spots) + 12
    return [
        QPoint(left, top),
        QPoint(right, top),
        QPoint(right, bottom),
        QPoint(left, bottom),
        QPoint(left, top),
    ]


def test_a_drag_with_ctrl_gathers_and_does_not_move_the_view(canvas: GraphCanvas, qtbot: QtBot) -> None:
    gatherings, before = gathered(canvas), view_of(canvas).camera()
    drag(qtbot, canvas, around(canvas, "hub", "east"), CTRL)
    drag(qtbot, canvas, around(canvas, "east"), CTRL | SHIFT)
    assert gatherings == [({"hub", "east"}, "add"), ({"east"}, "remove")]
    assert view_of(canvas).camera() == before and not item_of(canvas).lasso


def test_esc_gives_a_loop_up(canvas: GraphCanvas, qtbot: QtBot) -> None:
    gatherings = gathered(canvas)
    loop = around(canvas, "hub")
    drag(qtbot, canvas, loop, CTRL, before_the_end=lambda: qtbot.keyClick(view_of(canvas), Qt.Key.Key_Escape))
    assert gatherings == [] and not item_of(canvas).lasso


def test_ctrl_and_a_click_gathers_one_and_selects_nothing(canvas: GraphCanvas, qtbot: QtBot) -> None:
    gatherings = gathered(canvas)
    surface = surface_of(canvas)
    qtbot.mouseClick(surface, Qt.MouseButton.LeftButton, CTRL, place(canvas, "far"))
    qtbot.mouseClick(surface, Qt.MouseButton.LeftButton, CTRL, QPoint(5, 5))  # nothing is there
    assert gatherings == [({"far"}, "toggle")] and canvas.selected() == ""


def test_space_gathers_what_the_arrows_reach_and_ctrl_a_all(canvas: GraphCanvas, qtbot: QtBot) -> None:
    gatherings = gathered(canvas)
    canvas.setFocus()
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Down, Qt.Key.Key_Space, Qt.Key.Key_Left, Qt.Key.Key_Space):
        qtbot.keyClick(view_of(canvas), key)
    qtbot.keyClick(view_of(canvas), Qt.Key.Key_A, CTRL)
    assert gatherings == [({"hub"}, "toggle"), ({"west"}, "toggle"), (set(item_of(canvas).arrays.ids), "all")]


def test_the_chosen_wear_a_ring_and_the_rest_steps_back(canvas: GraphCanvas) -> None:
    canvas.choose(["west", "far", "nobody"])
    assert chosen(canvas) == ["west", "far"]
    front, rest = item_of(canvas).emphasis.focus()
    assert front is not None and rest < 1
    assert {item_of(canvas).arrays.ids[row] for row in np.flatnonzero(front)} == {"west", "far"}
    canvas.choose([])
    assert item_of(canvas).emphasis.focus() == (None, 1.0)
